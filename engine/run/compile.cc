#include "engine/run/compile.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "engine/base/checked_math.h"
#include "engine/base/status_macros.h"
#include "engine/program/plan.h"
#include "engine/run/inputs.h"
#include "engine/run/plan_needs.h"

namespace layoutd {
namespace {

Estimate EstimateOf(const Runtime& runtime, const Inputs& inputs,
                    const VerifiedProgram& program, const ExecutionPlan& plan) {
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
        {std::move(work), runtime.kernels->Contains(loop)});
  }
  estimate.copied_bytes = CopiedBytes(program, plan);
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
    const Runtime& runtime, Program program,
    const std::map<std::string, std::string>& bindings, const StopToken& stop,
    const std::function<void()>& pinned) {
  RETURN_IF_ERROR(stop.status());
  ASSIGN_OR_RETURN(
      const Inputs inputs,
      GatherInputs(*runtime.fields, *runtime.masks, program, bindings));
  ASSIGN_OR_RETURN(VerifiedProgram verified,
                   VerifyProgram(std::move(program), inputs.catalog));
  ASSIGN_OR_RETURN(const ExecutionPlan plan, PlanProgram(verified));
  CompileReply reply;
  reply.estimate = EstimateOf(runtime, inputs, verified, plan);
  pinned();
  for (const PlanStep& step : plan.steps) {
    if (step.loop.blocks.empty()) continue;
    RETURN_IF_ERROR(stop.status());
    RETURN_IF_ERROR(runtime.kernels->Get(step.loop).status());
  }
  RETURN_IF_ERROR(stop.status());
  for (const MaskUse& mask : verified.masks) {
    reply.masks.push_back(inputs.masks.at(mask.id).info);
  }
  reply.fields = std::move(verified.fields);
  reply.results = std::move(verified.results);
  reply.warnings = std::move(verified.warnings);
  return reply;
}

}  // namespace layoutd
