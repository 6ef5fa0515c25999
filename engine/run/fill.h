#ifndef LAYOUTD_ENGINE_RUN_FILL_H_
#define LAYOUTD_ENGINE_RUN_FILL_H_

// Sets every value of a field, or of one component of it, to one number.

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "engine/base/scalar_type.h"
#include "engine/base/stop_token.h"
#include "engine/device/device.h"
#include "engine/program/scalar.h"
#include "engine/run/field_store.h"

namespace layoutd {

// Returns the scalar of `type` that `text` spells: `true`, `false`, or a number
// as in programs (1, 2.5e-3), `nan` or `inf`, with an optional sign. 0 and 1
// are bools too; an integer takes a fraction or exponent only when the number
// is whole. Errors: InvalidArgument (BAD_VALUE) — no such literal, or not a
// value of `type`.
absl::StatusOr<Scalar> ParseScalar(absl::string_view text, ScalarType type);

// Sets every leaf of `component` ("u.2"; empty: of the field) to `value` and
// publishes. Called on an operation thread, as the field's writer.
// Errors: NotFound (FIELD_NOT_FOUND, UNKNOWN_COMPONENT); InvalidArgument
// (BAD_VALUE); ResourceExhausted (MEMORY_LIMIT); those of StopToken. On any
// error nothing is published.
absl::StatusOr<FieldInfo> FillField(Device* device, FieldStore* store,
                                    absl::string_view id,
                                    absl::string_view component,
                                    absl::string_view value,
                                    const StopToken& stop);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_RUN_FILL_H_
