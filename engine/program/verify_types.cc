#include "engine/program/verify_types.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/base/error.h"
#include "engine/base/status_macros.h"
#include "engine/program/promotion.h"

namespace layoutd {
namespace {

Error TypeMismatch(absl::string_view message) {
  return InvalidArgument("TYPE_MISMATCH", message);
}

std::string DecimalDigits(Uint128 value) {
  std::string digits;
  do {
    digits.insert(digits.begin(), static_cast<char>('0' + int(value % 10)));
    value /= 10;
  } while (value != 0);
  return digits;
}

Uint128 Magnitude(Int128 value) {
  return value < 0 ? -static_cast<Uint128>(value) : static_cast<Uint128>(value);
}

std::string Print(const Literal& literal, bool negated) {
  return absl::StrCat(negated ? "-" : "",
                      literal.kind == Literal::Kind::kFloat
                          ? absl::StrFormat("%.17g", literal.real)
                          : DecimalDigits(literal.integer));
}

Error LiteralRange(const Literal& literal, bool negated, ScalarType type) {
  return InvalidArgument("LITERAL_RANGE",
                         absl::StrCat("the number ", Print(literal, negated),
                                      " does not fit ", Name(type)));
}

// A weak constant meets `type`.
absl::Status CheckFits(const Scalar& constant, ScalarType type) {
  Literal literal;
  bool negated = false;
  if (IsFloat(constant.type)) {
    literal.kind = Literal::Kind::kFloat;
    literal.real = constant.As<double>();
  } else {
    const Int128 value = constant.As<Int128>();
    literal.kind = Literal::Kind::kInteger;
    literal.integer = Magnitude(value);
    negated = value < 0;
  }
  if (LiteralFits(literal, negated, type)) return absl::OkStatus();
  return LiteralRange(literal, negated, type);
}

// Returns the weak value of `op` on weak operands: arithmetic in i128 or f64.
absl::StatusOr<Typing> FoldConstants(Opcode op, const Promotion& promotion,
                                     absl::Span<const Typing> operands) {
  const auto apply_in = [&](ScalarType type) {
    std::vector<Scalar> values;
    for (const Typing& operand : operands) {
      values.push_back(Convert(*operand.constant, type));
    }
    return Apply(op, values);
  };
  Typing folded{promotion.result_type, true, std::nullopt};
  if (IsFloat(promotion.operand_type)) {
    folded.constant = apply_in(ScalarType::kF64);
    return folded;
  }
  // i128 wraps; doubles tell when it did (to within one part in 2^52).
  if (std::abs(apply_in(ScalarType::kF64).As<double>()) >= 0x1p127) {
    return InvalidArgument("LITERAL_RANGE",
                           "integer arithmetic on numbers exceeds i128");
  }
  folded.constant = apply_in(ScalarType::kI128);
  return folded;
}

using LeafRule =
    absl::FunctionRef<absl::StatusOr<ScalarType>(absl::Span<const Typing>)>;

// Returns the operand whose structure the result takes (null: all are scalars):
// the first struct, or the first named one.
absl::StatusOr<const ValueType*> CommonStructure(
    absl::Span<const Typing> operands) {
  const ValueType* common = nullptr;
  for (const Typing& operand : operands) {
    const ValueType& type = operand.type;
    if (type.is_scalar()) continue;
    if (common == nullptr) {
      common = &type;
      continue;
    }
    bool equal = type.num_members() == common->num_members();
    for (int m = 0; equal && m < type.num_members(); ++m) {
      equal = !type.is_named() || !common->is_named() ||
              type.member_name(m) == common->member_name(m);
    }
    if (!equal) {
      return TypeMismatch(absl::StrCat(common->ToString(), " and ",
                                       type.ToString(),
                                       " have different members"));
    }
    if (!common->is_named()) common = &type;
  }
  return common;
}

// Returns the type with the structure of the operands whose leaves `rule`
// gives.
absl::StatusOr<ValueType> Leafwise(absl::Span<const Typing> operands,
                                   LeafRule rule) {
  ASSIGN_OR_RETURN(const ValueType* structure, CommonStructure(operands));
  if (structure == nullptr) {
    ASSIGN_OR_RETURN(const ScalarType type, rule(operands));
    return ValueType(type);
  }
  std::vector<std::string> names;
  std::vector<ValueType> members;
  for (int m = 0; m < structure->num_members(); ++m) {
    std::vector<Typing> parts;
    for (const Typing& operand : operands) {
      parts.push_back(operand.type.is_scalar()
                          ? operand
                          : Typing{operand.type.member(m), false, {}});
    }
    ASSIGN_OR_RETURN(ValueType member, Leafwise(parts, rule));
    members.push_back(std::move(member));
    if (structure->is_named()) {
      names.emplace_back(structure->member_name(m));
    }
  }
  if (!structure->is_named()) return ValueType::Tuple(std::move(members));
  return ValueType::NamedTuple(std::move(names), std::move(members));
}

absl::StatusOr<Promotion> PromoteLeaves(Opcode op,
                                        absl::Span<const Typing> leaves) {
  std::vector<ScalarOperand> operands;
  for (const Typing& leaf : leaves) {
    operands.push_back({leaf.type.scalar(), leaf.weak});
  }
  return Promote(op, operands);
}

absl::StatusOr<Typing> TypePointwise(Opcode op,
                                     absl::Span<const Typing> operands) {
  if (std::all_of(operands.begin(), operands.end(),
                  [](const Typing& operand) { return operand.weak; })) {
    ASSIGN_OR_RETURN(const Promotion promotion, PromoteLeaves(op, operands));
    if (promotion.result_weak) return FoldConstants(op, promotion, operands);
  }
  const auto rule =
      [op](absl::Span<const Typing> leaves) -> absl::StatusOr<ScalarType> {
    ASSIGN_OR_RETURN(const Promotion promotion, PromoteLeaves(op, leaves));
    for (const Typing& leaf : leaves) {
      if (!leaf.weak) continue;
      RETURN_IF_ERROR(CheckFits(*leaf.constant, promotion.operand_type));
    }
    return promotion.result_type;
  };
  ASSIGN_OR_RETURN(ValueType type, Leafwise(operands, rule));
  return Typing{std::move(type), false, {}};
}

absl::StatusOr<Typing> TypeTuple(const Node& node,
                                 absl::Span<const Typing> operands) {
  std::vector<ValueType> members;
  for (const Typing& operand : operands) {
    RETURN_IF_ERROR(CheckDefault(operand));
    members.push_back(operand.type);
  }
  ASSIGN_OR_RETURN(
      ValueType type,
      node.member_names.empty()
          ? ValueType::Tuple(std::move(members))
          : ValueType::NamedTuple(node.member_names, std::move(members)));
  return Typing{std::move(type), false, {}};
}

absl::StatusOr<Typing> TypeMember(const Node& node, const ValueType& whole) {
  ASSIGN_OR_RETURN(const Component component, FindComponent(whole, node.name));
  return Typing{component.type, false, {}};
}

// The value beyond the edge is selected against the operand, but must not
// change its type: inside, the operand itself is read.
absl::StatusOr<Typing> TypeAt(absl::Span<const Typing> operands) {
  const Typing& operand = operands[0];
  RETURN_IF_ERROR(CheckDefault(operand));
  const Typing strong{operand.type, false, {}};
  if (operands.size() == 1) return strong;
  const Typing inside{ScalarType::kBool, false, {}};
  ASSIGN_OR_RETURN(Typing result, TypePointwise(Opcode::kSelect,
                                                {inside, strong, operands[1]}));
  if (result.type == operand.type) return result;
  return TypeMismatch(
      absl::StrCat("edge value of type ", operands[1].type.ToString(),
                   " beyond levels of type ", operand.type.ToString(),
                   "; convert one of them"));
}

// Checks that `from`, whose scalars stand for all components, converts to `to`.
absl::Status CheckSpread(const Typing& from, const ValueType& to) {
  const Typing operands[] = {from, {to, false, {}}};
  const auto rule =
      [](absl::Span<const Typing> leaves) -> absl::StatusOr<ScalarType> {
    RETURN_IF_ERROR(CheckStore(leaves[0], leaves[1].type));
    return leaves[1].type.scalar();
  };
  ASSIGN_OR_RETURN(const ValueType type, Leafwise(operands, rule));
  if (type.num_leaves() == to.num_leaves()) return absl::OkStatus();
  return TypeMismatch(absl::StrCat("init of type ", from.type.ToString(),
                                   " for a value of type ", to.ToString()));
}

bool HasIdentity(Opcode op) {
  return op == Opcode::kAdd || op == Opcode::kMul || op == Opcode::kAnd ||
         op == Opcode::kOr;
}

absl::StatusOr<Typing> TypeFold(const FoldSpec& fold,
                                absl::Span<const Typing> operands) {
  if (fold.exclusive && !fold.has_init && !HasIdentity(fold.op)) {
    return InvalidArgument(
        "BAD_ARGUMENT",
        absl::StrCat("an exclusive scan with ", Info(fold.op).symbol,
                     Info(fold.op).name,
                     " has nothing to begin with; give it init"));
  }
  const bool logical = fold.op == Opcode::kAnd || fold.op == Opcode::kOr;
  const bool extreme = fold.op == Opcode::kMin || fold.op == Opcode::kMax;
  const auto rule =
      [&](absl::Span<const Typing> leaves) -> absl::StatusOr<ScalarType> {
    const ScalarType type = leaves[0].type.scalar();
    const bool is_bool = type == ScalarType::kBool;
    if (logical != is_bool && (logical || extreme)) {
      return TypeMismatch(
          absl::StrCat("a fold or scan takes ", logical ? "bools" : "numbers",
                       " with this operation, got ", Name(type)));
    }
    return FoldType(fold.op, type);
  };
  RETURN_IF_ERROR(CheckDefault(operands[0]));
  ASSIGN_OR_RETURN(ValueType type, Leafwise(operands.subspan(0, 1), rule));
  if (fold.has_init) RETURN_IF_ERROR(CheckSpread(operands[1], type));
  return Typing{std::move(type), false, {}};
}

// Returns `type` with every scalar replaced by the index of a point.
absl::StatusOr<ValueType> IndexOf(const ValueType& type) {
  std::vector<ValueType> members;
  if (type.is_scalar()) {
    members.assign(4, ValueType(ScalarType::kI64));
    return ValueType::Tuple(std::move(members));
  }
  std::vector<std::string> names;
  for (int m = 0; m < type.num_members(); ++m) {
    ASSIGN_OR_RETURN(ValueType member, IndexOf(type.member(m)));
    members.push_back(std::move(member));
    if (type.is_named()) names.emplace_back(type.member_name(m));
  }
  return type.is_named()
             ? ValueType::NamedTuple(std::move(names), std::move(members))
             : ValueType::Tuple(std::move(members));
}

Error BadArgument(Reduction reduction, absl::string_view message) {
  return InvalidArgument("BAD_ARGUMENT",
                         absl::StrCat(Name(reduction), message));
}

absl::StatusOr<Typing> TypeReduce(const ReduceSpec& spec,
                                  absl::Span<const Typing> operands) {
  const Reduction reduction = spec.reduction;
  const bool logical = reduction == Reduction::kCount ||
                       reduction == Reduction::kAny ||
                       reduction == Reduction::kAll;
  const bool extreme =
      reduction == Reduction::kMin || reduction == Reduction::kMax ||
      reduction == Reduction::kArgmin || reduction == Reduction::kArgmax ||
      reduction == Reduction::kExtrema;
  size_t next = 1;
  std::optional<ScalarType> weight;
  bool weak_float_weight = false;
  if (spec.has_weight) {
    const Typing& operand = operands[next++];
    if (reduction != Reduction::kSum && reduction != Reduction::kMean) {
      return BadArgument(reduction, " takes no weight");
    }
    if (!operand.type.is_scalar() ||
        operand.type.scalar() == ScalarType::kBool) {
      return TypeMismatch(absl::StrCat("weight is a number, got ",
                                       operand.type.ToString(),
                                       logical ? "" : "; a bool is a where"));
    }
    RETURN_IF_ERROR(CheckDefault(operand));
    if (!operand.weak) weight = operand.type.scalar();
    weak_float_weight = operand.weak && IsFloat(operand.type.scalar());
  }
  if (spec.has_where) {
    const ValueType& type = operands[next++].type;
    if (!(type == ValueType(ScalarType::kBool))) {
      return TypeMismatch(
          absl::StrCat("where is a bool, got ", type.ToString()));
    }
  }
  const auto rule =
      [&](absl::Span<const Typing> leaves) -> absl::StatusOr<ScalarType> {
    const ScalarType type = leaves[0].type.scalar();
    const bool is_bool = type == ScalarType::kBool;
    if (logical != is_bool && (logical || extreme)) {
      return TypeMismatch(absl::StrCat(Name(reduction), " takes ",
                                       logical ? "bools" : "numbers", ", got ",
                                       Name(type)));
    }
    // An unsuffixed float promotes integers, as in a product, and no more.
    if (weak_float_weight && !IsFloat(type)) {
      return ReductionType(reduction, type, ScalarType::kF64);
    }
    return ReductionType(reduction, type, weight);
  };
  ASSIGN_OR_RETURN(ValueType type, Leafwise(operands.subspan(0, 1), rule));
  if (spec.has_init) {
    if (reduction != Reduction::kSum && reduction != Reduction::kMin &&
        reduction != Reduction::kMax) {
      return BadArgument(reduction, " takes no init");
    }
    RETURN_IF_ERROR(CheckSpread(operands[next], type));
  }
  if (reduction == Reduction::kExtrema) {
    ASSIGN_OR_RETURN(type, ValueType::NamedTuple({"min", "max"}, {type, type}));
  }
  if (reduction == Reduction::kArgmin || reduction == Reduction::kArgmax) {
    ASSIGN_OR_RETURN(ValueType index, IndexOf(type));
    ASSIGN_OR_RETURN(type, ValueType::NamedTuple({"value", "index"},
                                                 {type, std::move(index)}));
  }
  return Typing{std::move(type), false, {}};
}

}  // namespace

absl::StatusOr<Typing> TypeLiteral(const Literal& literal, bool negated) {
  if (literal.kind == Literal::Kind::kBool) {
    return Typing{ScalarType::kBool, false, {}};
  }
  if (literal.type) {
    if (LiteralFits(literal, negated, *literal.type)) {
      return Typing{*literal.type, false, {}};
    }
    return LiteralRange(literal, negated, *literal.type);
  }
  if (literal.kind == Literal::Kind::kFloat) {
    return Typing{ScalarType::kF64, true, Scalar::F64(literal.real)};
  }
  if (!LiteralFits(literal, false, ScalarType::kI128)) {
    return InvalidArgument("LITERAL_RANGE",
                           absl::StrCat("the number ", Print(literal, false),
                                        " does not fit i128; write ",
                                        Print(literal, false), "_u128"));
  }
  return Typing{
      ScalarType::kI64, true,
      Scalar::Of(ScalarType::kI128, static_cast<Int128>(literal.integer))};
}

absl::StatusOr<Typing> InferType(const Node& node,
                                 absl::Span<const Typing> operands) {
  switch (node.op) {
    case Opcode::kIndex:
      return Typing{ScalarType::kI64, false, {}};
    case Opcode::kTuple:
      return TypeTuple(node, operands);
    case Opcode::kMember:
      return TypeMember(node, operands[0].type);
    case Opcode::kConvert: {
      ASSIGN_OR_RETURN(ValueType type,
                       Leafwise(operands, [&](absl::Span<const Typing>) {
                         return node.scalar_type;
                       }));
      return Typing{std::move(type), false, {}};
    }
    case Opcode::kAt:
      return TypeAt(operands);
    case Opcode::kFold:
    case Opcode::kScan:
      return TypeFold(node.fold, operands);
    case Opcode::kReduce:
      return TypeReduce(node.reduce, operands);
    default:
      return TypePointwise(node.op, operands);
  }
}

absl::Status CheckNegativeExponent(absl::Span<const Typing> operands) {
  const Typing& base = operands[0];
  const Typing& exponent = operands[1];
  for (const Leaf& leaf : base.type.leaves()) {
    const absl::StatusOr<Promotion> promotion = Promote(
        Opcode::kPow,
        {{leaf.type, base.weak}, {exponent.type.scalar(), exponent.weak}});
    if (promotion.ok() && IsInteger(promotion->result_type)) {
      return InvalidArgument(
          "BAD_ARGUMENT",
          absl::StrCat("a negative power of the type ", Name(leaf.type),
                       " is no integer; convert the base to a float"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckStore(const Typing& from, const ValueType& to) {
  const ValueType& type = from.type;
  if (to.is_scalar() && type.num_members() == 1 && !type.is_named()) {
    // (a,) stands for a.
    return CheckStore(Typing{type.member(0), false, {}}, to);
  }
  bool equal = type.num_members() == to.num_members();
  for (int m = 0; equal && m < to.num_members(); ++m) {
    if (type.is_named() && to.is_named()) {
      equal = type.member_name(m) == to.member_name(m);
    }
    if (equal) {
      RETURN_IF_ERROR(
          CheckStore(Typing{type.member(m), false, {}}, to.member(m)));
    }
  }
  if (!equal) {
    return TypeMismatch(absl::StrCat("a value of type ", type.ToString(),
                                     " cannot be stored as ", to.ToString()));
  }
  if (!to.is_scalar()) return absl::OkStatus();
  if (!CanStore(type.scalar(), to.scalar())) {
    return TypeMismatch(absl::StrCat("a value of type ", Name(type.scalar()),
                                     " cannot be stored as ", Name(to.scalar()),
                                     " without a conversion; write ",
                                     Name(to.scalar()), "(...)"));
  }
  if (from.weak) return CheckFits(*from.constant, to.scalar());
  return absl::OkStatus();
}

absl::Status CheckDefault(const Typing& typing) {
  if (!typing.weak) return absl::OkStatus();
  return CheckFits(*typing.constant, typing.type.scalar());
}

}  // namespace layoutd
