#ifndef LAYOUTD_ENGINE_LAYOUT_STRUCT_STORAGE_H_
#define LAYOUTD_ENGINE_LAYOUT_STRUCT_STORAGE_H_

// How a struct value is cut into slots of a base type: a value of size S over
// base type B occupies S / sizeof(B) slots along the F axis, padding included.
// Source: ClimaCore.jl src/DataLayouts (struct storage), with the choices of
// rows 2 to 4 of its "underspecified points" as engine/README.md lists them.

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/base/scalar_type.h"
#include "engine/layout/value_type.h"

namespace layoutd {

// Returns the base type a field of `type` gets when none is asked for: the
// last leaf whose size is the greatest common divisor of all leaf sizes; a
// bool inside a larger type counts as u8.
ScalarType DefaultBaseType(const ValueType& type);

// Returns whether values of `type` are a whole number of `base` slots.
bool IsValidBaseType(ScalarType base, const ValueType& type);

// Errors: InvalidArgument (BAD_BASE_TYPE) — names the innermost member that
// does not divide into slots, with both sizes.
absl::Status CheckBaseType(ScalarType base, const ValueType& type);

// Returns `base` where it is valid for `type`, else the default base type.
ScalarType CheckedValidBaseType(ScalarType base, const ValueType& type);

// Returns the number of slots (Nf). Requires a valid base type.
int64_t NumSlots(ScalarType base, const ValueType& type);

// Where the bytes of one leaf lie relative to slot 0 of its point. A leaf wider
// than a slot is cut into `num_pieces` slots, lowest bytes first; a narrower
// one lies inside one slot.
struct LeafPlace {
  int64_t slot;            // first slot
  int64_t offset_in_slot;  // bytes; 0 when num_pieces > 1
  int num_pieces;          // slots it covers
  int64_t piece_bytes;     // bytes in each
};

// Returns the place of a scalar of `leaf_bytes` at `offset_bytes` of a value
// over slots of `base_bytes`.
constexpr LeafPlace PlaceLeaf(int64_t offset_bytes, int64_t leaf_bytes,
                              int64_t base_bytes) {
  // All sizes are powers of two and leaves are aligned, so a leaf either starts
  // on a slot or lies inside one.
  const int64_t slot = offset_bytes / base_bytes;
  if (leaf_bytes <= base_bytes) {
    return {slot, offset_bytes % base_bytes, 1, leaf_bytes};
  }
  return {slot, 0, static_cast<int>(leaf_bytes / base_bytes), base_bytes};
}

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_LAYOUT_STRUCT_STORAGE_H_
