#ifndef LAYOUTD_ENGINE_PROGRAM_FINISH_REDUCTION_H_
#define LAYOUTD_ENGINE_PROGRAM_FINISH_REDUCTION_H_

// From the totals of a reduction to its value; evaluator and runtime both end
// here.

#include <optional>

#include "engine/base/scalar_type.h"
#include "engine/program/opcode.h"
#include "engine/program/scalar.h"

namespace layoutd {

// Returns how two totals of `reduction` combine: kAdd kMin kMax kOr kAnd.
Opcode CombineOp(Reduction reduction);

// The totals of one leaf; nothing when no point took part.
struct ReductionTotal {
  Scalar value;   // of kMean: the sum of weight * value
  Scalar weight;  // kMean only: the sum of weights, or the count
};

// Returns the leaf's value, of `type`: the total with `init` applied last, as
// op(init, total). Nothing when it has no value: min, max or mean over no point
// without init.
std::optional<Scalar> FinishReduction(
    Reduction reduction, ScalarType type,
    const std::optional<ReductionTotal>& total,
    const std::optional<Scalar>& init);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_PROGRAM_FINISH_REDUCTION_H_
