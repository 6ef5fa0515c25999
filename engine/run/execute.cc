#include "engine/run/execute.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/base/error.h"
#include "engine/base/status_macros.h"
#include "engine/kernels/pack.h"
#include "engine/program/evaluate.h"
#include "engine/program/finish_reduction.h"
#include "engine/program/locate.h"
#include "engine/program/plan.h"
#include "engine/program/pointwise.h"
#include "engine/run/inputs.h"
#include "engine/run/launch.h"
#include "engine/run/plan_memory.h"

namespace layoutd {
namespace {

// One run of a verified program: the steps of its plan, and the values of its
// reductions as they become known.
class Run {
 public:
  Run(const Runtime& runtime, const Inputs& inputs,
      const VerifiedProgram& program, const ExecutionPlan& plan,
      PlanMemory& memory, const StopToken& stop)
      : runtime_(runtime),
        inputs_(inputs),
        program_(program),
        plan_(plan),
        memory_(memory),
        stop_(stop),
        results_(program.results.size()) {}

  absl::Status RunSteps() {
    // Everything is compiled first: a loop that cannot be must not be found out
    // halfway.
    std::vector<std::shared_ptr<const Kernel>> kernels;
    for (const PlanStep& step : plan_.steps) {
      kernels.push_back(nullptr);
      if (step.loop.blocks.empty()) continue;
      RETURN_IF_ERROR(stop_.status());
      ASSIGN_OR_RETURN(kernels.back(), runtime_.kernels->Get(step.loop));
    }
    for (size_t s = 0; s < plan_.steps.size(); ++s) {
      const PlanStep& step = plan_.steps[s];
      const auto index = static_cast<int32_t>(s);
      RETURN_IF_ERROR(stop_.status());
      RETURN_IF_ERROR(memory_.StartStep(index, stop_));
      if (kernels[s] != nullptr) RETURN_IF_ERROR(RunLoop(step, *kernels[s]));
      memory_.FinishStep(index);
      for (int32_t result : step.results) {
        RETURN_IF_ERROR(EvaluateOne(result));
      }
    }
    return absl::OkStatus();
  }

  const OracleResults& results() const { return results_; }

 private:
  absl::Status RunLoop(const PlanStep& step, const Kernel& kernel) {
    LoopBinding binding;
    binding.buffers = memory_.addresses();
    binding.results = &results_;
    std::shared_ptr<const ColumnMap> mask;
    if (step.loop.masked) {
      mask = ResolveMask(inputs_, MaskOf(step.statement));
      binding.mask = mask.get();
    }
    if (step.loop.kind != LoopKind::kReduction) {
      return ForeachSlice(*runtime_.device, kernel, step.loop, binding, stop_);
    }
    ASSIGN_OR_RETURN(
        const std::vector<std::optional<Scalar>> totals,
        ReducePoints(*runtime_.device, kernel, step.loop, binding, stop_));
    for (size_t k = 0; k < totals.size(); ++k) {
      const LoopReduction& reduction = step.loop.reductions[k];
      std::optional<ReductionTotal>& total =
          totals_[{reduction.node, reduction.leaf}];
      if (!totals[k].has_value()) continue;
      if (!total.has_value()) total.emplace();
      (reduction.part == 0 ? total->value : total->weight) = *totals[k];
    }
    return absl::OkStatus();
  }

  const MaskExpression& MaskOf(int32_t statement) const {
    const Statement& s =
        program_.program.statements[static_cast<size_t>(statement)];
    if (const auto* foreach = std::get_if<Foreach>(&s)) return foreach->mask;
    return std::get<Reduce>(s).mask;
  }

  // Finds the value of result number `index`, in the order of the program.
  absl::Status EvaluateOne(int32_t index) {
    int32_t number = index;
    const Reduce::Result* result = nullptr;
    size_t statement = 0;
    for (;; ++statement) {
      const auto* reduce =
          std::get_if<Reduce>(&program_.program.statements[statement]);
      if (reduce == nullptr) continue;
      const auto count = static_cast<int32_t>(reduce->results.size());
      if (number < count) {
        result = &reduce->results[static_cast<size_t>(number)];
        break;
      }
      number -= count;
    }
    if (absl::Status status = FinishBelow(result->value, result->name);
        !status.ok()) {
      return LocateStatement(status, result->position, statement);
    }
    results_[static_cast<size_t>(index)] =
        EvaluateResult(program_, result->value, reduced_, results_);
    return absl::OkStatus();
  }

