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
    default:
      for (NodeIndex operand : node.operands) {
        depends = depends || DependsOnLevel(operand);
      }
  }
  known = depends ? 1 : 0;
  return depends;
}

int32_t LoopBuilder::StageOfRead(int32_t buffer, const LevelPosition& at,
                                 int64_t num_levels) const {
  int32_t stage = 0;
  for (auto it = stored_.lower_bound({buffer, 0});
       it != stored_.end() && it->first.first == buffer; ++it) {
    const Place& place = it->second.place;
    const bool at_hand =
        !place.levels || (IsOwnLevel(at) && place.num_levels == num_levels);
    stage = std::max(stage, at_hand ? place.stage : place.stage + 1);
  }
  return stage;
}

// The first stage at which `index`, evaluated at `at` in a pass over
// `num_levels`, has everything it reads.
int32_t LoopBuilder::StageOf(NodeIndex index, const LevelPosition& at,
                             int64_t num_levels) {
  const Node& node = program_.program.nodes[static_cast<size_t>(index)];
  const NodeInfo& info = program_.nodes[static_cast<size_t>(index)];
  if (node.op == Opcode::kName) {
    if (info.name_kind == NodeInfo::NameKind::kLet) {
      return StageOf(info.name_index, at, num_levels);
    }
    if (info.name_kind == NodeInfo::NameKind::kField) {
      return StageOfRead(node_buffers_[static_cast<size_t>(index)], at,
                         num_levels);
    }
    return 0;
  }
  if (node.op == Opcode::kFold) {
    const int64_t own =
        program_.nodes[static_cast<size_t>(node.operands[0])].shape.shape.v();
    int32_t stage = StageOf(node.operands[0], LoopLevel(0), own);
    if (node.fold.has_init) {
      stage = std::max(stage, StageOf(node.operands[1], FixedLevel(0), 1));
    }
    return stage + 1;
  }
  // Any position but the point's own level waits for complete passes.
  const LevelPosition inner = node.op == Opcode::kAt ? LoopLevel(1) : at;
  int32_t stage = 0;
  for (NodeIndex operand : node.operands) {
    stage = std::max(stage, StageOf(operand, inner, num_levels));
  }
  return stage;
}

LoopBuilder::Place LoopBuilder::PlaceFor(NodeIndex node, int64_t num_levels) {
  if (loop_.kind != LoopKind::kColumns) return Place{};
  return {StageOf(node, LoopLevel(0), num_levels), num_levels != 1, num_levels,
          false};
}

}  // namespace layoutd
