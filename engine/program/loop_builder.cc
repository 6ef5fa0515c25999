#include "engine/program/loop_builder.h"

#include <algorithm>
#include <utility>

#include "engine/base/status_macros.h"
#include "engine/program/finish_reduction.h"
#include "engine/program/pointwise.h"

namespace layoutd {
LoopBuilder::LoopBuilder(const VerifiedProgram& program,
                         const std::vector<int32_t>& node_buffers,
                         std::vector<PlanBuffer>& buffers, LoopKind kind,
                         const Shape& shape, bool masked)
    : program_(program),
      node_buffers_(node_buffers),
      buffers_(buffers),
      depends_on_level_(program.nodes.size(), -1) {
  loop_.kind = kind;
  loop_.masked = masked;
  loop_.shape = shape;
}

void LoopBuilder::Evaluate(NodeIndex node) {
  // In a column loop every store goes to a buffer of its own, so reading late
  // reads the same; evaluating early could only cost a pass.
  if (loop_.kind == LoopKind::kColumns) return;
  Emit(node, LoopLevel(0), Place{});
}

void LoopBuilder::Store(int32_t buffer, int32_t first_leaf, NodeIndex value) {
  const View& view = ViewOf(buffer);
  const Place place = PlaceFor(value, view.shape.v());
  const Operand operand = OperandOf(value, LoopLevel(0), place);
  for (int32_t k = 0; k < operand.type.num_leaves(); ++k) {
    const size_t leaf = static_cast<size_t>(first_leaf + k);
    const ValueIndex converted =
        Converted(operand, k, view.type.leaves()[leaf].type, place);
    StoreLeaf(buffer, first_leaf + k, converted, place);
  }
}

void LoopBuilder::CopyOtherLeaves(int32_t from, int32_t to, int32_t first_leaf,
                                  int32_t num_leaves) {
  const View& view = ViewOf(to);
  Place place;
  if (loop_.kind == LoopKind::kColumns) {
    const Pass pass{view.shape.v(), false};
    place = {StageOfRead(from, LoopLevel(0), pass), view.shape.v() != 1, pass};
  }
  for (int32_t leaf = 0; leaf < view.type.num_leaves(); ++leaf) {
    if (leaf >= first_leaf && leaf < first_leaf + num_leaves) continue;
    StoreLeaf(to, leaf, Read(from, leaf, LoopLevel(0), place), place);
  }
}

void LoopBuilder::UseMask() {
  loop_.masked = true;
  LoopAccess access;
  access.type = ScalarType::kBool;
  access.piece_bytes = 1;
  access.buffer = kMaskBuffer;
  int64_t stride = 1;
  for (size_t axis = 1; axis < 4; ++axis) {
    const int64_t extent = loop_.shape.extents[axis];
    access.strides[axis] = extent == 1 ? 0 : stride;
    stride *= extent;
  }
  FindAccess(access);
}

void LoopBuilder::AddReductions(NodeIndex index, int32_t first_leaf,
                                int32_t num_leaves) {
  const Node& node = program_.program.nodes[static_cast<size_t>(index)];
  const ValueType& result = program_.nodes[static_cast<size_t>(index)].type;
  const Place place;
  size_t next = 1;
  const Operand argument = OperandOf(node.operands[0], LoopLevel(0), place);
  Operand weight{ScalarType::kF64, {}, nullptr};
  if (node.reduce.has_weight) {
    weight = OperandOf(node.operands[next++], LoopLevel(0), place);
  }
  ValueIndex has_value = kNoValue;
  if (node.reduce.has_where) {
    has_value = Emit(node.operands[next++], LoopLevel(0), place)[0];
  }
  for (int32_t leaf = first_leaf; leaf < first_leaf + num_leaves; ++leaf) {
    // The first leaves of a result, one per leaf of the argument, have the type
    // their partials accumulate in, and every value is converted to it first:
    // sums of small integers do not wrap, means of integers are taken in f64.
    const ScalarType type = result.leaves()[static_cast<size_t>(leaf)].type;
    const Reduction reduction = node.reduce.reduction;
    auto add = [&](ValueIndex value, int32_t part) {
      loop_.reductions.push_back(
          {CombineOp(reduction, part), value_types_[static_cast<size_t>(value)],
           value, has_value, HasPosition(reduction), index, leaf, part});
    };
    ValueIndex x = Converted(argument, leaf, type, place);
    ValueIndex w = kNoValue;
    if (node.reduce.has_weight) {
      w = Converted(weight, 0, type, place);
      x = Operation(place, Opcode::kMul, type, w, x);
    }
    add(x, 0);
    if (reduction == Reduction::kExtrema) add(x, 1);
    if (reduction == Reduction::kMean) {
      add(w == kNoValue ? Level(1, place) : w, 1);
    }
  }
}

LoopPlan LoopBuilder::Finish() {
  for (auto& [place, block] : blocks_) {
    block.levels = place.levels;
    block.num_levels = place.pass.num_levels;
    block.flip = place.pass.flip;
    loop_.blocks.push_back(std::move(block));
  }
  PruneLoop(loop_);
  ShapeLoop(loop_);
  return std::move(loop_);
}

LoopBuilder::Leaves LoopBuilder::Emit(NodeIndex node, LevelPosition at,
                                      Place place) {
  if (!DependsOnLevel(node)) {
    at = FixedLevel(0);
    place = PerColumn(place);
  }
  const auto key = std::make_tuple(node, at, place);
  if (const auto found = emitted_.find(key); found != emitted_.end()) {
    return found->second;
  }
  if (too_large()) {
    // The plan is refused; values of the right types end the recursion.
    Leaves zeros;
    for (const Leaf& leaf :
         program_.nodes[static_cast<size_t>(node)].type.leaves()) {
      zeros.push_back(Constant(Scalar{leaf.type, {}}, place));
    }
    return zeros;
  }
  Leaves leaves = EmitUncached(node, at, place);
  // Reads of fields are remembered by leaf (Read), since a store may come
  // between two of them.
  if (program_.program.nodes[static_cast<size_t>(node)].op != Opcode::kName ||
      program_.nodes[static_cast<size_t>(node)].name_kind !=
          NodeInfo::NameKind::kField) {
    emitted_.emplace(key, leaves);
  }
  return leaves;
}

LoopBuilder::Leaves LoopBuilder::EmitUncached(NodeIndex index,
                                              const LevelPosition& at,
                                              const Place& place) {
  const Node& node = program_.program.nodes[static_cast<size_t>(index)];
  const NodeInfo& info = program_.nodes[static_cast<size_t>(index)];
  if (info.weak) {
    return {Constant(Convert(*info.constant, info.type.scalar()), place)};
  }
  switch (node.op) {
    case Opcode::kLiteral:
      return {Constant(LiteralValue(node.literal, info.type.scalar()), place)};
    case Opcode::kName:
      return EmitName(index, at, place);
    case Opcode::kIndex:
      return {EmitIndex(node.axis, at, place)};
    case Opcode::kTuple: {
      Leaves leaves;
      for (NodeIndex operand : node.operands) {
        const Leaves member = Emit(operand, at, place);
        leaves.insert(leaves.end(), member.begin(), member.end());
      }
      return leaves;
    }
    case Opcode::kMember: {
      const NodeIndex operand = node.operands[0];
      const Component part = *FindComponent(
          program_.nodes[static_cast<size_t>(operand)].type, node.name);
      const Leaves whole = Emit(operand, at, place);
      const auto first = whole.begin() + part.first_leaf;
      return Leaves(first, first + part.type.num_leaves());
    }
    case Opcode::kConvert: {
      const Operand operand = OperandOf(node.operands[0], at, place);
      Leaves leaves;
      for (int32_t k = 0; k < operand.type.num_leaves(); ++k) {
        leaves.push_back(Converted(operand, k, node.scalar_type, place));
      }
      return leaves;
    }
    case Opcode::kAt:
      return EmitAt(node, at, place);
    case Opcode::kFold:
      return EmitFold(index);
    case Opcode::kScan:
      return EmitScan(index, at, place);
    case Opcode::kReduce:
      LAYOUTD_DCHECK(false);
      return {};
    default:
      return EmitPointwise(node, info.type, at, place);
  }
}

LoopBuilder::Leaves LoopBuilder::EmitName(NodeIndex index,
                                          const LevelPosition& at,
                                          const Place& place) {
  const NodeInfo& info = program_.nodes[static_cast<size_t>(index)];
  Leaves leaves;
  switch (info.name_kind) {
    case NodeInfo::NameKind::kLet:
      return Emit(info.name_index, at, place);
    case NodeInfo::NameKind::kResult:
      for (int32_t leaf = 0; leaf < info.type.num_leaves(); ++leaf) {
        LoopParameter parameter;
        parameter.type = info.type.leaves()[static_cast<size_t>(leaf)].type;
        parameter.result = info.name_index;
        parameter.leaf = leaf;
        leaves.push_back(ParameterValue(parameter, place));
      }
      return leaves;
    case NodeInfo::NameKind::kField:
      for (int32_t leaf = 0; leaf < info.type.num_leaves(); ++leaf) {
        leaves.push_back(
            Read(node_buffers_[static_cast<size_t>(index)], leaf, at, place));
      }
      return leaves;
    case NodeInfo::NameKind::kNone:
      break;
  }
  LAYOUTD_DCHECK(false);
  return {};
}

ValueIndex LoopBuilder::EmitIndex(Axis axis, const LevelPosition& at,
                                  const Place& place) {
  if (axis == Axis::kV) {
    if (at.kind == LevelPosition::Kind::kFixed) return Level(at.number, place);
    if (at.kind == LevelPosition::Kind::kValue) return at.value;
  }
  const ValueIndex own = Add(place, {.kind = LoopOp::Kind::kIndex,
                                     .type = ScalarType::kI64,
                                     .index = static_cast<int32_t>(axis)});
  if (axis != Axis::kV || at.number == 0) return own;
  return Operation(place, Opcode::kAdd, ScalarType::kI64, own,
                   Level(at.number, place));
}

LoopBuilder::Leaves LoopBuilder::EmitAt(const Node& node,
                                        const LevelPosition& at,
                                        const Place& place) {
  const NodeIndex operand = node.operands[0];
  const int64_t own =
      program_.nodes[static_cast<size_t>(operand)].shape.shape.v();
  if (node.at.kind == AtPosition::Kind::kLevel) {
    return Emit(operand, FixedLevel(node.at.value), place);
  }
  if (node.at.kind == AtPosition::Kind::kLast) {
    return Emit(operand, FixedLevel(own - 1), place);
  }
  // An offset that cannot leave the operand's levels is a shifted read.
  const int64_t loop_levels = loop_.kind == LoopKind::kColumns
                                  ? place.pass.num_levels
                                  : loop_.shape.v();
  const int64_t low = at.number + node.at.value;
  const int64_t high =
      at.kind == LevelPosition::Kind::kLoop ? low + loop_levels - 1 : low;
  // Without an edge the verifier has made sure that what is read in the end is
  // there, whatever lies between.
  const bool checked = node.at.edge == AtPosition::Edge::kError;
  if (at.kind != LevelPosition::Kind::kValue &&
      (checked || (low >= 0 && high < own))) {
    return Emit(operand,
                at.kind == LevelPosition::Kind::kLoop ? LoopLevel(low)
                                                      : FixedLevel(low),
                place);
  }
  const ValueIndex level =
      Operation(place, Opcode::kAdd, ScalarType::kI64,
                EmitIndex(Axis::kV, at, place), Level(node.at.value, place));
  if (checked) return Emit(operand, ValueLevel(level), place);
  const ValueIndex zero = Level(0, place);
  const ValueIndex last = Level(std::max<int64_t>(own - 1, 0), place);
  const ValueIndex clamped = Operation(
      place, Opcode::kMin, ScalarType::kI64,
      Operation(place, Opcode::kMax, ScalarType::kI64, level, zero), last);
  const LevelPosition inside = ValueLevel(clamped);
  if (node.at.edge == AtPosition::Edge::kClamp) {
    return Emit(operand, inside, place);
  }
  const ValueIndex from_first =
      Operation(place, Opcode::kGreaterEqual, ScalarType::kBool, level, zero);
  const ValueIndex to_last =
      Operation(place, Opcode::kLessEqual, ScalarType::kBool, level, last);
  const Operand is_inside{
      ScalarType::kBool,
      {Operation(place, Opcode::kAnd, ScalarType::kBool, from_first, to_last)},
      nullptr};
  const NodeIndex beyond = node.operands[1];
  const ValueType& result =
      program_.nodes[static_cast<size_t>(&node - program_.program.nodes.data())]
          .type;
  return Apply(Opcode::kSelect,
               {is_inside, OperandOf(operand, inside, place),
                OperandOf(beyond, at, place)},
               result, place);
}

LoopBuilder::Leaves LoopBuilder::EmitPointwise(const Node& node,
                                               const ValueType& result,
                                               const LevelPosition& at,
                                               const Place& place) {
  std::vector<Operand> operands;
  for (NodeIndex operand : node.operands) {
    operands.push_back(OperandOf(operand, at, place));
  }
  return Apply(node.op, operands, result, place);
}

}  // namespace layoutd