  // Finishes every kReduce node below `root`.
  absl::Status FinishBelow(NodeIndex root, const std::string& name) {
    const Node& node = program_.program.nodes[static_cast<size_t>(root)];
    if (node.op != Opcode::kReduce) {
      for (NodeIndex operand : node.operands) {
        RETURN_IF_ERROR(FinishBelow(operand, name));
      }
      return absl::OkStatus();
    }
    const ValueType& type = program_.nodes[static_cast<size_t>(root)].type;
    std::vector<Scalar> init;
    std::vector<int> init_leaves;
    if (node.reduce.has_init) {
      const NodeIndex operand = node.operands.back();
      init = EvaluateResult(program_, operand, {}, results_);
      init_leaves =
          SpreadLeaves(program_.nodes[static_cast<size_t>(operand)].type, type);
    }
    std::vector<Scalar> leaves;
    for (int32_t leaf = 0; leaf < type.num_leaves(); ++leaf) {
      const size_t k = static_cast<size_t>(leaf);
      const std::optional<Scalar> value = FinishReduction(
          node.reduce.reduction, type.leaves()[k].type, totals_[{root, leaf}],
          init.empty() ? std::nullopt
                       : std::optional<Scalar>(
                             init[static_cast<size_t>(init_leaves[k])]));
      if (!value.has_value()) {
        return FailedPrecondition(
                   "NO_ACTIVE_POINT",
                   absl::StrCat("reduction \"", name, "\" (",
                                Name(node.reduce.reduction),
                                ") has no active point and no init"))
            .With("result", name);
      }
      leaves.push_back(*value);
    }
    reduced_[root] = std::move(leaves);
    return absl::OkStatus();
  }

