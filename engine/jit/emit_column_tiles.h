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
  // Sets memory aside for the accesses of `block` that lie along the levels.
  ColumnTiles(BodyEmitter& body, const LoopBlock& block);

  // Levels a tile holds; all 64 where few tiles share the first-level cache.
  int64_t levels() const { return levels_; }

  // Begins a group of columns. `offsets`: per access, the lanes' bytes from its
  // base at level 0. `valid`: lanes that are columns; null when all are.
  // `full`: whether all are; i1.
  void BeginGroup(const std::vector<llvm::Value*>& offsets, llvm::Value* valid,
                  llvm::Value* full);

  // Fills the tiles of what the block loads with levels [first, first + count),
  // count in [1, levels()].
  void Fill(llvm::Value* first, llvm::Value* count);
  // Writes the tiles of what the block stores to the same levels.
  void Flush(llvm::Value* first, llvm::Value* count);

  // Asks for a part of the next group's memory, so that it comes while the body
  // computes. `step`: number of the level in its pass.
  void PrefetchNext(llvm::Value* step);

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
    llvm::AllocaInst* memory;        // [level][lane]
    llvm::AllocaInst* lane_offsets;  // [lane], bytes from the base to level 0
    llvm::AllocaInst* stage;  // [lane][level], as in memory; null: not streamed
    llvm::Value* offsets = nullptr;  // the same as lanes
  };

  llvm::Type* RowOf(const Tile& tile) const;
  static llvm::Align AlignOf(const Tile& tile);
  // Where the tile holds `level` from `lane` on, and the whole level.
  llvm::Value* RowAt(const Tile& tile, llvm::Value* level, llvm::Value* lane);
  llvm::Value* ElementAt(const Tile& tile, llvm::Value* level);
  // Turns a square of `block_` rows.
  void Transpose(std::vector<llvm::Value*>& rows);
  void Turn(const Tile& tile, const std::vector<llvm::Value*>& from,
            const std::vector<llvm::Value*>& to);
  // Returns where the column of `lane` (i64) has level `first` in memory.
  llvm::Value* ColumnOf(const Tile& tile, llvm::Value* lane,
                        llvm::Value* first);
  // Whether squares of `count` levels fit; i1.
  llvm::Value* Turns(llvm::Value* count);
  // Calls square(rows in memory, rows in the tile) for all squares of `tile`.
  // `column_of`: of a lane, where its first level lies in memory.
  template <typename Lane, typename Square>
  void ForSquares(const Tile& tile, llvm::Value* count, const Lane& column_of,
                  const Square& square);
  // Calls one(pointers of the lanes, level in the tile), level by level.
  template <typename One>
  void ForLevels(const Tile& tile, llvm::Value* first, llvm::Value* count,
                 const One& one);
  // Whether the tile is all levels of columns that follow each other; i1.
  llvm::Value* IsWhole(const Tile& tile, llvm::Value* first,
                       llvm::Value* count);
  // Writes such a tile past the cache, which takes whole lines in order.
  void Stream(const Tile& tile, llvm::Value* count);

  BodyEmitter& body_;
  LaneBuilder& lanes_;
  llvm::IRBuilder<>& ir_;
  std::vector<Tile> tiles_;
  int64_t levels_ = 64;
  int block_;  // lanes and levels that are turned together
  llvm::Value* valid_ = nullptr;
  llvm::Value* full_ = nullptr;
};

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_JIT_EMIT_COLUMN_TILES_H_
