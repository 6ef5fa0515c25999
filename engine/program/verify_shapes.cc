#include "engine/program/verify_shapes.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "engine/base/checked_math.h"
#include "engine/base/error.h"
#include "engine/base/status_macros.h"

namespace layoutd {
namespace {

Error ShapeMismatch(absl::string_view message) {
  return InvalidArgument("SHAPE_MISMATCH", message);
}

// Per axis the extents broadcast; along v, what only reads at offsets gives way
// to what has levels of its own.
absl::StatusOr<ExpressionShape> Combine(const ExpressionShape& a,
                                        const ExpressionShape& b) {
  if (!a.v_relative && !b.v_relative) {
    ASSIGN_OR_RETURN(const Shape shape, BroadcastShapes(a.shape, b.shape));
    return ExpressionShape{shape, false};
  }
  ASSIGN_OR_RETURN(const Shape columns,
                   BroadcastShapes(a.shape.WithV(1), b.shape.WithV(1)));
  const int64_t a_levels = a.shape.v();
  const int64_t b_levels = b.shape.v();
  if (a.v_relative && b.v_relative) {
    return ExpressionShape{columns.WithV(std::min(a_levels, b_levels)), true};
  }
  const ExpressionShape& fixed = a.v_relative ? b : a;
  const ExpressionShape& relative = a.v_relative ? a : b;
  if (fixed.shape.v() == 1) {
    return ExpressionShape{columns.WithV(relative.shape.v()), true};
  }
  return ExpressionShape{columns.WithV(fixed.shape.v()), false};
}

absl::StatusOr<ExpressionShape> ShapeAt(const AtPosition& at,
                                        const ExpressionShape& operand) {
  const int64_t levels = operand.shape.v();
  if (at.kind == AtPosition::Kind::kOffset) {
    if (levels != 1) return ExpressionShape{operand.shape, true};
    if (at.value != 0 && at.edge == AtPosition::Edge::kError) {
      return InvalidArgument(
          "EDGE_NOT_COVERED",
          absl::StrCat("at with offset ", at.value, " of a value of shape ",
                       ToString(operand.shape),
                       ", which has one level; give edge = clamp or a number"));
    }
    return operand;
  }
  const int64_t level =
      at.kind == AtPosition::Kind::kLast ? levels - 1 : at.value;
  if (level < 0 || level >= levels) {
    return OutOfRange(
        "INDEX_OUT_OF_RANGE",
        absl::StrCat("at: level ", level, " outside [0, ", levels,
                     ") of a value of shape ", ToString(operand.shape)));
  }
  return ExpressionShape{operand.shape.WithV(1), false};
}

absl::StatusOr<ExpressionShape> ShapeFold(
    const Node& node, absl::Span<const ExpressionShape> operands) {
  const bool is_scan = node.op == Opcode::kScan;
  ExpressionShape result{operands[0].shape, false};
  if (!is_scan) result.shape = result.shape.WithV(1);
  if (!node.fold.has_init) {
    if (is_scan || operands[0].shape.v() > 0) return result;
    return InvalidArgument("BAD_ARGUMENT", "fold over no level needs init");
  }
  const ExpressionShape& init = operands[1];
  if (init.v_relative || init.shape.v() != 1) {
    return ShapeMismatch(absl::StrCat("init of a fold or scan has shape ",
                                      ToString(init.shape),
                                      ", it must be one value per column; take "
                                      "a level of it, as in at(x, 0)"));
  }
  return Combine(result, init);
}

// The points are those of the argument; weight and where must be there.
absl::StatusOr<ExpressionShape> ShapeReduce(
    const ReduceSpec& spec, absl::Span<const ExpressionShape> operands) {
  const Shape& points = operands[0].shape;
  const size_t end = 1 + size_t{spec.has_weight} + size_t{spec.has_where};
  for (size_t k = 1; k < end; ++k) {
    if (FitsShape(operands[k], points)) continue;
    return ShapeMismatch(
        absl::StrCat(spec.has_weight && k == 1 ? "weight" : "where",
                     " of shape ", ToString(operands[k].shape),
                     " over points of shape ", ToString(points)));
  }
  return ExpressionShape{};
}

absl::StatusOr<ExpressionShape> InferUnchecked(
    const Node& node, absl::Span<const ExpressionShape> operands) {
  switch (node.op) {
    case Opcode::kAt:
      return ShapeAt(node.at, operands[0]);
    case Opcode::kFold:
    case Opcode::kScan:
      return ShapeFold(node, operands);
    case Opcode::kReduce:
      return ShapeReduce(node.reduce, operands);
    default: {
      ExpressionShape shape;
      for (const ExpressionShape& operand : operands) {
        ASSIGN_OR_RETURN(shape, Combine(shape, operand));
      }
      return shape;
    }
  }
}

}  // namespace

bool FitsShape(const ExpressionShape& from, const Shape& to) {
  return BroadcastsTo(from.v_relative ? from.shape.WithV(to.v()) : from.shape,
                      to);
}

absl::StatusOr<ExpressionShape> InferShape(
    const Node& node, absl::Span<const ExpressionShape> operands) {
  ASSIGN_OR_RETURN(const ExpressionShape result,
                   InferUnchecked(node, operands));
  const Shape& shape = result.shape;
  // Broadcasting can make more points than any field may have.
  if (!CheckedProduct({shape.v(), shape.i(), shape.j(), shape.h()})) {
    return OutOfRange("SIZE_OVERFLOW",
                      absl::StrCat("the number of points of shape ",
                                   ToString(shape), " does not fit 64 bits"));
  }
  return result;
}

}  // namespace layoutd
