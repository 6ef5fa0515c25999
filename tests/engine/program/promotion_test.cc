#include "engine/program/promotion.h"

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

using testing::HasSubstr;
using enum ScalarType;

constexpr ScalarOperand kWeakInt = {kI64, true};
constexpr ScalarOperand kWeakFloat = {kF64, true};
constexpr ScalarOperand Strong(ScalarType type) { return {type, false}; }

TEST(PromotionTest, StrongTypesFollowNumPy) {
  struct Case {
    ScalarType a;
    ScalarType b;
    ScalarType want;
  };
  const Case cases[] = {
      {kI8, kI8, kI8},       {kI8, kI32, kI32},    {kU8, kU64, kU64},
      {kI8, kU8, kI16},      {kU16, kI8, kI32},    {kU32, kI32, kI64},
      {kU32, kI64, kI64},    {kU64, kI64, kF64},   {kU64, kI8, kF64},
      {kU64, kI128, kI128},  {kI64, kI128, kI128}, {kU128, kI8, kF64},
      {kU128, kI128, kF64},  {kU128, kU8, kU128},  {kI8, kF32, kF32},
      {kU16, kF32, kF32},    {kI32, kF32, kF64},   {kU32, kF32, kF64},
      {kI64, kF32, kF64},    {kU128, kF32, kF64},  {kI128, kF64, kF64},
      {kI8, kF64, kF64},     {kF32, kF64, kF64},   {kF32, kF32, kF32},
      {kBool, kBool, kBool}, {kBool, kU8, kU8},    {kBool, kF32, kF32},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(PromoteTypes(c.a, c.b), c.want)
        << Name(c.a).data() << " with " << Name(c.b).data();
    EXPECT_EQ(PromoteTypes(c.b, c.a), c.want)
        << Name(c.b).data() << " with " << Name(c.a).data();
  }
}

struct PromoteCase {
  Opcode op;
  std::vector<ScalarOperand> operands;
  ScalarType operand_type;
  ScalarType result_type;
  bool result_weak = false;
};

