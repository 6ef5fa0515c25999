#ifndef LAYOUTD_ENGINE_JIT_EMIT_BODY_H_
#define LAYOUTD_ENGINE_JIT_EMIT_BODY_H_

// The body of a loop as IR: loads, ops and stores of one block for one group of
// lanes. The loop emitters (emit_points, emit_columns, emit_reduction) decide
// where the lanes stand and call Emit there.

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "engine/jit/kernel_arguments.h"
#include "engine/jit/lanes.h"
#include "engine/program/plan.h"

namespace layoutd {

// Where the threads of a launch stand inside one item. The CPU runs an item
// with one thread; other devices run the same IR with more.
struct ThreadScope {
  llvm::Value* rank;  // i64, [0, size)
  llvm::Value* size;  // i64
  std::function<void(LaneBuilder&)> barrier;
};

// Where one access stands for the current lanes.
struct LaneAddress {
  llvm::Value* pointer = nullptr;  // of lane 0, or of all lanes
  // Bytes from `pointer`, lanes of i64; null when all lanes are at one address
  // (kUniform) or follow each other (kUnit).
  llvm::Value* offsets = nullptr;
  LaneStride lanes = LaneStride::kUniform;
  // kUnit: the memory of every lane may be touched, of those too that the mask
  // leaves out.
  bool whole = false;
};

class BodyEmitter {
 public:
  // Reads the constant arguments at the builder's place, the function's entry.
  BodyEmitter(LaneBuilder& lanes, const LoopPlan& loop, llvm::Value* arguments);

  LaneBuilder& lanes() { return lanes_; }
  const LoopPlan& loop() const { return loop_; }
  llvm::Value* Argument(ArgumentWord word, int64_t index = 0);
  llvm::Value* Stride(size_t access, int dimension) const {
    return accesses_[access].strides[static_cast<size_t>(dimension)];
  }
  llvm::Value* Base(size_t access) const { return accesses_[access].base; }

  // What Emit needs to know of the lanes.
  struct Position {
    std::vector<LaneAddress> addresses;      // per access
    std::array<llvm::Value*, 4> index = {};  // per axis, lanes of i64
    llvm::Value* mask = nullptr;             // lanes of i1; null: all are valid
  };

  // Emits the ops of `block`. A fold's op updates its accumulator; see
  // BeginFolds.
  void Emit(const LoopBlock& block, const Position& position);

  // Sets up the accumulators of the folds of `block`, before its pass.
  void BeginFolds(const LoopBlock& block);
  // `is_first`: whether the pass stands at its first level; i1.
  void SetFirstLevel(llvm::Value* is_first) { is_first_level_ = is_first; }
  // Makes the folds' totals usable, after the pass.
  void EndFolds(const LoopBlock& block);

  llvm::Value* ValueOf(ValueIndex index) const {
    return values_[static_cast<size_t>(index)];
  }
  ScalarType TypeOf(ValueIndex index) const {
    return types_[static_cast<size_t>(index)];
  }
  // Loads the leaf of access `index` at `address`. `mask` as in Position.
  llvm::Value* Load(size_t index, const LaneAddress& address,
                    llvm::Value* mask);

  // Makes `store`, which is aligned, go past the cache.
  void MarkStreamed(llvm::StoreInst* store);
  // Comes at the end of a loop that may have such stores: nothing else orders
  // them before what tells that the loop is done.
  void OrderStreamedStores();

 private:
  struct AccessIr {
    llvm::Value* base;
    std::array<llvm::Value*, 4> strides;
    llvm::Value* piece_stride;
    llvm::Value* level_stride;
  };

  llvm::Value* LoadPiece(llvm::Type* type, const LoopAccess& access,
                         const LaneAddress& address, llvm::Value* mask);
  void Store(size_t index, const LaneAddress& address, llvm::Value* mask,
             llvm::Value* value);
  void StorePiece(const LoopAccess& access, const LaneAddress& address,
                  llvm::Value* mask, llvm::Value* value);
  LaneAddress AtLevel(size_t index, LaneAddress address, llvm::Value* level);

  LaneBuilder& lanes_;
  const LoopPlan& loop_;
  llvm::Value* const arguments_;
  std::vector<AccessIr> accesses_;
  std::vector<llvm::Value*> parameters_;  // lanes
  std::vector<llvm::Value*> values_;      // per ValueIndex
  std::vector<ScalarType> types_;         // per ValueIndex
  std::vector<llvm::AllocaInst*> folds_;  // per ValueIndex of a kFold
  llvm::Value* is_first_level_ = nullptr;
};

// The loop emitters. Each fills the function of `body` from its entry to its
// return; items are [begin, end).
// Point and column loops give every thread of the scope items of its own;
// reductions share an item among them.
void EmitPointLoop(BodyEmitter& body, const ThreadScope& scope,
                   llvm::Value* begin, llvm::Value* end);
void EmitColumnLoop(BodyEmitter& body, const ThreadScope& scope,
                    llvm::Value* begin, llvm::Value* end);
void EmitReductionLoop(BodyEmitter& body, const ThreadScope& scope,
                       llvm::Value* begin, llvm::Value* end);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_JIT_EMIT_BODY_H_
