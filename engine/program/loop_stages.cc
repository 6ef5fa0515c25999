#include <algorithm>

#include "engine/program/loop_builder.h"

// Where in a column loop an expression can be computed: what it depends on, and
// the first stage at which everything it reads is complete.

namespace layoutd {

// A node that does not depend on the level is computed once per column in a
// column loop, whatever level it is asked at.
bool LoopBuilder::DependsOnLevel(NodeIndex index) {
  int8_t& known = depends_on_level_[static_cast<size_t>(index)];
  if (known >= 0) return known != 0;
  const Node& node = program_.program.nodes[static_cast<size_t>(index)];
  const NodeInfo& info = program_.nodes[static_cast<size_t>(index)];
  bool depends = false;
  switch (node.op) {
    case Opcode::kName:
      depends = info.name_kind == NodeInfo::NameKind::kLet
                    ? DependsOnLevel(info.name_index)
                    : info.name_kind == NodeInfo::NameKind::kField &&
                          info.shape.shape.v() != 1;
      break;
    case Opcode::kIndex:
      depends = node.axis == Axis::kV;
      break;
    case Opcode::kAt:
      depends = node.at.kind == AtPosition::Kind::kOffset;
      break;
    case Opcode::kFold:
      break;
    case Opcode::kScan:
      depends = info.shape.shape.v() != 1;
      break;
    default:
      for (NodeIndex operand : node.operands) {
        depends = depends || DependsOnLevel(operand);
      }
  }
  known = depends ? 1 : 0;
  return depends;
}

int32_t LoopBuilder::StageOfRead(int32_t buffer, const LevelPosition& at,
                                 const Pass& pass) const {
  int32_t stage = 0;
  for (auto it = stored_.lower_bound({buffer, 0});
       it != stored_.end() && it->first.first == buffer; ++it) {
    const Place& place = it->second.place;
    const bool at_hand =
        !place.levels || (IsOwnLevel(at) && place.pass == pass);
    stage = std::max(stage, at_hand ? place.stage : place.stage + 1);
  }
  return stage;
}

// The pass that a fold or scan makes.
LoopBuilder::Pass LoopBuilder::PassOf(NodeIndex fold) const {
  const Node& node = program_.program.nodes[static_cast<size_t>(fold)];
  const NodeIndex argument = node.operands[0];
  return {program_.nodes[static_cast<size_t>(argument)].shape.shape.v(),
          node.fold.flip};
}

// The first stage at which `index`, evaluated at `at` in `pass`, has everything
// it reads.
int32_t LoopBuilder::StageOf(NodeIndex index, const LevelPosition& at,
                             const Pass& pass) {
  const Node& node = program_.program.nodes[static_cast<size_t>(index)];
  const NodeInfo& info = program_.nodes[static_cast<size_t>(index)];
  if (node.op == Opcode::kName) {
    if (info.name_kind == NodeInfo::NameKind::kLet) {
      return StageOf(info.name_index, at, pass);
    }
    if (info.name_kind == NodeInfo::NameKind::kField) {
      return StageOfRead(node_buffers_[static_cast<size_t>(index)], at, pass);
    }
    return 0;
  }
  if (node.op == Opcode::kFold || node.op == Opcode::kScan) {
    const Pass own = PassOf(index);
    int32_t stage = StageOf(node.operands[0], LoopLevel(0), own);
    if (node.fold.has_init) {
      stage = std::max(stage, StageOf(node.operands[1], FixedLevel(0), Pass{}));
    }
    // A scan is at hand in a pass like its own; elsewhere it is read back.
    // Over one level it is an ordinary operation.
    const bool at_hand =
        node.op == Opcode::kScan &&
        (own.num_levels == 1 || (IsOwnLevel(at) && own == pass));
    return at_hand ? stage : stage + 1;
  }
  // Any position but the point's own level waits for complete passes.
  const LevelPosition inner = node.op == Opcode::kAt ? LoopLevel(1) : at;
  int32_t stage = 0;
  for (NodeIndex operand : node.operands) {
    stage = std::max(stage, StageOf(operand, inner, pass));
  }
  return stage;
}

// Which way the scans run that `index` has at the point's own level; nothing
// when there is none, the first one's when they differ.
std::optional<bool> LoopBuilder::ScanDirection(NodeIndex index) const {
  const Node& node = program_.program.nodes[static_cast<size_t>(index)];
  const NodeInfo& info = program_.nodes[static_cast<size_t>(index)];
  if (node.op == Opcode::kScan) return node.fold.flip;
  if (node.op == Opcode::kFold || node.op == Opcode::kAt) return std::nullopt;
  if (node.op == Opcode::kName) {
    return info.name_kind == NodeInfo::NameKind::kLet
               ? ScanDirection(info.name_index)
               : std::nullopt;
  }
  for (NodeIndex operand : node.operands) {
    if (const auto direction = ScanDirection(operand)) return direction;
  }
  return std::nullopt;
}

LoopBuilder::Place LoopBuilder::PlaceFor(NodeIndex node, int64_t num_levels) {
  if (loop_.kind != LoopKind::kColumns) return Place{};
  const Pass pass{num_levels,
                  num_levels != 1 && ScanDirection(node).value_or(false)};
  return {StageOf(node, LoopLevel(0), pass), num_levels != 1, pass};
}

}  // namespace layoutd
