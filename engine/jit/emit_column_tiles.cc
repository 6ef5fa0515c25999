#include "engine/jit/emit_column_tiles.h"

#include <algorithm>

#include "llvm/IR/Intrinsics.h"

namespace layoutd {
namespace {

using llvm::Value;

constexpr int64_t kCacheLineBytes = 64;
// A square has so many rows, of at most so many bytes, that it is turned in
// registers.
constexpr int kMaxBlock = 8;
constexpr int64_t kMaxRowBytes = 32;
// More tiles than this hold fewer levels each, to stay in the first-level
// cache.
constexpr size_t kManyTiles = 4;

}  // namespace

ColumnTiles::ColumnTiles(BodyEmitter& body, const LoopBlock& block)
    : body_(body),
      lanes_(body.lanes()),
      ir_(body.lanes().ir()),
      block_(std::min(lanes_.num_lanes(), kMaxBlock)) {
  if (!block.levels || lanes_.num_lanes() == 1) return;
  for (size_t k = 0; k < body.loop().accesses.size(); ++k) {
    const LoopAccess& access = body.loop().accesses[k];
    if (!access.along_levels) continue;
    auto uses = [&](LoopOp::Kind kind) {
      return std::any_of(
          block.ops.begin(), block.ops.end(), [&](const LoopOp& op) {
            return op.kind == kind && op.index == static_cast<int32_t>(k);
          });
    };
    Tile tile = {};
    tile.access = k;
    tile.type = lanes_.Memory(access.type);
    tile.bytes = access.piece_bytes;
    tile.loaded = uses(LoopOp::Kind::kLoad);
    tile.stored = uses(LoopOp::Kind::kStore);
    if (!tile.loaded && !tile.stored) continue;
    block_ =
        static_cast<int>(std::min<int64_t>(block_, kMaxRowBytes / tile.bytes));
    tiles_.push_back(tile);
  }
  if (tiles_.size() > kManyTiles) levels_ /= 4;
  for (Tile& tile : tiles_) {
    tile.memory = lanes_.Stack(lanes_.Lanes(tile.type), levels_);
    tile.lane_offsets = lanes_.Stack(lanes_.Lanes(ir_.getInt64Ty()));
    const bool streamed = body.loop().accesses[tile.access].streaming &&
                          tile.stored &&
                          lanes_.num_lanes() * tile.bytes % kMaxRowBytes == 0;
    if (streamed) {
      tile.stage = lanes_.Stack(tile.type, levels_ * lanes_.num_lanes());
    }
  }
}

void ColumnTiles::BeginGroup(const std::vector<Value*>& offsets, Value* valid,
                             Value* full) {
  valid_ = valid;
  full_ = full;
  for (Tile& tile : tiles_) {
    tile.offsets = offsets[tile.access];
    ir_.CreateStore(tile.offsets, tile.lane_offsets);
  }
}

llvm::Type* ColumnTiles::RowOf(const Tile& tile) const {
  return LaneBuilder::Lanes(tile.type, block_);
}

llvm::Align ColumnTiles::AlignOf(const Tile& tile) {
  return llvm::Align(static_cast<uint64_t>(tile.bytes));
}

Value* ColumnTiles::RowAt(const Tile& tile, Value* level, Value* lane) {
  Value* lanes = lanes_.I64(lanes_.num_lanes());
  return ir_.CreateGEP(tile.type, tile.memory,
                       ir_.CreateAdd(ir_.CreateMul(level, lanes), lane));
}

Value* ColumnTiles::ElementAt(const Tile& tile, Value* level) {
  return ir_.CreateGEP(tile.memory->getAllocatedType(), tile.memory, level);
}

// Exchanges ever larger blocks across the diagonal.
void ColumnTiles::Transpose(std::vector<Value*>& rows) {
  const int width = block_;
  for (int step = 1; step < width; step *= 2) {
    std::vector<int> low, high;
    for (int lane = 0; lane < width; ++lane) {
      const bool own = (lane & step) == 0;
      low.push_back(own ? lane : width + lane - step);
      high.push_back(own ? lane + step : width + lane);
    }
    for (int k = 0; k < width; ++k) {
      if ((k & step) != 0) continue;
      Value*& a = rows[static_cast<size_t>(k)];
      Value*& b = rows[static_cast<size_t>(k + step)];
      Value* upper = ir_.CreateShuffleVector(a, b, low);
      b = ir_.CreateShuffleVector(a, b, high);
      a = upper;
    }
  }
}

// Columns that are evenly spaced mostly follow each other: the next group is
// one run of memory. A wrong guess costs nothing but the line.
void ColumnTiles::PrefetchNext(Value* step) {
  if (body_.loop().num_dimensions != 2) return;
  const int64_t lanes = lanes_.num_lanes();
  for (const Tile& tile : tiles_) {
    if (tile.stage != nullptr) continue;
    const int64_t bytes_per_level = lanes * tile.bytes;
    Value* first = ir_.CreateLoad(ir_.getInt64Ty(), tile.lane_offsets);
    Value* next = ir_.CreateAdd(
        first, ir_.CreateMul(body_.Stride(tile.access, 1), lanes_.I64(lanes)));
    Value* line = ir_.CreateMul(step, lanes_.I64(bytes_per_level));
    for (int64_t k = 0; k < bytes_per_level; k += kCacheLineBytes) {
      Value* offset = ir_.CreateAdd(next, ir_.CreateAdd(line, lanes_.I64(k)));
      ir_.CreateIntrinsic(llvm::Intrinsic::prefetch, {ir_.getPtrTy()},
                          {lanes_.Offset(body_.Base(tile.access), offset),
                           ir_.getInt32(0), ir_.getInt32(3), ir_.getInt32(1)});
    }
  }
}

Value* ColumnTiles::ColumnOf(const Tile& tile, Value* lane, Value* first) {
  Value* offset =
      ir_.CreateLoad(ir_.getInt64Ty(),
                     ir_.CreateGEP(ir_.getInt64Ty(), tile.lane_offsets, lane));
  return ir_.CreateGEP(tile.type,
                       lanes_.Offset(body_.Base(tile.access), offset), first);
}

Value* ColumnTiles::Turns(Value* count) {
  return ir_.CreateAnd(full_, ir_.CreateICmpSGE(count, lanes_.I64(block_)));
}

// Goes through the squares of a tile, some columns at a time, each from its
// first level to its last: so few streams are open at once.
template <typename Lane, typename Square>
void ColumnTiles::ForSquares(const Tile& tile, Value* count,
                             const Lane& column_of, const Square& square) {
  Value* block = lanes_.I64(block_);
  Value* last = ir_.CreateSub(count, block);
  lanes_.For(
      lanes_.I64(0), lanes_.I64(lanes_.num_lanes()), block, [&](Value* lane) {
        std::vector<Value*> columns;
        for (int64_t k = 0; k < block_; ++k) {
          columns.push_back(column_of(ir_.CreateAdd(lane, lanes_.I64(k))));
        }
        lanes_.For(lanes_.I64(0), count, block, [&](Value* begin) {
          // The last square overlaps the one before it.
          Value* at = lanes_.MinI64(begin, last);
          std::vector<Value*> in_memory, in_tile;
          for (int64_t k = 0; k < block_; ++k) {
            in_memory.push_back(
                ir_.CreateGEP(tile.type, columns[static_cast<size_t>(k)], at));
            in_tile.push_back(
                RowAt(tile, ir_.CreateAdd(at, lanes_.I64(k)), lane));
          }
          square(in_memory, in_tile);
        });
      });
}

template <typename One>
void ColumnTiles::ForLevels(const Tile& tile, Value* first, Value* count,
                            const One& one) {
  lanes_.For(lanes_.I64(0), count, lanes_.I64(1), [&](Value* at) {
    Value* start = ir_.CreateGEP(tile.type, body_.Base(tile.access),
                                 ir_.CreateAdd(first, at));
    one(lanes_.Offset(start, tile.offsets), at);
  });
}

void ColumnTiles::Turn(const Tile& tile, const std::vector<Value*>& from,
                       const std::vector<Value*>& to) {
  std::vector<Value*> rows;
  for (Value* row : from) {
    rows.push_back(ir_.CreateAlignedLoad(RowOf(tile), row, AlignOf(tile)));
  }
  Transpose(rows);
  for (size_t k = 0; k < rows.size(); ++k) {
    ir_.CreateAlignedStore(rows[k], to[k], AlignOf(tile));
  }
}

void ColumnTiles::Fill(Value* first, Value* count) {
  Value* turns = Turns(count);
  for (const Tile& tile : tiles_) {
    if (!tile.loaded) continue;
    lanes_.If(turns, [&] {
      ForSquares(
          tile, count, [&](Value* lane) { return ColumnOf(tile, lane, first); },
          [&](const std::vector<Value*>& in_memory,
              const std::vector<Value*>& in_tile) {
            Turn(tile, in_memory, in_tile);
          });
    });
    lanes_.If(ir_.CreateNot(turns), [&] {
      ForLevels(tile, first, count, [&](Value* pointers, Value* at) {
        // Lanes beyond the end were given a valid address.
        Value* values = ir_.CreateMaskedGather(lanes_.Lanes(tile.type),
                                               pointers, AlignOf(tile));
        ir_.CreateStore(values, ElementAt(tile, at));
      });
    });
  }
}

Value* ColumnTiles::IsWhole(const Tile& tile, Value* first, Value* count) {
  Value* bytes = ir_.CreateMul(count, lanes_.I64(tile.bytes));
  return ir_.CreateAnd(ir_.CreateICmpEQ(first, lanes_.I64(0)),
                       ir_.CreateICmpEQ(bytes, body_.Stride(tile.access, 1)));
}

void ColumnTiles::Stream(const Tile& tile, Value* count) {
  ForSquares(
      tile, count,
      [&](Value* lane) {
        return ir_.CreateGEP(tile.type, tile.stage, ir_.CreateMul(lane, count));
      },
      [&](const std::vector<Value*>& in_stage,
          const std::vector<Value*>& in_tile) {
        Turn(tile, in_tile, in_stage);
      });
  Value* to = ColumnOf(tile, lanes_.I64(0), lanes_.I64(0));
  Value* bytes =
      ir_.CreateMul(count, lanes_.I64(tile.bytes * lanes_.num_lanes()));
  llvm::Type* vector = llvm::FixedVectorType::get(
      ir_.getInt64Ty(), static_cast<unsigned>(kMaxRowBytes / 8));
  lanes_.For(lanes_.I64(0), bytes, lanes_.I64(kMaxRowBytes), [&](Value* at) {
    Value* values = ir_.CreateAlignedLoad(vector, lanes_.Offset(tile.stage, at),
                                          AlignOf(tile));
    body_.MarkStreamed(ir_.CreateAlignedStore(
        values, lanes_.Offset(to, at),
        llvm::Align(static_cast<uint64_t>(kMaxRowBytes))));
  });
}

void ColumnTiles::Flush(Value* first, Value* count) {
  Value* turns = Turns(count);
  for (const Tile& tile : tiles_) {
    if (!tile.stored) continue;
    Value* turned = turns;
    if (tile.stage != nullptr) {
      Value* whole = ir_.CreateAnd(turns, IsWhole(tile, first, count));
      lanes_.If(whole, [&] { Stream(tile, count); });
      turned = ir_.CreateAnd(turns, ir_.CreateNot(whole));
    }
    lanes_.If(turned, [&] {
      ForSquares(
          tile, count, [&](Value* lane) { return ColumnOf(tile, lane, first); },
          [&](const std::vector<Value*>& in_memory,
              const std::vector<Value*>& in_tile) {
            Turn(tile, in_tile, in_memory);
          });
    });
    lanes_.If(ir_.CreateNot(turns), [&] {
      ForLevels(tile, first, count, [&](Value* pointers, Value* at) {
        Value* values = ir_.CreateLoad(tile.memory->getAllocatedType(),
                                       ElementAt(tile, at));
        ir_.CreateMaskedScatter(values, pointers, AlignOf(tile), valid_);
      });
    });
  }
}

void ColumnTiles::Place(Value* index, std::vector<LaneAddress>& addresses) {
  for (const Tile& tile : tiles_) {
    LaneAddress& address = addresses[tile.access];
    address.pointer = ElementAt(tile, index);
    address.offsets = nullptr;
    address.lanes = LaneStride::kUnit;
    address.whole = true;
  }
}

}  // namespace layoutd
