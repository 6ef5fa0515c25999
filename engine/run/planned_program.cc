#include "engine/run/planned_program.h"

#include <optional>
#include <utility>

#include "engine/base/status_macros.h"
#include "engine/program/compact_writes.h"

namespace layoutd {

PlannedProgram::PlannedProgram(VerifiedProgram program, ExecutionPlan plan)
    : program_(std::move(program)),
      plan_(std::move(plan)),
      kernels_(plan_.steps.size()) {}

absl::StatusOr<std::shared_ptr<const PlannedProgram>> PlannedProgram::Create(
    VerifiedProgram program) {
  ASSIGN_OR_RETURN(ExecutionPlan plan, PlanProgram(program));
  std::optional<ExecutionPlan> compact_plan = CompactPlan(program, plan);
  std::unique_ptr<const PlannedProgram> compact;
  if (compact_plan) {
    compact.reset(new PlannedProgram(program, *std::move(compact_plan)));
  }
  std::unique_ptr<PlannedProgram> planned(
      new PlannedProgram(std::move(program), std::move(plan)));
  planned->compact_ = std::move(compact);
  return std::shared_ptr<const PlannedProgram>(std::move(planned));
}

absl::StatusOr<std::shared_ptr<const Kernel>> PlannedProgram::KernelOf(
    size_t step, KernelCache& cache) const {
  {
    absl::MutexLock lock(&mutex_);
    if (kernels_[step] != nullptr) return kernels_[step];
  }
  ASSIGN_OR_RETURN(std::shared_ptr<const Kernel> kernel,
                   cache.Get(plan_.steps[step].loop));
  absl::MutexLock lock(&mutex_);
  if (kernels_[step] == nullptr) kernels_[step] = std::move(kernel);
  return kernels_[step];
}

bool PlannedProgram::HasKernel(size_t step, const KernelCache& cache) const {
  {
    absl::MutexLock lock(&mutex_);
    if (kernels_[step] != nullptr) return true;
  }
  return cache.Contains(plan_.steps[step].loop);
}

int64_t PlannedProgram::size_bytes() const {
  size_t bytes = sizeof(PlannedProgram);
  bytes += program_.nodes.size() * (sizeof(Node) + sizeof(NodeInfo));
  for (const PlanStep& step : plan_.steps) {
    bytes += sizeof(PlanStep);
    bytes += step.loop.accesses.size() * sizeof(LoopAccess);
    bytes += step.loop.parameters.size() * sizeof(LoopParameter);
    for (const LoopBlock& block : step.loop.blocks) {
      bytes += block.ops.size() * sizeof(LoopOp);
    }
  }
  return static_cast<int64_t>(bytes) +
         (compact_ == nullptr ? 0 : compact_->size_bytes());
}

}  // namespace layoutd
