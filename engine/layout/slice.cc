#include "engine/layout/slice.h"

#include <initializer_list>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/base/error.h"
#include "engine/base/status_macros.h"

namespace layoutd {
namespace {

struct AxisIndex {
  Axis axis;
  int64_t index;
};

// Returns `view` with each given axis fixed at its index.
absl::StatusOr<View> Fix(View view, std::initializer_list<AxisIndex> fixed) {
  for (const auto& [axis, index] : fixed) {
    const size_t a = static_cast<size_t>(axis);
    int64_t& extent = view.shape.extents[a];
    if (index < 0 || index >= extent) {
      const absl::string_view name(&kAxisNames[a], 1);
      return OutOfRange("INDEX_OUT_OF_RANGE",
                        absl::StrCat("slice axis ", name, ": index ", index,
                                     " outside [0, ", extent, ")"))
          .With("axis", name);
    }
    view.offset_bytes += index * view.strides_bytes[a];
    extent = 1;
  }
  return view;
}

}  // namespace

absl::StatusOr<View> PropertyView(const View& view, absl::string_view path) {
  ASSIGN_OR_RETURN(Component component, FindComponent(view.type, path));
  View property = view;
  property.type = std::move(component.type);
  property.value_offset_bytes += component.offset_bytes;
  return property;
}

std::optional<SlotRange> DirectSlots(const View& view) {
  return TryStructFieldView(SizeBytes(view.base_type), view.value_offset_bytes,
                            view.type.size_bytes());
}

absl::StatusOr<View> Level(const View& view, int64_t v) {
  return Fix(view, {{Axis::kV, v}});
}

absl::StatusOr<View> Slab(const View& view, int64_t v, int64_t h) {
  return Fix(view, {{Axis::kV, v}, {Axis::kH, h}});
}

absl::StatusOr<View> Column(const View& view, int64_t i, int64_t j, int64_t h) {
  return Fix(view, {{Axis::kI, i}, {Axis::kJ, j}, {Axis::kH, h}});
}

absl::StatusOr<View> Point(const View& view, int64_t v, int64_t i, int64_t j,
                           int64_t h) {
  return Fix(view,
             {{Axis::kV, v}, {Axis::kI, i}, {Axis::kJ, j}, {Axis::kH, h}});
}

}  // namespace layoutd
