#ifndef LAYOUTD_ENGINE_RUN_RUN_PROGRAM_H_
#define LAYOUTD_ENGINE_RUN_RUN_PROGRAM_H_

// A verified program, run to its end but not yet published.

#include <functional>
#include <memory>

#include "absl/status/statusor.h"
#include "engine/base/stop_token.h"
#include "engine/program/evaluate.h"
#include "engine/run/execute.h"
#include "engine/run/inputs.h"
#include "engine/run/plan_memory.h"
#include "engine/run/planned_program.h"
#include "engine/run/profile.h"

namespace layoutd {

// What a run leaves: the new contents, in `memory`, and the results. Dropping
// it drops the contents. Borrows the program.
struct FinishedRun {
  std::unique_ptr<PlanMemory> memory;
  OracleResults results;
};

// Reserves the memory of `planned`, compiles and runs its loops. `pinned` is
// called once all inputs are pinned. Tells `profiler` of every part up to the
// run's own. Errors: those of PlanMemory, KernelCache::Get and StopToken;
// FailedPrecondition (NO_ACTIVE_POINT).
absl::StatusOr<std::unique_ptr<FinishedRun>> RunProgram(
    const Runtime& runtime, const Inputs& inputs, const PlannedProgram& planned,
    const StopToken& stop, const std::function<void()>& pinned,
    Profiler& profiler);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_RUN_RUN_PROGRAM_H_
