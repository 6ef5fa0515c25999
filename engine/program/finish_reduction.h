#ifndef LAYOUTD_ENGINE_PROGRAM_FINISH_REDUCTION_H_
#define LAYOUTD_ENGINE_PROGRAM_FINISH_REDUCTION_H_

// How totals of a reduction combine, and how they become its value; evaluator
// and runtime share both.

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "engine/base/scalar_type.h"
#include "engine/layout/shape.h"
#include "engine/program/opcode.h"
#include "engine/program/scalar.h"

namespace layoutd {

// Returns how part `part` of two totals of `reduction` combines: kAdd kMin kMax
// kOr kAnd. Part 0 is the value; part 1 is there for kMean (the weights) and
// kExtrema (the maximum).
Opcode CombineOp(Reduction reduction, int part);
bool HasSecondPart(Reduction reduction);
// Whether a total carries where its value lies: kArgmin, kArgmax.
bool HasPosition(Reduction reduction);

// The total of one leaf of the argument over some points.
struct ReductionTotal {
  Scalar value;   // of kMean: the sum of weight * value; of kExtrema: the least
  Scalar second;  // kMean: the sum of weights, or the count; kExtrema: the most
  int64_t position = 0;  // kArgmin, kArgmax: the canonical number of the point
};

// Returns whether, of two values and where they lie, `op` (kMin, kMax) takes
// the second: equal ones go to the lower position, any NaN equals any NaN.
bool TakesSecond(Opcode op, const Scalar& a, int64_t a_position,
                 const Scalar& b, int64_t b_position);

// Returns the leaves of the reduction's value. `totals`: per leaf of the
// argument, nothing when no point took part. `init`: per leaf of the value,
// empty without one; it is applied last, as op(init, total). `points`: what the
// reduction ran over. Returns nothing when there is no value: no point and no
// init, except for sums, counts, any and all.
std::optional<std::vector<Scalar>> FinishReduction(
    Reduction reduction, const Shape& points,
    absl::Span<const ScalarType> types,
    absl::Span<const std::optional<ReductionTotal>> totals,
    absl::Span<const Scalar> init);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_PROGRAM_FINISH_REDUCTION_H_
