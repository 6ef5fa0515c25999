#ifndef LAYOUTD_ENGINE_LAYOUT_STRUCT_VIEW_H_
#define LAYOUTD_ENGINE_LAYOUT_STRUCT_VIEW_H_

// Which elements of an array of base-type slots hold one struct value, in the
// four ways of saying where it is, and which of them hold one member. Arrays
// are column-major (axis 0 varies fastest) and counted in elements from 0. Pure
// arithmetic, no memory; the Try forms are constexpr and need no allocation, so
// that device code can use them.
// Source: ClimaCore.jl src/DataLayouts (view_struct, struct_field_view).

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "engine/base/scalar_type.h"
#include "engine/layout/value_type.h"

namespace layoutd {

// Slots of one value: slot k is element first + k * stride of the array, and
// every one of them is inside it.
struct StructView {
  int64_t first = 0;
  int64_t stride = 1;  // > 0
  int64_t num_slots = 0;

  constexpr int64_t ElementOf(int64_t slot) const {
    return first + slot * stride;
  }
  friend constexpr bool operator==(const StructView&,
                                   const StructView&) = default;
};

// The extents of an array and the axis (from 0) along which the slots of a
// value lie; without one, a value is a single slot.
struct SlotAxes {
  absl::Span<const int64_t> extents;
  std::optional<size_t> slot_axis;
};

// Returns the slots from element `first` on, `stride` apart, or nothing where
// one of them is outside [0, num_elements) or the stride is not positive.
constexpr std::optional<StructView> TryViewStruct(int64_t num_elements,
                                                  int64_t num_slots,
                                                  int64_t first,
                                                  int64_t stride) {
  if (num_slots < 0 || stride < 1 || first < 0) return std::nullopt;
  if (num_slots == 0 ? first > num_elements : first >= num_elements) {
    return std::nullopt;
  }
  // By division: first + (num_slots - 1) * stride may not fit.
  if (num_slots > 1 && num_slots - 1 > (num_elements - 1 - first) / stride) {
    return std::nullopt;
  }
  return StructView{first, stride, num_slots};
}

// A one-dimensional array that holds the value from its start on.
// Errors here and below: OutOfRange (INDEX_OUT_OF_RANGE) — names the slots and
// the array.
absl::StatusOr<StructView> ViewStruct(int64_t num_elements, int64_t num_slots);

// Element `first` holds slot 0, and the next slots are `stride` apart.
// Errors: also InvalidArgument (BAD_STRIDE) — not positive.
absl::StatusOr<StructView> ViewStruct(int64_t num_elements, int64_t num_slots,
                                      int64_t first, int64_t stride);

// Element `first` holds slot 0, and the next slots follow along the slot axis.
// Slots past the end of that axis are out of range even where the array goes
// on: there are the slots of other points.
// Errors: also InvalidArgument (BAD_SHAPE) — a slot axis that is no axis, more
// than one slot without a slot axis, a negative extent, more than int64
// elements.
absl::StatusOr<StructView> ViewStruct(const SlotAxes& array, int64_t num_slots,
                                      int64_t first);

// `point` has an index for every axis but the slot axis.
// Errors: as above; InvalidArgument (BAD_SHAPE) — too few or many indices.
absl::StatusOr<StructView> ViewStruct(const SlotAxes& array, int64_t num_slots,
                                      absl::Span<const int64_t> point);

// Slots [first, first + count) of a value.
struct SlotRange {
  int64_t first = 0;
  int64_t count = 0;

  friend constexpr bool operator==(const SlotRange&,
                                   const SlotRange&) = default;
};

// Returns the slots of a component at bytes [offset, offset + size) of a value,
// or nothing where it shares a slot with other bytes of the value: it has no
// slots of its own, and can only be reached by bytes (struct_access.h).
constexpr std::optional<SlotRange> TryStructFieldView(int64_t slot_bytes,
                                                      int64_t offset_bytes,
                                                      int64_t size_bytes) {
  if (offset_bytes % slot_bytes != 0 || size_bytes % slot_bytes != 0) {
    return std::nullopt;
  }
  return SlotRange{offset_bytes / slot_bytes, size_bytes / slot_bytes};
}

// Returns the slots of the component at `path` of a value of `type`.
// Errors: NotFound (UNKNOWN_COMPONENT); InvalidArgument (SHARED_SLOT) — the
// component has no slots of its own; names it, its bytes and the base type.
absl::StatusOr<SlotRange> StructFieldView(ScalarType base,
                                          const ValueType& type,
                                          absl::string_view path);

// Returns the part `range` of the slots of `value`. Requires it to be inside.
constexpr StructView PartOf(const StructView& value, const SlotRange& range) {
  return {value.ElementOf(range.first), value.stride, range.count};
}

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_LAYOUT_STRUCT_VIEW_H_
