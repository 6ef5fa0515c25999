#ifndef LAYOUTD_ENGINE_PROGRAM_POINTWISE_H_
#define LAYOUTD_ENGINE_PROGRAM_POINTWISE_H_

// How the evaluator computes a pointwise node (kTuple ... kConvert) leaf by
// leaf: operations go through struct values componentwise and scalars repeat.
// The types come from promotion.h, once per node instead of once per point.

#include <array>
#include <vector>

#include "absl/types/span.h"
#include "engine/program/graph.h"
#include "engine/program/scalar.h"
#include "engine/program/verify.h"

namespace layoutd {

// One scalar operation: the inputs, converted, then `op`.
struct PointwiseLeaf {
  struct Input {
    int operand = 0;                     // of the node
    int leaf = 0;                        // of that operand
    ScalarType type = ScalarType::kF64;  // what it is converted to
  };
  Opcode op = Opcode::kConvert;  // kConvert: the converted input itself
  int num_inputs = 1;
  std::array<Input, 3> inputs;
};

// Returns whether nodes of `op` are computed by PointwiseLeaf.
bool IsPointwise(Opcode op);

// Returns the operations of `node`, one per leaf of its type.
std::vector<PointwiseLeaf> PlanPointwise(const VerifiedProgram& program,
                                         NodeIndex node);

// Returns the value of `leaf`; `operands[k]` points at the leaves of operand k.
Scalar ApplyPointwise(const PointwiseLeaf& leaf,
                      absl::Span<const Scalar* const> operands);

// Returns the value of `literal` as type `type`.
Scalar LiteralValue(const Literal& literal, ScalarType type);

// Returns, for each leaf of `to`, the leaf of `from` that stands there: the two
// have the same members, except that a scalar of `from` stands for all leaves
// of a struct of `to`.
std::vector<int> SpreadLeaves(const ValueType& from, const ValueType& to);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_PROGRAM_POINTWISE_H_
