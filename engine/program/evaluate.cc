#include "engine/program/evaluate.h"

#include <memory>
#include <utility>
#include <variant>

#include "engine/base/status_macros.h"
#include "engine/program/column_values.h"
#include "engine/program/evaluate_reduce.h"
#include "engine/program/pointwise.h"

namespace layoutd {
namespace {

// Returns the columns that `mask` selects; every column when it is empty.
ActiveColumns SelectColumns(const VerifiedProgram& program,
                            const StatementInfo& info,
                            const MaskExpression& mask,
                            const OracleState& state) {
  if (mask.empty()) return {};
  LAYOUTD_DCHECK(info.mask_shape.has_value());
  const Shape shape = *info.mask_shape;
  std::vector<std::vector<uint8_t>> stack;
  size_t next_mask = 0;
  for (const MaskTerm& term : mask) {
    if (term.kind == MaskTerm::Kind::kMask) {
      const MaskUse& use = program.masks[info.masks[next_mask++]];
      stack.push_back(state.masks.at(use.id).active);
      continue;
    }
    if (term.kind == MaskTerm::Kind::kNot) {
      for (uint8_t& active : stack.back()) active = !active;
      continue;
    }
    const std::vector<uint8_t> top = std::move(stack.back());
    stack.pop_back();
    for (size_t k = 0; k < top.size(); ++k) {
      uint8_t& active = stack.back()[k];
      active = term.kind == MaskTerm::Kind::kAnd ? active && top[k]
                                                 : active || top[k];
    }
  }
  LAYOUTD_DCHECK(stack.size() == 1);
  return {shape, std::move(stack.back())};
}

// Runs the statements of one program in order.
class Run {
 public:
  Run(const VerifiedProgram& program, const OracleState& state)
      : program_(program),
        state_(state),
        values_(program, results_, InitialFields(program, state)) {}

  absl::Status Execute() {
    for (size_t s = 0; s < program_.program.statements.size(); ++s) {
      const StatementInfo& info = program_.statements[s];
      const Statement& statement = program_.program.statements[s];
      if (const auto* assignment = std::get_if<Assignment>(&statement)) {
        Assign(*assignment, info.assignments[0], {});
      } else if (const auto* loop = std::get_if<Foreach>(&statement)) {
        const ActiveColumns columns =
            SelectColumns(program_, info, loop->mask, state_);
        // Nothing crosses slices (the verifier's word), so a statement at a
        // time over all slices is the same as slice after slice.
        for (size_t k = 0; k < loop->body.size(); ++k) {
          Assign(loop->body[k], info.assignments[k], columns);
        }
      } else {
        RETURN_IF_ERROR(ReduceResults(std::get<Reduce>(statement), info));
      }
    }
    return absl::OkStatus();
  }

  // Stores the fields that were written into `state`.
  void Publish(OracleState& state) const {
    for (size_t k = 0; k < program_.fields.size(); ++k) {
      const FieldUse& use = program_.fields[k];
      if (!use.written && !use.created) continue;
      OracleField& field =
          state.fields
              .try_emplace(
                  use.id,
                  OracleField{use.layout.type(), use.layout.shape(), {}})
              .first->second;
      field.leaves = *values_.field(static_cast<int32_t>(k));
    }
  }

  OracleResults TakeResults() { return std::move(results_); }

 private:
  static std::vector<FieldVersion> InitialFields(const VerifiedProgram& program,
                                                 const OracleState& state) {
    std::vector<FieldVersion> fields;
    for (const FieldUse& use : program.fields) {
      const auto field = state.fields.find(use.id);
      std::vector<Scalar> leaves;
      if (field != state.fields.end()) {
        leaves = field->second.leaves;
      } else {
        LAYOUTD_DCHECK(use.created);
        for (int64_t k = 0; k < use.layout.shape().num_points(); ++k) {
          for (const Leaf& leaf : use.layout.type().leaves()) {
            leaves.push_back(Scalar{leaf.type, {}});
          }
        }
      }
      fields.push_back(
          std::make_shared<const std::vector<Scalar>>(std::move(leaves)));
    }
    return fields;
  }

  void Assign(const Assignment& assignment, const AssignmentInfo& info,
              const ActiveColumns& columns) {
    values_.Bind(assignment.value);
    if (assignment.kind == Assignment::Kind::kLet) {
      values_.DefineLet(assignment.target, assignment.value);
      return;
    }
    const DataLayout& layout = program_.fields[info.field].layout;
    const Shape& shape = layout.shape();
    const std::vector<Leaf>& types = layout.type().leaves();

    // Values are read from the old content while the new one is filled.
    std::vector<Scalar> content = *values_.field(info.field);
    Scalar* point = content.data();
    for (int64_t h = 0; h < shape.h(); ++h) {
      for (int64_t j = 0; j < shape.j(); ++j) {
        for (int64_t i = 0; i < shape.i(); ++i) {
          const bool active = columns.IsActive(i, j, h);
          if (active) values_.BeginColumn(i, j, h);
          for (int64_t v = 0; v < shape.v(); ++v, point += types.size()) {
            if (!active) continue;
            const Scalar* const value = values_.Value(assignment.value, v);
            for (int l = 0; l < info.num_leaves; ++l) {
              const int target = info.first_leaf + l;
              point[target] = Convert(value[l], types[target].type);
            }
          }
        }
      }
    }
    values_.SetField(info.field, std::make_shared<const std::vector<Scalar>>(
                                     std::move(content)));
  }

