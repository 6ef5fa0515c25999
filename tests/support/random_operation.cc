// The operations of random_expression.h: arithmetic, neighbours, folds.

#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/program/promotion.h"
#include "tests/support/random_expression.h"

namespace layoutd {
namespace {

// The text of `info` applied to `operands`.
std::string Applied(const OpcodeInfo& info,
                    const std::vector<std::string>& operands) {
  if (info.symbol.empty()) {
    return absl::StrCat(info.name, "(", absl::StrJoin(operands, ", "), ")");
  }
  if (operands.size() == 1) {
    return absl::StrCat("(", info.symbol, " ", operands[0], ")");
  }
  return absl::StrCat("(", operands[0], " ", info.symbol, " ", operands[1],
                      ")");
}

bool GivesItsOwnType(Opcode op, size_t num_operands, ScalarType type) {
  const std::vector<ScalarOperand> operands(num_operands, {type, false});
  const absl::StatusOr<Promotion> promotion = Promote(op, operands);
  return promotion.ok() && promotion->result_type == type;
}

}  // namespace

// Any pointwise operation that the typing rules let give `type`, over operands
// of any types: what the table of opcodes has is covered.
std::string ExpressionGenerator::Operation(ScalarType type, const Scope& scope,
                                           int depth) {
  constexpr int kTries = 40;
  for (int n = 0; n < kTries; ++n) {
    const OpcodeInfo& info = AllOpcodes()[Pick(AllOpcodes().size())];
    if (info.rule == TypeRule::kSpecial) continue;
    const auto spare =
        static_cast<uint64_t>(info.max_operands - info.min_operands);
    const size_t count =
        static_cast<size_t>(info.min_operands) + Pick(spare + 1);
    const size_t weak = Chance(30) ? Pick(count) : count;
    const bool is_mixed = Chance(50);
    std::vector<ScalarOperand> operands;
    for (size_t k = 0; k < count; ++k) {
      const ScalarType own =
          is_mixed || n > kTries / 2 ? PickScalarType() : type;
      operands.push_back({own, false});
      if (k != weak || count == 1 || own == ScalarType::kBool) continue;
      operands[k] = {IsFloat(own) ? ScalarType::kF64 : ScalarType::kI64, true};
    }
    const absl::StatusOr<Promotion> promotion = Promote(info.opcode, operands);
    if (!promotion.ok() || promotion->result_type != type) continue;
    std::vector<std::string> texts;
    for (size_t k = 0; k < count; ++k) {
      if (!operands[k].weak) {
        texts.push_back(Scalar(operands[k].type, scope, depth - 1));
        continue;
      }
      // A count or exponent may not be a negative number.
      const bool may_be_negative = k == 0 || info.rule == TypeRule::kCompare;
      // One that fits what it is converted to; an integer fits any float.
      const ScalarType met = IsFloat(operands[k].type) ? ScalarType::kF64
                             : IsFloat(promotion->operand_type)
                                 ? ScalarType::kI8
                                 : promotion->operand_type;
      texts.push_back(WeakLiteral(met, may_be_negative));
    }
    const bool is_extreme =
        info.opcode == Opcode::kMin || info.opcode == Opcode::kMax;
    if (is_extreme && Chance(15)) texts.push_back(Leaf(type, scope));
    // An unsigned number may not be written with a minus.
    const bool is_number = texts[0].find_first_of("0123456789") == 0;
    if (info.opcode == Opcode::kNeg && is_number) return texts[0];
    return Applied(info, texts);
  }
  return Leaf(type, scope);
}

// An operation that goes through the components and keeps their types.
std::string ExpressionGenerator::TupleOperation(const ValueType& type,
                                                const Scope& scope, int depth) {
  for (int n = 0; n < 10; ++n) {
    const OpcodeInfo& info = AllOpcodes()[Pick(AllOpcodes().size())];
    if (info.rule == TypeRule::kSpecial) continue;
    const auto count = static_cast<size_t>(info.min_operands);
    bool fits = true;
    bool has_bool = false;
    for (const auto& leaf : type.leaves()) {
      fits = fits && GivesItsOwnType(info.opcode, count, leaf.type);
      has_bool |= leaf.type == ScalarType::kBool;
    }
    if (!fits) continue;
    std::vector<std::string> texts = {Tuple(type, scope, depth - 1)};
    while (texts.size() < count) {
      const bool is_literal = !has_bool && Chance(50);
      texts.push_back(is_literal ? (Chance(50) ? "2" : "1")
                                 : Tuple(type, scope, depth - 1));
    }
    return Applied(info, texts);
  }
  return Tuple(type, scope, depth - 1);
}

// A face above or below its cell, which needs no edge. The field of cells next
// to it fixes the levels of the sum.
std::string ExpressionGenerator::FaceNeighbour(ScalarType type,
                                               const Scope& scope) {
  if (type == ScalarType::kBool || scope.shape.levels != Levels::kCentre ||
      num_levels_ < 2) {
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
  // A scan has the levels of what it runs over, a fold one value a column.
  const bool is_scan = Chance(40);
  Scope inner = scope;
  if (!is_scan) {
    inner.shape.levels = Chance(85) ? Levels::kCentre : Levels::kFace;
  }
  inner.is_adapted = num_levels_ > 0;
  if (!HasAnchor(inner.shape)) return Leaf(type, scope);

  // Sums of narrow types accumulate in wide ones, so the argument may be
  // another.
  struct Operation {
    Opcode op;
    const char* text;
    bool has_identity;
  };
  constexpr Operation kOperations[] = {
      {Opcode::kAdd, "+", true},    {Opcode::kSub, "-", false},
      {Opcode::kMul, "*", true},    {Opcode::kMin, "min", false},
      {Opcode::kMax, "max", false}, {Opcode::kAnd, "and", true},
      {Opcode::kOr, "or", true}};
  const Operation* op = nullptr;
  ScalarType argument = type;
  while (op == nullptr) {
    const Operation& operation = kOperations[Pick(std::size(kOperations))];
    argument = Chance(50) ? PickScalarType() : type;
    const bool is_bool = argument == ScalarType::kBool;
    const bool is_logical =
        operation.op == Opcode::kAnd || operation.op == Opcode::kOr;
    const bool is_extreme =
        operation.op == Opcode::kMin || operation.op == Opcode::kMax;
    if (is_logical != is_bool && (is_logical || is_extreme)) continue;
    if (FoldType(operation.op, argument) == type) op = &operation;
  }
  const std::string value = Anchored(argument, inner, depth - 1);
  const char* name =
      is_scan ? "scan(" : (Chance(80) ? "fold(" : "column_reduce(");
  std::string text = absl::StrCat(name, op->text, ", ", value);
  if (Chance(30)) text += Chance(50) ? ", flip = true" : ", flip = false";
  const bool is_exclusive = is_scan && Chance(40);
  if (is_exclusive) text += ", exclusive = true";
  const bool needs_init =
      is_scan ? is_exclusive && !op->has_identity : num_levels_ == 0;
  if (needs_init || Chance(40)) {
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
  const std::string condition = Scalar(ScalarType::kBool, scope, depth - 1);
  const std::string a = Value(type, scope, depth - 1);
  const std::string b = type.is_scalar() && Chance(30)
                            ? WeakLiteral(type.scalar())
                            : Value(type, scope, depth - 1);
  return absl::StrCat(name, "(", condition, ", ", a, ", ", b, ")");
}

}  // namespace layoutd
