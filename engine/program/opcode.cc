#include "engine/program/opcode.h"

#include "engine/base/status_macros.h"

namespace layoutd {
namespace {

// Precedences follow the grammar: or < and < not < comparison < add < mul <
// unary minus < power < postfix.
constexpr OpcodeInfo kTable[] = {
    {Opcode::kLiteral, "", "", 0, 0, TypeRule::kSpecial, 0, 1},
    {Opcode::kName, "", "", 0, 0, TypeRule::kSpecial, 0, 1},
    {Opcode::kIndex, "", "", 0, 0, TypeRule::kSpecial, 0, 1},
    {Opcode::kTuple, "", "", 1, 1024, TypeRule::kSpecial, 0, 1},
    {Opcode::kMember, "", "", 1, 1, TypeRule::kSpecial, 0, 1},
    {Opcode::kAdd, "", "+", 2, 2, TypeRule::kArithmetic, 8, 1},
    {Opcode::kSub, "", "-", 2, 2, TypeRule::kArithmetic, 8, 1},
    {Opcode::kMul, "", "*", 2, 2, TypeRule::kArithmetic, 9, 1},
    {Opcode::kDiv, "", "/", 2, 2, TypeRule::kDivide, 9, 5},
    {Opcode::kNeg, "", "-", 1, 1, TypeRule::kArithmetic, 10, 1},
    {Opcode::kAbs, "abs", "", 1, 1, TypeRule::kArithmetic, 0, 1},
    {Opcode::kSqrt, "sqrt", "", 1, 1, TypeRule::kFloat, 0, 6},
    {Opcode::kExp, "exp", "", 1, 1, TypeRule::kFloat, 0, 25},
    {Opcode::kLog, "log", "", 1, 1, TypeRule::kFloat, 0, 35},
    {Opcode::kPow, "pow", "**", 2, 2, TypeRule::kArithmetic, 11, 90},
    {Opcode::kFma, "fma", "", 3, 3, TypeRule::kFloat, 0, 1},
    {Opcode::kMin, "min", "", 2, 2, TypeRule::kArithmetic, 0, 1},
    {Opcode::kMax, "max", "", 2, 2, TypeRule::kArithmetic, 0, 1},
    {Opcode::kEqual, "", "==", 2, 2, TypeRule::kCompare, 4, 1},
    {Opcode::kNotEqual, "", "!=", 2, 2, TypeRule::kCompare, 4, 1},
    {Opcode::kLess, "", "<", 2, 2, TypeRule::kCompare, 4, 1},
    {Opcode::kLessEqual, "", "<=", 2, 2, TypeRule::kCompare, 4, 1},
    {Opcode::kGreater, "", ">", 2, 2, TypeRule::kCompare, 4, 1},
    {Opcode::kGreaterEqual, "", ">=", 2, 2, TypeRule::kCompare, 4, 1},
    {Opcode::kAnd, "", "and", 2, 2, TypeRule::kLogical, 2, 1},
    {Opcode::kOr, "", "or", 2, 2, TypeRule::kLogical, 1, 1},
    {Opcode::kNot, "", "not", 1, 1, TypeRule::kLogical, 3, 1},
    {Opcode::kIsFinite, "isfinite", "", 1, 1, TypeRule::kFloatTest, 0, 1},
    {Opcode::kIsNan, "isnan", "", 1, 1, TypeRule::kFloatTest, 0, 1},
    {Opcode::kSelect, "select", "", 3, 3, TypeRule::kSpecial, 0, 1},
    {Opcode::kConvert, "", "", 1, 1, TypeRule::kSpecial, 0, 1},
    {Opcode::kAt, "", "", 1, 2, TypeRule::kSpecial, 0, 1},
    {Opcode::kFold, "", "", 1, 2, TypeRule::kSpecial, 0, 1},
    {Opcode::kReduce, "", "", 1, 4, TypeRule::kSpecial, 0, 1},
    {Opcode::kScan, "", "", 1, 2, TypeRule::kSpecial, 0, 1},
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
