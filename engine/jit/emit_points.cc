#include <algorithm>

#include "engine/jit/emit_rows.h"

// Point loops: an item is a block of a row; lanes run along the row.

namespace layoutd {

using llvm::Value;

void EmitPointLoop(BodyEmitter& body, const ThreadScope& scope, Value* begin,
                   Value* end) {
  LaneBuilder& lanes = body.lanes();
  llvm::IRBuilder<>& ir = lanes.ir();
  const LoopBlock& block = body.loop().blocks[0];
  Value* length = body.Argument(ArgumentWord::kBlockLength);
  Value* per_row = body.Argument(ArgumentWord::kBlocksPerRow);
  Value* extent = body.Argument(ArgumentWord::kExtents);
  Value* width = lanes.I64(lanes.num_lanes());

  lanes.For(ir.CreateAdd(begin, scope.rank), end, scope.size, [&](Value* item) {
    Value* row_index = ir.CreateUDiv(item, per_row);
    Value* x_begin = ir.CreateMul(
        ir.CreateSub(item, ir.CreateMul(row_index, per_row)), length);
    Value* x_end = lanes.MinI64(ir.CreateAdd(x_begin, length), extent);
    const RowIr row = EmitRow(body, row_index);
    Value* count = ir.CreateSub(x_end, x_begin);
    Value* whole = ir.CreateAdd(
        x_begin, ir.CreateAnd(count, lanes.I64(-lanes.num_lanes())));
    lanes.For(x_begin, whole, width, [&](Value* x) {
      body.Emit(block, PositionInRow(body, row, x, nullptr));
    });
    if (lanes.num_lanes() == 1) return;
    lanes.If(ir.CreateICmpSLT(whole, x_end), [&] {
      Value* left = ir.CreateSub(x_end, whole);
      Value* mask = ir.CreateICmpULT(lanes.Iota(), lanes.Splat(left));
      body.Emit(block, PositionInRow(body, row, whole, mask));
    });
  });
  const std::vector<LoopAccess>& accesses = body.loop().accesses;
  if (std::any_of(accesses.begin(), accesses.end(),
                  [](const LoopAccess& access) { return access.streaming; })) {
    // Stores past the cache are not ordered by what tells that the loop is
    // done.
    ir.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent);
  }
  ir.CreateRetVoid();
}

}  // namespace layoutd
