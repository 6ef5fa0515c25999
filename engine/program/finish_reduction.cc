#include "engine/program/finish_reduction.h"

#include "engine/program/evaluate.h"

namespace layoutd {

Opcode CombineOp(Reduction reduction) {
  switch (reduction) {
    case Reduction::kSum:
    case Reduction::kCount:
    case Reduction::kMean:
      return Opcode::kAdd;
    case Reduction::kMin:
      return Opcode::kMin;
    case Reduction::kMax:
      return Opcode::kMax;
    case Reduction::kAny:
      return Opcode::kOr;
    case Reduction::kAll:
      break;
  }
  return Opcode::kAnd;
}

std::optional<Scalar> FinishReduction(
    Reduction reduction, ScalarType type,
    const std::optional<ReductionTotal>& total,
    const std::optional<Scalar>& init) {
  if (total.has_value()) {
    if (reduction == Reduction::kMean) {
      return FinishMean(total->value, total->weight, type);
    }
    if (!init.has_value()) return total->value;
    const Scalar pair[] = {Convert(*init, type), total->value};
    return Apply(CombineOp(reduction), pair);
  }
  if (init.has_value()) return Convert(*init, type);
  switch (reduction) {
    case Reduction::kSum:
    case Reduction::kCount:
    case Reduction::kAny:
      return Scalar{type, {}};
    case Reduction::kAll:
      return Scalar::Bool(true);
    case Reduction::kMin:
    case Reduction::kMax:
    case Reduction::kMean:
      break;
  }
  return std::nullopt;
}

}  // namespace layoutd
