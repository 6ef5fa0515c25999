// Conversions between all pairs of scalar types, at every vector width.

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/support/compare_with_oracle.h"
#include "tests/support/random_scalar.h"

namespace layoutd {
namespace {

// What is awkward in one type, converted to `type`: the extremes of integers
// and their neighbours as floats, halves of the last place, NaN, infinities.
std::vector<Scalar> AwkwardValues(ScalarType type) {
  std::vector<Scalar> values;
  for (double x : {0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 1.5, 255.5, -128.5}) {
    values.push_back(Convert(Scalar::F64(x), type));
  }
  for (int bits = 7; bits <= 128; ++bits) {
    const double power = std::ldexp(1.0, bits);
    for (double x : {power, std::nextafter(power, 0.0), power * (1 + 0x1p-24),
                     power * (1 + 0x1p-23), std::nextafter(power, HUGE_VAL)}) {
      values.push_back(Convert(Scalar::F64(x), type));
      values.push_back(Convert(Scalar::F64(-x), type));
    }
    const Uint128 top = bits < 128 ? Uint128{1} << bits : Uint128{0};
    for (Uint128 x : {top - 1, top, top + 1, top + (top >> 24),
                      top + (top >> 24) + 1, top + (top >> 53) - 1}) {
      values.push_back(Convert(Scalar::Of(ScalarType::kU128, x), type));
      values.push_back(Convert(Scalar::Of(ScalarType::kI128, -x), type));
    }
  }
  for (double x : {HUGE_VAL, -HUGE_VAL, std::nan(""), 1e-320, 1e308}) {
    values.push_back(Convert(Scalar::F64(x), type));
  }
  std::mt19937_64 random(1);
  for (int k = 0; k < 200; ++k) {
    values.push_back(RandomScalar(random, type, /*special_percent=*/80));
  }
  return values;
}

class ConversionTest : public testing::TestWithParam<int> {};

TEST_P(ConversionTest, EveryTypeConvertsToEveryOther) {
  for (int from = 0; from < kNumScalarTypes; ++from) {
    const auto type = static_cast<ScalarType>(from);
    // A loop with 128-bit integers has one lane: they get their own.
    for (bool is_wide : {false, true}) {
      ProgramCase program;
      CaseField x{"x", type, {}, LayoutKind::kVIJFH, std::nullopt, {}};
      x.leaves = AwkwardValues(type);
      x.shape.extents[3] = static_cast<int64_t>(x.leaves.size());
      program.fields.push_back(x);
      for (int to = 0; to < kNumScalarTypes; ++to) {
        const auto target = static_cast<ScalarType>(to);
        if ((SizeBytes(target) == 16) != is_wide) continue;
        const std::string name(Name(target));
        absl::StrAppend(&program.text, "new y_", name, " = ", name, "(x)\n");
      }
      SCOPED_TRACE(program.text);
      ExpectSameAsOracle(program, {1, GetParam()});
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Widths, ConversionTest,
                         testing::Values(128, 256, 512));

}  // namespace
}  // namespace layoutd
