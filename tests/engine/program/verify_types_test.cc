#include "engine/program/verify.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/engine/program/verify_fixture.h"
#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

TEST(VerifyTypesTest, ExpressionsHaveTheTypeOfPromotion) {
  const TypeCase kCases[] = {
      {"let x = temp + cold", "f64"},
      {"let x = 0.5 * cold", "f32"},
      {"let x = 1 + number", "i32"},
      {"let x = number / 2", "f64"},
      {"let x = number + 0.5", "f64"},
      {"let x = temp > 20.0", "bool"},
      {"let x = isfinite(cold) and ok", "bool"},
      {"let x = sqrt(cold)", "f32"},
      {"let x = exp(number)", "f64"},
      {"let x = log(cold)", "f32"},
      {"let x = log(number)", "f64"},
      {"let x = cold ** 2.0", "f32"},
      {"let x = pow(cold, -2)", "f32"},
      {"let x = cold ** temp", "f64"},
      {"let x = temp ** number", "f64"},
      {"let x = number ** 2", "i32"},
      {"let x = number ** byte", "i32"},
      {"let x = 2 ** number", "i32"},
      {"let x = byte ** ok", "i8"},
      {"let x = number ** 0.5", "f64"},
      {"let x = wide ** number", "f64"},
      {"let x = wide ** -1_i32", "f64"},
      {"let x = 2 ** 10", "i64"},
      {"let x = 2 ** -1.0", "f64"},
      {"let x = wind ** 2", "{u: f64, v: f32}"},
      {"let x = select(ok, cold, 0.0)", "f32"},
      {"let x = f32(temp)", "f32"},
      {"let x = @v", "i64"},
      {"let x = 1", "i64"},
      {"let x = 1 + 0.5", "f64"},
      {"let x = 2_f32", "f32"},
      {"let x = true", "bool"},
      {"let x = at(cold, v + 1, edge = 0.0)", "f32"},
      {"let x = (temp, 1, ok)", "(f64, i64, bool)"},
      {"let x = {a: cold, b: (number, temp)}", "{a: f32, b: (i32, f64)}"},
      {"let x = wind + 1", "{u: f64, v: f32}"},
      {"let x = wind * pair", "{u: f64, v: f64}"},
      {"let x = pair + (cold, number)", "(f64, f64)"},
      {"let x = wind > 0.0", "{u: bool, v: bool}"},
      {"let x = select(wind > 0.0, wind, 0.0)", "{u: f64, v: f32}"},
      {"let x = select(ok, wind, pair)", "{u: f64, v: f64}"},
      {"let x = i32(wind)", "{u: i32, v: i32}"},
      {"let x = wind.v", "f32"},
      {"let x = pair.1", "f64"},
      {"let x = abs(wind).v", "f32"},
  };
  for (const TypeCase& c : kCases) {
    const auto program = VerifyText(c.text);
    ASSERT_TRUE(program.ok()) << c.text << ": " << program.status();
    EXPECT_EQ(FirstValue(*program).type.ToString(), c.type) << c.text;
  }
}

TEST(VerifyTypesTest, WhatHasNoTypeIsRefused) {
  const ErrorCase kCases[] = {
      {"let x = ok + ok", "TYPE_MISMATCH"},
      {"let x = temp and ok", "TYPE_MISMATCH"},
      {"let x = not temp", "TYPE_MISMATCH"},
      {"let x = select(temp, 1, 2)", "TYPE_MISMATCH"},
      {"let x = sqrt(ok)", "TYPE_MISMATCH"},
      {"let x = log(ok)", "TYPE_MISMATCH"},
      {"let x = ok ** ok", "TYPE_MISMATCH"},
      {"let x = pair ** ok + ok ** ok", "TYPE_MISMATCH"},
      {"let x = pair + (temp, temp, temp)", "TYPE_MISMATCH"},
      {"let x = wind + {u: temp, w: temp}", "TYPE_MISMATCH"},
      {"let x = (temp, pair) + (temp, (temp, temp, temp))", "TYPE_MISMATCH"},
      {"let x = temp.u", "UNKNOWN_COMPONENT"},
      {"let x = wind.w", "UNKNOWN_COMPONENT"},
      {"let x = wind.0", "UNKNOWN_COMPONENT"},
      {"let x = pair.2", "UNKNOWN_COMPONENT"},
      {"let x = at(cold, v + 1, edge = 0.0_f64)", "TYPE_MISMATCH"},
      {"let x = at(number, v + 1, edge = 0.5)", "TYPE_MISMATCH"},
      {"number = temp", "TYPE_MISMATCH"},
      {"number = 0.5", "TYPE_MISMATCH"},
      {"ok = number", "TYPE_MISMATCH"},
      {"ok = 1", "TYPE_MISMATCH"},
      {"temp = pair", "TYPE_MISMATCH"},
      {"pair = temp", "TYPE_MISMATCH"},
      {"pair = (temp, temp, temp)", "TYPE_MISMATCH"},
      {"wind = {v: temp, u: temp}", "TYPE_MISMATCH"},
      {"wind.w = temp", "UNKNOWN_COMPONENT"},
  };
  for (const ErrorCase& c : kCases) {
    EXPECT_EQ(ReasonOf(VerifyText(c.text).status()), c.reason) << c.text;
  }
}

