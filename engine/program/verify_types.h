#ifndef LAYOUTD_ENGINE_PROGRAM_VERIFY_TYPES_H_
#define LAYOUTD_ENGINE_PROGRAM_VERIFY_TYPES_H_

// The verifier's types: promotion.h applied through structs, and constants. A
// program must have passed CheckStructure. Errors carry no place yet.

#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "engine/layout/value_type.h"
#include "engine/program/graph.h"
#include "engine/program/scalar.h"

namespace layoutd {

// What typing knows of a value; the meaning is that of the same members of
// NodeInfo (see verify.h). A weak value is a scalar and has its constant.
struct Typing {
  ValueType type = ScalarType::kF64;
  bool weak = false;
  std::optional<Scalar> constant;
};

// Returns the typing of `literal`; `negated`: it stands only under unary minus,
// so -128_i8 is in range.
// Errors: InvalidArgument (LITERAL_RANGE).
absl::StatusOr<Typing> TypeLiteral(const Literal& literal, bool negated);

// Returns the typing of `node` (neither literal nor name) over its operands.
// Structs go through componentwise, a scalar stands for every component.
// Errors: InvalidArgument — TYPE_MISMATCH, LITERAL_RANGE, BAD_TYPE,
// BAD_ARGUMENT; NotFound (UNKNOWN_COMPONENT).
absl::StatusOr<Typing> InferType(const Node& node,
                                 absl::Span<const Typing> operands);

// Checks that kPow, whose exponent is negative, gives no integer.
// Errors: InvalidArgument (BAD_ARGUMENT).
absl::Status CheckNegativeExponent(absl::Span<const Typing> operands);

// Checks that a value may be stored as `to`: the same structure, each leaf
// storable, a constant in range.
// Errors: InvalidArgument — TYPE_MISMATCH, LITERAL_RANGE.
absl::Status CheckStore(const Typing& from, const ValueType& to);

// Checks that a weak integer that meets nothing fits i64, its default type.
// Errors: InvalidArgument (LITERAL_RANGE).
absl::Status CheckDefault(const Typing& typing);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_PROGRAM_VERIFY_TYPES_H_
