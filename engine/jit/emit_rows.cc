#include "engine/jit/emit_rows.h"

#include <map>

namespace layoutd {

using llvm::Value;

RowIr EmitRow(BodyEmitter& body, Value* row) {
  LaneBuilder& lanes = body.lanes();
  llvm::IRBuilder<>& ir = lanes.ir();
  const LoopPlan& loop = body.loop();
  RowIr result;
  if (loop.masked && loop.kind == LoopKind::kPoints) {
    for (int64_t d = 1; d < 4; ++d) {
      Value* map = ir.CreateIntToPtr(
          body.Argument(ArgumentWord::kColumns, d - 1), ir.getPtrTy());
      result.index[static_cast<size_t>(d)] = ir.CreateLoad(
          ir.getInt64Ty(), ir.CreateGEP(ir.getInt64Ty(), map, row));
    }
  } else {
    Value* rest = row;
    for (int d = 1; d < loop.num_dimensions; ++d) {
      const size_t dimension = static_cast<size_t>(d);
      if (d == loop.num_dimensions - 1) {
        result.index[dimension] = rest;
        break;
      }
      Value* extent = body.Argument(ArgumentWord::kExtents, d);
      Value* next = ir.CreateUDiv(rest, extent);
      result.index[dimension] = ir.CreateSub(rest, ir.CreateMul(next, extent));
      rest = next;
    }
  }
  for (size_t k = 0; k < loop.accesses.size(); ++k) {
    Value* pointer = body.Base(k);
    if (loop.accesses[k].compact) {
      result.pointers.push_back(
          lanes.Offset(pointer, ir.CreateMul(row, body.Stride(k, 3))));
      continue;
    }
    for (int d = 1; d < loop.num_dimensions; ++d) {
      pointer = lanes.Offset(pointer,
                             ir.CreateMul(result.index[static_cast<size_t>(d)],
                                          body.Stride(k, d)));
    }
    result.pointers.push_back(pointer);
  }
  return result;
}

BodyEmitter::Position PositionInRow(BodyEmitter& body, const RowIr& row,
                                    Value* x, Value* mask) {
  LaneBuilder& lanes = body.lanes();
  llvm::IRBuilder<>& ir = lanes.ir();
  const LoopPlan& loop = body.loop();
  BodyEmitter::Position position;
  position.mask = mask;
  Value* lane = ir.CreateAdd(lanes.Splat(x), lanes.Iota());
  if (mask != nullptr) {
    lane = ir.CreateSelect(mask, lane, lanes.Splat(x));
  }
  for (size_t axis = 0; axis < 4; ++axis) {
    const int dimension = loop.dimension_of_axis[axis];
    if (dimension < 0) {
      position.index[axis] = lanes.SplatI64(0);
    } else if (dimension == 0) {
      position.index[axis] = lane;
    } else {
      position.index[axis] =
          lanes.Splat(row.index[static_cast<size_t>(dimension)]);
    }
  }
  std::map<int64_t, Value*> unit_offsets;  // x in bytes, by size of a piece
  for (size_t k = 0; k < loop.accesses.size(); ++k) {
    const LoopAccess& access = loop.accesses[k];
    LaneAddress address{row.pointers[k], nullptr, access.lanes};
    if (access.dynamic_level && access.lanes == LaneStride::kUnit) {
      // Each lane adds a level of its own.
      address.lanes = LaneStride::kStrided;
    }
    if (address.lanes == LaneStride::kUnit) {
      address.pointer = lanes.Offset(
          address.pointer, ir.CreateMul(x, lanes.I64(access.piece_bytes)));
    } else if (address.lanes == LaneStride::kStrided) {
      address.offsets = ir.CreateMul(lane, lanes.Splat(body.Stride(k, 0)));
    }
    position.addresses.push_back(address);
  }
  return position;
}

}  // namespace layoutd
