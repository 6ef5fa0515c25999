#ifndef LAYOUTD_ENGINE_JIT_EMIT_COLUMN_TILES_H_
#define LAYOUTD_ENGINE_JIT_EMIT_COLUMN_TILES_H_

// Tiles of a column loop: memory holds the levels of a column one after
// another, lanes are columns. Instead of gathering every level, some levels of
// all lanes are turned at once: rows of memory become vectors of lanes in a
// small array on the stack, which the body reads and writes; stores are turned
// back.

#include <vector>

#include "engine/jit/emit_body.h"

namespace layoutd {

// The tiles of one block of a column loop, for one group of lanes at a time.
class ColumnTiles {
 public:
  // Levels a tile holds: small enough for the tiles of many accesses to stay in
  // the first-level cache.
  static constexpr int64_t kLevels = 32;

  // Sets memory aside for the accesses of `block` that lie along the levels.
  ColumnTiles(BodyEmitter& body, const LoopBlock& block);

  bool empty() const { return tiles_.empty(); }

  // Begins a group of columns. `offsets`: per access, the lanes' bytes from its
  // base at level 0. `valid`: lanes that are columns; null when all are.
  // `full`: whether all are; i1.
  void BeginGroup(const std::vector<llvm::Value*>& offsets, llvm::Value* valid,
                  llvm::Value* full);

  // Fills the tiles of what the block loads with levels [first, first + count),
  // count in [1, kLevels].
  void Fill(llvm::Value* first, llvm::Value* count);
  // Writes the tiles of what the block stores to the same levels.
  void Flush(llvm::Value* first, llvm::Value* count);

  // Replaces the addresses of tiled accesses by those of level `index` of the
  // tile.
  void Place(llvm::Value* index, std::vector<LaneAddress>& addresses);

 private:
  struct Tile {
    size_t access;
    llvm::Type* type;  // of an element in memory
    int64_t bytes;     // of an element
    bool loaded;
    bool stored;
    llvm::AllocaInst* memory;           // [level][lane]
    llvm::Value* offsets = nullptr;     // lanes
    std::vector<llvm::Value*> columns;  // per lane: pointer to level 0
  };

  llvm::Value* ElementAt(const Tile& tile, llvm::Value* level);
  void Transpose(std::vector<llvm::Value*>& rows);
  void Prefetch(const Tile& tile, size_t lane, llvm::Value* level);
  // Calls turn(level) so that blocks of as many levels as there are lanes cover
  // [0, count), the last one overlapping the one before it; where that cannot
  // be, one(level) for each.
  template <typename Turn, typename One>
  void Cover(llvm::Value* count, const Turn& turn, const One& one);

  BodyEmitter& body_;
  LaneBuilder& lanes_;
  llvm::IRBuilder<>& ir_;
  std::vector<Tile> tiles_;
  llvm::Value* valid_ = nullptr;
  llvm::Value* full_ = nullptr;
};

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_JIT_EMIT_COLUMN_TILES_H_
