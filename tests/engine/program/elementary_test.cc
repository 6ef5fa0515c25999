#include "engine/program/elementary.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "engine/program/scalar.h"
#include "gtest/gtest.h"

namespace layoutd {
namespace {

// The reference is expl, whose 64-bit significand leaves an error of about
// 2^-11 ULP of f64.
constexpr double kSlack = 0x1p-10;

double Exp64(double x) {
  const Scalar scalar = Scalar::F64(x);
  return Apply(Opcode::kExp, {&scalar, 1}).As<double>();
}

float Exp32(float x) {
  const Scalar scalar = Scalar::Of(ScalarType::kF32, x);
  return Apply(Opcode::kExp, {&scalar, 1}).As<float>();
}

// Returns the error of `got` in units of the last place of a type with
// `digits` significand bits and least exponent `min_exponent`.
double UlpError(long double got, long double want, int digits,
                int min_exponent) {
  const int exponent = std::max(std::ilogb(want), min_exponent);
  const long double ulp = std::ldexp(1.0L, exponent - digits + 1);
  return static_cast<double>(std::fabs(got - want) / ulp);
}

TEST(ElementaryTest, ExpIsWithinOneUlpOverTheWholeRange) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> full(-745.0, 709.7);
  std::uniform_real_distribution<double> subnormal(-745.1, -708.4);
  std::uniform_real_distribution<double> small(-2.0, 2.0);
  double worst = 0;
  double worst_at = 0;
  for (int k = 0; k < 1000000; ++k) {
    const double x = k % 4 == 0   ? subnormal(random)
                     : k % 4 == 1 ? small(random)
                     : k % 4 == 2 ? std::ldexp(small(random), -(k % 60))
                                  : full(random);
    const double error =
        UlpError(Exp64(x), std::exp(static_cast<long double>(x)), 53, -1022);
    if (error > worst) {
      worst = error;
      worst_at = x;
    }
  }
  EXPECT_LE(worst, 1.0 - kSlack) << "at " << worst_at;
}

TEST(ElementaryTest, ExpOfFloatIsWithinOneUlpOverTheWholeRange) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<float> full(-103.9f, 88.7f);
  double worst = 0;
  for (int k = 0; k < 1000000; ++k) {
    const float x = full(random);
    const double error =
        UlpError(Exp32(x), std::exp(static_cast<long double>(x)), 24, -126);
    worst = std::max(worst, error);
  }
  EXPECT_LE(worst, 1.0 - kSlack);
}

TEST(ElementaryTest, ExpOfSpecialsIsExact) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(SameBits(Scalar::F64(Exp64(0.0)), Scalar::F64(1.0)));
  EXPECT_EQ(Exp64(-0.0), 1.0);
  EXPECT_EQ(Exp64(inf), inf);
  EXPECT_TRUE(SameBits(Scalar::F64(Exp64(-inf)), Scalar::F64(0.0)));
  EXPECT_TRUE(std::isnan(Exp64(std::numeric_limits<double>::quiet_NaN())));
  EXPECT_EQ(Exp32(INFINITY), INFINITY);
  EXPECT_EQ(Exp32(-INFINITY), 0.0f);
  EXPECT_TRUE(std::isnan(Exp32(NAN)));
}

TEST(ElementaryTest, ExpOverflowsAndUnderflowsAtTheRightArguments) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_LT(Exp64(0x1.62e42fefa39efp9), inf);  // ln of the largest double
  EXPECT_EQ(Exp64(0x1.62e42fefa39f0p9), inf);
  EXPECT_EQ(Exp64(1e308), inf);
  EXPECT_EQ(Exp64(-745.13321910194110), 5e-324);
  EXPECT_EQ(Exp64(-745.13321910194122), 0.0);
  EXPECT_EQ(Exp64(-1e308), 0.0);
  EXPECT_LT(Exp32(88.72283f), INFINITY);
  EXPECT_EQ(Exp32(88.72284f), INFINITY);
  EXPECT_EQ(Exp32(-103.97207f), 0x1p-149f);
  EXPECT_EQ(Exp32(-103.98f), 0.0f);
}

TEST(ElementaryTest, ExpOfTinyArgumentsIsOne) {
  for (const double x : {5e-324, -5e-324, 0x1p-60, -0x1p-60, 1e-300}) {
    EXPECT_EQ(Exp64(x), 1.0) << x;
  }
}

TEST(ElementaryTest, ExpKeepsItsBits) {
  // Pinned: these change only with the coefficients or the order of operations.
  EXPECT_EQ(Exp64(1.0), 0x1.5bf0a8b145769p+1);
  EXPECT_EQ(Exp64(-1.0), 0x1.78b56362cef38p-2);
  EXPECT_EQ(Exp64(10.0), 0x1.5829dcf950560p+14);
}

}  // namespace
}  // namespace layoutd
