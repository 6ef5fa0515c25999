#ifndef LAYOUTD_ENGINE_JIT_EMIT_FOLD_H_
#define LAYOUTD_ENGINE_JIT_EMIT_FOLD_H_

// The parts of a reduction that depend only on its operation and type, as
// functions of their own: a kernel with many reductions calls one copy of them.
//
// The 64 lanes of a reduction lie in memory as arrays: `totals` (bools as
// bytes), `has_totals` (a byte each, 0 or 1) and, where a reduction has them,
// `positions` (i64 each, canonical numbers of points).

#include <map>
#include <tuple>
#include <utility>

#include "engine/base/scalar_type.h"
#include "engine/jit/emit_body.h"
#include "engine/program/opcode.h"
#include "llvm/IR/Module.h"

namespace layoutd {

// The functions of one module, made when first asked for.
class FoldFunctions {
 public:
  FoldFunctions(llvm::Module* module, int num_lanes,
                std::function<void(LaneBuilder&)> barrier)
      : module_(module), num_lanes_(num_lanes), barrier_(std::move(barrier)) {}

  // void(ptr totals, ptr has_totals, ptr positions, ptr tile, ptr has_tile,
  // i64 first, i64 count, i64 rank, i64 size, i1 started): folds tile points
  // [0, count), canonical points from `first` on, into the lanes, point k into
  // lane k mod 64, in order. Without flags every point counts and has_tile,
  // which else may be read one vector beyond `count`, is not read. `started`:
  // the lanes already hold whole rounds of 64 points.
  llvm::Function* FoldTile(const LoopReduction& reduction, bool has_flags);

  // void(ptr totals, ptr has_totals, ptr positions, i64 rank, i64 size, i1
  // all): combines lane l with l + 32, + 16 ... + 1; the total is lane 0.
  // `all`: every lane has a value.
  llvm::Function* CombineLanes(const LoopReduction& reduction);

  // void(ptr tile, i64 count, ptr total): writes the total of a chunk whose
  // `count` >= 64 points all count and lie at `tile`. The lanes stay in
  // registers. The reduction has no positions.
  llvm::Function* FoldChunk(const LoopReduction& reduction);

 private:
  llvm::Function* NewFunction(llvm::ArrayRef<llvm::Type*> parameters);

  llvm::Module* const module_;
  const int num_lanes_;
  const std::function<void(LaneBuilder&)> barrier_;
  // By operation, type, whether it has positions, and flags.
  std::map<std::tuple<Opcode, ScalarType, bool, bool>, llvm::Function*>
      fold_tile_;
  std::map<std::tuple<Opcode, ScalarType, bool>, llvm::Function*>
      combine_lanes_;
  std::map<std::pair<Opcode, ScalarType>, llvm::Function*> fold_chunk_;
};

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_JIT_EMIT_FOLD_H_
