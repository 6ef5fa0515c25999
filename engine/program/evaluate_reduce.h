#ifndef LAYOUTD_ENGINE_PROGRAM_EVALUATE_REDUCE_H_
#define LAYOUTD_ENGINE_PROGRAM_EVALUATE_REDUCE_H_

// The evaluator's reductions: the order of reduction_order.h, taken literally.

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "engine/layout/shape.h"
#include "engine/program/column_values.h"
#include "engine/program/scalar.h"
#include "engine/program/verify.h"

namespace layoutd {

// The columns that a masked loop visits.
struct ActiveColumns {
  Shape shape;                  // v extent 1; an extent of 1 is read at 0
  std::vector<uint8_t> active;  // i fastest, then j, then h

  bool IsActive(int64_t i, int64_t j, int64_t h) const;
};

// Returns the leaves of `node`, a kReduce, over the active points of its
// argument. `result` names the result it is for.
// Errors: FailedPrecondition (NO_ACTIVE_POINT) — min, max or mean over no
// active point, without init.
absl::StatusOr<std::vector<Scalar>> EvaluateReduction(
    const VerifiedProgram& program, NodeIndex node, absl::string_view result,
    const ActiveColumns& columns, ColumnValues& values);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_PROGRAM_EVALUATE_REDUCE_H_
