#include "engine/program/opcode.h"

#include "engine/base/status_macros.h"

namespace layoutd {
namespace {

// Precedences follow the grammar: or < and < not < comparison < add < mul <
// unary minus < postfix.
constexpr OpcodeInfo kTable[] = {
    {Opcode::kLiteral, "", "", 0, 0, TypeRule::kSpecial, 0},
    {Opcode::kName, "", "", 0, 0, TypeRule::kSpecial, 0},
    {Opcode::kIndex, "", "", 0, 0, TypeRule::kSpecial, 0},
    {Opcode::kTuple, "", "", 1, 1024, TypeRule::kSpecial, 0},
    {Opcode::kMember, "", "", 1, 1, TypeRule::kSpecial, 0},
    {Opcode::kAdd, "", "+", 2, 2, TypeRule::kArithmetic, 8},
    {Opcode::kSub, "", "-", 2, 2, TypeRule::kArithmetic, 8},
    {Opcode::kMul, "", "*", 2, 2, TypeRule::kArithmetic, 9},
    {Opcode::kDiv, "", "/", 2, 2, TypeRule::kDivide, 9},
    {Opcode::kNeg, "", "-", 1, 1, TypeRule::kArithmetic, 10},
    {Opcode::kAbs, "abs", "", 1, 1, TypeRule::kArithmetic, 0},
    {Opcode::kSqrt, "sqrt", "", 1, 1, TypeRule::kFloat, 0},
    {Opcode::kExp, "exp", "", 1, 1, TypeRule::kFloat, 0},
    {Opcode::kFma, "fma", "", 3, 3, TypeRule::kFloat, 0},
    {Opcode::kMin, "min", "", 2, 2, TypeRule::kArithmetic, 0},
    {Opcode::kMax, "max", "", 2, 2, TypeRule::kArithmetic, 0},
    {Opcode::kEqual, "", "==", 2, 2, TypeRule::kCompare, 4},
    {Opcode::kNotEqual, "", "!=", 2, 2, TypeRule::kCompare, 4},
    {Opcode::kLess, "", "<", 2, 2, TypeRule::kCompare, 4},
    {Opcode::kLessEqual, "", "<=", 2, 2, TypeRule::kCompare, 4},
    {Opcode::kGreater, "", ">", 2, 2, TypeRule::kCompare, 4},
    {Opcode::kGreaterEqual, "", ">=", 2, 2, TypeRule::kCompare, 4},
    {Opcode::kAnd, "", "and", 2, 2, TypeRule::kLogical, 2},
    {Opcode::kOr, "", "or", 2, 2, TypeRule::kLogical, 1},
    {Opcode::kNot, "", "not", 1, 1, TypeRule::kLogical, 3},
    {Opcode::kIsFinite, "isfinite", "", 1, 1, TypeRule::kFloatTest, 0},
    {Opcode::kIsNan, "isnan", "", 1, 1, TypeRule::kFloatTest, 0},
    {Opcode::kSelect, "select", "", 3, 3, TypeRule::kSpecial, 0},
    {Opcode::kConvert, "", "", 1, 1, TypeRule::kSpecial, 0},
    {Opcode::kAt, "", "", 1, 2, TypeRule::kSpecial, 0},
    {Opcode::kFold, "", "", 1, 2, TypeRule::kSpecial, 0},
    {Opcode::kReduce, "", "", 1, 4, TypeRule::kSpecial, 0},
    {Opcode::kScan, "", "", 1, 2, TypeRule::kSpecial, 0},
};

struct ReductionName {
  Reduction reduction;
  absl::string_view name;
};
constexpr ReductionName kReductions[] = {
    {Reduction::kSum, "sum"},       {Reduction::kMin, "min"},
    {Reduction::kMax, "max"},       {Reduction::kCount, "count"},
    {Reduction::kMean, "mean"},     {Reduction::kAny, "any"},
    {Reduction::kAll, "all"},       {Reduction::kArgmin, "argmin"},
    {Reduction::kArgmax, "argmax"}, {Reduction::kExtrema, "extrema"},
};

}  // namespace

const OpcodeInfo& Info(Opcode opcode) {
  const OpcodeInfo& info = kTable[static_cast<int>(opcode)];
  LAYOUTD_DCHECK(info.opcode == opcode);
  return info;
}

absl::Span<const OpcodeInfo> AllOpcodes() { return kTable; }

std::optional<Opcode> FindFunction(absl::string_view name) {
  if (name.empty()) return std::nullopt;
  if (name == "where" || name == "ifelse") return Opcode::kSelect;
  for (const OpcodeInfo& info : kTable) {
    if (info.name == name) return info.opcode;
  }
  return std::nullopt;
}

absl::string_view Name(Reduction reduction) {
  return kReductions[static_cast<int>(reduction)].name;
}

std::optional<Reduction> FindReduction(absl::string_view name) {
  for (const ReductionName& row : kReductions) {
    if (row.name == name) return row.reduction;
  }
  return std::nullopt;
}

}  // namespace layoutd
