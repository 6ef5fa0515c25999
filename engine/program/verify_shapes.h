#ifndef LAYOUTD_ENGINE_PROGRAM_VERIFY_SHAPES_H_
#define LAYOUTD_ENGINE_PROGRAM_VERIFY_SHAPES_H_

// The verifier's shapes: how those of operands combine. A program must have
// passed CheckStructure. Errors carry no place yet.

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "engine/program/graph.h"
#include "engine/program/verify.h"

namespace layoutd {

// Returns whether a value of shape `from` may be stored in or read at `to`; one
// that is v_relative takes the levels of `to`.
bool FitsShape(const ExpressionShape& from, const Shape& to);

// Returns the shape of `node` (no name) over those of its operands. Literals
// and indices have extent 1 everywhere: they take the shape of what they meet.
// Errors: InvalidArgument — SHAPE_MISMATCH, EDGE_NOT_COVERED, BAD_ARGUMENT;
// OutOfRange — INDEX_OUT_OF_RANGE, SIZE_OVERFLOW.
absl::StatusOr<ExpressionShape> InferShape(
    const Node& node, absl::Span<const ExpressionShape> operands);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_PROGRAM_VERIFY_SHAPES_H_
