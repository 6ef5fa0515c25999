#include "server/memory_limit.h"

#include <filesystem>
#include <fstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

TEST(MemoryLimitTest, SizesAreReadWithTheirUnit) {
  struct Case {
    const char* text;
    int64_t want;
  };
  const Case cases[] = {
      {"1", 1},
      {"1048576", 1 << 20},
      {"64KiB", 64 << 10},
      {"512MiB", 512 << 20},
      {"8GiB", int64_t{8} << 30},
      {"1.5GiB", int64_t{3} << 29},
      {"2GB", 2000000000},
      {"7B", 7},
      {"4TiB", int64_t{4} << 40},
  };
  for (const Case& c : cases) {
    ASSERT_OK_AND_ASSIGN(int64_t bytes, ParseByteSize(c.text));
    EXPECT_EQ(bytes, c.want) << c.text;
  }
}

TEST(MemoryLimitTest, WhatIsNoSizeIsRefused) {
  for (const char* text :
       {"", "GiB", "-1", "0", "1 GiB", "1gib", "0x10", "1e9", "nan", "inf",
        "1.2.3", "9223372036854775808", "99999999TiB", "8GiBs"}) {
    EXPECT_THAT(ParseByteSize(text),
                IsError(absl::StatusCode::kInvalidArgument, "BAD_SIZE",
                        testing::HasSubstr(text)))
        << text;
  }
}

// A directory laid out as a control group file system.
class CgroupTest : public testing::Test {
 protected:
  ~CgroupTest() override { std::filesystem::remove_all(root_); }

  void Put(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(
        (root_ + path).substr(0, (root_ + path).rfind('/')));
    std::ofstream(root_ + path) << text << "\n";
  }

  const std::string root_ =
      testing::TempDir() + "cgroup_" + std::to_string(getpid());
};

TEST_F(CgroupTest, TheLeastLimitOnTheWayUpCounts) {
  Put("/a/b/memory.max", "max");
  Put("/a/memory.max", "1000");
  Put("/memory.max", "2000");

  EXPECT_EQ(CgroupMemoryLimit(root_, "0::/a/b\n"), 1000);
}

TEST_F(CgroupTest, PathOfTheHostFallsBackToTheRoot) {
  Put("/memory.max", "3000");

  EXPECT_EQ(CgroupMemoryLimit(root_, "0::/docker/0123\n"), 3000);
  EXPECT_EQ(CgroupMemoryLimit(root_, "0::/\n"), 3000);
}

TEST_F(CgroupTest, VersionOneIsReadToo) {
  Put("/memory/x/memory.limit_in_bytes", "4000");

  EXPECT_EQ(CgroupMemoryLimit(root_, "5:cpu:/x\n4:memory:/x\n"), 4000);
}

TEST_F(CgroupTest, NoLimitIsNone) {
  Put("/memory.max", "max");

  EXPECT_EQ(CgroupMemoryLimit(root_, "0::/\n"), std::nullopt);
  EXPECT_EQ(CgroupMemoryLimit(root_, ""), std::nullopt);
}

}  // namespace
}  // namespace layoutd
