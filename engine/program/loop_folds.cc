#include <utility>

#include "engine/base/status_macros.h"
#include "engine/program/loop_builder.h"

// Folds and scans of a column loop.

namespace layoutd {

LoopBuilder::Place LoopBuilder::PerColumn(const Place& place) {
  return {place.stage, false, {}};
}

LoopBuilder::Leaves LoopBuilder::EmitFold(NodeIndex index) {
  if (const auto found = folds_.find(index); found != folds_.end()) {
    return found->second;
  }
  const Place place{StageOf(index, LoopLevel(0), {}) - 1, true, PassOf(index)};
  Leaves leaves = AddFolds(index, place);
  folds_.emplace(index, leaves);
  return leaves;
}

LoopBuilder::Leaves LoopBuilder::EmitScan(NodeIndex index,
                                          const LevelPosition& at,
                                          const Place& place) {
  const Pass own = PassOf(index);
  const NodeInfo& info = program_.nodes[static_cast<size_t>(index)];
  if (own.num_levels == 1) return EmitOneLevelScan(index, place);
  const bool at_hand = IsOwnLevel(at) && place.levels && place.pass == own;
  if (at_hand) return AddFolds(index, place);

  auto found = stored_scans_.find(index);
  if (found == stored_scans_.end()) {
    const Place scan{StageOf(index, LoopLevel(0), own), true, own};
    const Leaves leaves = AddFolds(index, scan);
    absl::StatusOr<DataLayout> layout =
        DataLayout::CreateTemporary(info.shape.shape, info.type);
    if (!layout.ok()) {
      status_.Update(layout.status());
      return leaves;
    }
    PlanBuffer buffer;
    buffer.field = PlanBuffer::kTemporary;
    buffer.temporary = *std::move(layout);
    buffer.start = PlanBuffer::Start::kUndefined;
    buffers_.push_back(std::move(buffer));
    const auto temporary = static_cast<int32_t>(buffers_.size()) - 1;
    for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
      StoreLeaf(temporary, static_cast<int32_t>(leaf), leaves[leaf], scan);
    }
    found = stored_scans_.emplace(index, temporary).first;
  }
  Leaves leaves;
  for (int32_t leaf = 0; leaf < info.type.num_leaves(); ++leaf) {
    leaves.push_back(Read(found->second, leaf, at, place));
  }
  return leaves;
}

LoopBuilder::Leaves LoopBuilder::EmitOneLevelScan(NodeIndex index,
                                                  const Place& place) {
  const Node& node = program_.program.nodes[static_cast<size_t>(index)];
  const ValueType& result = program_.nodes[static_cast<size_t>(index)].type;
  const Operand argument = OperandOf(node.operands[0], FixedLevel(0), place);
  Operand init;
  if (node.fold.has_init) {
    init = OperandOf(node.operands[1], FixedLevel(0), place);
    if (init.weak == nullptr) init.leaves = Spread(init, result);
  }
  Leaves leaves;
  for (int32_t leaf = 0; leaf < result.num_leaves(); ++leaf) {
    const ScalarType type = result.leaves()[static_cast<size_t>(leaf)].type;
    ValueIndex value = kNoValue;
    if (node.fold.has_init) value = Converted(init, leaf, type, place);
    if (node.fold.exclusive) {
      leaves.push_back(value != kNoValue
                           ? value
                           : Constant(FoldIdentity(node.fold.op, type), place));
      continue;
    }
    const ValueIndex x = Converted(argument, leaf, type, place);
    if (value == kNoValue) {
      leaves.push_back(x);
    } else {
      leaves.push_back(node.fold.flip
                           ? Operation(place, node.fold.op, type, x, value)
                           : Operation(place, node.fold.op, type, value, x));
    }
  }
  return leaves;
}

LoopBuilder::Leaves LoopBuilder::AddFolds(NodeIndex index, const Place& place) {
  const Node& node = program_.program.nodes[static_cast<size_t>(index)];
  const ValueType& result = program_.nodes[static_cast<size_t>(index)].type;
  const Place before = PerColumn(place);
  const Operand operand = OperandOf(node.operands[0], LoopLevel(0), place);
  Operand init;
  if (node.fold.has_init) {
    init = OperandOf(node.operands[1], FixedLevel(0), before);
    if (init.weak == nullptr) init.leaves = Spread(init, result);
  }
  Leaves leaves;
  for (int32_t k = 0; k < result.num_leaves(); ++k) {
    const size_t leaf = static_cast<size_t>(k);
    const ScalarType type = result.leaves()[leaf].type;
    LoopOp fold{.kind = node.op == Opcode::kScan ? LoopOp::Kind::kScan
                                                 : LoopOp::Kind::kFold,
                .type = type,
                .opcode = node.fold.op,
                .index = node.fold.exclusive ? 1 : 0};
    fold.a = Converted(operand, k, type, place);
    if (node.fold.has_init) fold.b = Converted(init, k, type, before);
    leaves.push_back(Add(place, fold));
  }
  return leaves;
}

}  // namespace layoutd
