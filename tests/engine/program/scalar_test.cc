#include "engine/program/scalar.h"

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <vector>

#include "gtest/gtest.h"

namespace layoutd {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr int64_t kMinI64 = std::numeric_limits<int64_t>::min();
constexpr int64_t kMaxI64 = std::numeric_limits<int64_t>::max();

Scalar F32(float x) { return Scalar::Of(ScalarType::kF32, x); }
Scalar F64(double x) { return Scalar::F64(x); }
Scalar I64(int64_t x) { return Scalar::I64(x); }
// Any integer type from a small value.
Scalar Int(ScalarType type, int64_t x) { return Convert(I64(x), type); }

Scalar Call(Opcode op, std::initializer_list<Scalar> operands) {
  return Apply(op, std::vector<Scalar>(operands));
}

constexpr ScalarType kIntegerTypes[] = {
    ScalarType::kI8,   ScalarType::kI16, ScalarType::kI32, ScalarType::kI64,
    ScalarType::kI128, ScalarType::kU8,  ScalarType::kU16, ScalarType::kU32,
    ScalarType::kU64,  ScalarType::kU128};

Scalar Lowest(ScalarType type) {
  if (IsUnsignedInteger(type)) return Int(type, 0);
  const Int128 value = -(Int128{1} << (8 * SizeBytes(type) - 2)) * 2;
  return Convert(Scalar::Of(ScalarType::kI128, value), type);
}

Scalar Highest(ScalarType type) {
  return Call(Opcode::kSub, {Lowest(type), Int(type, 1)});  // wraps
}

TEST(ScalarTest, SameBitsTakesAnyNanForAnyNanAndTellsZerosApart) {
  EXPECT_TRUE(SameBits(F64(kNan), F64(-kNan)));
  EXPECT_TRUE(SameBits(F32(NAN), F32(-NAN)));
  EXPECT_FALSE(SameBits(F64(0.0), F64(-0.0)));
  EXPECT_FALSE(SameBits(F64(kNan), F64(1.0)));
  EXPECT_FALSE(SameBits(F64(0.0), I64(0)));
  EXPECT_TRUE(SameBits(I64(7), I64(7)));
}

TEST(ScalarTest, IntegersWrapInEveryType) {
  for (const ScalarType type : kIntegerTypes) {
    SCOPED_TRACE(Name(type).data());
    const Scalar low = Lowest(type);
    const Scalar high = Highest(type);
    const Scalar one = Int(type, 1);
    EXPECT_TRUE(Call(Opcode::kLess, {low, high}).IsTrue());
    EXPECT_TRUE(SameBits(Call(Opcode::kAdd, {high, one}), low));
    EXPECT_TRUE(SameBits(Call(Opcode::kSub, {low, one}), high));
    EXPECT_TRUE(SameBits(Call(Opcode::kMul, {high, high}), one));
    EXPECT_TRUE(SameBits(Call(Opcode::kNeg, {low}), low));
    EXPECT_TRUE(SameBits(Call(Opcode::kAbs, {low}), low));
  }
}

TEST(ScalarTest, ProductsWrap) {
  EXPECT_EQ(Call(Opcode::kMul,
                 {Int(ScalarType::kU16, 65535), Int(ScalarType::kU16, 65535)})
                .As<uint16_t>(),
            1);
  EXPECT_EQ(
      Call(Opcode::kMul, {Int(ScalarType::kI8, 100), Int(ScalarType::kI8, 3)})
          .As<int8_t>(),
      44);
  EXPECT_EQ(Call(Opcode::kMul, {I64(kMaxI64), I64(2)}).As<int64_t>(), -2);
  EXPECT_EQ(Call(Opcode::kMul, {I64(-3), I64(5)}).As<int64_t>(), -15);
}

TEST(ScalarTest, IntegerPowersAreRepeatedProducts) {
  for (const ScalarType type : kIntegerTypes) {
    SCOPED_TRACE(Name(type).data());
    for (const int64_t base : {0, 1, 2, 3, 7, 10, 100, -1, -2, -7}) {
      const Scalar factor = Int(type, base);
      Scalar want = Int(type, 1);
      for (int64_t exponent = 0; exponent < 120; ++exponent) {
        EXPECT_TRUE(
            SameBits(Call(Opcode::kPow, {factor, Int(type, exponent)}), want))
            << base << " ** " << exponent;
        want = Call(Opcode::kMul, {want, factor});
      }
    }
  }
  EXPECT_EQ(Call(Opcode::kPow, {I64(3), I64(kMaxI64)}).As<int64_t>(),
            -6148914691236517205);  // the inverse of 3 modulo 2^64
  EXPECT_EQ(
      Call(Opcode::kPow, {Int(ScalarType::kU8, 3), Int(ScalarType::kU8, 255)})
          .As<uint8_t>(),
      171);
}

TEST(ScalarTest, ANegativePowerOfAnIntegerIsZeroButOfOneAndMinusOne) {
  const struct {
    int64_t base, exponent, want;
  } cases[] = {{2, -1, 0},  {0, -1, 0},      {-2, -3, 0},
               {1, -1, 1},  {1, -2, 1},      {-1, -1, -1},
               {-1, -2, 1}, {7, kMinI64, 0}, {-1, kMinI64, 1}};
  for (const auto& c : cases) {
    EXPECT_EQ(Call(Opcode::kPow, {I64(c.base), I64(c.exponent)}).As<int64_t>(),
              c.want)
        << c.base << " ** " << c.exponent;
  }
}

TEST(ScalarTest, UnsignedNegationWraps) {
  EXPECT_EQ(Call(Opcode::kNeg, {Int(ScalarType::kU8, 1)}).As<uint8_t>(), 255);
  EXPECT_EQ(Call(Opcode::kAbs, {Int(ScalarType::kU8, 255)}).As<uint8_t>(), 255);
  EXPECT_EQ(Call(Opcode::kAbs, {I64(-5)}).As<int64_t>(), 5);
}

TEST(ScalarTest, MinAndMaxPropagateNanAndOrderZeros) {
  for (const auto& [a, b] : {std::pair(kNan, 2.0), std::pair(2.0, kNan)}) {
    EXPECT_TRUE(std::isnan(Call(Opcode::kMin, {F64(a), F64(b)}).As<double>()));
    EXPECT_TRUE(std::isnan(Call(Opcode::kMax, {F64(a), F64(b)}).As<double>()));
  }
  for (const auto& [a, b] : {std::pair(0.0, -0.0), std::pair(-0.0, 0.0)}) {
    EXPECT_TRUE(SameBits(Call(Opcode::kMin, {F64(a), F64(b)}), F64(-0.0)));
    EXPECT_TRUE(SameBits(Call(Opcode::kMax, {F64(a), F64(b)}), F64(0.0)));
  }
  EXPECT_TRUE(
      SameBits(Call(Opcode::kMin, {F32(1), F32(-kInf)}), F32(-INFINITY)));
  EXPECT_EQ(
      Call(Opcode::kMin, {Int(ScalarType::kU8, 200), Int(ScalarType::kU8, 3)})
          .As<uint8_t>(),
      3);
  EXPECT_EQ(Call(Opcode::kMax, {I64(-200), I64(3)}).As<int64_t>(), 3);
}

TEST(ScalarTest, DivisionFollowsIeee) {
  EXPECT_EQ(Call(Opcode::kDiv, {F64(1.0), F64(-0.0)}).As<double>(), -kInf);
  EXPECT_TRUE(
      std::isnan(Call(Opcode::kDiv, {F64(0.0), F64(0.0)}).As<double>()));
  EXPECT_EQ(Call(Opcode::kDiv, {F64(-7), F64(2)}).As<double>(), -3.5);
  EXPECT_EQ(Call(Opcode::kDiv, {F32(1), F32(3)}).As<float>(), 1.0f / 3.0f);
}

TEST(ScalarTest, SubnormalsAreKept) {
  const double tiny = 5e-324;
  EXPECT_EQ(Call(Opcode::kAdd, {F64(tiny), F64(tiny)}).As<double>(), 1e-323);
  EXPECT_EQ(Call(Opcode::kMul, {F64(0x1p-1022), F64(0.5)}).As<double>(),
            0x1p-1023);
}

TEST(ScalarTest, FmaRoundsOnce) {
  const double a = 1.0 + 0x1p-30;
  const double product = a * a;  // drops 2^-60
  EXPECT_EQ(Call(Opcode::kFma, {F64(a), F64(a), F64(-product)}).As<double>(),
            0x1p-60);
  const float b = 1.0f + 0x1p-12f;
  EXPECT_EQ(Call(Opcode::kFma, {F32(b), F32(b), F32(-(b * b))}).As<float>(),
            0x1p-24f);
}

TEST(ScalarTest, ProductAndSumAreNotContracted) {
  const double a = 1.0 + 0x1p-30;
  const Scalar product = Call(Opcode::kMul, {F64(a), F64(a)});
  EXPECT_EQ(Call(Opcode::kSub, {product, F64(a * a)}).As<double>(), 0.0);
}

TEST(ScalarTest, SqrtAndAbsHandleSpecials) {
  EXPECT_TRUE(std::isnan(Call(Opcode::kSqrt, {F64(-1)}).As<double>()));
  EXPECT_TRUE(SameBits(Call(Opcode::kSqrt, {F64(-0.0)}), F64(-0.0)));
  EXPECT_EQ(Call(Opcode::kSqrt, {F32(2)}).As<float>(), 0x1.6a09e6p0f);
  EXPECT_TRUE(SameBits(Call(Opcode::kAbs, {F64(-0.0)}), F64(0.0)));
  EXPECT_TRUE(SameBits(Call(Opcode::kNeg, {F64(0.0)}), F64(-0.0)));
}

TEST(ScalarTest, ComparisonsWithNanAreFalseButNotEqual) {
  const Scalar nan = F64(kNan);
  EXPECT_FALSE(Call(Opcode::kEqual, {nan, nan}).IsTrue());
  EXPECT_TRUE(Call(Opcode::kNotEqual, {nan, nan}).IsTrue());
  EXPECT_FALSE(Call(Opcode::kLess, {nan, F64(1)}).IsTrue());
  EXPECT_FALSE(Call(Opcode::kLessEqual, {nan, F64(1)}).IsTrue());
  EXPECT_FALSE(Call(Opcode::kGreater, {nan, F64(1)}).IsTrue());
  EXPECT_FALSE(Call(Opcode::kGreaterEqual, {nan, F64(1)}).IsTrue());
  EXPECT_TRUE(Call(Opcode::kEqual, {F64(0.0), F64(-0.0)}).IsTrue());
}

TEST(ScalarTest, IntegerComparisonsRespectTheSign) {
  EXPECT_TRUE(Call(Opcode::kLess, {I64(-1), I64(1)}).IsTrue());
  EXPECT_TRUE(Call(Opcode::kGreater,
                   {Int(ScalarType::kU64, -1), Int(ScalarType::kU64, 1)})
                  .IsTrue());
  EXPECT_TRUE(Call(Opcode::kGreaterEqual,
                   {Int(ScalarType::kU128, -1), Int(ScalarType::kU128, 1)})
                  .IsTrue());
  EXPECT_TRUE(
      Call(Opcode::kLess, {Scalar::Bool(false), Scalar::Bool(true)}).IsTrue());
}

TEST(ScalarTest, LogicAndSelect) {
  const Scalar yes = Scalar::Bool(true);
  const Scalar no = Scalar::Bool(false);
  EXPECT_FALSE(Call(Opcode::kAnd, {yes, no}).IsTrue());
  EXPECT_TRUE(Call(Opcode::kOr, {yes, no}).IsTrue());
  EXPECT_TRUE(Call(Opcode::kNot, {no}).IsTrue());
  EXPECT_EQ(Call(Opcode::kSelect, {yes, I64(1), I64(2)}).As<int64_t>(), 1);
  EXPECT_EQ(Call(Opcode::kSelect, {no, I64(1), I64(2)}).As<int64_t>(), 2);
  EXPECT_TRUE(SameBits(Call(Opcode::kMin, {yes, no}), no));
  EXPECT_TRUE(SameBits(Call(Opcode::kMax, {yes, no}), yes));
}

TEST(ScalarTest, FloatTests) {
  EXPECT_TRUE(Call(Opcode::kIsNan, {F32(NAN)}).IsTrue());
  EXPECT_FALSE(Call(Opcode::kIsNan, {F64(kInf)}).IsTrue());
  EXPECT_FALSE(Call(Opcode::kIsFinite, {F64(-kInf)}).IsTrue());
  EXPECT_FALSE(Call(Opcode::kIsFinite, {F64(kNan)}).IsTrue());
  EXPECT_TRUE(Call(Opcode::kIsFinite, {I64(kMaxI64)}).IsTrue());
  EXPECT_FALSE(Call(Opcode::kIsNan, {I64(1)}).IsTrue());
}

TEST(ConvertTest, FloatToIntegerTruncatesSaturatesAndMapsNanToZero) {
  struct Case {
    double from;
    ScalarType to;
    int64_t want;
  };
  const Case cases[] = {
      {2.9, ScalarType::kI32, 2},
      {-2.9, ScalarType::kI32, -2},
      {127.9, ScalarType::kI8, 127},
      {128.0, ScalarType::kI8, 127},
      {-128.9, ScalarType::kI8, -128},
      {-1e300, ScalarType::kI8, -128},
      {1e300, ScalarType::kI64, kMaxI64},
      {-kInf, ScalarType::kI64, kMinI64},
      {0x1p63, ScalarType::kI64, kMaxI64},
      {-0x1p63, ScalarType::kI64, kMinI64},
      {9223372036854774784.0, ScalarType::kI64, 9223372036854774784},
      {-0.9, ScalarType::kU8, 0},
      {-5.0, ScalarType::kU8, 0},
      {255.9, ScalarType::kU8, 255},
      {256.0, ScalarType::kU8, 255},
      {kInf, ScalarType::kU32, 4294967295},
      {kNan, ScalarType::kI16, 0},
      {kNan, ScalarType::kU64, 0},
      {0.5, ScalarType::kBool, 1},
      {-0.0, ScalarType::kBool, 0},
      {kNan, ScalarType::kBool, 1},
  };
  for (const Case& c : cases) {
    EXPECT_TRUE(SameBits(Convert(F64(c.from), c.to), Int(c.to, c.want)))
        << c.from << " to " << Name(c.to).data();
  }
}

TEST(ConvertTest, WideIntegersSaturate) {
  const Uint128 ones = ~Uint128{0};
  EXPECT_TRUE(Convert(F64(1e300), ScalarType::kU128).As<Uint128>() == ones);
  EXPECT_TRUE(Convert(F64(1e300), ScalarType::kI128).As<Uint128>() ==
              ones >> 1);
  EXPECT_TRUE(Convert(F64(-1e300), ScalarType::kI128).As<Uint128>() ==
              Uint128{1} << 127);
  EXPECT_TRUE(Convert(F64(0x1p64), ScalarType::kU64).As<uint64_t>() ==
              std::numeric_limits<uint64_t>::max());
  EXPECT_TRUE(Convert(F64(0x1p100), ScalarType::kI128).As<Int128>() ==
              Int128{1} << 100);
}

TEST(ConvertTest, IntegersWrapAndExtendBySign) {
  EXPECT_EQ(Convert(I64(300), ScalarType::kU8).As<uint8_t>(), 44);
  EXPECT_EQ(Convert(I64(-1), ScalarType::kU16).As<uint16_t>(), 65535);
  EXPECT_EQ(Convert(Int(ScalarType::kI8, -1), ScalarType::kI64).As<int64_t>(),
            -1);
  EXPECT_EQ(Convert(Int(ScalarType::kU8, 255), ScalarType::kI64).As<int64_t>(),
            255);
  EXPECT_TRUE(Convert(I64(-1), ScalarType::kU128).As<Uint128>() == ~Uint128{0});
}

TEST(ConvertTest, IntegerToFloatRoundsOnceToNearestEven) {
  EXPECT_EQ(Convert(I64(16777217), ScalarType::kF32).As<float>(), 16777216.0f);
  EXPECT_EQ(Convert(I64(9007199254740993), ScalarType::kF64).As<double>(),
            9007199254740992.0);
  // Through f64 this would round twice, down to 2^54.
  const int64_t tie = (int64_t{1} << 54) + (int64_t{1} << 30) + 1;
  EXPECT_EQ(Convert(I64(tie), ScalarType::kF32).As<float>(), 0x1p54f + 0x1p31f);
  EXPECT_EQ(Convert(Int(ScalarType::kU64, -1), ScalarType::kF64).As<double>(),
            0x1p64);
  EXPECT_EQ(Convert(Int(ScalarType::kU128, -1), ScalarType::kF64).As<double>(),
            0x1p128);
  EXPECT_EQ(Convert(Lowest(ScalarType::kI128), ScalarType::kF64).As<double>(),
            -0x1p127);
  EXPECT_EQ(Convert(Scalar::Bool(true), ScalarType::kF32).As<float>(), 1.0f);
}

TEST(ConvertTest, BetweenFloatsRoundsAndOverflowsToInfinity) {
  EXPECT_EQ(Convert(F64(0.1), ScalarType::kF32).As<float>(), 0.1f);
  EXPECT_EQ(Convert(F64(1e300), ScalarType::kF32).As<float>(), INFINITY);
  EXPECT_EQ(Convert(F32(0.1f), ScalarType::kF64).As<double>(),
            static_cast<double>(0.1f));
  EXPECT_TRUE(std::isnan(Convert(F64(kNan), ScalarType::kF32).As<float>()));
}

}  // namespace
}  // namespace layoutd
