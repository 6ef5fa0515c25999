#include "engine/layout/plane.h"

#include "absl/strings/str_cat.h"
#include "engine/base/error.h"
#include "engine/base/status_macros.h"
#include "engine/layout/slice.h"

namespace layoutd {
namespace {

// Returns the view of element `h`, every level of it.
absl::StatusOr<View> ElementOf(const DataLayout& layout, int64_t h) {
  if (layout.kind() != LayoutKind::kVIH1 &&
      layout.kind() != LayoutKind::kIH1JH2) {
    return InvalidArgument("LAYOUT_MISMATCH",
                           absl::StrCat(Name(layout.kind()), " is no plane"));
  }
  const int64_t num_elements = layout.num_elements();
  const bool wraps = layout.kind() == LayoutKind::kVIH1 && num_elements > 0;
  if (wraps && h >= 0) h %= num_elements;
  if (h < 0 || h >= num_elements) {
    return OutOfRange("INDEX_OUT_OF_RANGE",
                      absl::StrCat("slice axis h: index ", h, " outside [0, ",
                                   num_elements, ")"))
        .With("axis", "h");
  }
  const PlaneNodes& nodes = layout.plane_nodes();
  const int64_t per_row = layout.shape().i() / nodes.i;
  View view = layout.WholeView();
  view.offset_bytes += h % per_row * nodes.i * view.strides_bytes[1] +
                       h / per_row * nodes.j * view.strides_bytes[2];
  view.shape = {{view.shape.v(), nodes.i, nodes.j, 1}};
  return view;
}

}  // namespace

absl::StatusOr<View> PlaneSlab(const DataLayout& layout, int64_t v, int64_t h) {
  ASSIGN_OR_RETURN(const View element, ElementOf(layout, h));
  return Level(element, v);
}

absl::StatusOr<View> PlaneColumn(const DataLayout& layout, int64_t i, int64_t j,
                                 int64_t h) {
  ASSIGN_OR_RETURN(const View element, ElementOf(layout, h));
  return Column(element, i, j, 0);
}

}  // namespace layoutd