  absl::Status ReduceResults(const Reduce& reduce, const StatementInfo& info) {
    const ActiveColumns columns =
        SelectColumns(program_, info, reduce.mask, state_);
    for (const Reduce::Result& result : reduce.results) {
      values_.Bind(result.value);
      std::map<NodeIndex, std::vector<Scalar>> reduced;
      for (const NodeIndex node : ReductionsOf(result.value)) {
        ASSIGN_OR_RETURN(
            reduced[node],
            EvaluateReduction(program_, node, result.name, columns, values_));
      }
      results_.push_back(
          EvaluateResult(program_, result.value, reduced, results_));
    }
    return absl::OkStatus();
  }

  // Returns the kReduce nodes of the expression `root`.
  std::vector<NodeIndex> ReductionsOf(NodeIndex root) const {
    std::vector<NodeIndex> reductions;
    std::vector<bool> seen(program_.nodes.size());
    std::vector<NodeIndex> pending = {root};
    while (!pending.empty()) {
      const NodeIndex index = pending.back();
      pending.pop_back();
      if (seen[index]) continue;
      seen[index] = true;
      const Node& node = program_.program.nodes[index];
      if (node.op == Opcode::kReduce) {
        reductions.push_back(index);
        continue;
      }
      pending.insert(pending.end(), node.operands.begin(), node.operands.end());
    }
    return reductions;
  }

  const VerifiedProgram& program_;
  const OracleState& state_;
  OracleResults results_;
  ColumnValues values_;  // reads results_
};

// Values of the nodes of a result's expression, computed once each.
class ResultValues {
 public:
  ResultValues(const VerifiedProgram& program,
               const std::map<NodeIndex, std::vector<Scalar>>& reduced,
               const OracleResults& results)
      : program_(program), reduced_(reduced), results_(results) {}

  const std::vector<Scalar>& Value(NodeIndex index) {
    const auto known = values_.find(index);
    if (known != values_.end()) return known->second;
    return values_[index] = Compute(index);
  }

 private:
  std::vector<Scalar> Compute(NodeIndex index) {
    const Node& node = program_.program.nodes[index];
    const NodeInfo& info = program_.nodes[index];
    if (info.constant.has_value()) return {*info.constant};
    if (info.name_kind == NodeInfo::NameKind::kResult) {
      return results_[info.name_index];
    }
    if (info.name_kind == NodeInfo::NameKind::kLet) {
      return Value(info.name_index);
    }
    if (node.op == Opcode::kReduce) return reduced_.at(index);
    if (node.op == Opcode::kLiteral) {
      return {LiteralValue(node.literal, info.type.scalar())};
    }
    LAYOUTD_DCHECK(IsPointwise(node.op));
    std::vector<const Scalar*> operands;
    for (const NodeIndex operand : node.operands) {
      operands.push_back(Value(operand).data());
    }
    std::vector<Scalar> leaves;
    for (const PointwiseLeaf& leaf : PlanPointwise(program_, index)) {
      leaves.push_back(ApplyPointwise(leaf, operands));
    }
    return leaves;
  }

  const VerifiedProgram& program_;
  const std::map<NodeIndex, std::vector<Scalar>>& reduced_;
  const OracleResults& results_;
  std::map<NodeIndex, std::vector<Scalar>> values_;
};

}  // namespace

absl::StatusOr<OracleResults> EvaluateProgram(const VerifiedProgram& program,
                                              OracleState& state) {
  Run run(program, state);
  RETURN_IF_ERROR(run.Execute());
  run.Publish(state);
  return run.TakeResults();
}

std::vector<Scalar> EvaluateResult(
    const VerifiedProgram& program, NodeIndex node,
    const std::map<NodeIndex, std::vector<Scalar>>& reduced,
    const OracleResults& results) {
  const std::vector<Leaf>& types = program.nodes[node].type.leaves();
  std::vector<Scalar> leaves =
      ResultValues(program, reduced, results).Value(node);
  // A weak value takes its type here.
  for (size_t l = 0; l < leaves.size(); ++l) {
    leaves[l] = Convert(leaves[l], types[l].type);
  }
  return leaves;
}

Scalar FinishMean(const Scalar& total, const Scalar& weight, ScalarType type) {
  const Scalar pair[2] = {Convert(total, ScalarType::kF64),
                          Convert(weight, ScalarType::kF64)};
  return Convert(Apply(Opcode::kDiv, pair), type);
}

}  // namespace layoutd
