#include "tests/bench/planned_loops.h"

#include <utility>
#include <variant>

#include "engine/base/status_macros.h"
#include "engine/program/parse.h"
#include "engine/run/launch.h"

namespace layoutd {

absl::StatusOr<std::unique_ptr<PlannedLoops>> PlannedLoops::Plan(
    const Runtime& runtime, const std::string& text) {
  std::unique_ptr<PlannedLoops> loops(new PlannedLoops(runtime));
  ASSIGN_OR_RETURN(Program program, ParseProgram(text));
  ASSIGN_OR_RETURN(loops->inputs_,
                   GatherInputs(*runtime.fields, *runtime.masks, program, {}));
  ASSIGN_OR_RETURN(loops->program_,
                   VerifyProgram(std::move(program), loops->inputs_.catalog));
  ASSIGN_OR_RETURN(loops->plan_, PlanProgram(loops->program_));
  ASSIGN_OR_RETURN(
      loops->memory_,
      PlanMemory::Reserve(runtime.device, runtime.budget, runtime.fields,
                          loops->inputs_, loops->program_, loops->plan_));
  for (size_t s = 0; s < loops->plan_.steps.size(); ++s) {
    const PlanStep& step = loops->plan_.steps[s];
    RETURN_IF_ERROR(
        loops->memory_->StartStep(static_cast<int32_t>(s), StopToken()));
    ASSIGN_OR_RETURN(std::shared_ptr<const Kernel> kernel,
                     runtime.kernels->Get(step.loop));
    loops->kernels_.push_back(std::move(kernel));
    ASSIGN_OR_RETURN(
        std::unique_ptr<Buffer> partials,
        runtime.device->Allocate(PartialBytes(step.loop), /*zeroed=*/false));
    loops->partials_.push_back(std::move(partials));
    if (!step.loop.masked) continue;
    const Statement& statement =
        loops->program_.program.statements[static_cast<size_t>(step.statement)];
    loops->mask_ =
        ResolveMask(loops->inputs_, std::get<Foreach>(statement).mask);
  }
  return loops;
}

absl::Status PlannedLoops::Run() {
  const StopToken stop;
  for (size_t s = 0; s < plan_.steps.size(); ++s) {
    const LoopPlan& loop = plan_.steps[s].loop;
    LoopBinding binding;
    binding.buffers = memory_->addresses();
    binding.partials = partials_[s]->data();
    if (loop.masked) binding.mask = mask_.get();
    if (loop.kind == LoopKind::kReduction) {
      RETURN_IF_ERROR(
          ReducePoints(*runtime_.device, *kernels_[s], loop, binding, stop)
              .status());
    } else {
      RETURN_IF_ERROR(
          ForeachSlice(*runtime_.device, *kernels_[s], loop, binding, stop));
    }
  }
  return absl::OkStatus();
}

}  // namespace layoutd