TEST(VerifyTypesTest, ANegativePowerOfAnIntegerIsRefused) {
  for (const char* text :
       {"let x = number ** -1", "let x = pow(number, -2)",
        "let x = number ** (1 - 2)", "let x = 2 ** -1", "let x = -2 ** -2",
        "let x = byte ** -1_i8", "let x = (temp, number) ** -1"}) {
    EXPECT_EQ(ReasonOf(VerifyText(text).status()), "BAD_ARGUMENT") << text;
  }
}

TEST(VerifyTypesTest, ValuesThatConvertMayBeStored) {
  for (const char* text :
       {"cold = temp", "temp = number", "byte = number", "number = ok",
        "wind = (temp, temp)", "pair = wind", "pair.1 = cold",
        "number = i32(temp)", "temp = 1", "cold = 0.1", "wind.v = 1",
        "temp = gravity", "temp = @v", "cold = inf"}) {
    EXPECT_OK(VerifyText(text)) << text;
  }
}

TEST(VerifyTypesTest, LiteralsOutOfRangeAreRefused) {
  for (const char* text : {
           "let x = byte + 128",
           "let x = byte + (-129)",
           "let x = wide + (-1)",
           "let x = 128_i8",
           "let x = 256_u8",
           "let x = 1.5_i32",
           "let x = 1e39_f32",
           "let x = cold + 1e39",
           "let x = cold * (1e30 * 1e30)",
           "byte = 128",
           "byte = 100 + 28",
           "wide = -1",
           "let x = (9223372036854775808, temp)",
           "new x = select(ok, 9223372036854775808, 0)",
           "let x = 170141183460469231731687303715884105728",
           "let x = 100000000000000000000 * 100000000000000000000",
           "let x = 2 ** 127",
           "let x = 3 ** 1000000000000",
           "let x = byte ** 128",
       }) {
    EXPECT_EQ(ReasonOf(VerifyText(text).status()), "LITERAL_RANGE") << text;
  }
}

TEST(VerifyTypesTest, LiteralsInRangeAreTaken) {
  for (const char* text : {
           "let x = byte + 127",
           "let x = byte + (-128)",
           "let x = -128_i8",
           "byte = 100 + 27",
           "wide = 18446744073709551615",
           "let x = u64(18446744073709551615)",
           "let x = cold + 16777217",
           "let x = cold + inf",
           "let x = cold + nan",
           "let x = 1_f32",
       }) {
    EXPECT_OK(VerifyText(text)) << text;
  }
}

TEST(VerifyTypesTest, ArithmeticOnNumbersAloneIsFoldedAndStaysWeak) {
  ASSERT_OK_AND_ASSIGN(const VerifiedProgram integer,
                       VerifyText("let x = -(2 * 3 + 1)"));
  ASSERT_OK_AND_ASSIGN(const VerifiedProgram quotient,
                       VerifyText("let x = 1 / 4"));
  ASSERT_OK_AND_ASSIGN(const VerifiedProgram power,
                       VerifyText("let x = (-3) ** 3 ** 2"));
  ASSERT_OK_AND_ASSIGN(const VerifiedProgram root,
                       VerifyText("let x = 2.25 ** 0.5"));

  EXPECT_TRUE(FirstValue(integer).weak);
  EXPECT_TRUE(FirstValue(integer).constant->As<Int128>() == -7);
  EXPECT_TRUE(FirstValue(quotient).weak);
  EXPECT_EQ(FirstValue(quotient).constant->As<double>(), 0.25);
  EXPECT_TRUE(FirstValue(power).constant->As<Int128>() == -19683);
  EXPECT_EQ(FirstValue(root).constant->As<double>(), 1.5);
}

TEST(VerifyTypesTest, AWeakLetTakesTheTypeOfWhatItMeets) {
  ASSERT_OK_AND_ASSIGN(const VerifiedProgram program,
                       VerifyText("let half = 0.5\nnew x = half * cold"));

  EXPECT_EQ(program.fields.back().layout.type().ToString(), "f32");
}

}  // namespace
}  // namespace layoutd
