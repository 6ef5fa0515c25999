#include "client/cpp/value_type.h"

#include <gtest/gtest.h>

#include <string>

#include "client/cpp/error.h"

namespace layoutd::client {
namespace {

TEST(ClientValueTypeTest, TextFormComesBack) {
  for (const char* text :
       {"f64", "bool", "i128", "(i64, f64)", "(f64,)",
        "{rho: f64, u: (f64, f64, f64)}", "((f32, i8), {a: u16})"}) {
    const absl::StatusOr<ValueType> type = ValueType::Parse(text);
    ASSERT_TRUE(type.ok()) << type.status();
    EXPECT_EQ(type->ToString(), text);
  }
}

TEST(ClientValueTypeTest, OffsetsFollowTheCAbi) {
  const ValueType type = *ValueType::Parse(" {a:i8,b:i64, c:(u16,i128)} ");

  EXPECT_EQ(type.members[1].offset_bytes, 8);
  EXPECT_EQ(type.members[2].offset_bytes, 16);
  EXPECT_EQ(type.size_bytes, 48);
  const std::vector<ValueLeaf> leaves = LeavesOf(type);
  ASSERT_EQ(leaves.size(), 4u);
  EXPECT_EQ(leaves[2].offset_bytes, 16);
  EXPECT_EQ(leaves[3].offset_bytes, 32);
}

TEST(ClientValueTypeTest, HostileTextIsATypedError) {
  const std::string deep(100000, '(');
  for (const std::string& text :
       {std::string(""), std::string("f65"), std::string("(f64"),
        std::string("()"), std::string("{a f64}"), std::string("f64 f64"),
        deep}) {
    const absl::Status status = ValueType::Parse(text).status();
    EXPECT_EQ(ErrorOf(status).reason, "BAD_TYPE") << text.substr(0, 20);
  }
}

TEST(ClientValueTypeTest, HomogeneousTuplesAreKnown) {
  EXPECT_TRUE(IsHomogeneousTuple(*ValueType::Parse("(f64, (f64, f64))")));
  EXPECT_FALSE(IsHomogeneousTuple(*ValueType::Parse("(f64, f32)")));
  EXPECT_FALSE(IsHomogeneousTuple(*ValueType::Parse("f64")));
}

}  // namespace
}  // namespace layoutd::client
