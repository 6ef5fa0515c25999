#include <algorithm>
#include <utility>

#include "engine/base/status_macros.h"
#include "engine/program/loop_builder.h"
#include "engine/program/pointwise.h"

// The lower half of LoopBuilder: promotion of operands, reads and stores of
// leaves, parameters and single ops.

namespace layoutd {

LoopBuilder::Operand LoopBuilder::OperandOf(NodeIndex node,
                                            const LevelPosition& at,
                                            const Place& place) {
  const NodeInfo& info = program_.nodes[static_cast<size_t>(node)];
  if (info.weak) return {info.type, {kNoValue}, &info};
  return {info.type, Emit(node, at, place), nullptr};
}

ValueIndex LoopBuilder::Converted(const Operand& operand, ValueIndex leaf,
                                  ScalarType type, const Place& place) {
  if (operand.weak != nullptr) {
    return Constant(Convert(*operand.weak->constant, type), place);
  }
  const ValueIndex value = operand.leaves[static_cast<size_t>(leaf)];
  if (value_types_[static_cast<size_t>(value)] == type) return value;
  return Add(place, {.kind = LoopOp::Kind::kConvert, .type = type, .a = value});
}

LoopBuilder::Leaves LoopBuilder::Spread(const Operand& operand,
                                        const ValueType& result) {
  Leaves leaves;
  for (int index : SpreadLeaves(operand.type, result)) {
    leaves.push_back(operand.leaves[static_cast<size_t>(index)]);
  }
  return leaves;
}

LoopBuilder::Leaves LoopBuilder::Apply(Opcode op,
                                       const std::vector<Operand>& operands,
                                       const ValueType& result,
                                       const Place& place) {
  std::vector<Leaves> spread;
  for (const Operand& operand : operands) {
    spread.push_back(Spread(operand, result));
  }
  Leaves leaves;
  for (size_t leaf = 0; leaf < static_cast<size_t>(result.num_leaves());
       ++leaf) {
    std::vector<ScalarOperand> types;
    for (size_t k = 0; k < operands.size(); ++k) {
      const NodeInfo* weak = operands[k].weak;
      types.push_back({weak != nullptr
                           ? weak->type.scalar()
                           : value_types_[static_cast<size_t>(spread[k][leaf])],
                       weak != nullptr});
    }
    const absl::StatusOr<Promotion> promotion = Promote(op, types);
    LAYOUTD_DCHECK(promotion.ok());
    std::vector<ValueIndex> values;
    for (size_t k = 0; k < operands.size(); ++k) {
      const bool is_condition = op == Opcode::kSelect && k == 0;
      const Operand one{types[k].type, {spread[k][leaf]}, operands[k].weak};
      values.push_back(Converted(
          one, 0, is_condition ? ScalarType::kBool : promotion->operand_type,
          place));
    }
    values.resize(3, kNoValue);
    leaves.push_back(Operation(place, op, promotion->result_type, values[0],
                               values[1], values[2]));
  }
  return leaves;
}

ValueIndex LoopBuilder::Read(int32_t buffer, int32_t leaf,
                             const LevelPosition& at, const Place& place) {
  if (const auto found = stored_.find({buffer, leaf}); found != stored_.end()) {
    const Stored& stored = found->second;
    if (loop_.kind != LoopKind::kColumns || !stored.place.levels ||
        (IsOwnLevel(at) && stored.place == place)) {
      return stored.value;
    }
  }
  const auto key = std::make_tuple(buffer, leaf, at, place);
  if (const auto found = loaded_.find(key); found != loaded_.end()) {
    return found->second;
  }
  LoopAccess access = AccessTo(buffer, leaf);
  const int64_t level_stride = access.strides[0];
  ValueIndex level = kNoValue;
  switch (at.kind) {
    case LevelPosition::Kind::kLoop:
      access.base_bytes += at.number * level_stride;
      break;
    case LevelPosition::Kind::kFixed:
      access.base_bytes += at.number * level_stride;
      access.strides[0] = 0;
      break;
    case LevelPosition::Kind::kValue:
      access.strides[0] = 0;
      access.dynamic_level = true;
      access.level_stride = level_stride;
      level = at.value;
      break;
  }
  const ValueIndex value = Add(place, {.kind = LoopOp::Kind::kLoad,
                                       .type = access.type,
                                       .index = FindAccess(access),
                                       .a = level});
  loaded_.emplace(key, value);
  return value;
}

void LoopBuilder::StoreLeaf(int32_t buffer, int32_t leaf, ValueIndex value,
                            const Place& place) {
  const LoopAccess access = AccessTo(buffer, leaf);
  LoopOp store{.kind = LoopOp::Kind::kStore,
               .type = access.type,
               .index = FindAccess(access),
               .a = value};
  blocks_[place].ops.push_back(store);
  ++num_ops_;
  stored_[{buffer, leaf}] = {place, value};
  const auto first = loaded_.lower_bound({buffer, leaf, {}, {}});
  auto last = first;
  while (last != loaded_.end() && std::get<0>(last->first) == buffer &&
         std::get<1>(last->first) == leaf) {
    ++last;
  }
  loaded_.erase(first, last);
}

LoopAccess LoopBuilder::AccessTo(int32_t buffer, int32_t leaf) {
  const View& view = ViewOf(buffer);
  const LeafAddress address = AddressOf(view, leaf);
  LoopAccess access;
  access.type = address.type;
  access.num_pieces = address.num_pieces;
  access.piece_bytes = address.piece_bytes;
  access.piece_stride = view.slot_stride_bytes;
  access.buffer = buffer;
  access.base_bytes = address.base_bytes;
  for (size_t axis = 0; axis < 4; ++axis) {
    // An axis of extent 1 is read at 0 wherever the loop stands.
    access.strides[axis] =
        view.shape.extents[axis] == 1 ? 0 : view.strides_bytes[axis];
  }
  return access;
}

ValueIndex LoopBuilder::Add(const Place& place, LoopOp op) {
  op.result = static_cast<ValueIndex>(value_types_.size());
  value_types_.push_back(op.type);
  blocks_[place].ops.push_back(op);
  ++num_ops_;
  return op.result;
}

ValueIndex LoopBuilder::Operation(const Place& place, Opcode opcode,
                                  ScalarType type, ValueIndex a, ValueIndex b,
                                  ValueIndex c) {
  return Add(place, {.kind = LoopOp::Kind::kOperation,
                     .type = type,
                     .opcode = opcode,
                     .a = a,
                     .b = b,
                     .c = c});
}

ValueIndex LoopBuilder::Constant(const Scalar& value, const Place& place) {
  LoopParameter parameter;
  parameter.type = value.type;
  parameter.constant = value;
  return ParameterValue(parameter, place);
}

ValueIndex LoopBuilder::Level(int64_t level, const Place& place) {
  const auto key = std::make_pair(level, place);
  const auto found = levels_.find(key);
  if (found != levels_.end()) return found->second;
  const ValueIndex value = Constant(Scalar::I64(level), place);
  levels_.emplace(key, value);
  return value;
}

ValueIndex LoopBuilder::ParameterValue(const LoopParameter& parameter,
                                       const Place& place) {
  loop_.parameters.push_back(parameter);
  return Add(place,
             {.kind = LoopOp::Kind::kParameter,
              .type = parameter.type,
              .index = static_cast<int32_t>(loop_.parameters.size() - 1)});
}

int32_t LoopBuilder::FindAccess(const LoopAccess& access) {
  auto same = [&](const LoopAccess& other) {
    return other.buffer == access.buffer &&
           other.base_bytes == access.base_bytes && other.type == access.type &&
           other.strides == access.strides &&
           other.dynamic_level == access.dynamic_level;
  };
  const auto found =
      std::find_if(loop_.accesses.begin(), loop_.accesses.end(), same);
  const auto index = static_cast<int32_t>(found - loop_.accesses.begin());
  if (found == loop_.accesses.end()) loop_.accesses.push_back(access);
  return index;
}

const View& LoopBuilder::ViewOf(int32_t buffer) {
  auto found = views_.find(buffer);
  if (found == views_.end()) {
    const PlanBuffer& planned = buffers_[static_cast<size_t>(buffer)];
    found =
        views_.emplace(buffer, LayoutOf(program_, planned).WholeView()).first;
  }
  return found->second;
}

}  // namespace layoutd
