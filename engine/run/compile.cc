#include "engine/run/compile.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "engine/base/checked_math.h"
#include "engine/base/status_macros.h"
#include "engine/program/plan.h"
#include "engine/run/choose_writes.h"
#include "engine/run/inputs.h"
#include "engine/run/plan_needs.h"
#include "engine/run/planned_program.h"

namespace layoutd {
namespace {

Estimate EstimateOf(const Runtime& runtime, const Inputs& inputs,
                    const PlannedProgram& planned) {
  const VerifiedProgram& program = planned.program();
  const ExecutionPlan& plan = planned.plan();
  const PlanNeeds needs = NeedsOf(*runtime.fields, inputs, program, plan);
  Estimate estimate;
  for (size_t s = 0; s < plan.steps.size(); ++s) {
    const LoopPlan& loop = plan.steps[s].loop;
    if (loop.blocks.empty()) continue;
    LoopWork work = WorkOf(program, plan, needs, s, runtime.device->scope());
    estimate.operations = SaturatingAdd(estimate.operations, work.operations);
    estimate.read_bytes = SaturatingAdd(estimate.read_bytes, work.read_bytes);
    estimate.written_bytes =
        SaturatingAdd(estimate.written_bytes, work.written_bytes);
    estimate.loops.push_back(
        {std::move(work), planned.HasKernel(s, *runtime.kernels)});
  }
  estimate.copied_bytes = CopiedBytes(program, plan, needs);
  estimate.peak_scratch_bytes = needs.peak_bytes();
  estimate.lasting_bytes = needs.lasting_bytes;
  estimate.free_bytes =
      runtime.budget->limit_bytes() - runtime.budget->used_bytes();
  return estimate;
}

}  // namespace

bool Estimate::cache_hit() const {
  return std::all_of(loops.begin(), loops.end(),
                     [](const Loop& loop) { return loop.cache_hit; });
}

absl::StatusOr<CompileReply> CompileProgram(
    const Runtime& runtime, const Program& program,
    const std::map<std::string, std::string>& bindings, const StopToken& stop,
    const std::function<void()>& pinned) {
  RETURN_IF_ERROR(stop.status());
  ASSIGN_OR_RETURN(
      const Inputs inputs,
      GatherInputs(*runtime.fields, *runtime.masks, program, bindings));
  ASSIGN_OR_RETURN(const std::shared_ptr<const PlannedProgram> planned,
                   runtime.plans->Get(program, inputs.catalog));
  const VerifiedProgram& verified = planned->program();
  CompileReply reply;
  const PlannedProgram& chosen =
      ChooseWrites(*runtime.fields, inputs, *planned);
  reply.estimate = EstimateOf(runtime, inputs, chosen);
  pinned();
  const std::vector<PlanStep>& steps = chosen.plan().steps;
  for (size_t s = 0; s < steps.size(); ++s) {
    if (steps[s].loop.blocks.empty()) continue;
    RETURN_IF_ERROR(stop.status());
    RETURN_IF_ERROR(chosen.KernelOf(s, *runtime.kernels).status());
  }
  RETURN_IF_ERROR(stop.status());
  for (const MaskUse& mask : verified.masks) {
    reply.masks.push_back(inputs.masks.at(mask.id).info);
  }
  reply.fields = verified.fields;
  reply.results = verified.results;
  reply.warnings = verified.warnings;
  return reply;
}

}  // namespace layoutd
