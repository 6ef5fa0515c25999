#include "engine/layout/mapping_kind.h"

#include <optional>
#include <vector>

#include "engine/base/checked_math.h"
#include "engine/base/status_macros.h"

namespace layoutd {
namespace {

enum class Packing { kExact, kPadded, kNone };

// How far the axes, fastest first, are packed.
Packing PackingOf(absl::Span<const int64_t> extents,
                  absl::Span<const int64_t> strides) {
  if (extents.empty()) return Packing::kExact;
  if (strides[0] != 1) return Packing::kNone;
  if (extents.size() == 1) return Packing::kExact;
  if (strides[1] < extents[0]) return Packing::kNone;
  std::optional<int64_t> expected = strides[1];
  for (size_t axis = 1; axis < extents.size(); ++axis) {
    if (strides[axis] != expected) return Packing::kNone;
    expected = CheckedProduct({strides[axis], extents[axis]});
  }
  return strides[1] == extents[0] ? Packing::kExact : Packing::kPadded;
}

}  // namespace

absl::string_view Name(MappingKind kind) {
  switch (kind) {
    case MappingKind::kLeft:
      return "layout_left";
    case MappingKind::kLeftPadded:
      return "layout_left_padded";
    case MappingKind::kRight:
      return "layout_right";
    case MappingKind::kRightPadded:
      return "layout_right_padded";
    case MappingKind::kStride:
      return "layout_stride";
  }
  return "";
}

MappingKind KindOf(absl::Span<const int64_t> extents,
                   absl::Span<const int64_t> strides, AxisOrder order) {
  LAYOUTD_DCHECK(extents.size() == strides.size());
  const Packing left = PackingOf(extents, strides);
  const Packing right =
      PackingOf(std::vector<int64_t>(extents.rbegin(), extents.rend()),
                std::vector<int64_t>(strides.rbegin(), strides.rend()));
  const bool prefers_right = order == AxisOrder::kRightmost;
  for (Packing packing : {Packing::kExact, Packing::kPadded}) {
    const bool exact = packing == Packing::kExact;
    if (right == packing && (prefers_right || left != packing)) {
      return exact ? MappingKind::kRight : MappingKind::kRightPadded;
    }
    if (left == packing) {
      return exact ? MappingKind::kLeft : MappingKind::kLeftPadded;
    }
  }
  return MappingKind::kStride;
}

MappingKind KindOf(const BufferView& view) {
  const auto rank = static_cast<size_t>(view.num_axes);
  return KindOf({view.shape.data(), rank}, {view.strides.data(), rank},
                view.order.axes);
}

}  // namespace layoutd