TEST(PromotionTest, OperationsTypeTheirOperands) {
  const PromoteCase cases[] = {
      // Weak numbers take the type of what they meet.
      {Opcode::kMul, {kWeakFloat, Strong(kF32)}, kF32, kF32},
      {Opcode::kMul, {kWeakInt, Strong(kF32)}, kF32, kF32},
      {Opcode::kAdd, {Strong(kU8), kWeakInt}, kU8, kU8},
      {Opcode::kAdd, {Strong(kU8), kWeakFloat}, kF64, kF64},
      {Opcode::kAdd, {Strong(kBool), kWeakInt}, kI64, kI64},
      {Opcode::kAdd, {Strong(kBool), kWeakFloat}, kF64, kF64},
      {Opcode::kAdd, {kWeakInt, kWeakInt}, kI64, kI64, true},
      {Opcode::kAdd, {kWeakInt, kWeakFloat}, kF64, kF64, true},
      {Opcode::kNeg, {kWeakInt}, kI64, kI64, true},
      {Opcode::kMin, {Strong(kBool), Strong(kI8)}, kI8, kI8},
      // Division gives floats.
      {Opcode::kDiv, {Strong(kI32), Strong(kI32)}, kF64, kF64},
      {Opcode::kDiv, {Strong(kF32), Strong(kI32)}, kF64, kF64},
      {Opcode::kDiv, {Strong(kF32), kWeakInt}, kF32, kF32},
      {Opcode::kDiv, {Strong(kI8), kWeakInt}, kF64, kF64},
      {Opcode::kDiv, {kWeakInt, kWeakInt}, kF64, kF64, true},
      // So do the float functions.
      {Opcode::kSqrt, {Strong(kI64)}, kF64, kF64},
      {Opcode::kExp, {Strong(kF32)}, kF32, kF32},
      {Opcode::kSqrt, {kWeakInt}, kF64, kF64, true},
      {Opcode::kLog, {Strong(kF32)}, kF32, kF32},
      // Powers are arithmetic: of integers they are integers.
      {Opcode::kPow, {Strong(kF32), kWeakFloat}, kF32, kF32},
      {Opcode::kPow, {Strong(kF32), kWeakInt}, kF32, kF32},
      {Opcode::kPow, {Strong(kI8), Strong(kI32)}, kI32, kI32},
      {Opcode::kPow, {Strong(kU64), Strong(kI64)}, kF64, kF64},
      {Opcode::kPow, {kWeakInt, kWeakInt}, kI64, kI64, true},
      {Opcode::kFma, {Strong(kF32), kWeakFloat, kWeakInt}, kF32, kF32},
      {Opcode::kFma, {Strong(kI16), Strong(kU16), Strong(kF32)}, kF32, kF32},
      {Opcode::kFma, {Strong(kF32), Strong(kI32), kWeakInt}, kF64, kF64},
      // Comparisons are exact between integers.
      {Opcode::kLess, {Strong(kU64), Strong(kI64)}, kI128, kBool},
      {Opcode::kEqual, {Strong(kU64), Strong(kI8)}, kI128, kBool},
      {Opcode::kLess, {Strong(kU32), Strong(kI8)}, kI64, kBool},
      {Opcode::kLess, {Strong(kU128), Strong(kU8)}, kU128, kBool},
      {Opcode::kLess, {Strong(kU128), kWeakInt}, kU128, kBool},
      {Opcode::kLess, {Strong(kU64), kWeakInt}, kU64, kBool},
      {Opcode::kLess, {Strong(kI64), Strong(kF32)}, kF64, kBool},
      {Opcode::kLess, {Strong(kF32), kWeakFloat}, kF32, kBool},
      {Opcode::kEqual, {Strong(kBool), Strong(kBool)}, kBool, kBool},
      {Opcode::kEqual, {kWeakInt, kWeakInt}, kI64, kBool},
      {Opcode::kAnd, {Strong(kBool), Strong(kBool)}, kBool, kBool},
      {Opcode::kIsFinite, {Strong(kF32)}, kF32, kBool},
      {Opcode::kIsNan, {Strong(kI8)}, kI8, kBool},
      // The condition of select takes no part.
      {Opcode::kSelect, {Strong(kBool), Strong(kF32), kWeakInt}, kF32, kF32},
      {Opcode::kSelect, {Strong(kBool), kWeakInt, kWeakInt}, kI64, kI64},
      {Opcode::kSelect,
       {Strong(kBool), Strong(kBool), Strong(kBool)},
       kBool,
       kBool},
      {Opcode::kSelect, {Strong(kBool), Strong(kBool), Strong(kU8)}, kU8, kU8},
  };
  for (const PromoteCase& c : cases) {
    SCOPED_TRACE(testing::Message()
                 << "row " << (&c - cases) << ", " << Info(c.op).name.data()
                 << Info(c.op).symbol.data());
    ASSERT_OK_AND_ASSIGN(const Promotion got, Promote(c.op, c.operands));
    EXPECT_EQ(got.operand_type, c.operand_type);
    EXPECT_EQ(got.result_type, c.result_type);
    EXPECT_EQ(got.result_weak, c.result_weak);
  }
}

TEST(PromotionTest, MeaninglessOperandsAreRefused) {
  struct Case {
    Opcode op;
    std::vector<ScalarOperand> operands;
    std::string message;
  };
  const Case cases[] = {
      {Opcode::kAdd,
       {Strong(kBool), Strong(kBool)},
       "+ takes numbers, got bool and bool"},
      {Opcode::kDiv, {Strong(kBool), Strong(kBool)}, "/ takes numbers"},
      {Opcode::kMin, {Strong(kBool), Strong(kBool)}, "min takes numbers"},
      {Opcode::kNeg, {Strong(kBool)}, "- takes numbers, got bool"},
      {Opcode::kAbs, {Strong(kBool)}, "abs takes numbers, got bool"},
      {Opcode::kSqrt, {Strong(kBool)}, "sqrt takes numbers, got bool"},
      {Opcode::kFma,
       {Strong(kF64), Strong(kBool), kWeakInt},
       "got f64, bool and i64"},
      {Opcode::kAnd,
       {Strong(kBool), Strong(kI8)},
       "and takes bools, got bool and i8"},
      {Opcode::kNot, {kWeakInt}, "not takes bools"},
      {Opcode::kIsNan, {Strong(kBool)}, "isnan takes a number"},
      {Opcode::kSelect,
       {Strong(kI8), kWeakInt, kWeakInt},
       "select takes a bool first"},
      {Opcode::kLess, {Strong(kU128), Strong(kI64)}, "u128"},
      {Opcode::kEqual, {Strong(kI8), Strong(kU128)}, "u128"},
  };
  for (const Case& c : cases) {
    EXPECT_THAT(Promote(c.op, c.operands),
                IsError(absl::StatusCode::kInvalidArgument, "TYPE_MISMATCH",
                        HasSubstr(c.message)));
  }
}

Literal Integer(Uint128 value) {
  Literal literal;
  literal.kind = Literal::Kind::kInteger;
  literal.integer = value;
  return literal;
}

