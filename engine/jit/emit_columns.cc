#include <algorithm>

#include "engine/jit/emit_body.h"
#include "engine/jit/emit_column_tiles.h"

// Column loops: an item is a group of columns, one a lane; levels run in order.

namespace layoutd {
namespace {

using llvm::Value;

// Between two looks at the stop word: levels at most, and scalar operations
// (100 us or so) unless one tile has more.
constexpr int64_t kMaxLevelsPerPoll = 256;
constexpr int64_t kOpsPerPoll = 200000;

// Returns the levels between two looks: whole tiles of `tile_levels`.
int64_t LevelsPerPoll(const LoopPlan& loop, int num_lanes,
                      int64_t tile_levels) {
  const int64_t levels = std::min(
      kOpsPerPoll / (loop.ops_per_point() * num_lanes), kMaxLevelsPerPoll);
  return std::max(levels / tile_levels, int64_t{1}) * tile_levels;
}

// Returns lanes of (i, j, h) of the columns `column` (lanes of i64); of the
// column alone where the loop has merged the three.
std::array<Value*, 4> ColumnIndices(BodyEmitter& body, Value* column) {
  LaneBuilder& lanes = body.lanes();
  llvm::IRBuilder<>& ir = lanes.ir();
  std::array<Value*, 4> index = {};
  if (body.loop().masked) {
    for (int64_t d = 1; d < 4; ++d) {
      Value* map = ir.CreateIntToPtr(
          body.Argument(ArgumentWord::kColumns, d - 1), ir.getPtrTy());
      Value* pointers = ir.CreateGEP(ir.getInt64Ty(), map, column);
      index[static_cast<size_t>(d)] =
          lanes.num_lanes() == 1
              ? static_cast<Value*>(ir.CreateLoad(ir.getInt64Ty(), pointers))
              : ir.CreateMaskedGather(lanes.Lanes(ir.getInt64Ty()), pointers,
                                      llvm::Align(8));
    }
    return index;
  }
  if (body.loop().num_dimensions == 2) {
    index[1] = column;
    return index;
  }
  Value* ni = lanes.Splat(body.Argument(ArgumentWord::kExtents, 1));
  Value* nj = lanes.Splat(body.Argument(ArgumentWord::kExtents, 2));
  Value* jh = ir.CreateUDiv(column, ni);
  index[1] = ir.CreateSub(column, ir.CreateMul(jh, ni));
  index[3] = ir.CreateUDiv(jh, nj);
  index[2] = ir.CreateSub(jh, ir.CreateMul(index[3], nj));
  return index;
}

// Returns, per access, lanes of the bytes from its base to the columns of
// `position`; null where every column is at one address.
std::vector<Value*> ColumnOffsets(BodyEmitter& body,
                                  const BodyEmitter::Position& position) {
  LaneBuilder& lanes = body.lanes();
  llvm::IRBuilder<>& ir = lanes.ir();
  std::vector<Value*> offsets;
  for (size_t k = 0; k < body.loop().accesses.size(); ++k) {
    Value* offset = nullptr;
    if (body.loop().accesses[k].lanes != LaneStride::kUniform) {
      offset = lanes.SplatI64(0);
      for (int d = 1; d < body.loop().num_dimensions; ++d) {
        offset = ir.CreateAdd(
            offset, ir.CreateMul(position.index[static_cast<size_t>(d)],
                                 lanes.Splat(body.Stride(k, d))));
      }
    }
    offsets.push_back(offset);
  }
  return offsets;
}

}  // namespace

void EmitColumnLoop(BodyEmitter& body, const ThreadScope& scope, Value* begin,
                    Value* end) {
  LaneBuilder& lanes = body.lanes();
  llvm::IRBuilder<>& ir = lanes.ir();
  const LoopPlan& loop = body.loop();
  Value* num_columns = body.Argument(ArgumentWord::kNumColumns);
  Value* stop =
      ir.CreateIntToPtr(body.Argument(ArgumentWord::kStop), ir.getPtrTy());
  Value* level_counts = ir.CreateIntToPtr(
      body.Argument(ArgumentWord::kLevelCounts), ir.getPtrTy());

  std::vector<ColumnTiles> tiles;
  for (const LoopBlock& block : loop.blocks) tiles.emplace_back(body, block);
  lanes.For(
      ir.CreateAdd(begin, scope.rank), end, scope.size, [&](Value* group) {
        Value* first = ir.CreateMul(group, lanes.I64(lanes.num_lanes()));
        Value* column = ir.CreateAdd(lanes.Splat(first), lanes.Iota());
        Value* valid = nullptr;
        if (lanes.num_lanes() > 1) {
          valid = ir.CreateICmpSLT(column, lanes.Splat(num_columns));
          column = ir.CreateSelect(valid, column, lanes.Splat(first));
        }
        Value* full = ir.CreateICmpSLE(
            ir.CreateAdd(first, lanes.I64(lanes.num_lanes())), num_columns);
        BodyEmitter::Position position;
        position.mask = valid;
        position.index = ColumnIndices(body, column);
        const std::vector<Value*> offsets = ColumnOffsets(body, position);
        auto move_to_level = [&](Value* v) {
          position.index[0] = lanes.Splat(v);
          position.addresses.clear();
          for (size_t k = 0; k < loop.accesses.size(); ++k) {
            Value* pointer =
                lanes.Offset(body.Base(k), ir.CreateMul(v, body.Stride(k, 0)));
            position.addresses.push_back(
                {pointer, offsets[k], loop.accesses[k].lanes});
          }
        };

        for (size_t b = 0; b < loop.blocks.size(); ++b) {
          const LoopBlock& block = loop.blocks[b];
          if (!block.levels) {
            move_to_level(lanes.I64(0));
            body.Emit(block, position);
            continue;
          }
          Value* count = lanes.LoadWord(level_counts, static_cast<int64_t>(b));
          tiles[b].BeginGroup(offsets, valid, full);
          body.BeginFolds(block);
          // Levels [low, low + length), which are steps `at` ... of the pass.
          auto emit_tile = [&](Value* at) {
            Value* length = lanes.MinI64(lanes.I64(tiles[b].levels()),
                                         ir.CreateSub(count, at));
            Value* low =
                block.flip ? ir.CreateSub(ir.CreateSub(count, at), length) : at;
            tiles[b].Fill(low, length);
            Value* top = ir.CreateSub(length, lanes.I64(1));
            lanes.For(lanes.I64(0), length, lanes.I64(1), [&](Value* step) {
              body.SetFirstLevel(
                  ir.CreateICmpEQ(ir.CreateAdd(at, step), lanes.I64(0)));
              Value* index = block.flip ? ir.CreateSub(top, step) : step;
              tiles[b].PrefetchNext(ir.CreateAdd(at, step));
              move_to_level(ir.CreateAdd(low, index));
              tiles[b].Place(index, position.addresses);
              body.Emit(block, position);
            });
            tiles[b].Flush(low, length);
          };
          // A column may be very long: the stop word is looked at on the way.
          const int64_t levels_per_poll =
              LevelsPerPoll(loop, lanes.num_lanes(), tiles[b].levels());
          lanes.For(
              lanes.I64(0), count, lanes.I64(levels_per_poll), [&](Value* at) {
                Value* end_of_run = lanes.MinI64(
                    count, ir.CreateAdd(at, lanes.I64(levels_per_poll)));
                Value* word =
                    ir.CreateAlignedLoad(ir.getInt8Ty(), stop, llvm::Align(1),
                                         /*isVolatile=*/true);
                lanes.If(ir.CreateICmpEQ(word, ir.getInt8(0)), [&] {
                  lanes.For(at, end_of_run, lanes.I64(tiles[b].levels()),
                            emit_tile);
                });
              });
          body.EndFolds(block);
        }
      });
  body.OrderStreamedStores();
  ir.CreateRetVoid();
}

}  // namespace layoutd
