#include "engine/layout/value_type.h"

#include <string>
#include <vector>

#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

std::string Repeat(absl::string_view text, int times) {
  std::string result;
  for (int k = 0; k < times; ++k) result.append(text.data(), text.size());
  return result;
}

TEST(ValueTypeTest, ScalarIsItsOwnOnlyLeaf) {
  const ValueType type = ScalarType::kI128;

  EXPECT_TRUE(type.is_scalar());
  EXPECT_EQ(type.scalar(), ScalarType::kI128);
  EXPECT_EQ(type.num_members(), 0);
  EXPECT_EQ(type.size_bytes(), 16);
  EXPECT_EQ(type.align_bytes(), 16);
  ASSERT_EQ(type.num_leaves(), 1);
  EXPECT_EQ(type.leaves()[0].path, "");
}

TEST(ValueTypeTest, LeavesHaveDottedPathsInDepthFirstOrder) {
  ASSERT_OK_AND_ASSIGN(
      const ValueType type,
      ValueType::Parse("{rho: f32, u: (f64, {a: bool}), n: u8}"));

  std::vector<std::string> paths;
  std::vector<int64_t> offsets;
  for (const Leaf& leaf : type.leaves()) {
    paths.push_back(leaf.path);
    offsets.push_back(leaf.offset_bytes);
  }
  EXPECT_THAT(paths, ElementsAre("rho", "u.0", "u.1.a", "n"));
  EXPECT_THAT(offsets, ElementsAre(0, 8, 16, 24));
  EXPECT_EQ(type.size_bytes(), 32);
}

TEST(ValueTypeTest, TextFormRoundTrips) {
  for (const char* text :
       {"f64", "bool", "u128", "(f64,)", "(i64, f64)", "((f32,), (f32,))",
        "{rho: f64, u: (f64, f64, f64)}", "{_a1: {b: i8}, f64: (i16, bool)}"}) {
    ASSERT_OK_AND_ASSIGN(const ValueType type, ValueType::Parse(text));

    EXPECT_EQ(type.ToString(), text);
    EXPECT_EQ(*ValueType::Parse(type.ToString()), type);
  }
}

TEST(ValueTypeTest, WhiteSpaceAndTrailingCommasAreFree) {
  ASSERT_OK_AND_ASSIGN(
      const ValueType type,
      ValueType::Parse("\t{ rho :f64,\n u:( f64,f32 , ), }\r\n"));

  EXPECT_EQ(type.ToString(), "{rho: f64, u: (f64, f32)}");
}

TEST(ValueTypeTest, EqualityComparesStructureAndNames) {
  EXPECT_EQ(*ValueType::Parse("(f64, i8)"), *ValueType::Parse("(f64,i8)"));
  EXPECT_NE(*ValueType::Parse("(f64, i8)"), *ValueType::Parse("(f64, u8)"));
  EXPECT_NE(*ValueType::Parse("(f64,)"), *ValueType::Parse("f64"));
  EXPECT_NE(*ValueType::Parse("{a: f64}"), *ValueType::Parse("{b: f64}"));
  EXPECT_NE(*ValueType::Parse("{a: f64}"), *ValueType::Parse("(f64,)"));
}

struct Fault {
  std::string text;
  std::string column;
  std::string message;
};

TEST(ValueTypeTest, BadTextIsRefusedWithItsColumn) {
  const std::vector<Fault> faults = {
      {"", "1", "expected a type, found the end of the text"},
      {"   ", "4", "expected a type"},
      {"f65", "1", "unknown type \"f65\"; known are bool, i8"},
      {"F64", "1", "unknown type \"F64\""},
      {"f64 f64", "5", "expected the end of the type, found \"f\""},
      {"()", "1", "at least one member"},
      {"(f64, {})", "7", "at least one member"},
      {"(f64)", "1", "(f64,)"},
      {"(f64 i8)", "6", "expected ',' or ')' in the tuple, found \"i\""},
      {"(f64,,f64)", "6", "expected a type, found \",\""},
      {"(f64", "5", "found the end of the text"},
      {"(f64}", "5", "found \"}\""},
      {"{a f64}", "4", "expected ':' after the member name"},
      {"{f64}", "5", "expected ':'"},
      {"{1: f64}", "2", "expected a member name, found \"1\""},
      {"{a: f64, a: f32}", "1", "\"a\" stands twice"},
      {"(f64, \xff)", "7", "found \"\\xff\""},
      {std::string("\0f64", 4), "1", "found \"\\x00\""},
      {"{" + std::string(64, 'n') + ": f64}", "1", "at most 63 characters"},
      {Repeat("(", 100000), "17", "nested deeper than 16 tuples"},
      {"(" + Repeat("f64,", 100000), "4098", "more than 1024 scalars"},
  };
  for (const Fault& fault : faults) {
    const absl::Status status = ValueType::Parse(fault.text).status();

    EXPECT_THAT(status, IsError(kInvalid, "BAD_TYPE",
                                AllOf(HasSubstr(fault.message),
                                      HasSubstr("column " + fault.column))))
        << fault.text.substr(0, 80);
    EXPECT_THAT(DetailOf(status).metadata,
                testing::Contains(testing::Pair("column", fault.column)));
    EXPECT_LT(status.message().size(), 400u);
  }
}