Literal Real(double value) {
  Literal literal;
  literal.real = value;
  return literal;
}

TEST(PromotionTest, LiteralsFitTheirRangeOnly) {
  EXPECT_TRUE(LiteralFits(Integer(255), false, kU8));
  EXPECT_FALSE(LiteralFits(Integer(256), false, kU8));
  EXPECT_FALSE(LiteralFits(Integer(300), false, kU8));
  EXPECT_FALSE(LiteralFits(Integer(1), true, kU8));
  EXPECT_TRUE(LiteralFits(Integer(0), true, kU8));
  EXPECT_TRUE(LiteralFits(Integer(128), true, kI8));
  EXPECT_FALSE(LiteralFits(Integer(128), false, kI8));
  EXPECT_FALSE(LiteralFits(Integer(129), true, kI8));
  EXPECT_TRUE(LiteralFits(Integer(~Uint128{0}), false, kU128));
  EXPECT_FALSE(LiteralFits(Integer(~Uint128{0}), false, kI128));
  EXPECT_TRUE(LiteralFits(Integer(Uint128{1} << 127), true, kI128));
  EXPECT_TRUE(LiteralFits(Integer(~Uint128{0}), false, kF64));
  EXPECT_FALSE(LiteralFits(Integer(~Uint128{0}), false, kF32));
  EXPECT_FALSE(LiteralFits(Integer(1), false, kBool));
  EXPECT_FALSE(LiteralFits(Real(1.0), false, kI64));
  EXPECT_TRUE(LiteralFits(Real(1e300), false, kF64));
  EXPECT_FALSE(LiteralFits(Real(1e300), true, kF32));
  EXPECT_TRUE(
      LiteralFits(Real(std::numeric_limits<double>::infinity()), false, kF32));
  Literal truth;
  truth.kind = Literal::Kind::kBool;
  EXPECT_TRUE(LiteralFits(truth, false, kBool));
  EXPECT_FALSE(LiteralFits(truth, false, kI64));
}

TEST(PromotionTest, StoresThatLoseMeaningNeedAConversion) {
  EXPECT_TRUE(CanStore(kF64, kF32));
  EXPECT_TRUE(CanStore(kI64, kF32));
  EXPECT_TRUE(CanStore(kI64, kU8));
  EXPECT_TRUE(CanStore(kBool, kI8));
  EXPECT_TRUE(CanStore(kBool, kF64));
  EXPECT_TRUE(CanStore(kBool, kBool));
  EXPECT_FALSE(CanStore(kF32, kI64));
  EXPECT_FALSE(CanStore(kF64, kBool));
  EXPECT_FALSE(CanStore(kI8, kBool));
}

TEST(PromotionTest, SumsWiden) {
  EXPECT_EQ(SumType(kBool), kI64);
  EXPECT_EQ(SumType(kI8), kI64);
  EXPECT_EQ(SumType(kI128), kI128);
  EXPECT_EQ(SumType(kU32), kU64);
  EXPECT_EQ(SumType(kU128), kU128);
  EXPECT_EQ(SumType(kF32), kF32);
}

TEST(PromotionTest, ReductionsAndFoldsHaveTheirTypes) {
  EXPECT_EQ(ReductionType(Reduction::kSum, kI8, std::nullopt), kI64);
  EXPECT_EQ(ReductionType(Reduction::kSum, kU8, kF32), kF32);
  EXPECT_EQ(ReductionType(Reduction::kSum, kBool, kU8), kU64);
  EXPECT_EQ(ReductionType(Reduction::kMin, kI8, std::nullopt), kI8);
  EXPECT_EQ(ReductionType(Reduction::kCount, kBool, std::nullopt), kI64);
  EXPECT_EQ(ReductionType(Reduction::kAny, kBool, std::nullopt), kBool);
  EXPECT_EQ(ReductionType(Reduction::kMean, kI8, std::nullopt), kF64);
  EXPECT_EQ(ReductionType(Reduction::kMean, kF32, std::nullopt), kF32);
  EXPECT_EQ(ReductionType(Reduction::kMean, kF32, kF64), kF64);
  EXPECT_EQ(ReductionType(Reduction::kMean, kF32, kI64), kF64);
  EXPECT_EQ(FoldType(Opcode::kAdd, kI8), kI64);
  EXPECT_EQ(FoldType(Opcode::kMul, kF32), kF32);
  EXPECT_EQ(FoldType(Opcode::kMax, kI8), kI8);
  EXPECT_EQ(FoldType(Opcode::kOr, kBool), kBool);
}

}  // namespace
}  // namespace layoutd
