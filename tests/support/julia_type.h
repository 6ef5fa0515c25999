#ifndef LAYOUTD_TESTS_SUPPORT_JULIA_TYPE_H_
#define LAYOUTD_TESTS_SUPPORT_JULIA_TYPE_H_

// Value types as conformance vectors spell them: in Julia's notation, or as a
// tree in JSON.

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "engine/layout/value_type.h"
#include "nlohmann/json.hpp"

namespace layoutd {

// Returns the value type that `text` spells: primitives, Tuple, NTuple,
// @NamedTuple, Complex{T} (re, im) and the vectors' own Foo{T} (x, y).
// Errors: Unimplemented — a type that layoutd does not have (one of no bytes,
// Char, widths other than powers of two); InvalidArgument — no such text.
absl::StatusOr<ValueType> ParseJuliaType(absl::string_view text);

// Returns the value type that a "type_json" of a vector describes: the name of
// a primitive, {"struct": [...], "names": [...]} or {"singleton": ...}.
// Errors: as above.
absl::StatusOr<ValueType> ValueTypeOfJson(const nlohmann::json& json);

}  // namespace layoutd

#endif  // LAYOUTD_TESTS_SUPPORT_JULIA_TYPE_H_
