#include "engine/program/pointwise.h"

#include "engine/base/status_macros.h"
#include "engine/program/promotion.h"

namespace layoutd {
namespace {

// A leaf that is one leaf of one operand, converted.
PointwiseLeaf Copy(int operand, int leaf, ScalarType type) {
  PointwiseLeaf copy;
  copy.inputs[0] = {operand, leaf, type};
  return copy;
}

void AppendSpread(const ValueType& from, const ValueType& to, int first,
                  std::vector<int>& leaves) {
  if (from.is_scalar()) {
    leaves.insert(leaves.end(), to.num_leaves(), first);
    return;
  }
  LAYOUTD_DCHECK(from.num_members() == to.num_members());
  for (int m = 0; m < from.num_members(); ++m) {
    AppendSpread(from.member(m), to.member(m), first, leaves);
    first += from.member(m).num_leaves();
  }
}

// `spread[k]`: the leaves of operand k that stand at each leaf of the result.
PointwiseLeaf PlanOperation(const VerifiedProgram& program, const Node& node,
                            absl::Span<const std::vector<int>> spread,
                            int leaf) {
  PointwiseLeaf plan;
  plan.op = node.op;
  plan.num_inputs = static_cast<int>(node.operands.size());
  std::array<ScalarOperand, 3> operands;
  for (int k = 0; k < plan.num_inputs; ++k) {
    const NodeInfo& info = program.nodes[node.operands[k]];
    const int operand_leaf = spread[k][leaf];
    plan.inputs[k] = {k, operand_leaf, ScalarType::kBool};
    operands[k] = {info.type.leaves()[operand_leaf].type, info.weak};
  }
  const absl::StatusOr<Promotion> promotion =
      Promote(node.op, absl::MakeConstSpan(operands.data(), plan.num_inputs));
  LAYOUTD_DCHECK(promotion.ok());
  for (int k = 0; k < plan.num_inputs; ++k) {
    const bool is_condition = node.op == Opcode::kSelect && k == 0;
    if (!is_condition) plan.inputs[k].type = promotion->operand_type;
  }
  return plan;
}

}  // namespace

bool IsPointwise(Opcode op) {
  return op >= Opcode::kTuple && op <= Opcode::kConvert;
}

std::vector<PointwiseLeaf> PlanPointwise(const VerifiedProgram& program,
                                         NodeIndex index) {
  const Node& node = program.program.nodes[index];
  const std::vector<Leaf>& leaves = program.nodes[index].type.leaves();
  const auto type_of = [&](int operand) -> const ValueType& {
    return program.nodes[node.operands[operand]].type;
  };
  std::vector<PointwiseLeaf> plan;
  if (node.op == Opcode::kTuple) {
    for (int k = 0; k < static_cast<int>(node.operands.size()); ++k) {
      for (int l = 0; l < type_of(k).num_leaves(); ++l) {
        plan.push_back(Copy(k, l, leaves[plan.size()].type));
      }
    }
    return plan;
  }
  if (node.op == Opcode::kMember) {
    const auto component = FindComponent(type_of(0), node.name);
    LAYOUTD_DCHECK(component.ok());
    for (int l = 0; l < component->type.num_leaves(); ++l) {
      plan.push_back(Copy(0, component->first_leaf + l, leaves[l].type));
    }
    return plan;
  }
  std::vector<std::vector<int>> spread;
  for (const NodeIndex operand : node.operands) {
    spread.push_back(
        SpreadLeaves(program.nodes[operand].type, program.nodes[index].type));
  }
  for (int l = 0; l < static_cast<int>(leaves.size()); ++l) {
    plan.push_back(node.op == Opcode::kConvert
                       ? Copy(0, l, node.scalar_type)
                       : PlanOperation(program, node, spread, l));
  }
  return plan;
}

Scalar ApplyPointwise(const PointwiseLeaf& leaf,
                      absl::Span<const Scalar* const> operands) {
  std::array<Scalar, 3> inputs;
  for (int k = 0; k < leaf.num_inputs; ++k) {
    const PointwiseLeaf::Input& input = leaf.inputs[k];
    inputs[k] = Convert(operands[input.operand][input.leaf], input.type);
  }
  if (leaf.op == Opcode::kConvert) return inputs[0];
  return Apply(leaf.op, absl::MakeConstSpan(inputs.data(), leaf.num_inputs));
}

Scalar LiteralValue(const Literal& literal, ScalarType type) {
  switch (literal.kind) {
    case Literal::Kind::kBool:
      return Convert(Scalar::Bool(literal.integer != 0), type);
    case Literal::Kind::kInteger:
      return Convert(Scalar::Of(ScalarType::kU128, literal.integer), type);
    case Literal::Kind::kFloat:
      break;
  }
  return Convert(Scalar::F64(literal.real), type);
}

std::vector<int> SpreadLeaves(const ValueType& from, const ValueType& to) {
  std::vector<int> leaves;
  AppendSpread(from, to, 0, leaves);
  return leaves;
}

}  // namespace layoutd
