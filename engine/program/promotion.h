#ifndef LAYOUTD_ENGINE_PROGRAM_PROMOTION_H_
#define LAYOUTD_ENGINE_PROGRAM_PROMOTION_H_

// The typing rules of scalar operations: NumPy 2 promotion with weak literals.
// Verifier, evaluator and planner all ask here, so they cannot disagree.

#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "engine/base/scalar_type.h"
#include "engine/program/graph.h"

namespace layoutd {

// The type of one scalar operand. A weak one (an unsuffixed number, or
// arithmetic on such numbers alone) has type i64 or f64 when nothing else
// decides; bool literals are never weak.
struct ScalarOperand {
  ScalarType type = ScalarType::kF64;
  bool weak = false;
};

struct Promotion {
  ScalarType operand_type;  // what the operands are converted to first
  ScalarType result_type;
  bool result_weak = false;  // all operands were weak
};

// Returns the common type of two strong types.
// bool with a number is the number; i32 + f32 is f64; i64 + u64 is f64.
ScalarType PromoteTypes(ScalarType a, ScalarType b);

// Returns how the pointwise scalar operation `op` (kAdd ... kSelect) types its
// `operands`. For kSelect the rule covers operands 1 and 2 (operand 0 is bool,
// so its result is never weak); for integer comparisons operand_type is one
// that holds both exactly.
// Errors: InvalidArgument (TYPE_MISMATCH) — bool arithmetic, a number where a
// bool must stand, u128 compared with a signed type.
absl::StatusOr<Promotion> Promote(Opcode op,
                                  absl::Span<const ScalarOperand> operands);

// Returns whether the literal's value can be written in `type`: an integer in
// range (negated when `negative`); a float literal only in a float type, finite
// ones staying finite; a bool literal only in bool.
bool LiteralFits(const Literal& literal, bool negative, ScalarType type);

// Returns whether a value of type `from` may be stored in a field of type `to`:
// the same; number to float; integer to integer (wraps); bool to number. Float
// to integer and number to bool need a conversion.
bool CanStore(ScalarType from, ScalarType to);

// Returns the type sums of `type` accumulate in: bool and signed integers i64,
// unsigned u64 (128-bit keep theirs), floats their own.
ScalarType SumType(ScalarType type);

// Returns the type of a reduction of one leaf of type `argument`, and of its
// partial totals: arguments (and weights) are converted to it, then multiplied
// and accumulated in it. kCount takes bool and counts in i64; kMean of integers
// and bool is f64; kAny and kAll are bool; a weight promotes kSum and kMean. Of
// kArgmin, kArgmax and kExtrema it is the type of the values they look for.
ScalarType ReductionType(Reduction reduction, ScalarType argument,
                         std::optional<ScalarType> weight);

// Returns the type of a fold with `op` over a leaf of type `argument`: that of
// its accumulator, to which init and every level are converted.
ScalarType FoldType(Opcode op, ScalarType argument);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_PROGRAM_PROMOTION_H_
