#include "engine/layout/iteration_limits.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "engine/base/error.h"

namespace layoutd {

IterationLimits LimitsOf(const BufferSpec& spec) {
  const int num_point_axes = spec.num_axes - spec.order.num_tensor_axes;
  IterationLimits limits;
  limits.lower.assign(static_cast<size_t>(num_point_axes), 0);
  limits.upper.assign(spec.shape.begin(), spec.shape.begin() + num_point_axes);
  for (int axis : AxesFromFastest(spec.order, spec.num_axes)) {
    if (axis < num_point_axes) limits.loop_order.push_back(axis);
  }
  std::reverse(limits.loop_order.begin(), limits.loop_order.end());
  return limits;
}

absl::StatusOr<IterationLimits> Shrink(const IterationLimits& limits,
                                       absl::Span<const Margin> margins) {
  if (margins.size() != limits.lower.size()) {
    return InvalidArgument("BAD_AXIS_COUNT",
                           absl::StrCat(margins.size(), " margins for ",
                                        limits.lower.size(), " axes"));
  }
  IterationLimits shrunk = limits;
  for (size_t axis = 0; axis < margins.size(); ++axis) {
    const Margin& margin = margins[axis];
    if (margin.low < 0 || margin.high < 0) {
      return InvalidArgument(
          "BAD_EXTENT",
          absl::StrCat("axis ", axis, " has a margin of ",
                       std::min(margin.low, margin.high), ", below 0"));
    }
    // Each end moves by what is left at most: no sum overflows.
    int64_t& lower = shrunk.lower[axis];
    int64_t& upper = shrunk.upper[axis];
    lower += std::min(margin.low, upper - lower);
    upper -= std::min(margin.high, upper - lower);
  }
  return shrunk;
}

}  // namespace layoutd
