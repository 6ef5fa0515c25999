#include "client/cpp/npy_header.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "client/cpp/error.h"

namespace layoutd::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Dict(const std::string& descr, const std::string& shape,
                 const char* order = "True") {
  return "{'descr': " + descr + ", 'fortran_order': " + order +
         ", 'shape': " + shape + ", }   \n";
}

TEST(NpyHeaderTest, NumPyHeaderIsRead) {
  const absl::StatusOr<NpyHeader> header =
      ParseNpyHeader(Dict("'>i2'", "(2, 3, 4, 5)", "False"));

  ASSERT_TRUE(header.ok()) << header.status();
  EXPECT_EQ(header->type.scalar, Scalar::kI16);
  EXPECT_TRUE(header->type.big_endian);
  EXPECT_FALSE(header->fortran_order);
  EXPECT_THAT(header->shape, ElementsAre(2, 3, 4, 5));
}

TEST(NpyHeaderTest, ShapesOfAnyRankAreRead) {
  EXPECT_THAT(ParseNpyHeader(Dict("'<f8'", "()"))->shape, ElementsAre());
  EXPECT_THAT(ParseNpyHeader(Dict("'<f8'", "(184,)"))->shape, ElementsAre(184));
  EXPECT_THAT(ParseNpyHeader(Dict("'<f8'", "(2L, 0)"))->shape,
              ElementsAre(2, 0));
}

TEST(NpyHeaderTest, PaddedStructHasTheOffsetsOfItsVoidEntries) {
  const absl::StatusOr<NpyHeader> header = ParseNpyHeader(
      Dict("[('a', '<i4'), ('', '|V4'), ('b', '>i8')]", "(1, 1, 1, 2)"));

  ASSERT_TRUE(header.ok()) << header.status();
  ASSERT_EQ(header->type.members.size(), 2u);
  EXPECT_EQ(header->type.members[1].offset_bytes, 8);
  EXPECT_EQ(header->type.size_bytes, 16);
  EXPECT_EQ(header->type.ToString(), "{a: i32, b: i64}");
}

TEST(NpyHeaderTest, NestedStructsAndSubarraysAreRead) {
  const absl::StatusOr<NpyHeader> header = ParseNpyHeader(Dict(
      "[('x', [('p', '<f4'), ('q', '|b1')]), ('y', '<u2', (2, 2))]", "()"));

  ASSERT_TRUE(header.ok()) << header.status();
  EXPECT_EQ(header->type.size_bytes, 13);
  EXPECT_EQ(header->type.members[1].type.members.size(), 4u);
  EXPECT_EQ(header->type.members[1].offset_bytes, 5);
}

TEST(NpyHeaderTest, HostileHeadersAreTypedErrors) {
  struct Case {
    std::string text;
    const char* says;
  };
  const Case cases[] = {
      {"", "unexpected end"},
      {"[]", "no dict"},
      {"{'descr': '<f8'}", "needs descr, fortran_order and shape"},
      {Dict("'<f8'", "(1, -1, 1, 1)"), "at least 0"},
      {Dict("'<f8'", "(99999999999999999999,)"), "does not fit 64 bits"},
      {Dict("'<f8'", "7"), "shape must be a tuple"},
      {Dict("'|O'", "(1,)"), "no number"},
      {Dict("'<f2'", "(1,)"), "no number"},
      {Dict("'<c16'", "(1,)"), "no number"},
      {Dict("'|V8'", "(1,)"), "no number"},
      {Dict("''", "(1,)"), "no number"},
      {Dict("[]", "(1,)"), "no members"},
      {Dict("[('', '|V4')]", "(1,)"), "no members"},
      {Dict("[('', '|V99999999999')]", "(1,)"), "no number"},
      {Dict("[('a', '<f8', (99999999,))]", "(1,)"), "more than 1024"},
      {Dict("[('a', '<f8', (0,))]", "(1,)"), "must be positive"},
      {Dict("[('a', [('b', '<f8', (1000,))], (1000,))]", "(1,)"),
       "more than 1024"},
      {Dict("[('a', '<f8'), 3]", "(1,)"), "a member"},
      {Dict("'<f8'", "(1,)", "1"), "unknown entry"},
      {"{'descr': '<f8", "string without an end"},
      {"{'descr': '\\q'}", "unknown escape"},
      {"{'descr' '<f8'}", "a colon"},
      {"{'descr': os.system}", "a literal"},
      {std::string(1000, '('), "too deep"},
      {Dict("'<f8'", "(1 2)"), "a comma"},
  };
  for (const Case& c : cases) {
    const Error error = ErrorOf(ParseNpyHeader(c.text).status());
    EXPECT_EQ(error.reason, "BAD_NPY") << c.text;
    EXPECT_THAT(error.message, HasSubstr(c.says)) << c.text;
  }
}