TEST(ValueTypeTest, LimitsAreInclusive) {
  EXPECT_OK(ValueType::Parse(Repeat("(", 16) + "f64" + Repeat(",)", 16)));
  EXPECT_THAT(ValueType::Parse(Repeat("(", 17) + "f64" + Repeat(",)", 17)),
              IsError(kInvalid, "BAD_TYPE", HasSubstr("deeper than 16")));
  EXPECT_OK(ValueType::Parse("(" + Repeat("f64,", 1024) + ")"));
  EXPECT_OK(ValueType::Parse("{" + std::string(63, 'n') + ": f64}"));
}

TEST(ValueTypeTest, BuildingObeysTheLimitsOfParsing) {
  ASSERT_OK_AND_ASSIGN(
      const ValueType deep,
      ValueType::Parse(Repeat("(", 16) + "f64" + Repeat(",)", 16)));
  ASSERT_OK_AND_ASSIGN(const ValueType wide,
                       ValueType::Parse("(" + Repeat("i8,", 1000) + ")"));

  EXPECT_THAT(ValueType::Tuple({deep}),
              IsError(kInvalid, "BAD_TYPE", HasSubstr("deeper than 16")));
  EXPECT_THAT(ValueType::Tuple({wide, wide}),
              IsError(kInvalid, "BAD_TYPE", HasSubstr("1024 scalars")));
  EXPECT_THAT(ValueType::Tuple({}),
              IsError(kInvalid, "BAD_TYPE", HasSubstr("at least one")));
  EXPECT_THAT(ValueType::NamedTuple({}, {}),
              IsError(kInvalid, "BAD_TYPE", HasSubstr("at least one")));
  EXPECT_THAT(ValueType::NamedTuple({"a"}, {wide, wide}),
              IsError(kInvalid, "BAD_TYPE", HasSubstr("1 names for 2")));
  for (const char* name : {"", "1a", "a b", "a.b", "\xc3\xa9"}) {
    EXPECT_THAT(ValueType::NamedTuple({name}, {wide}),
                IsError(kInvalid, "BAD_TYPE", HasSubstr("member name")));
  }
}

TEST(ValueTypeTest, MembersAreFoundByOneSpellingOnly) {
  ASSERT_OK_AND_ASSIGN(const ValueType plain, ValueType::Parse("(f64, i8)"));
  ASSERT_OK_AND_ASSIGN(const ValueType named,
                       ValueType::Parse("{a: f64, b: i8}"));

  EXPECT_EQ(plain.FindMember("1"), 1);
  EXPECT_EQ(named.FindMember("b"), 1);
  for (const char* segment :
       {"", "2", "01", "+1", " 1", "-1", "1 ", "a", "99999999999999999999"}) {
    EXPECT_EQ(plain.FindMember(segment), std::nullopt) << segment;
  }
  EXPECT_EQ(named.FindMember("0"), std::nullopt);
  EXPECT_EQ(ValueType(ScalarType::kF64).FindMember("0"), std::nullopt);
}

TEST(ValueTypeTest, ComponentPathsAddOffsetsAndLeaves) {
  ASSERT_OK_AND_ASSIGN(
      const ValueType type,
      ValueType::Parse("{rho: f32, u: (f64, (i8, i32)), n: u8}"));

  ASSERT_OK_AND_ASSIGN(const Component whole, FindComponent(type, ""));
  ASSERT_OK_AND_ASSIGN(const Component pair, FindComponent(type, "u.1"));
  ASSERT_OK_AND_ASSIGN(const Component leaf, FindComponent(type, "u.1.1"));

  EXPECT_EQ(whole.type, type);
  EXPECT_EQ(pair.type.ToString(), "(i8, i32)");
  EXPECT_EQ(pair.offset_bytes, 16);
  EXPECT_EQ(pair.first_leaf, 2);
  EXPECT_EQ(leaf.type, ValueType(ScalarType::kI32));
  EXPECT_EQ(leaf.offset_bytes, 20);
  EXPECT_EQ(leaf.first_leaf, 3);
}

TEST(ValueTypeTest, UnknownComponentsAreNamedWithWhatThereIs) {
  ASSERT_OK_AND_ASSIGN(const ValueType type,
                       ValueType::Parse("{rho: f32, u: (f64, f64, f64)}"));
  constexpr auto kNotFound = absl::StatusCode::kNotFound;

  EXPECT_THAT(FindComponent(type, "w"),
              IsError(kNotFound, "UNKNOWN_COMPONENT",
                      AllOf(HasSubstr("\"w\""), HasSubstr("rho, u"))));
  EXPECT_THAT(FindComponent(type, "u.3"),
              IsError(kNotFound, "UNKNOWN_COMPONENT",
                      AllOf(HasSubstr("\"3\""), HasSubstr("0 to 2"))));
  EXPECT_THAT(
      FindComponent(type, "rho.0"),
      IsError(kNotFound, "UNKNOWN_COMPONENT", HasSubstr("f32 is a scalar")));
  for (const std::string& path :
       {std::string("u."), std::string(".u"), std::string("."),
        std::string("u..1"), std::string(100000, '.'),
        std::string(100000, 'x')}) {
    EXPECT_THAT(FindComponent(type, path),
                IsError(kNotFound, "UNKNOWN_COMPONENT",
                        Not(HasSubstr(std::string(100, 'x')))));
  }
}

}  // namespace
}  // namespace layoutd
