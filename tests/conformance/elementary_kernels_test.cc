// What the kernels of exp, log and pow do beside the floats of accuracy_test:
// powers of integers, and functions that are called instead of written out.

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/support/random_scalar.h"
#include "tests/support/runtime_world.h"
#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

// Powers of integers have a loop of their own in a kernel.
TEST(ElementaryKernelsTest, IntegerPowersOfKernelsAreThoseOfTheEvaluator) {
  constexpr Shape kSmall{{23, 1, 1, 41}};
  const size_t num_points = static_cast<size_t>(kSmall.num_points());
  for (const char* name :
       {"i8", "i16", "i32", "i64", "i128", "u8", "u16", "u32", "u64", "u128"}) {
    const ScalarType type = ParseScalarType(name).value();
    std::mt19937_64 random(3);
    std::vector<Scalar> x, y, want;
    for (size_t k = 0; k < num_points; ++k) {
      const auto wide =
          static_cast<Int128>(static_cast<Uint128>(random()) << 64 | random());
      const auto small = static_cast<int64_t>(random() % 7) - 3;
      x.push_back(k % 2 == 0
                      ? Convert(Scalar::I64(small), type)
                      : Convert(Scalar::Of(ScalarType::kI128, wide), type));
      y.push_back(
          k % 3 == 0
              ? Convert(Scalar::Of(ScalarType::kI128, wide >> 9), type)
              : Convert(Scalar::I64(static_cast<int64_t>(random() % 140) - 10),
                        type));
      want.push_back(Apply(Opcode::kPow, {x.back(), y.back()}));
    }
    const DataLayout layout =
        DataLayout::Create({LayoutKind::kVIJFH, kSmall, type}).value();
    for (const int bits : {128, 256}) {
      WorldOptions options;
      options.vector_bits = bits;
      ASSERT_OK_AND_ASSIGN(const auto world, RuntimeWorld::Open(options));
      ASSERT_OK(world->AddField("x", layout, x));
      ASSERT_OK(world->AddField("y", layout, y));
      ASSERT_OK(world->Run("new r = x ** y"));
      ASSERT_OK_AND_ASSIGN(const OracleField got, world->ReadField("r"));
      for (size_t k = 0; k < num_points; ++k) {
        ASSERT_TRUE(SameBits(got.leaves[k], want[k]))
            << name << ", point " << k << ", " << bits << " bits";
      }
    }
  }
}

// More uses than are written out: the kernel calls one copy of each function.
TEST(ElementaryKernelsTest, SharedFunctionsGiveTheSameBits) {
  constexpr Shape kSmall{{61, 1, 1, 3}};
  const DataLayout layout =
      DataLayout::Create({LayoutKind::kVIJFH, kSmall, ScalarType::kF64})
          .value();
  std::mt19937_64 random(5);
  std::vector<Scalar> x;
  for (int64_t k = 0; k < kSmall.num_points(); ++k) {
    x.push_back(RandomScalar(random, ScalarType::kF64, 20));
  }
  std::string shared;
  for (int k = 0; k < 30; ++k) {
    absl::StrAppend(&shared, k == 0 ? "" : " + ", "exp(x - ", k, ") + log(x + ",
                    k, ") + x ** ", k, ".0 + f32(x) ** ", k,
                    ".5 + exp(f32(x + ", k, "))");
  }
  ASSERT_OK_AND_ASSIGN(const auto world, RuntimeWorld::Open({}));
  ASSERT_OK(world->AddField("x", layout, x));
  ASSERT_OK(world->Run(absl::StrCat("new r = ", shared)));
  ASSERT_OK_AND_ASSIGN(const OracleField got, world->ReadField("r"));
  for (size_t p = 0; p < x.size(); ++p) {
    const auto call = [](Opcode op, std::vector<Scalar> operands) {
      return Apply(op, operands);
    };
    const Scalar single = Convert(x[p], ScalarType::kF32);
    const auto f64 = [](const Scalar& s) {
      return Convert(s, ScalarType::kF64);
    };
    Scalar sum = Scalar::F64(-0.0);
    for (int k = 0; k < 30; ++k) {
      const Scalar number = Scalar::F64(k);
      const Scalar above = call(Opcode::kAdd, {x[p], number});
      for (const Scalar& term :
           {call(Opcode::kExp, {call(Opcode::kSub, {x[p], number})}),
            call(Opcode::kLog, {above}), call(Opcode::kPow, {x[p], number}),
            f64(call(Opcode::kPow,
                     {single, Scalar::Of(ScalarType::kF32,
                                         static_cast<float>(k) + 0.5F)})),
            f64(call(Opcode::kExp, {Convert(above, ScalarType::kF32)}))}) {
        sum = call(Opcode::kAdd, {sum, term});
      }
    }
    ASSERT_TRUE(SameBits(got.leaves[p], sum)) << "point " << p;
  }
}

}  // namespace
}  // namespace layoutd
