#ifndef LAYOUTD_ENGINE_RUN_REDUCE_POINTS_H_
#define LAYOUTD_ENGINE_RUN_REDUCE_POINTS_H_

// The end of a reduction loop: partials of chunks to totals, in the order of
// program/reduction_order.h.

#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "engine/jit/kernel_arguments.h"
#include "engine/program/finish_reduction.h"
#include "engine/program/plan.h"

namespace layoutd {

// The partials of one reduction, one entry per chunk.
struct Partials {
  absl::Span<ParameterSlot> values;
  absl::Span<int64_t> positions;  // undefined unless the reduction has them
  absl::Span<uint8_t> has_value;
};

// Combines the partials of `reduction` by repeated pairing: 2m with 2m + 1, an
// odd last one passes up. Returns nothing when no chunk has a value. The spans
// are used as scratch.
std::optional<ReductionTotal> CombinePartials(const LoopReduction& reduction,
                                              const Partials& partials);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_RUN_REDUCE_POINTS_H_
