#include "engine/program/elementary.h"

#include <cmath>
#include <limits>

#include "engine/program/scalar.h"
#include "gtest/gtest.h"

namespace layoutd {
namespace {

double Exp64(double x) {
  const Scalar scalar = Scalar::F64(x);
  return Apply(Opcode::kExp, {&scalar, 1}).As<double>();
}

float Exp32(float x) {
  const Scalar scalar = Scalar::Of(ScalarType::kF32, x);
  return Apply(Opcode::kExp, {&scalar, 1}).As<float>();
}

double Log64(double x) {
  const Scalar scalar = Scalar::F64(x);
  return Apply(Opcode::kLog, {&scalar, 1}).As<double>();
}

// Accuracy over the whole range: tests/conformance/accuracy_test.cc.

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

TEST(ElementaryTest, LogOfSpecialsIsExact) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(SameBits(Scalar::F64(Log64(1.0)), Scalar::F64(0.0)));
  EXPECT_EQ(Log64(0.0), -inf);
  EXPECT_EQ(Log64(-0.0), -inf);
  EXPECT_EQ(Log64(inf), inf);
  EXPECT_TRUE(std::isnan(Log64(-inf)));
  EXPECT_TRUE(std::isnan(Log64(-5e-324)));
  EXPECT_TRUE(std::isnan(Log64(std::numeric_limits<double>::quiet_NaN())));
}

// Annex F.10.4.4 of C99, line by line, and its consequences.
TEST(ElementaryTest, PowOfSpecialsIsThatOfC) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const struct {
    double x, y, want;
  } cases[] = {
      {0.0, -3, kInf},
      {-0.0, -3, -kInf},
      {0.0, -2, kInf},
      {-0.0, -2, kInf},
      {0.0, -0.5, kInf},
      {-0.0, -0.5, kInf},
      {0.0, -kInf, kInf},
      {-0.0, -kInf, kInf},
      {0.0, 3, 0.0},
      {-0.0, 3, -0.0},
      {0.0, 2, 0.0},
      {-0.0, 2, 0.0},
      {-0.0, 0.5, 0.0},
      {-1, kInf, 1},
      {-1, -kInf, 1},
      {1, kNan, 1},
      {1, -kInf, 1},
      {kNan, 0.0, 1},
      {kNan, -0.0, 1},
      {kInf, 0.0, 1},
      {-2, 0.0, 1},
      {-2, 0.5, kNan},
      {-1, 0.5, kNan},
      {-5e-324, -1.5, kNan},
      {0.5, -kInf, kInf},
      {-0.5, -kInf, kInf},
      {2, -kInf, 0.0},
      {-2, -kInf, 0.0},
      {0.5, kInf, 0.0},
      {-0.5, kInf, 0.0},
      {2, kInf, kInf},
      {-2, kInf, kInf},
      {-kInf, -3, -0.0},
      {-kInf, -2, 0.0},
      {-kInf, -0.5, 0.0},
      {-kInf, 3, -kInf},
      {-kInf, 2, kInf},
      {-kInf, 0.5, kInf},
      {kInf, -1, 0.0},
      {kInf, 1, kInf},
      {-kInf, kInf, kInf},
      {-kInf, -kInf, 0.0},
      {kNan, 1, kNan},
      {2, kNan, kNan},
      {-1, kNan, kNan},
      {0.0, kNan, kNan},
      {kNan, kNan, kNan},
      {-2, 3, -8},
      {-2, 1025, -kInf},
      {-2, -1075, -0.0},
      {-2, -1074, 5e-324},
      {5e-324, 1, 5e-324},
      {5e-324, -1, kInf},
      {0x1p-1022, -1, 0x1p1022},
      {-1, 0x1p53 - 1, -1},
      {-1, 0x1p53, 1},
      {-1, 0x1p1023, 1},
      {-1, 0x1p52 + 1, -1},
      {-1, 0x1p51 + 0.5, kNan},
      {1 + 0x1p-52, 1e308, kInf},
      {1 - 0x1p-53, 1e308, 0.0},
      {-3, 1e300, kInf},
      {5e-324, 1e-320, 1},
  };
  for (const auto& c : cases) {
    const Scalar operands[] = {Scalar::F64(c.x), Scalar::F64(c.y)};
    const double got = Apply(Opcode::kPow, operands).As<double>();
    EXPECT_TRUE(SameBits(Scalar::F64(got), Scalar::F64(c.want)))
        << c.x << " ** " << c.y << " is " << got << ", not " << c.want;
  }
}

TEST(ElementaryTest, LogAndPowKeepTheirBits) {
  const auto pow = [](double x, double y) {
    const Scalar operands[] = {Scalar::F64(x), Scalar::F64(y)};
    return Apply(Opcode::kPow, operands).As<double>();
  };
  EXPECT_EQ(Log64(10.0), 0x1.26bb1bbb55516p+1);
  EXPECT_EQ(Log64(0.7), -0x1.6d3c324e13f50p-2);
  EXPECT_EQ(pow(10.0, 0.3), 0x1.fec982d5bb8afp+0);
  EXPECT_EQ(pow(0.7, -50.0), 0x1.a8378d9bb2889p+25);
}

}  // namespace
}  // namespace layoutd
