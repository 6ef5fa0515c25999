#include "engine/run/run_program.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/base/checked_math.h"
#include "engine/base/error.h"
#include "engine/base/status_macros.h"
#include "engine/program/finish_reduction.h"
#include "engine/program/locate.h"
#include "engine/program/pointwise.h"
#include "engine/run/launch.h"
#include "engine/run/loop_work.h"

namespace layoutd {
namespace {

// One run of a verified program: the steps of its plan, and the values of its
// reductions as they become known.
class Run {
 public:
  Run(const Runtime& runtime, const PlannedProgram& planned, PlanMemory& memory,
      const StopToken& stop, ExecutionProfile* profile)
      : runtime_(runtime),
        planned_(planned),
        program_(planned.program()),
        plan_(planned.plan()),
        memory_(memory),
        stop_(stop),
        profile_(profile),
        results_(program_.results.size()) {}

  // Everything is compiled before anything runs: a loop that cannot be must not
  // be found out halfway.
  absl::Status Compile() {
    for (size_t s = 0; s < plan_.steps.size(); ++s) {
      kernels_.push_back(nullptr);
      if (plan_.steps[s].loop.blocks.empty()) continue;
      RETURN_IF_ERROR(stop_.status());
      const bool hit =
          profile_ != nullptr && planned_.HasKernel(s, *runtime_.kernels);
      Stopwatch watch(profile_ != nullptr);
      ASSIGN_OR_RETURN(kernels_.back(),
                       planned_.KernelOf(s, *runtime_.kernels));
      if (profile_ != nullptr) AddProfile(s, hit, watch.Lap());
    }
    return absl::OkStatus();
  }

  absl::Status RunSteps() {
    size_t profiled = 0;
    for (size_t s = 0; s < plan_.steps.size(); ++s) {
      const PlanStep& step = plan_.steps[s];
      const auto index = static_cast<int32_t>(s);
      RETURN_IF_ERROR(stop_.status());
      RETURN_IF_ERROR(memory_.StartStep(index, stop_));
      if (kernels_[s] != nullptr) {
        Stopwatch watch(profile_ != nullptr);
        RETURN_IF_ERROR(RunLoop(step, *kernels_[s]));
        if (profile_ != nullptr) {
          profile_->loops[profiled++].run_time = watch.Lap();
        }
      }
      memory_.FinishStep(index);
      for (int32_t result : step.results) {
        RETURN_IF_ERROR(EvaluateOne(result));
      }
    }
    return absl::OkStatus();
  }

  OracleResults TakeResults() { return std::move(results_); }

 private:
  void AddProfile(size_t step, bool cache_hit, absl::Duration compile_time) {
    ExecutionProfile::Loop loop;
    loop.work = WorkOf(program_, plan_, memory_.needs(), step,
                       runtime_.device->scope());
    loop.cache_hit = cache_hit;
    loop.compile_time = compile_time;
    loop.num_threads = runtime_.device->num_threads();
    profile_->moved_bytes = SaturatingAdd(
        profile_->moved_bytes,
        SaturatingAdd(loop.work.read_bytes, loop.work.written_bytes));
    profile_->loops.push_back(std::move(loop));
  }

  absl::Status RunLoop(const PlanStep& step, const Kernel& kernel) {
    LoopBinding binding;
    binding.buffers = memory_.addresses();
    binding.mask = memory_.mask();
    binding.partials = memory_.partials();
    binding.results = &results_;
    if (step.loop.kind != LoopKind::kReduction) {
      return ForeachSlice(*runtime_.device, kernel, step.loop, binding, stop_);
    }
    ASSIGN_OR_RETURN(
        const std::vector<std::optional<ReductionTotal>> totals,
        ReducePoints(*runtime_.device, kernel, step.loop, binding, stop_));
    for (size_t k = 0; k < totals.size(); ++k) {
      const LoopReduction& reduction = step.loop.reductions[k];
      std::optional<ReductionTotal>& total =
          totals_[{reduction.node, reduction.leaf}];
      if (!totals[k].has_value()) continue;
      if (reduction.part == 0) {
        total = totals[k];
      } else {
        total->second = totals[k]->value;
      }
    }
    return absl::OkStatus();
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
    const NodeInfo& argument =
        program_.nodes[static_cast<size_t>(node.operands[0])];
    std::vector<Scalar> init;
    if (node.reduce.has_init) {
      const NodeIndex operand = node.operands.back();
      const std::vector<Scalar> given =
          EvaluateResult(program_, operand, {}, results_);
      for (int leaf : SpreadLeaves(
               program_.nodes[static_cast<size_t>(operand)].type, type)) {
        init.push_back(given[static_cast<size_t>(leaf)]);
      }
    }
    std::vector<ScalarType> types;
    for (const Leaf& leaf : type.leaves()) types.push_back(leaf.type);
    std::vector<std::optional<ReductionTotal>> totals;
    for (int32_t leaf = 0; leaf < argument.type.num_leaves(); ++leaf) {
      totals.push_back(totals_[{root, leaf}]);
    }
    std::optional<std::vector<Scalar>> leaves = FinishReduction(
        node.reduce.reduction, argument.shape.shape, types, totals, init);
    if (!leaves.has_value()) {
      return FailedPrecondition(
                 "NO_ACTIVE_POINT",
                 absl::StrCat("reduction \"", name, "\" (",
                              Name(node.reduce.reduction),
                              ") has no active point and no init"))
          .With("result", name);
    }
    reduced_[root] = *std::move(leaves);
    return absl::OkStatus();
  }

  const Runtime& runtime_;
  const PlannedProgram& planned_;
  const VerifiedProgram& program_;
  const ExecutionPlan& plan_;
  PlanMemory& memory_;
  const StopToken& stop_;
  ExecutionProfile* const profile_;                     // null: not wanted
  std::vector<std::shared_ptr<const Kernel>> kernels_;  // per step; or null
  std::map<std::pair<NodeIndex, int32_t>, std::optional<ReductionTotal>>
      totals_;                                        // by node and leaf
  std::map<NodeIndex, std::vector<Scalar>> reduced_;  // finished kReduce nodes
  OracleResults results_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<FinishedRun>> RunProgram(
    const Runtime& runtime, const Inputs& inputs, const PlannedProgram& planned,
    const StopToken& stop, const std::function<void()>& pinned,
    Profiler& profiler) {
  auto finished = std::make_unique<FinishedRun>();
  ASSIGN_OR_RETURN(
      finished->memory,
      PlanMemory::Reserve(runtime.device, runtime.budget, runtime.fields,
                          inputs, planned.program(), planned.plan()));
  pinned();
  Run run(runtime, planned, *finished->memory, stop, profiler.profile());
  profiler.End(&ExecutionProfile::plan_time);
  RETURN_IF_ERROR(run.Compile());
  profiler.End(&ExecutionProfile::compile_time);
  RETURN_IF_ERROR(run.RunSteps());
  finished->results = run.TakeResults();
  profiler.End(&ExecutionProfile::run_time);
  if (ExecutionProfile* const profile = profiler.profile()) {
    profile->peak_scratch_bytes = finished->memory->peak_bytes();
    const int64_t copied_bytes = CopiedBytes(planned.program(), planned.plan(),
                                             finished->memory->needs());
    profile->moved_bytes =
        SaturatingAdd(profile->moved_bytes, SaturatingProduct(copied_bytes, 2));
  }
  // The last look: from here on the run is done, whatever the client does.
  RETURN_IF_ERROR(stop.status());
  return finished;
}

}  // namespace layoutd
