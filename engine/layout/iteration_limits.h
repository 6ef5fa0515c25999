#ifndef LAYOUTD_ENGINE_LAYOUT_ITERATION_LIMITS_H_
#define LAYOUTD_ENGINE_LAYOUT_ITERATION_LIMITS_H_

// What a loop over a universal buffer visits: the points of its inner region,
// never the ghost layers and never tensor components. Pure description.
// Source: pystencils grids (get_iteration_limits).

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "engine/layout/buffer_spec.h"

namespace layoutd {

// Ranges `[lower, upper)`, one an axis of points. Buffers of equal limits can
// be walked by one loop.
struct IterationLimits {
  std::vector<int64_t> lower;
  std::vector<int64_t> upper;   // at least lower
  std::vector<int> loop_order;  // axes, slowest first: the outermost loop

  friend bool operator==(const IterationLimits&,
                         const IterationLimits&) = default;
};

// Returns the whole inner region, in the order of memory.
IterationLimits LimitsOf(const BufferSpec& spec);

// Points to leave out at both ends of an axis.
struct Margin {
  int64_t low = 0;
  int64_t high = 0;
};

// Returns the limits less one margin an axis; margins that meet leave no point.
// Errors: InvalidArgument — another number of margins than of axes
// (BAD_AXIS_COUNT), a margin below 0 (BAD_EXTENT).
absl::StatusOr<IterationLimits> Shrink(const IterationLimits& limits,
                                       absl::Span<const Margin> margins);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_LAYOUT_ITERATION_LIMITS_H_
