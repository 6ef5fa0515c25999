#ifndef LAYOUTD_ENGINE_LAYOUT_REPLACE_SCALAR_H_
#define LAYOUTD_ENGINE_LAYOUT_REPLACE_SCALAR_H_

// A value type with one scalar type in place of another.

#include "absl/status/statusor.h"
#include "engine/base/scalar_type.h"
#include "engine/layout/value_type.h"

namespace layoutd {

// Returns `type` with every leaf of type `from` made a `to`; names stay.
// Errors: InvalidArgument (BAD_TYPE) — the new value is larger than 64 KiB.
absl::StatusOr<ValueType> ReplaceScalar(const ValueType& type, ScalarType from,
                                        ScalarType to);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_LAYOUT_REPLACE_SCALAR_H_
