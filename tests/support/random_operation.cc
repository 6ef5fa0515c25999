// The operations of random_expression.h: arithmetic, neighbours, folds.

#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/support/random_expression.h"

namespace layoutd {

std::string ExpressionGenerator::Arithmetic(ScalarType type, const Scope& scope,
                                            int depth) {
  // "/" of integers is f64: MixedArithmetic has it.
  constexpr const char* kOperators[] = {" + ", " - ", " * ", " / "};
  const char* op = kOperators[Pick(IsFloat(type) ? 4 : 3)];
  std::string a = Number(type, scope, depth - 1);
  std::string b =
      Chance(30) ? WeakLiteral(type) : Number(type, scope, depth - 1);
  if (Chance(30)) std::swap(a, b);
  return absl::StrCat("(", a, op, b, ")");
}

// Operands of two types, or bool and number, that promote to `type`.
std::string ExpressionGenerator::MixedArithmetic(ScalarType type,
                                                 const Scope& scope,
                                                 int depth) {
  struct Mix {
    ScalarType a, b, result;
    const char* op;
  };
  constexpr ScalarType kF32 = ScalarType::kF32, kF64 = ScalarType::kF64,
                       kI32 = ScalarType::kI32, kI64 = ScalarType::kI64,
                       kBool = ScalarType::kBool;
  constexpr Mix kMixes[] = {
      {kF32, kF64, kF64, " + "},  {kI32, kF32, kF64, " * "},
      {kI64, kF32, kF64, " - "},  {kF64, kI64, kF64, " / "},
      {kI32, kI32, kF64, " / "},  {kI64, kI32, kF64, " / "},
      {kI32, kI64, kI64, " + "},  {kI64, kI32, kI64, " * "},
      {kBool, kI32, kI32, " * "}, {kI64, kBool, kI64, " - "},
      {kF32, kBool, kF32, " * "}, {kBool, kF64, kF64, " + "}};
  std::vector<Mix> fitting;
  for (const Mix& mix : kMixes) {
    if (mix.result == type) fitting.push_back(mix);
  }
  const Mix& mix = fitting[Pick(fitting.size())];
  const std::string a = Value(mix.a, scope, depth - 1);
  const std::string b = Value(mix.b, scope, depth - 1);
  return absl::StrCat("(", a, mix.op, b, ")");
}

std::string ExpressionGenerator::FloatFunction(ScalarType type,
                                               const Scope& scope, int depth) {
  if (!IsFloat(type)) return Arithmetic(type, scope, depth);
  const uint64_t choice = Pick(3);
  // Of an integer, these are f64.
  const ScalarType argument =
      type == ScalarType::kF64 && Chance(20) ? ScalarType::kI32 : type;
  const std::string a = Number(argument, scope, depth - 1);
  if (choice == 0) return absl::StrCat("sqrt(", a, ")");
  if (choice == 1) return absl::StrCat("exp(", a, ")");
  const std::string b = Number(type, scope, depth - 1);
  const std::string c = Chance(30) ? WeakLiteral(type) : Leaf(type, scope);
  return absl::StrCat("fma(", a, ", ", b, ", ", c, ")");
}

// A face above or below its cell, which needs no edge. The field of cells next
// to it fixes the levels of the sum.
std::string ExpressionGenerator::FaceNeighbour(ScalarType type,
                                               const Scope& scope) {
  if (scope.shape.levels != Levels::kCentre || num_levels_ < 2) {
    return Leaf(type, scope);
  }
  const bool has_columns = scope.shape.has_columns && Chance(80);
  const std::string cell =
      Reference(type, {Levels::kCentre, has_columns}, true);
  ++at_depth_;
  const std::string face = Reference(type, {Levels::kFace, has_columns}, true);
  --at_depth_;
  if (cell.empty() || face.empty()) return Leaf(type, scope);
  return absl::StrCat("(", cell, " - at(", face, Chance(50) ? ", v + 1" : ", v",
                      "))");
}

std::string ExpressionGenerator::At(const ValueType& type, const Scope& scope,
                                    int depth) {
  const bool is_level = scope.shape.levels == Levels::kOne && !scope.is_adapted
                            ? true
                            : Chance(30);
  // Without levels there is none to read, and no nearest one.
  const bool may_cross = num_levels_ > 0 && (is_level || scope.is_adapted);
  if (is_level && num_levels_ == 0) return Value(type, scope, depth - 1);
  Scope inner = scope;
  inner.is_adapted = may_cross;
  if (may_cross && (scope.shape.levels == Levels::kOne || Chance(30))) {
    inner.shape.levels = Chance(80) ? Levels::kCentre : Levels::kFace;
  }
  ++at_depth_;
  std::string value = Value(type, inner, depth - 1);
  std::string position = Chance(50) ? "0" : "last";
  if (is_level) {
    // A level in between only of what surely has it.
    const std::string field = Reference(type, inner.shape, true);
    if (!field.empty() && inner.shape.levels != Levels::kOne && Chance(50)) {
      value = field;
      position = absl::StrCat(Pick(static_cast<uint64_t>(num_levels_)));
    }
  } else {
    const uint64_t distance = Chance(5) ? 64 : Pick(4);
    position = absl::StrCat(Chance(50) ? "v + " : "v - ", distance);
    bool has_bool = false;
    for (const auto& leaf : type.leaves()) {
      has_bool |= leaf.type == ScalarType::kBool;
    }
    const bool can_have_value = type.is_scalar() || !has_bool;
    absl::StrAppend(&position, ", edge = ",
                    can_have_value && Chance(50) ? Uniform(type) : "clamp");
  }
  --at_depth_;
  return absl::StrCat("at(", value, ", ", position, ")");
}

std::string ExpressionGenerator::Fold(ScalarType type, const Scope& scope,
                                      int depth) {
  Scope inner = scope;
  inner.shape.levels = Chance(85) ? Levels::kCentre : Levels::kFace;
  inner.is_adapted = num_levels_ > 0;
  if (!HasAnchor(inner.shape)) return Leaf(type, scope);

  const char* op = Chance(50) ? "min" : "max";
  ScalarType argument = type;
  if (type == ScalarType::kBool) {
    op = Chance(50) ? "and" : "or";
  } else if (type != ScalarType::kI32 && Chance(70)) {
    constexpr const char* kOperations[] = {"+", "-", "*"};
    op = kOperations[Pick(3)];
    // Integers and bools accumulate in i64.
    if (type == ScalarType::kI64 && Chance(50)) {
      argument = Chance(50) ? ScalarType::kI32 : ScalarType::kBool;
    }
  }
  const std::string value = Anchored(argument, inner, depth - 1);
  std::string text = absl::StrCat("fold(", op, ", ", value);
  if (Chance(30)) text += Chance(50) ? ", flip = true" : ", flip = false";
  if (num_levels_ == 0 || Chance(40)) {
    const ShapeClass one{Levels::kOne, scope.shape.has_columns};
    const std::string init = Chance(50) ? Reference(type, one, false) : "";
    absl::StrAppend(&text,
                    ", init = ", init.empty() ? WeakLiteral(type) : init);
  }
  return text + ")";
}

std::string ExpressionGenerator::Select(const ValueType& type,
                                        const Scope& scope, int depth) {
  constexpr const char* kNames[] = {"select", "where", "ifelse"};
  const char* name = kNames[Pick(3)];
  const std::string condition = Bool(scope, depth - 1);
  const std::string a = Value(type, scope, depth - 1);
  const std::string b = type.is_scalar() && Chance(30)
                            ? WeakLiteral(type.scalar())
                            : Value(type, scope, depth - 1);
  return absl::StrCat(name, "(", condition, ", ", a, ", ", b, ")");
}

}  // namespace layoutd
