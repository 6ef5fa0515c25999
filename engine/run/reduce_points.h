#ifndef LAYOUTD_ENGINE_RUN_REDUCE_POINTS_H_
#define LAYOUTD_ENGINE_RUN_REDUCE_POINTS_H_

// The end of a reduction loop: partials of chunks to totals, in the order of
// program/reduction_order.h.

#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "engine/jit/kernel_arguments.h"
#include "engine/program/opcode.h"
#include "engine/program/scalar.h"

namespace layoutd {

// Combines the partials of one reduction by repeated pairing: 2m with 2m + 1,
// an odd last one passes up. Returns nothing when no chunk has a value. The
// spans, one entry per chunk, are used as scratch.
std::optional<Scalar> CombinePartials(Opcode op, ScalarType type,
                                      absl::Span<ParameterSlot> partials,
                                      absl::Span<uint8_t> has_partial);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_RUN_REDUCE_POINTS_H_
