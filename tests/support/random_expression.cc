#include "tests/support/random_expression.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/program/lex.h"

namespace layoutd {
namespace {

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
  return Scalar(type.scalar(), scope, depth);
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
  for (ScalarType other : palette) {
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

std::string ExpressionGenerator::WeakLiteral(ScalarType type,
                                             bool may_be_negative) {
  if (type == ScalarType::kBool) return Chance(50) ? "true" : "false";
  if (IsFloat(type)) {
    constexpr const char* kFloats[] = {"0.5",   "2.0", "1e-3",        "pi",
                                       "100.0", "3",   "inf",         "nan",
                                       "1e30",  "0",   "(0.5 + 2.0)", "(-0.0)"};
    return kFloats[Pick(std::size(kFloats) - (may_be_negative ? 0 : 1))];
  }
  constexpr const char* kIntegers[] = {"0", "1", "2", "7", "100", "(2 * 3)"};
  const uint64_t choice = Pick(std::size(kIntegers) + 2);
  if (choice < std::size(kIntegers)) return kIntegers[choice];
  if (choice == std::size(kIntegers)) {
    return IsSignedInteger(type) && may_be_negative ? "(-1)" : "1";
  }
  return SizeBytes(type) < 4 ? "127" : "2147483647";
}

std::string ExpressionGenerator::StrongLiteral(ScalarType type) {
  if (type == ScalarType::kBool) return WeakLiteral(type);
  if (IsFloat(type)) {
    constexpr const char* kFloats[] = {"0.25", "3.0", "1e-40", "7"};
    return absl::StrCat(kFloats[Pick(std::size(kFloats))], "_", Name(type));
  }
  if (Chance(10)) {
    // In the order of ScalarType, i8 to u128.
    constexpr const char* kLargest[] = {
        "127",
        "32767",
        "2147483647",
        "9223372036854775807",
        "170141183460469231731687303715884105727",
        "255",
        "65535",
        "4294967295",
        "18446744073709551615",
        "340282366920938463463374607431768211455"};
    const std::string largest =
        absl::StrCat(kLargest[static_cast<size_t>(type) -
                              static_cast<size_t>(ScalarType::kI8)],
                     "_", Name(type));
    if (!IsSignedInteger(type) || Chance(50)) return largest;
    return absl::StrCat("(-", largest, " - 1)");
  }
  return absl::StrCat(Pick(SizeBytes(type) == 1 ? 128 : 1000), "_", Name(type));
}

std::string ExpressionGenerator::Uniform(const ValueType& type) {
  if (!type.is_scalar()) {
    const bool is_unsigned = std::any_of(
        type.leaves().begin(), type.leaves().end(),
        [](const layoutd::Leaf& leaf) { return IsUnsignedInteger(leaf.type); });
    return Chance(50) ? "0" : (is_unsigned ? "3" : "(-3)");
  }
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
  const ScalarType type = palette[Pick(palette.size())];
  if (!numbers_only || type != ScalarType::kBool) return type;
  for (ScalarType other : palette) {
    if (other != ScalarType::kBool) return other;
  }
  return ScalarType::kF64;
}

std::string ExpressionGenerator::Quoted(const std::string& id) {
  return IsPlainName(id) ? id : absl::StrCat("\"", id, "\"");
}

std::string ExpressionGenerator::Scalar(ScalarType type, const Scope& scope,
                                        int depth) {
  if (depth <= 0) return Leaf(type, scope);
  switch (Pick(16)) {
    case 0:
    case 1:
      return Leaf(type, scope);
    case 2:
      return Select(type, scope, depth);
    case 3:
    case 4: {
      const std::string value = Value(PickScalarType(), scope, depth - 1);
      return absl::StrCat(Name(type), "(", value, ")");
    }
    case 5:
    case 6:
      return At(type, scope, depth);
    case 7:
    case 8:
      return scope.in_column ? Fold(type, scope, depth)
                             : Operation(type, scope, depth);
    case 9:
      return FaceNeighbour(type, scope);
    default:
      return Operation(type, scope, depth);
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
  if (choice == 4) return TupleOperation(type, scope, depth);
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
  if (IsInteger(type) && Chance(10)) {
    constexpr const char* kIndices[] = {"@v", "@i", "@j", "@h"};
    const char* index = kIndices[Pick(4)];
    if (type == ScalarType::kI64) return index;
    return absl::StrCat(Name(type), "(", index, ")");
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
