#ifndef LAYOUTD_ENGINE_PROGRAM_EVALUATE_H_
#define LAYOUTD_ENGINE_PROGRAM_EVALUATE_H_

// The reference evaluator, the oracle: runs a verified program by plain nested
// loops over points, one statement at a time, every value of a statement
// computed before any is stored. It knows no layouts, no vectors, no threads
// and no fusion; what it gives decides what is right on every device.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/layout/mask_map.h"
#include "engine/layout/shape.h"
#include "engine/layout/value_type.h"
#include "engine/program/scalar.h"
#include "engine/program/verify.h"

namespace layoutd {

// A field's values in logical order: v fastest, then i, j, h; at each point its
// leaves in order.
struct OracleField {
  ValueType type;
  Shape shape;
  std::vector<Scalar> leaves;  // shape.num_points() * type.num_leaves()
};

struct OracleState {
  std::map<std::string, OracleField> fields;  // by id; `new` adds entries
  std::map<std::string, ColumnMap> masks;     // by id
};

// The results of the reduce statements, parallel to VerifiedProgram::results;
// each has the leaves of its type.
using OracleResults = std::vector<std::vector<Scalar>>;

// Runs `program` on `state`. On an error `state` is unchanged.
// Errors: FailedPrecondition (NO_ACTIVE_POINT) — min, max or mean (unweighted
// or of weight nothing) over no active point without init.
absl::StatusOr<OracleResults> EvaluateProgram(const VerifiedProgram& program,
                                              OracleState& state);

// Evaluates the expression of a reduce result over the values of its kReduce
// nodes and earlier results: `reduced` holds, per node index of the program,
// the leaves of kReduce nodes; `results` those of earlier results. Host scalars
// only; the runtime uses it for the same purpose.
std::vector<Scalar> EvaluateResult(
    const VerifiedProgram& program, NodeIndex node,
    const std::map<NodeIndex, std::vector<Scalar>>& reduced,
    const OracleResults& results);

// Returns the leaf of a mean from its two totals, (sum of weight * value, sum
// of weight) or, without weight, (sum of value, count): f32 and f64 means
// divide in f64 and round once to `type`.
Scalar FinishMean(const Scalar& total, const Scalar& weight, ScalarType type);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_PROGRAM_EVALUATE_H_
