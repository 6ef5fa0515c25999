#include "engine/program/finish_reduction.h"

#include "engine/base/status_macros.h"
#include "engine/program/evaluate.h"

namespace layoutd {
namespace {

// The value of a leaf of type `type` over no point, without init.
std::optional<Scalar> EmptyValue(Reduction reduction, ScalarType type) {
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
    case Reduction::kArgmin:
    case Reduction::kArgmax:
    case Reduction::kExtrema:
      break;
  }
  return std::nullopt;
}

// Appends (v, i, j, h) of canonical point `position`: v varies fastest.
void AppendIndex(const Shape& points, int64_t position,
                 std::vector<Scalar>& leaves) {
  for (const int64_t extent : points.extents) {
    leaves.push_back(Scalar::I64(position % extent));
    position /= extent;
  }
}

}  // namespace

Opcode CombineOp(Reduction reduction, int part) {
  switch (reduction) {
    case Reduction::kSum:
    case Reduction::kCount:
    case Reduction::kMean:
      return Opcode::kAdd;
    case Reduction::kMin:
    case Reduction::kArgmin:
      return Opcode::kMin;
    case Reduction::kMax:
    case Reduction::kArgmax:
      return Opcode::kMax;
    case Reduction::kExtrema:
      return part == 0 ? Opcode::kMin : Opcode::kMax;
    case Reduction::kAny:
      return Opcode::kOr;
    case Reduction::kAll:
      break;
  }
  return Opcode::kAnd;
}

bool HasSecondPart(Reduction reduction) {
  return reduction == Reduction::kMean || reduction == Reduction::kExtrema;
}

bool HasPosition(Reduction reduction) {
  return reduction == Reduction::kArgmin || reduction == Reduction::kArgmax;
}

bool TakesSecond(Opcode op, const Scalar& a, int64_t a_position,
                 const Scalar& b, int64_t b_position) {
  const Scalar pair[] = {a, b};
  const Scalar best = Apply(op, pair);
  if (!SameBits(best, a)) return true;
  return SameBits(best, b) && b_position < a_position;
}

std::optional<std::vector<Scalar>> FinishReduction(
    Reduction reduction, const Shape& points,
    absl::Span<const ScalarType> types,
    absl::Span<const std::optional<ReductionTotal>> totals,
    absl::Span<const Scalar> init) {
  std::vector<Scalar> leaves;
  std::vector<Scalar> rest;  // what follows all first parts
  for (size_t k = 0; k < totals.size(); ++k) {
    const std::optional<ReductionTotal>& total = totals[k];
    const ScalarType type = types[k];
    std::optional<Scalar> value;
    if (!total.has_value()) {
      value =
          init.empty() ? EmptyValue(reduction, type) : Convert(init[k], type);
    } else if (reduction == Reduction::kMean) {
      value = FinishMean(total->value, total->second, type);
    } else if (init.empty()) {
      value = total->value;
    } else {
      const Scalar pair[] = {Convert(init[k], type), total->value};
      value = Apply(CombineOp(reduction, 0), pair);
    }
    if (!value.has_value()) return std::nullopt;
    leaves.push_back(*value);
    if (reduction == Reduction::kExtrema) rest.push_back(total->second);
    if (HasPosition(reduction)) AppendIndex(points, total->position, rest);
  }
  leaves.insert(leaves.end(), rest.begin(), rest.end());
  LAYOUTD_DCHECK(leaves.size() == types.size());
  return leaves;
}

}  // namespace layoutd