  const Runtime& runtime_;
  const Inputs& inputs_;
  const VerifiedProgram& program_;
  const ExecutionPlan& plan_;
  PlanMemory& memory_;
  const StopToken& stop_;
  std::map<std::pair<NodeIndex, int32_t>, std::optional<ReductionTotal>>
      totals_;                                        // by node and leaf
  std::map<NodeIndex, std::vector<Scalar>> reduced_;  // finished kReduce nodes
  OracleResults results_;
};

// Returns the fields that `program` writes, in order of first write.
std::vector<int32_t> WriteOrder(const VerifiedProgram& program) {
  std::vector<int32_t> order;
  for (const StatementInfo& statement : program.statements) {
    for (const AssignmentInfo& assignment : statement.assignments) {
      if (assignment.field >= 0 &&
          std::count(order.begin(), order.end(), assignment.field) == 0) {
        order.push_back(assignment.field);
      }
    }
  }
  return order;
}

}  // namespace

absl::StatusOr<ExecuteReply> ExecuteProgram(
    const Runtime& runtime, Program program,
    const std::map<std::string, std::string>& bindings, const StopToken& stop,
    const std::function<void()>& pinned) {
  RETURN_IF_ERROR(stop.status());
  ASSIGN_OR_RETURN(
      const Inputs inputs,
      GatherInputs(*runtime.fields, *runtime.masks, program, bindings));
  ASSIGN_OR_RETURN(const VerifiedProgram verified,
                   VerifyProgram(std::move(program), inputs.catalog));
  ASSIGN_OR_RETURN(const ExecutionPlan plan, PlanProgram(verified));
  ASSIGN_OR_RETURN(const std::unique_ptr<PlanMemory> memory,
                   PlanMemory::Reserve(runtime.device, runtime.budget,
                                       runtime.fields, verified, plan));
  pinned();
  Run run(runtime, inputs, verified, plan, *memory, stop);
  RETURN_IF_ERROR(run.RunSteps());
  // The last look: from here on the run is done, whatever the client does.
  RETURN_IF_ERROR(stop.status());
  ASSIGN_OR_RETURN(
      const std::vector<int64_t> revisions,
      runtime.fields->Publish(memory->TakeContents(), memory->TakeCreated()));

  ExecuteReply reply;
  for (size_t r = 0; r < verified.results.size(); ++r) {
    reply.results.push_back(
        {verified.results[r].name, verified.results[r].type, run.results()[r]});
  }
  // Publish answers in order of fields, existing ones first.
  std::map<int32_t, int64_t> revision_of;
  size_t next = 0;
  for (const bool created : {false, true}) {
    for (size_t f = 0; f < verified.fields.size(); ++f) {
      if (plan.final_buffers[f] >= 0 && verified.fields[f].created == created) {
        revision_of[static_cast<int32_t>(f)] = revisions[next++];
      }
    }
  }
  for (int32_t field : WriteOrder(verified)) {
    const FieldUse& use = verified.fields[static_cast<size_t>(field)];
    reply.fields.push_back({use.id, revision_of[field], use.created});
  }
  reply.warnings = verified.warnings;
  return reply;
}

absl::StatusOr<std::vector<uint8_t>> EvaluatePredicate(
    const Runtime& runtime, Program program,
    const std::map<std::string, std::string>& bindings, const Shape& mask_shape,
    const StopToken& stop, const std::function<void()>& pinned) {
  RETURN_IF_ERROR(stop.status());
  ASSIGN_OR_RETURN(
      const Inputs inputs,
      GatherInputs(*runtime.fields, *runtime.masks, program, bindings));
  if (ReferencedFields(program).empty()) {
    return InvalidArgument("MASK_SHAPE_MISMATCH",
                           "a mask is set from a predicate over fields; this "
                           "one reads none");
  }
  // The predicate becomes a field that is never published, under a name that
  // stands for none and that none has.
  std::string target = "predicate";
  const auto is_taken = [&](const auto& entry) {
    return entry.first == target || entry.second.id == target;
  };
  while (std::any_of(inputs.catalog.fields.begin(), inputs.catalog.fields.end(),
                     is_taken)) {
    target += "_";
  }
  auto& assignment = std::get<Assignment>(program.statements.at(0));
  assignment.kind = Assignment::Kind::kNew;
  assignment.target = target;
  ASSIGN_OR_RETURN(const VerifiedProgram verified,
                   VerifyProgram(std::move(program), inputs.catalog));
  const AssignmentInfo& info = verified.statements[0].assignments[0];
  const DataLayout& layout =
      verified.fields[static_cast<size_t>(info.field)].layout;
  if (!(layout.type() == ValueType(ScalarType::kBool))) {
    return InvalidArgument("TYPE_MISMATCH",
                           absl::StrCat("a mask is set from a bool; this is ",
                                        layout.type().ToString()));
  }
  if (layout.shape().v() != 1) {
    return InvalidArgument(
        "MASK_SHAPE_MISMATCH",
        absl::StrCat("a mask has one value per column; this has ",
                     layout.shape().v(),
                     " levels (choose one with at(x, 0), or fold them)"));
  }
  if (!BroadcastsTo(layout.shape(), mask_shape)) {
    return InvalidArgument(
        "MASK_SHAPE_MISMATCH",
        absl::StrCat("the predicate has shape ", ToString(layout.shape()),
                     ", the mask ", ToString(mask_shape)));
  }
  ASSIGN_OR_RETURN(const ExecutionPlan plan, PlanProgram(verified));
  ASSIGN_OR_RETURN(const std::unique_ptr<PlanMemory> memory,
                   PlanMemory::Reserve(runtime.device, runtime.budget,
                                       runtime.fields, verified, plan));
  pinned();
  Run run(runtime, inputs, verified, plan, *memory, stop);
  RETURN_IF_ERROR(run.RunSteps());

  const std::vector<NewField> created = memory->TakeCreated();
  const Shape& shape = layout.shape();
  std::vector<uint8_t> values(static_cast<size_t>(shape.num_columns()));
  PackPoints(layout.WholeView(), created[0].revision->buffer->data(), 0,
             absl::MakeSpan(values));
  std::vector<uint8_t> active;
  active.reserve(static_cast<size_t>(mask_shape.num_columns()));
  for (int64_t h = 0; h < mask_shape.h(); ++h) {
    for (int64_t j = 0; j < mask_shape.j(); ++j) {
      for (int64_t i = 0; i < mask_shape.i(); ++i) {
        const int64_t column =
            (shape.i() == 1 ? 0 : i) +
            shape.i() * ((shape.j() == 1 ? 0 : j) +
                         shape.j() * (shape.h() == 1 ? 0 : h));
        active.push_back(values[static_cast<size_t>(column)]);
      }
    }
  }
  return active;
}

}  // namespace layoutd
