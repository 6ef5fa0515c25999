#ifndef LAYOUTD_ENGINE_LAYOUT_AXIS_ORDER_H_
#define LAYOUTD_ENGINE_LAYOUT_AXIS_ORDER_H_

// The orders in which the axes of a universal buffer follow each other in
// memory, and their names. The axes of points stand first among a buffer's
// axes, then those of tensor components.
// Source: pystencils grids (TensorField) and, for its older names, Field.

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace layoutd {

enum class AxisOrder : uint8_t {
  kLeftmost,   // the first axis varies fastest: x, y, z, components
  kRightmost,  // the last one does: components, z, y, x
  kZyxf,       // components first, the last one fastest, then x, y, z
};

// An order, and how many of the last axes count components.
struct BufferOrder {
  AxisOrder axes = AxisOrder::kLeftmost;
  int num_tensor_axes = 0;

  friend bool operator==(const BufferOrder&, const BufferOrder&) = default;
};

// Returns "leftmost", "rightmost" or "zyxf".
absl::string_view Name(AxisOrder order);

// Returns the order that `name`, in any case, is one of the names of: leftmost,
// fortran, fzyx, soa; rightmost, c, numpy; zyxf, aos.
// Errors: InvalidArgument (UNKNOWN_AXIS_ORDER) — lists the known names.
absl::StatusOr<AxisOrder> ParseAxisOrder(absl::string_view name);

// The same for the names of the older Field: fzyx, soa, f, reverse_numpy; c,
// numpy; zyxf, aos. There, zyxf has one tensor axis.
absl::StatusOr<AxisOrder> ParseOldAxisOrder(absl::string_view name);

// Returns the axes `[0, num_axes)`, fastest first.
std::vector<int> AxesFromFastest(const BufferOrder& order, int num_axes);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_LAYOUT_AXIS_ORDER_H_
