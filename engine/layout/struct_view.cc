#include "engine/layout/struct_view.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/base/error.h"
#include "engine/base/status_macros.h"

namespace layoutd {
namespace {

// An array seen from its slot axis.
struct SlotAxisView {
  int64_t num_elements = 1;
  int64_t slot_stride = 1;  // elements from a slot to the next
  int64_t slot_extent = 1;
};

absl::Status BadShape(const SlotAxes& array, absl::string_view fault) {
  return InvalidArgument(
      "BAD_SHAPE", absl::StrCat("array (", absl::StrJoin(array.extents, ", "),
                                "): ", fault));
}

absl::StatusOr<SlotAxisView> LookAlongSlots(const SlotAxes& array,
                                            int64_t num_slots) {
  if (array.slot_axis && *array.slot_axis >= array.extents.size()) {
    return BadShape(array, absl::StrCat("no slot axis ", *array.slot_axis));
  }
  if (!array.slot_axis && num_slots > 1) {
    return BadShape(array, absl::StrCat("no slot axis for a value of ",
                                        num_slots, " slots"));
  }
  SlotAxisView view;
  for (size_t axis = 0; axis < array.extents.size(); ++axis) {
    const int64_t extent = array.extents[axis];
    if (extent < 0) return BadShape(array, "a negative extent");
    if (axis == array.slot_axis) {
      view.slot_stride = view.num_elements;
      view.slot_extent = extent;
    }
    if (__builtin_mul_overflow(view.num_elements, extent, &view.num_elements)) {
      return BadShape(array, "more elements than int64 counts");
    }
  }
  return view;
}

absl::Status PastTheEnd(absl::string_view where, int64_t num_slots,
                        int64_t first, int64_t stride,
                        absl::string_view array) {
  return OutOfRange(
      "INDEX_OUT_OF_RANGE",
      absl::StrCat(num_slots, " slots from ", where, first, ", stride ", stride,
                   ", do not lie inside ", array));
}

}  // namespace

absl::StatusOr<StructView> ViewStruct(int64_t num_elements, int64_t num_slots) {
  return ViewStruct(num_elements, num_slots, /*first=*/0, /*stride=*/1);
}

absl::StatusOr<StructView> ViewStruct(int64_t num_elements, int64_t num_slots,
                                      int64_t first, int64_t stride) {
  if (stride < 1) {
    return InvalidArgument("BAD_STRIDE",
                           absl::StrCat("slot stride ", stride, " < 1"));
  }
  const std::optional<StructView> view =
      TryViewStruct(num_elements, num_slots, first, stride);
  if (view) return *view;
  return PastTheEnd("element ", num_slots, first, stride,
                    absl::StrCat(num_elements, " elements"));
}

absl::StatusOr<StructView> ViewStruct(const SlotAxes& array, int64_t num_slots,
                                      int64_t first) {
  ASSIGN_OR_RETURN(const SlotAxisView axes, LookAlongSlots(array, num_slots));
  const std::optional<StructView> view =
      TryViewStruct(axes.num_elements, num_slots, first, axes.slot_stride);
  // Slot 0 need not lie at the start of the slot axis.
  if (view && (num_slots == 0 ||
               num_slots <= axes.slot_extent -
                                first / axes.slot_stride % axes.slot_extent)) {
    return *view;
  }
  return PastTheEnd("element ", num_slots, first, axes.slot_stride,
                    absl::StrCat("the slot axis of array (",
                                 absl::StrJoin(array.extents, ", "), ")"));
}

absl::StatusOr<StructView> ViewStruct(const SlotAxes& array, int64_t num_slots,
                                      absl::Span<const int64_t> point) {
  ASSIGN_OR_RETURN(const SlotAxisView axes, LookAlongSlots(array, num_slots));
  const size_t rank = array.extents.size() - (array.slot_axis ? 1 : 0);
  if (point.size() != rank) {
    return BadShape(array, absl::StrCat(point.size(), " indices for ", rank,
                                        " axes besides the slots"));
  }
  int64_t first = 0;
  int64_t stride = 1;
  size_t next = 0;
  for (size_t axis = 0; axis < array.extents.size(); ++axis) {
    const int64_t extent = array.extents[axis];
    if (axis != array.slot_axis) {
      const int64_t index = point[next++];
      if (index < 0 || index >= extent) {
        return OutOfRange("INDEX_OUT_OF_RANGE",
                          absl::StrCat("array axis ", axis, ": index ", index,
                                       " outside [0, ", extent, ")"));
      }
      first += index * stride;
    }
    stride *= extent;
  }
  if (num_slots < 0 || num_slots > axes.slot_extent) {
    return OutOfRange(
        "INDEX_OUT_OF_RANGE",
        absl::StrCat(num_slots, " slots on a slot axis of ", axes.slot_extent));
  }
  return StructView{first, axes.slot_stride, num_slots};
}

absl::StatusOr<SlotRange> StructFieldView(ScalarType base,
                                          const ValueType& type,
                                          absl::string_view path) {
  ASSIGN_OR_RETURN(const Component component, FindComponent(type, path));
  const int64_t size_bytes = component.type.size_bytes();
  const std::optional<SlotRange> range =
      TryStructFieldView(SizeBytes(base), component.offset_bytes, size_bytes);
  if (range) return *range;
  return InvalidArgument(
             "SHARED_SLOT",
             absl::StrCat("component \"", path, "\" (", size_bytes,
                          " bytes at byte ", component.offset_bytes, " of ",
                          type.ToString(), ") shares slots of base type ",
                          Name(base), " (", SizeBytes(base),
                          " bytes) with other bytes of the value"))
      .With("component", path);
}

}  // namespace layoutd
