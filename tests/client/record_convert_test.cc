#include "client/cpp/record_convert.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "client/cpp/error.h"

namespace layoutd::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

NpyType TypeOf(const std::string& descr) {
  return ParseNpyHeader("{'descr': " + descr +
                        ", 'fortran_order': True, 'shape': ()}")
      ->type;
}

// Converts `values` of type From, as the file holds them, with --cast.
template <typename To, typename From>
std::vector<To> Cast(const char* descr, const char* type,
                     const std::vector<From>& values) {
  const RecordConverter converter = *RecordConverter::Create(
      TypeOf(descr), *ValueType::Parse(type), /*cast=*/true);
  std::vector<To> result(values.size());
  converter.Run(reinterpret_cast<const char*>(values.data()), sizeof(From),
                reinterpret_cast<char*>(result.data()), sizeof(To),
                static_cast<int64_t>(values.size()));
  return result;
}

TEST(RecordConvertTest, FloatsTruncateAndSaturateToIntegers) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();

  EXPECT_THAT(
      (Cast<int8_t, double>("'<f8'", "i8", {1.9, -1.9, 200, -200, nan})),
      ElementsAre(1, -1, 127, -128, 0));
  EXPECT_THAT(
      (Cast<int64_t, double>("'<f8'", "i64", {9.3e18, -9.3e18, infinity})),
      ElementsAre(std::numeric_limits<int64_t>::max(),
                  std::numeric_limits<int64_t>::min(),
                  std::numeric_limits<int64_t>::max()));
  EXPECT_THAT((Cast<uint64_t, float>("'<f4'", "u64", {-1.0f, 1e30f, 3.5f})),
              ElementsAre(0, std::numeric_limits<uint64_t>::max(), 3));
}

TEST(RecordConvertTest, IntegersWrapAndWidenExactly) {
  EXPECT_THAT((Cast<uint8_t, int16_t>("'<i2'", "u8", {-1, 256, 5})),
              ElementsAre(255, 0, 5));
  EXPECT_THAT((Cast<double, int64_t>("'<i8'", "f64", {-7, 1 << 20})),
              ElementsAre(-7.0, 1048576.0));
  const auto wide = Cast<__int128, int64_t>("'<i8'", "i128", {-3});
  EXPECT_TRUE(wide[0] == -3);
}

TEST(RecordConvertTest, BoolsAreZeroOrOne) {
  EXPECT_THAT((Cast<uint8_t, double>(
                  "'<f8'", "bool",
                  {0, -0.0, 2, std::numeric_limits<double>::quiet_NaN()})),
              ElementsAre(0, 0, 1, 1));
  EXPECT_THAT((Cast<int32_t, uint8_t>("'|b1'", "i32", {0, 1, 7})),
              ElementsAre(0, 1, 1));
}

TEST(RecordConvertTest, BigEndianBytesAreSwapped) {
  const unsigned char bytes[] = {0, 0, 0, 1, 0, 2, 1, 0};  // '>i2' 0 1 2 256
  const RecordConverter converter = *RecordConverter::Create(
      TypeOf("'>i2'"), *ValueType::Parse("i16"), /*cast=*/false);
  std::vector<int16_t> result(4);

  converter.Run(reinterpret_cast<const char*>(bytes), 2,
                reinterpret_cast<char*>(result.data()), 2, 4);

  EXPECT_THAT(result, ElementsAre(0, 1, 2, 256));
  EXPECT_FALSE(converter.IsCopy(2));
}

TEST(RecordConvertTest, PackedStructGetsTheOffsetsOfTheValue) {
  struct Value {
    int32_t a;
    int64_t b;
  } value = {};
  unsigned char packed[12] = {7, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0};
  const RecordConverter converter = *RecordConverter::Create(
      TypeOf("[('a', '<i4'), ('b', '<i8')]"),
      *ValueType::Parse("{a: i32, b: i64}"), /*cast=*/false);

  converter.Run(reinterpret_cast<const char*>(packed), 12,
                reinterpret_cast<char*>(&value), sizeof(value), 1);

  EXPECT_EQ(value.a, 7);
  EXPECT_EQ(value.b, 9);
}

TEST(RecordConvertTest, PaddingIsNeverPassedThrough) {
  const RecordConverter padded = *RecordConverter::Create(
      TypeOf("[('f0', '<i4'), ('', '|V4'), ('f1', '<i8')]"),
      *ValueType::Parse("(i32, i64)"), /*cast=*/false);
  const RecordConverter dense =
      *RecordConverter::Create(TypeOf("[('f0', '<i8'), ('f1', '<i8')]"),
                               *ValueType::Parse("(i64, i64)"), /*cast=*/false);

  EXPECT_FALSE(padded.IsCopy(16));
  EXPECT_TRUE(dense.IsCopy(16));
}

TEST(RecordConvertTest, TwoHalvesMakeA128BitInteger) {
  const uint64_t halves[2] = {5, 1};
  unsigned __int128 value = 0;
  const RecordConverter converter = *RecordConverter::Create(
      TypeOf("[('lo', '<u8'), ('hi', '<u8')]"), *ValueType::Parse("u128"),
      /*cast=*/false);

  converter.Run(reinterpret_cast<const char*>(halves), 16,
                reinterpret_cast<char*>(&value), 16, 1);

  EXPECT_TRUE(value == (static_cast<unsigned __int128>(1) << 64) + 5);
}

TEST(RecordConvertTest, OtherTypesAreNamedInTheError) {
  struct Case {
    const char* descr;
    const char* type;
    bool cast;
  };
  const Case cases[] = {
      {"'<f4'", "f64", false},
      {"'|u1'", "bool", false},
      {"'<f8'", "(f64, f64)", true},
      {"[('a', '<f8'), ('b', '<f8')]", "f64", true},
      {"[('a', '<f8'), ('b', '<f8')]", "i128", true},
      {"[('a', '<f8'), ('b', '<f8')]", "{a: f64, c: f64}", false},
      {"[('a', '<f8'), ('b', '<f8')]", "(f64, f64)", false},
      {"[('a', '<f8'), ('b', '<f8')]", "(f64, f64, f64)", true},
  };
  for (const Case& c : cases) {
    const Error error =
        ErrorOf(RecordConverter::Create(TypeOf(c.descr),
                                        *ValueType::Parse(c.type), c.cast)
                    .status());
    EXPECT_EQ(error.reason, "TYPE_MISMATCH") << c.descr << " " << c.type;
    EXPECT_THAT(error.message, HasSubstr(c.type));
    EXPECT_EQ(error.message.find("--cast") == std::string::npos, c.cast);
  }
}

}  // namespace
}  // namespace layoutd::client
