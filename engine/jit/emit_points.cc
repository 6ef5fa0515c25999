#include <set>

#include "engine/jit/emit_rows.h"

// Point loops: an item is a block of a row; lanes run along the row.

namespace layoutd {

using llvm::Value;

namespace {

constexpr int64_t kCacheLineBytes = 64;
// Of a row, what is fetched ahead at most; of longer ones the hardware takes
// care.
constexpr int64_t kMaxFetchedBytes = 1024;
// Rows between the one that is computed and the one that is fetched.
constexpr int64_t kRowsAhead = 2;

// Fetches row `row`, which the hardware cannot guess: the columns of a mask lie
// anywhere.
void FetchRow(BodyEmitter& body, Value* row) {
  LaneBuilder& lanes = body.lanes();
  llvm::IRBuilder<>& ir = lanes.ir();
  const LoopPlan& loop = body.loop();
  const RowIr next = EmitRow(body, row);
  std::set<size_t> stored;
  for (const LoopOp& op : loop.blocks[0].ops) {
    if (op.kind == LoopOp::Kind::kStore) {
      stored.insert(static_cast<size_t>(op.index));
    }
  }
  for (size_t k = 0; k < loop.accesses.size(); ++k) {
    const LoopAccess& access = loop.accesses[k];
    // Compact rows follow each other.
    if (access.lanes != LaneStride::kUnit || access.compact) continue;
    Value* bytes =
        lanes.MinI64(ir.CreateMul(body.Argument(ArgumentWord::kExtents),
                                  lanes.I64(access.piece_bytes)),
                     lanes.I64(kMaxFetchedBytes));
    lanes.For(lanes.I64(0), bytes, lanes.I64(kCacheLineBytes), [&](Value* at) {
      Value* address = lanes.Offset(next.pointers[k], at);
      Value* for_writing = ir.getInt32(stored.count(k) > 0 ? 1 : 0);
      Value* keep = ir.getInt32(3);
      Value* data = ir.getInt32(1);
      ir.CreateIntrinsic(llvm::Intrinsic::prefetch, {address->getType()},
                         {address, for_writing, keep, data});
    });
  }
}

}  // namespace

void EmitPointLoop(BodyEmitter& body, const ThreadScope& scope, Value* begin,
                   Value* end) {
  LaneBuilder& lanes = body.lanes();
  llvm::IRBuilder<>& ir = lanes.ir();
  const LoopBlock& block = body.loop().blocks[0];
  Value* length = body.Argument(ArgumentWord::kBlockLength);
  Value* per_row = body.Argument(ArgumentWord::kBlocksPerRow);
  Value* extent = body.Argument(ArgumentWord::kExtents);
  Value* width = lanes.I64(lanes.num_lanes());

  Value* last_row = nullptr;
  if (body.loop().masked) {
    last_row = ir.CreateUDiv(ir.CreateSub(end, lanes.I64(1)), per_row);
  }
  lanes.For(ir.CreateAdd(begin, scope.rank), end, scope.size, [&](Value* item) {
    Value* row_index = ir.CreateUDiv(item, per_row);
    Value* x_begin = ir.CreateMul(
        ir.CreateSub(item, ir.CreateMul(row_index, per_row)), length);
    Value* x_end = lanes.MinI64(ir.CreateAdd(x_begin, length), extent);
    const RowIr row = EmitRow(body, row_index);
    if (last_row != nullptr) {
      Value* ahead = ir.CreateAdd(row_index, lanes.I64(kRowsAhead));
      lanes.If(ir.CreateICmpSLE(ahead, last_row),
               [&] { FetchRow(body, ahead); });
    }
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
  body.OrderStreamedStores();
  ir.CreateRetVoid();
}

}  // namespace layoutd
