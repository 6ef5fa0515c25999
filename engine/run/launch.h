#ifndef LAYOUTD_ENGINE_RUN_LAUNCH_H_
#define LAYOUTD_ENGINE_RUN_LAUNCH_H_

// One planned loop on a device: binds its arguments and cuts it into items. The
// two loop primitives of the engine: foreach_slice (point and column loops) and
// reduce_points (reduction loops).

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "engine/base/stop_token.h"
#include "engine/device/device.h"
#include "engine/jit/compiler.h"
#include "engine/jit/kernel_arguments.h"
#include "engine/layout/mask_map.h"
#include "engine/program/finish_reduction.h"
#include "engine/program/plan.h"
#include "engine/program/scalar.h"

namespace layoutd {

// What a loop runs on.
struct LoopBinding {
  // The memory of every buffer of the plan that the loop accesses.
  absl::Span<uint8_t* const> buffers;
  const ColumnMap* mask = nullptr;  // null: every column
  uint8_t* partials = nullptr;      // of a reduction loop: PartialBytes
  // The leaves of the results known so far.
  const std::vector<std::vector<Scalar>>* results = nullptr;
};

// Returns the bytes that the partials of `loop` need; 0 for other kinds.
int64_t PartialBytes(const LoopPlan& loop);

// Runs a point or column loop: every slice, on all workers.
// Errors: those of StopToken.
absl::Status ForeachSlice(Device& device, const Kernel& kernel,
                          const LoopPlan& loop, const LoopBinding& binding,
                          const StopToken& stop);

// Runs a reduction loop. Returns one total per LoopReduction, its value and, if
// it has one, its position; nothing where no point took part.
// Errors: those of StopToken.
absl::StatusOr<std::vector<std::optional<ReductionTotal>>> ReducePoints(
    Device& device, const Kernel& kernel, const LoopPlan& loop,
    const LoopBinding& binding, const StopToken& stop);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_RUN_LAUNCH_H_
