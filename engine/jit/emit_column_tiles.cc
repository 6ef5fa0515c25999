#include "engine/jit/emit_column_tiles.h"

#include <algorithm>

#include "llvm/IR/Intrinsics.h"

namespace layoutd {
namespace {

using llvm::Value;

constexpr int64_t kCacheLineBytes = 64;

}  // namespace

ColumnTiles::ColumnTiles(BodyEmitter& body, const LoopBlock& block)
    : body_(body), lanes_(body.lanes()), ir_(body.lanes().ir()) {
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
    tile.memory = lanes_.Stack(lanes_.Lanes(tile.type), kLevels);
    tiles_.push_back(tile);
  }
}

void ColumnTiles::BeginGroup(const std::vector<Value*>& offsets, Value* valid,
                             Value* full) {
  valid_ = valid;
  full_ = full;
  for (Tile& tile : tiles_) {
    tile.offsets = offsets[tile.access];
    tile.columns.clear();
    for (int lane = 0; lane < lanes_.num_lanes(); ++lane) {
      tile.columns.push_back(lanes_.Offset(
          body_.Base(tile.access),
          ir_.CreateExtractElement(tile.offsets,
                                   ir_.getInt32(static_cast<uint32_t>(lane)))));
    }
  }
}

Value* ColumnTiles::ElementAt(const Tile& tile, Value* level) {
  return ir_.CreateGEP(tile.memory->getAllocatedType(), tile.memory, level);
}

// Exchanges ever larger blocks across the diagonal.
void ColumnTiles::Transpose(std::vector<Value*>& rows) {
  const int width = lanes_.num_lanes();
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

// Columns mostly follow each other, so the same level of the group after this
// one is that many columns further on; a wrong guess costs nothing but the
// line. Without this, memory waits at the end of every column.
void ColumnTiles::Prefetch(const Tile& tile, size_t lane, Value* level) {
  if (body_.loop().masked) return;
  Value* ahead = ir_.CreateMul(body_.Stride(tile.access, 1),
                               lanes_.I64(lanes_.num_lanes()));
  Value* pointer = lanes_.Offset(lanes_.Offset(tile.columns[lane], ahead),
                                 ir_.CreateMul(level, lanes_.I64(tile.bytes)));
  ir_.CreateIntrinsic(llvm::Intrinsic::prefetch, {ir_.getPtrTy()},
                      {pointer, ir_.getInt32(tile.stored ? 1 : 0),
                       ir_.getInt32(3), ir_.getInt32(1)});
}

template <typename Turn, typename One>
void ColumnTiles::Cover(Value* count, const Turn& turn, const One& one) {
  Value* width = lanes_.I64(lanes_.num_lanes());
  Value* turns = ir_.CreateAnd(full_, ir_.CreateICmpSGE(count, width));
  lanes_.If(turns, [&] {
    Value* last = ir_.CreateSub(count, width);
    lanes_.For(lanes_.I64(0), count, width,
               [&](Value* at) { turn(lanes_.MinI64(at, last)); });
  });
  lanes_.If(ir_.CreateNot(turns),
            [&] { lanes_.For(lanes_.I64(0), count, lanes_.I64(1), one); });
}

void ColumnTiles::Fill(Value* first, Value* count) {
  const auto align = [](const Tile& tile) {
    return llvm::Align(static_cast<uint64_t>(tile.bytes));
  };
  auto turn = [&](Value* at) {
    Value* level = ir_.CreateAdd(first, at);
    for (const Tile& tile : tiles_) {
      for (size_t lane = 0; lane < tile.columns.size(); ++lane) {
        Prefetch(tile, lane, level);
      }
      if (!tile.loaded) continue;
      std::vector<Value*> rows;
      for (Value* column : tile.columns) {
        rows.push_back(ir_.CreateAlignedLoad(
            lanes_.Lanes(tile.type), ir_.CreateGEP(tile.type, column, level),
            align(tile)));
      }
      Transpose(rows);
      for (size_t k = 0; k < rows.size(); ++k) {
        ir_.CreateStore(
            rows[k],
            ElementAt(tile,
                      ir_.CreateAdd(at, lanes_.I64(static_cast<int64_t>(k)))));
      }
    }
  };
  auto one = [&](Value* at) {
    Value* level = ir_.CreateAdd(first, at);
    for (const Tile& tile : tiles_) {
      if (!tile.loaded) continue;
      Value* start = ir_.CreateGEP(tile.type, body_.Base(tile.access), level);
      // Lanes beyond the end were given a valid address.
      ir_.CreateStore(ir_.CreateMaskedGather(lanes_.Lanes(tile.type),
                                             lanes_.Offset(start, tile.offsets),
                                             align(tile)),
                      ElementAt(tile, at));
    }
  };
  Cover(count, turn, one);
}

void ColumnTiles::Flush(Value* first, Value* count) {
  if (std::none_of(tiles_.begin(), tiles_.end(),
                   [](const Tile& tile) { return tile.stored; })) {
    return;
  }
  const auto align = [](const Tile& tile) {
    return llvm::Align(static_cast<uint64_t>(tile.bytes));
  };
  auto loaded = [&](const Tile& tile, Value* at) {
    return ir_.CreateLoad(tile.memory->getAllocatedType(), ElementAt(tile, at));
  };
  auto turn = [&](Value* at) {
    Value* level = ir_.CreateAdd(first, at);
    for (const Tile& tile : tiles_) {
      if (!tile.stored) continue;
      std::vector<Value*> rows;
      for (int64_t k = 0; k < lanes_.num_lanes(); ++k) {
        rows.push_back(loaded(tile, ir_.CreateAdd(at, lanes_.I64(k))));
      }
      Transpose(rows);
      for (size_t k = 0; k < rows.size(); ++k) {
        ir_.CreateAlignedStore(rows[k],
                               ir_.CreateGEP(tile.type, tile.columns[k], level),
                               align(tile));
      }
    }
  };
  auto one = [&](Value* at) {
    Value* level = ir_.CreateAdd(first, at);
    for (const Tile& tile : tiles_) {
      if (!tile.stored) continue;
      Value* start = ir_.CreateGEP(tile.type, body_.Base(tile.access), level);
      ir_.CreateMaskedScatter(loaded(tile, at),
                              lanes_.Offset(start, tile.offsets), align(tile),
                              valid_);
    }
  };
  Cover(count, turn, one);
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
