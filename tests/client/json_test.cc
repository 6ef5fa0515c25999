#include "client/cpp/json.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <string>

namespace layoutd::client {
namespace {

template <typename T>
std::string Json(const char* type, T value) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  JsonWriter json;
  json.Value(*ValueType::Parse(type), bytes);
  return json.text();
}

TEST(JsonTest, FloatsHaveSeventeenDigitsAndAPointOrExponent) {
  EXPECT_EQ(Json("f64", 0.1), "0.10000000000000001");
  EXPECT_EQ(Json("f64", 1.0), "1.0");
  EXPECT_EQ(Json("f64", -0.0), "-0.0");
  EXPECT_EQ(Json("f64", 2.0395526226639957e25), "2.0395526226639957e+25");
  EXPECT_EQ(Json("f64", 357765309496003.19), "357765309496003.19");
  EXPECT_EQ(Json("f64", 1e22), "1e+22");
  EXPECT_EQ(Json("f64", 5e-324), "4.9406564584124654e-324");
}

TEST(JsonTest, SingleFloatsHaveNineDigits) {
  EXPECT_EQ(Json("f32", 0.1f), "0.100000001");
  EXPECT_EQ(Json("f32", 16777216.0f), "16777216.0");
}

TEST(JsonTest, SpecialFloatsAreStrings) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(Json("f64", std::numeric_limits<double>::quiet_NaN()), "\"NaN\"");
  EXPECT_EQ(Json("f64", infinity), "\"Infinity\"");
  EXPECT_EQ(Json("f32", -std::numeric_limits<float>::infinity()),
            "\"-Infinity\"");
}

TEST(JsonTest, IntegersBeyondExactDoublesAreStrings) {
  EXPECT_EQ(Json("i64", int64_t{1} << 53), "9007199254740992");
  EXPECT_EQ(Json("i64", (int64_t{1} << 53) + 1), "\"9007199254740993\"");
  EXPECT_EQ(Json("i64", std::numeric_limits<int64_t>::min()),
            "\"-9223372036854775808\"");
  EXPECT_EQ(Json("u64", ~uint64_t{0}), "\"18446744073709551615\"");
  EXPECT_EQ(Json("i8", int8_t{-128}), "-128");
  EXPECT_EQ(Json("i128", static_cast<__int128>(1) << 127),
            "\"-170141183460469231731687303715884105728\"");
  EXPECT_EQ(Json("u128", ~static_cast<unsigned __int128>(0)),
            "\"340282366920938463463374607431768211455\"");
  EXPECT_EQ(Json("i128", static_cast<__int128>(-5)), "-5");
}

TEST(JsonTest, TuplesAreArraysAndNamedTuplesObjects) {
  struct {
    int8_t flag = 1;
    double pair[2] = {1.5, -2};
  } value;

  EXPECT_EQ(Json("{ok: bool, u: (f64, f64)}", value),
            R"({"ok": true, "u": [1.5, -2.0]})");
}

TEST(JsonTest, PeopleReadTheSameNumbersUnquoted) {
  const double pair[2] = {std::numeric_limits<double>::quiet_NaN(), 0.1};
  char bytes[sizeof(pair)];
  std::memcpy(bytes, pair, sizeof(pair));

  EXPECT_EQ(ValueText(*ValueType::Parse("(f64, f64)"), bytes),
            "(nan, 0.10000000000000001)");
  EXPECT_EQ(ValueText(*ValueType::Parse("{a: f64, b: f64}"), bytes),
            "{a: nan, b: 0.10000000000000001}");
}

TEST(JsonTest, DocumentsNestAndKeepTheOrderWritten) {
  JsonWriter json;
  json.BeginObject();
  json.Key("z");
  json.BeginArray();
  json.EndArray();
  json.Key("a");
  json.BeginArray();
  json.Integer(1);
  json.Null();
  json.BeginObject();
  json.EndObject();
  json.EndArray();
  json.Key("m");
  json.StringMap({{"k", "v"}});
  json.EndObject();

  EXPECT_EQ(json.text(), R"({"z": [], "a": [1, null, {}], "m": {"k": "v"}})");
}

TEST(JsonTest, StringsAreEscapedAndBadBytesReplaced) {
  JsonWriter json;
  json.String("a\"b\n\xff");
  EXPECT_EQ(json.text(), "\"a\\\"b\\n\xef\xbf\xbd\"");
}

TEST(JsonTest, ErrorsHaveAllKeys) {
  Error error;
  error.code = absl::StatusCode::kNotFound;
  error.reason = "FIELD_NOT_FOUND";
  error.message = "no field \"tmp\"";
  error.violations.push_back({"name", "unknown"});

  EXPECT_EQ(ErrorJson(error),
            R"({"error": {"code": "NOT_FOUND", "reason": "FIELD_NOT_FOUND", )"
            R"("message": "no field \"tmp\"", "metadata": {}, )"
            R"("violations": [{"field": "name", "description": "unknown"}]}})");
}

}  // namespace
}  // namespace layoutd::client