TEST(NpyHeaderTest, PreambleGivesTheLengthOfEachVersion) {
  const auto preamble = [](std::string bytes) {
    bytes.resize(kNpyPreambleBytes, ' ');
    return ParseNpyPreamble(bytes);
  };

  EXPECT_EQ(preamble(std::string("\x93NUMPY\1\0\x76\1", 10))->header_bytes,
            0x176);
  EXPECT_EQ(preamble(std::string("\x93NUMPY\1\0\x76\1", 10))->preamble_bytes,
            10);
  EXPECT_EQ(preamble(std::string("\x93NUMPY\2\0\x76\1\0\0", 12))->header_bytes,
            0x176);
  EXPECT_EQ(
      preamble(std::string("\x93NUMPY\3\0\x76\1\0\0", 12))->preamble_bytes, 12);
  for (const std::string& bytes :
       {std::string("PK\3\4"), std::string("\x93NUMPY\4\0\0\0", 10),
        std::string("\x93NUMPY\2\0\xff\xff\xff\xff", 12)}) {
    EXPECT_EQ(ErrorOf(preamble(bytes).status()).reason, "BAD_NPY");
  }
  EXPECT_EQ(ErrorOf(ParseNpyPreamble("\x93NUM").status()).reason, "BAD_NPY");
}

TEST(NpyHeaderTest, WrittenHeaderIsNumPysByteForByte) {
  const std::string header =
      FormatNpyHeader(ValueType::OfScalar(Scalar::kF64), {20, 4, 4, 4050});

  EXPECT_EQ(header.size(), 128u);
  EXPECT_EQ(header.substr(0, 10), std::string("\x93NUMPY\1\0\x76\0", 10));
  EXPECT_EQ(header.substr(10, 71),
            "{'descr': '<f8', 'fortran_order': True, 'shape': "
            "(20, 4, 4, 4050), }   ");
  EXPECT_EQ(header.back(), '\n');
}

TEST(NpyHeaderTest, WrittenTypesSpellPaddingAndWideIntegers) {
  const auto header = [](const char* type) {
    return FormatNpyHeader(*ValueType::Parse(type), {});
  };

  EXPECT_THAT(header("(i32, i64)"),
              HasSubstr("[('f0', '<i4'), ('', '|V4'), ('f1', '<i8')]"));
  EXPECT_THAT(header("{a: f64, ok: bool}"),
              HasSubstr("[('a', '<f8'), ('ok', '|b1'), ('', '|V7')]"));
  EXPECT_THAT(header("{w: (u8, i128)}"),
              HasSubstr("[('w', [('f0', '|u1'), ('', '|V15'), ('f1', "
                        "[('lo', '<u8'), ('hi', '<u8')])])]"));
}

TEST(NpyHeaderTest, ALongHeaderIsFormatTwo) {
  std::string text = "{";
  for (int k = 0; k < 1000; ++k) {
    text += (k > 0 ? ", " : "") + std::string(60, 'n') + std::to_string(k) +
            ": f64";
  }
  const std::string header =
      FormatNpyHeader(*ValueType::Parse(text + "}"), {1, 1, 1, 1});

  EXPECT_EQ(header[6], 2);
  EXPECT_EQ(header.size() % 64, 0u);
  const absl::StatusOr<NpyPreamble> preamble = ParseNpyPreamble(header);
  EXPECT_EQ(preamble->preamble_bytes + preamble->header_bytes,
            static_cast<int64_t>(header.size()));
  EXPECT_EQ(ParseNpyHeader(header.substr(12))->type.members.size(), 1000u);
}

}  // namespace
}  // namespace layoutd::client
