#include "engine/program/promotion.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "engine/base/error.h"
#include "engine/base/status_macros.h"

namespace layoutd {
namespace {

// Returns the signed type of `size_bytes`; f64 beyond 64 bits, as NumPy has no
// wider integer to promote to.
ScalarType SignedOrFloat(int64_t size_bytes) {
  switch (size_bytes) {
    case 2:
      return ScalarType::kI16;
    case 4:
      return ScalarType::kI32;
    case 8:
      return ScalarType::kI64;
    default:
      return ScalarType::kF64;
  }
}

ScalarType Wider(ScalarType a, ScalarType b) {
  return SizeBytes(a) >= SizeBytes(b) ? a : b;
}

ScalarType PromoteIntegers(ScalarType a, ScalarType b) {
  if (IsSignedInteger(a) == IsSignedInteger(b)) return Wider(a, b);
  const ScalarType signed_type = IsSignedInteger(a) ? a : b;
  const ScalarType unsigned_type = IsSignedInteger(a) ? b : a;
  if (SizeBytes(signed_type) > SizeBytes(unsigned_type)) return signed_type;
  return SignedOrFloat(2 * SizeBytes(unsigned_type));
}

ScalarType FloatOf(ScalarType type) {
  return IsFloat(type) ? type : ScalarType::kF64;
}

absl::string_view Spelling(Opcode op) {
  const OpcodeInfo& info = Info(op);
  return info.name.empty() ? info.symbol : info.name;
}

std::string TypesOf(absl::Span<const ScalarOperand> operands) {
  std::string text;
  for (size_t k = 0; k < operands.size(); ++k) {
    if (k > 0) absl::StrAppend(&text, k + 1 < operands.size() ? ", " : " and ");
    absl::StrAppend(&text, Name(operands[k].type));
  }
  return text;
}

absl::Status Mismatch(Opcode op, absl::string_view takes,
                      absl::Span<const ScalarOperand> operands) {
  return InvalidArgument("TYPE_MISMATCH",
                         absl::StrCat(Spelling(op), " takes ", takes, ", got ",
                                      TypesOf(operands)));
}

bool AnyBool(absl::Span<const ScalarOperand> operands) {
  return std::any_of(
      operands.begin(), operands.end(),
      [](const ScalarOperand& x) { return x.type == ScalarType::kBool; });
}

bool AllWeak(absl::Span<const ScalarOperand> operands) {
  return std::all_of(operands.begin(), operands.end(),
                     [](const ScalarOperand& x) { return x.weak; });
}

// Returns the type that all of `operands` (at least one) promote to.
ScalarType CommonType(absl::Span<const ScalarOperand> operands) {
  // Floats first: i16 with u16 alone is i32, which would drag an f32 to f64
  // that each of them fits; the order of operands must not matter.
  std::optional<ScalarType> strong;
  for (const bool floats : {true, false}) {
    for (const ScalarOperand& operand : operands) {
      if (operand.weak || IsFloat(operand.type) != floats) continue;
      strong = strong.has_value() ? PromoteTypes(*strong, operand.type)
                                  : operand.type;
    }
  }
  bool weak_float = false;
  bool weak_integer = false;
  for (const ScalarOperand& operand : operands) {
    if (!operand.weak) continue;
    (IsFloat(operand.type) ? weak_float : weak_integer) = true;
  }
  if (!strong.has_value()) {
    return weak_float ? ScalarType::kF64 : ScalarType::kI64;
  }
  if (weak_float) return FloatOf(*strong);
  if (weak_integer && *strong == ScalarType::kBool) return ScalarType::kI64;
  return *strong;
}

// Returns the type in which the comparison of `operands` is exact, if both are
// integers; else their common type.
absl::StatusOr<ScalarType> ComparisonType(
    Opcode op, absl::Span<const ScalarOperand> operands) {
  const ScalarOperand& a = operands[0];
  const ScalarOperand& b = operands[1];
  const bool mixed_signs = !a.weak && !b.weak && IsInteger(a.type) &&
                           IsInteger(b.type) &&
                           IsSignedInteger(a.type) != IsSignedInteger(b.type);
  if (!mixed_signs) return CommonType(operands);
  if (a.type == ScalarType::kU128 || b.type == ScalarType::kU128) {
    return Mismatch(op, "u128 only with an unsigned type", operands);
  }
  const ScalarType common = PromoteTypes(a.type, b.type);
  return IsInteger(common) ? common : ScalarType::kI128;
}

absl::StatusOr<Promotion> PromoteSelect(
    absl::Span<const ScalarOperand> operands) {
  if (operands[0].type != ScalarType::kBool) {
    return Mismatch(Opcode::kSelect, "a bool first", operands);
  }
  const ScalarType type = CommonType(operands.subspan(1));
  return Promotion{type, type, false};
}

}  // namespace

ScalarType PromoteTypes(ScalarType a, ScalarType b) {
  if (a == b) return a;
  if (a == ScalarType::kBool) return b;
  if (b == ScalarType::kBool) return a;
  if (IsInteger(a) && IsInteger(b)) return PromoteIntegers(a, b);
  // At least one float; f32 holds integers of up to 16 bits exactly.
  const auto fits_f32 = [](ScalarType type) {
    return type == ScalarType::kF32 || (IsInteger(type) && SizeBytes(type) < 4);
  };
  return fits_f32(a) && fits_f32(b) ? ScalarType::kF32 : ScalarType::kF64;
}

absl::StatusOr<Promotion> Promote(Opcode op,
                                  absl::Span<const ScalarOperand> operands) {
  LAYOUTD_DCHECK(!operands.empty());
  switch (Info(op).rule) {
    case TypeRule::kArithmetic: {
      const ScalarType type = CommonType(operands);
      if (type == ScalarType::kBool) return Mismatch(op, "numbers", operands);
      return Promotion{type, type, AllWeak(operands)};
    }
    case TypeRule::kDivide: {
      const ScalarType type = CommonType(operands);
      if (type == ScalarType::kBool) return Mismatch(op, "numbers", operands);
      return Promotion{FloatOf(type), FloatOf(type), AllWeak(operands)};
    }
    case TypeRule::kFloat: {
      if (AnyBool(operands)) return Mismatch(op, "numbers", operands);
      const ScalarType type = FloatOf(CommonType(operands));
      return Promotion{type, type, AllWeak(operands)};
    }
    case TypeRule::kCompare: {
      ASSIGN_OR_RETURN(const ScalarType type, ComparisonType(op, operands));
      return Promotion{type, ScalarType::kBool, false};
    }
    case TypeRule::kLogical:
      for (const ScalarOperand& operand : operands) {
        if (operand.type != ScalarType::kBool) {
          return Mismatch(op, "bools", operands);
        }
      }
      return Promotion{ScalarType::kBool, ScalarType::kBool, false};
    case TypeRule::kFloatTest:
      if (AnyBool(operands)) return Mismatch(op, "a number", operands);
      return Promotion{operands[0].type, ScalarType::kBool, false};
    case TypeRule::kSpecial:
      break;
  }
  LAYOUTD_DCHECK(op == Opcode::kSelect);
  return PromoteSelect(operands);
}

bool LiteralFits(const Literal& literal, bool negative, ScalarType type) {
  switch (literal.kind) {
    case Literal::Kind::kBool:
      return type == ScalarType::kBool;
    case Literal::Kind::kFloat:
      if (type == ScalarType::kF64) return true;
      return type == ScalarType::kF32 &&
             (!std::isfinite(literal.real) ||
              std::isfinite(static_cast<float>(literal.real)));
    case Literal::Kind::kInteger:
      break;
  }
  if (type == ScalarType::kF32) {
    return std::isfinite(static_cast<float>(literal.integer));
  }
  if (type == ScalarType::kF64) return true;
  if (type == ScalarType::kBool) return false;
  if (literal.integer == 0) return true;
  const int64_t bits = 8 * SizeBytes(type);
  if (IsUnsignedInteger(type)) {
    return !negative && (bits == 128 || (literal.integer >> bits) == 0);
  }
  const Uint128 half = Uint128{1} << (bits - 1);  // |MIN|
  return negative ? literal.integer <= half : literal.integer < half;
}

bool CanStore(ScalarType from, ScalarType to) {
  if (from == to || IsFloat(to)) return true;
  if (to == ScalarType::kBool) return false;
  return !IsFloat(from);
}

ScalarType SumType(ScalarType type) {
  if (IsFloat(type) || SizeBytes(type) == 16) return type;
  return IsUnsignedInteger(type) ? ScalarType::kU64 : ScalarType::kI64;
}

ScalarType ReductionType(Reduction reduction, ScalarType argument,
                         std::optional<ScalarType> weight) {
  switch (reduction) {
    case Reduction::kSum:
      return SumType(weight.has_value() ? PromoteTypes(argument, *weight)
                                        : argument);
    case Reduction::kMean: {
      const ScalarType type = FloatOf(argument);
      return weight.has_value() ? PromoteTypes(type, *weight) : type;
    }
    case Reduction::kMin:
    case Reduction::kMax:
    case Reduction::kArgmin:
    case Reduction::kArgmax:
    case Reduction::kExtrema:
      return argument;
    case Reduction::kCount:
      return ScalarType::kI64;
    case Reduction::kAny:
    case Reduction::kAll:
      break;
  }
  return ScalarType::kBool;
}

ScalarType FoldType(Opcode op, ScalarType argument) {
  if (op == Opcode::kMin || op == Opcode::kMax) return argument;
  if (op == Opcode::kAnd || op == Opcode::kOr) return ScalarType::kBool;
  LAYOUTD_DCHECK(op == Opcode::kAdd || op == Opcode::kSub ||
                 op == Opcode::kMul);
  return SumType(argument);
}

}  // namespace layoutd
