#ifndef LAYOUTD_TESTS_BENCH_PLANNED_LOOPS_H_
#define LAYOUTD_TESTS_BENCH_PLANNED_LOOPS_H_

// The loops of a program without everything around them: planned, compiled and
// given memory once, then run again and again in place. Nothing is published.

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/program/plan.h"
#include "engine/program/verify.h"
#include "engine/run/execute.h"
#include "engine/run/inputs.h"
#include "engine/run/plan_memory.h"

namespace layoutd {

class PlannedLoops {
 public:
  // The program may have one mask and no scalar from a reduction in a later
  // loop. `runtime` must outlive the result.
  // Errors: those of ParseProgram and RunProgram.
  static absl::StatusOr<std::unique_ptr<PlannedLoops>> Plan(
      const Runtime& runtime, const std::string& text);

  absl::Status Run();

 private:
  explicit PlannedLoops(const Runtime& runtime) : runtime_(runtime) {}

  const Runtime runtime_;
  Inputs inputs_;
  VerifiedProgram program_;
  ExecutionPlan plan_;
  std::unique_ptr<PlanMemory> memory_;
  std::vector<std::shared_ptr<const Kernel>> kernels_;  // per step
  std::vector<std::unique_ptr<Buffer>> partials_;       // per step
  std::shared_ptr<const ColumnMap> mask_;               // null: none
};

}  // namespace layoutd

#endif  // LAYOUTD_TESTS_BENCH_PLANNED_LOOPS_H_
