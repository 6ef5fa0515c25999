#ifndef LAYOUTD_ENGINE_LAYOUT_STRUCT_ACCESS_H_
#define LAYOUTD_ENGINE_LAYOUT_STRUCT_ACCESS_H_

// Reads and writes one struct value, or one component of it, in an array of
// base-type slots. Values are byte images: the C ABI form of their type.
// Memory is the caller's; none is kept.
// Source: ClimaCore.jl src/DataLayouts (set_struct!, get_struct,
// bitcast_struct). Unlike there, a component that shares slots with others can
// be written: leaves are stored by their own bytes, never by whole slots.

#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "engine/base/scalar_type.h"
#include "engine/layout/struct_view.h"
#include "engine/layout/value_type.h"

namespace layoutd {

// An array element and the value that lies in slots of it.
struct StructPlace {
  ScalarType base;  // of the elements
  StructView view;  // the slots of the whole value
  ValueType type;   // of the whole value
};

// Stores `value` (type.size_bytes() bytes); padding bytes are written as zeros
// whatever `value` has there. `array` is whole elements.
// Errors, nothing written: InvalidArgument — BAD_BASE_TYPE; BAD_SIZE: the
// slots of the view, or the bytes of `value`, are not those of the type;
// OutOfRange (INDEX_OUT_OF_RANGE) — slots outside `array`.
absl::Status SetStruct(const StructPlace& place,
                       absl::Span<const uint8_t> value,
                       absl::Span<uint8_t> array);

// Loads the value into `value`; its padding bytes are zeros whatever the array
// has there. Errors: as SetStruct.
absl::Status GetStruct(const StructPlace& place,
                       absl::Span<const uint8_t> array,
                       absl::Span<uint8_t> value);

// As SetStruct and GetStruct for the component at `path` alone; no byte of the
// array outside the component changes.
// Errors: also NotFound (UNKNOWN_COMPONENT).
absl::Status SetStructField(const StructPlace& place, absl::string_view path,
                            absl::Span<const uint8_t> value,
                            absl::Span<uint8_t> array);
absl::Status GetStructField(const StructPlace& place, absl::string_view path,
                            absl::Span<const uint8_t> array,
                            absl::Span<uint8_t> value);

// Copies the bytes of a value of type `from` to one of type `to`: in memory
// order, padding included and not told from the rest, no byte changed (a bool
// keeps a byte that is neither 0 nor 1).
// Errors, nothing written: InvalidArgument (BAD_SIZE) — the types, or a span
// and its type, differ in size; names the sizes.
absl::Status BitcastStruct(const ValueType& from,
                           absl::Span<const uint8_t> value, const ValueType& to,
                           absl::Span<uint8_t> result);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_LAYOUT_STRUCT_ACCESS_H_
