#include "engine/device/cpu/quota.h"

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "gtest/gtest.h"

namespace layoutd::cpu {
namespace {

TEST(ParseCpuMaxTest, GivesWholeCpusRoundedUp) {
  EXPECT_EQ(ParseCpuMax("200000 100000\n"), 2);
  EXPECT_EQ(ParseCpuMax("150000 100000"), 2);
  EXPECT_EQ(ParseCpuMax("1000 100000"), 1);
  EXPECT_EQ(ParseCpuMax("9223372036854775807 1"), 1 << 20);
}

TEST(ParseCpuMaxTest, GivesNothingWithoutAQuota) {
  EXPECT_EQ(ParseCpuMax("max 100000\n"), std::nullopt);
  EXPECT_EQ(ParseCpuMax(""), std::nullopt);
  EXPECT_EQ(ParseCpuMax("100000"), std::nullopt);
  EXPECT_EQ(ParseCpuMax("-1 100000"), std::nullopt);
  EXPECT_EQ(ParseCpuMax("100000 0"), std::nullopt);
  EXPECT_EQ(ParseCpuMax("99999999999999999999 100000"), std::nullopt);
}

class GroupQuotaTest : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(root_ + "/outer/inner");
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  void Write(const std::string& group, const std::string& text) {
    std::ofstream(root_ + group + "/cpu.max") << text;
  }

  const std::string root_ = testing::TempDir() + "layoutd_group_quota_test";
};

TEST_F(GroupQuotaTest, IsTheLeastOfTheGroupAndThoseAboveIt) {
  Write("/outer", "300000 100000\n");
  Write("/outer/inner", "500000 100000\n");

  EXPECT_EQ(GroupQuota(root_, "/outer/inner"), 3);
  EXPECT_EQ(GroupQuota(root_, "/outer"), 3);
}

TEST_F(GroupQuotaTest, IsThatOfTheMountPointInAContainer) {
  Write("", "400000 100000\n");

  EXPECT_EQ(GroupQuota(root_, "/"), 4);
}

TEST_F(GroupQuotaTest, IsNothingWhereNoGroupHasOne) {
  Write("/outer", "max 100000\n");

  EXPECT_EQ(GroupQuota(root_, "/outer/inner"), std::nullopt);
  EXPECT_EQ(GroupQuota(root_, "/"), std::nullopt);
}

TEST(CpuQuotaTest, IsAtLeastOne) { EXPECT_GE(CpuQuota(), 1); }

}  // namespace
}  // namespace layoutd::cpu
