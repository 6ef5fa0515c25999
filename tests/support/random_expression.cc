#include "tests/support/random_expression.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/program/lex.h"

namespace layoutd {
namespace {

constexpr ScalarType kTypes[] = {ScalarType::kF32, ScalarType::kF64,
                                 ScalarType::kI32, ScalarType::kI64,
                                 ScalarType::kBool};

bool HasBool(const ValueType& type) {
  return std::any_of(
      type.leaves().begin(), type.leaves().end(),
      [](const Leaf& leaf) { return leaf.type == ScalarType::kBool; });
}

bool Fits(const ShapeClass& from, const ShapeClass& to) {
  return (from.levels == Levels::kOne || from.levels == to.levels) &&
         (!from.has_columns || to.has_columns);
}

bool Intersects(const std::set<std::string>& a,
                const std::set<std::string>& b) {
  return std::any_of(a.begin(), a.end(),
                     [&](const std::string& x) { return b.contains(x); });
}

// Calls `visit(path, type)` for the value itself and all its components.
template <typename Visit>
void ForEachComponent(const std::string& path, const ValueType& type,
                      const Visit& visit) {
  visit(path, type);
  for (int m = 0; m < type.num_members(); ++m) {
    const std::string segment =
        type.is_named() ? std::string(type.member_name(m)) : absl::StrCat(m);
    ForEachComponent(absl::StrCat(path, ".", segment), type.member(m), visit);
  }
}

}  // namespace

std::string ExpressionGenerator::Value(const ValueType& type,
                                       const Scope& scope, int depth) {
  if (!type.is_scalar()) return Tuple(type, scope, depth);
  if (type.scalar() == ScalarType::kBool) return Bool(scope, depth);
  return Number(type.scalar(), scope, depth);
}

std::string ExpressionGenerator::Anchored(const ValueType& type,
                                          const Scope& scope, int depth) {
  // A field of the same type joins by an operation, any other as a condition.
  const bool is_bool = HasBool(type);
  const std::string same =
      is_bool && !type.is_scalar() ? "" : Reference(type, scope.shape, true);
  const std::string value = Value(type, scope, depth);
  if (!same.empty() && Chance(70)) {
    const char* op = is_bool ? (Chance(50) ? " and " : " or ")
                             : (Chance(50) ? " + " : " * ");
    return absl::StrCat("(", value, op, same, ")");
  }
  for (ScalarType other : kTypes) {
    const std::string anchor = Reference(other, scope.shape, true);
    if (anchor.empty()) continue;
    const std::string condition =
        other == ScalarType::kBool
            ? anchor
            : absl::StrCat(anchor, " <= ", WeakLiteral(other));
    return absl::StrCat("select(", condition, ", ", value, ", ",
                        Value(type, scope, 0), ")");
  }
  return value;
}

bool ExpressionGenerator::HasAnchor(const ShapeClass& shape) const {
  return std::any_of(fields.begin(), fields.end(), [&](const Field& field) {
    return field.shape == shape && MayRead(field.id);
  });
}

std::string ExpressionGenerator::WeakLiteral(ScalarType type) {
  switch (type) {
    case ScalarType::kBool:
      return Chance(50) ? "true" : "false";
    case ScalarType::kF32:
    case ScalarType::kF64: {
      constexpr const char* kFloats[] = {"0.5",    "2.0",  "1e-3",     "pi",
                                         "100.0",  "3",    "inf",      "nan",
                                         "(-0.0)", "1e30", "(0.5 + 2)"};
      return kFloats[Pick(std::size(kFloats))];
    }
    default: {
      constexpr const char* kIntegers[] = {"0", "1",   "2",       "(-1)",
                                           "7", "100", "(2 * 3)", "2147483647"};
      return kIntegers[Pick(std::size(kIntegers))];
    }
  }
}

std::string ExpressionGenerator::StrongLiteral(ScalarType type) {
  switch (type) {
    case ScalarType::kBool:
      return WeakLiteral(type);
    case ScalarType::kF32:
    case ScalarType::kF64: {
      constexpr const char* kFloats[] = {"0.25", "3.0", "1e-40", "7"};
      return absl::StrCat(kFloats[Pick(std::size(kFloats))], "_", Name(type));
    }
    case ScalarType::kI64:
      if (Chance(10)) return "(-9223372036854775808_i64)";
      break;
    default:
      break;
  }
  return absl::StrCat(Pick(1000), "_", Name(type));
}

std::string ExpressionGenerator::Uniform(const ValueType& type) {
  if (!type.is_scalar()) return Chance(50) ? "0" : "(-3)";
  const ScalarType scalar = type.scalar();
  std::vector<const Result*> fitting;
  for (const Result& result : results) {
    if (result.type == scalar) fitting.push_back(&result);
  }
  if (!fitting.empty() && Chance(30))
    return fitting[Pick(fitting.size())]->text;
  return WeakLiteral(scalar);
}

ExpressionGenerator::Let ExpressionGenerator::MakeLet(const std::string& name,
                                                      const ValueType& type,
                                                      const Scope& scope,
                                                      int depth,
                                                      std::string& text) {
  reads_.clear();
  at_reads_.clear();
  text = Value(type, scope, depth);
  return {name, type, scope.shape, reads_, at_reads_};
}

ScalarType ExpressionGenerator::PickScalarType(bool numbers_only) {
  return kTypes[Pick(std::size(kTypes) - (numbers_only ? 1 : 0))];
}

std::string ExpressionGenerator::Quoted(const std::string& id) {
  return IsPlainName(id) ? id : absl::StrCat("\"", id, "\"");
}

std::string ExpressionGenerator::Number(ScalarType type, const Scope& scope,
                                        int depth) {
  if (depth <= 0) return Leaf(type, scope);
  const auto operand = [&] { return Number(type, scope, depth - 1); };
  switch (Pick(16)) {
    case 0:
    case 1:
      return Leaf(type, scope);
    case 2: {
      const bool negate = Chance(50);
      const std::string value = operand();
      return absl::StrCat(negate ? "(-" : "abs(", value, ")");
    }
    case 3: {
      const std::string a = operand();
      const std::string b = Chance(30) ? WeakLiteral(type) : operand();
      const std::string third = Chance(20) ? ", " + operand() : "";
      return absl::StrCat(Chance(50) ? "min(" : "max(", a, ", ", b, third, ")");
    }
    case 4:
      return Select(type, scope, depth);
    case 5: {
      const std::string value = Value(PickScalarType(), scope, depth - 1);
      return absl::StrCat(Name(type), "(", value, ")");
    }
    case 6:
    case 7:
      return FloatFunction(type, scope, depth);
    case 8:
    case 9:
      return At(type, scope, depth);
    case 10:
    case 11:
      return scope.in_column ? Fold(type, scope, depth)
                             : Arithmetic(type, scope, depth);
    case 12:
      return MixedArithmetic(type, scope, depth);
    case 13:
      return FaceNeighbour(type, scope);
    default:
      return Arithmetic(type, scope, depth);
  }
}

std::string ExpressionGenerator::Bool(const Scope& scope, int depth) {
  if (depth <= 0) return Leaf(ScalarType::kBool, scope);
  const auto operand = [&] { return Bool(scope, depth - 1); };
  switch (Pick(10)) {
    case 0:
      return Leaf(ScalarType::kBool, scope);
    case 1:
    case 2: {
      const std::string a = operand();
      const std::string b = operand();
      return absl::StrCat("(", a, Chance(50) ? " and " : " or ", b, ")");
    }
    case 3:
      return absl::StrCat("(not ", operand(), ")");
    case 4: {
      const std::string value = Number(PickScalarType(true), scope, depth - 1);
      return absl::StrCat(Chance(50) ? "isfinite(" : "isnan(", value, ")");
    }
    case 5:
      return At(ScalarType::kBool, scope, depth);
    case 6:
      return scope.in_column ? Fold(ScalarType::kBool, scope, depth)
                             : Select(ScalarType::kBool, scope, depth);
    case 7: {
      const std::string value = Number(PickScalarType(true), scope, depth - 1);
      return absl::StrCat("bool(", value, ")");
    }
    default: {
      constexpr const char* kComparisons[] = {" == ", " != ", " < ",
                                              " <= ", " > ",  " >= "};
      const ScalarType left = PickScalarType(true);
      const std::string a = Number(left, scope, depth - 1);
      const std::string b =
          Chance(40) ? WeakLiteral(left)
                     : Number(PickScalarType(true), scope, depth - 1);
      return absl::StrCat("(", a, kComparisons[Pick(6)], b, ")");
    }
  }
}

std::string ExpressionGenerator::Tuple(const ValueType& type,
                                       const Scope& scope, int depth) {
  const uint64_t choice = depth > 0 ? Pick(6) : Pick(2);
  if (choice <= 1) {
    const std::string reference = Reference(type, scope.shape, false);
    if (!reference.empty()) return reference;
  }
  if (choice == 2) return Select(type, scope, depth);
  if (choice == 3) return At(type, scope, depth);
  if (choice == 4 && !HasBool(type)) {
    const std::string value = Tuple(type, scope, depth - 1);
    return absl::StrCat("(", value, Chance(50) ? " + 2)" : " * (-1))");
  }
  std::string text = type.is_named() ? "{" : "(";
  for (int m = 0; m < type.num_members(); ++m) {
    if (type.is_named()) absl::StrAppend(&text, type.member_name(m), ": ");
    const std::string member = Value(type.member(m), scope, depth - 1);
    absl::StrAppend(&text, member, m + 1 < type.num_members() ? ", " : "");
  }
  if (!type.is_named() && type.num_members() == 1) text += ",";
  return text + (type.is_named() ? "}" : ")");
}

std::string ExpressionGenerator::Leaf(ScalarType type, const Scope& scope) {
  if (type == ScalarType::kI64 && Chance(15)) {
    constexpr const char* kIndices[] = {"@v", "@i", "@j", "@h"};
    return kIndices[Pick(4)];
  }
  const std::string reference =
      Chance(85) ? Reference(type, scope.shape, false) : "";
  return reference.empty() ? StrongLiteral(type) : reference;
}

std::string ExpressionGenerator::Reference(const ValueType& type,
                                           const ShapeClass& shape,
                                           bool exact) {
  struct Candidate {
    std::string text;
    const Field* field = nullptr;
    const Let* let = nullptr;
  };
  std::vector<Candidate> candidates;
  for (const Field& field : fields) {
    const bool fits = exact ? field.shape == shape : Fits(field.shape, shape);
    if (!fits || !MayRead(field.id)) continue;
    ForEachComponent(Quoted(field.id), field.type,
                     [&](const std::string& path, const ValueType& component) {
                       if (component == type) {
                         candidates.push_back({path, &field, nullptr});
                       }
                     });
  }
  for (const Let& let : lets) {
    const std::set<std::string>& bad = at_depth_ > 0 ? let.reads : let.at_reads;
    if (exact || !Fits(let.shape, shape) || Intersects(bad, hazards)) continue;
    if (let.type == type) candidates.push_back({let.name, nullptr, &let});
  }
  for (const Result& result : results) {
    if (!exact && ValueType(result.type) == type) {
      candidates.push_back({result.text, nullptr, nullptr});
    }
  }
  if (candidates.empty()) return "";

  const Candidate& chosen = candidates[Pick(candidates.size())];
  if (chosen.field != nullptr) {
    reads_.insert(chosen.field->id);
    if (at_depth_ > 0) at_reads_.insert(chosen.field->id);
  }
  if (chosen.let != nullptr) {
    const Let& let = *chosen.let;
    reads_.insert(let.reads.begin(), let.reads.end());
    at_reads_.insert(let.at_reads.begin(), let.at_reads.end());
    if (at_depth_ > 0) at_reads_.insert(let.reads.begin(), let.reads.end());
  }
  return chosen.text;
}

bool ExpressionGenerator::MayRead(const std::string& id) const {
  return at_depth_ == 0 || !hazards.contains(id);
}

}  // namespace layoutd
