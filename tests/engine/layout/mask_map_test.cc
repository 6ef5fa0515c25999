#include "engine/layout/mask_map.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace layoutd {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(MaskMapTest, AllColumnsActiveListsThemIFastestThenJThenH) {
  const ColumnMap map =
      MakeColumnMap({{3, 2, 2, 2}}, std::vector<uint8_t>(8, 1));

  EXPECT_EQ(map.shape, (Shape{{1, 2, 2, 2}}));
  EXPECT_EQ(map.num_active(), 8);
  EXPECT_THAT(map.i, ElementsAre(0, 1, 0, 1, 0, 1, 0, 1));
  EXPECT_THAT(map.j, ElementsAre(0, 0, 1, 1, 0, 0, 1, 1));
  EXPECT_THAT(map.h, ElementsAre(0, 0, 0, 0, 1, 1, 1, 1));
}

TEST(MaskMapTest, CheckerboardListsOnlyActiveColumns) {
  const ColumnMap map = MakeColumnMap(
      {{2, 2, 2, 3}}, {0, 1, 1, 0, /*h=1*/ 1, 0, 0, 1, /*h=2*/ 0, 1, 1, 0});

  EXPECT_EQ(map.num_active(), 6);
  EXPECT_EQ(map.size_bytes(), 12 + 6 * 24);
  EXPECT_THAT(map.i, ElementsAre(1, 0, 0, 1, 1, 0));
  EXPECT_THAT(map.j, ElementsAre(0, 1, 0, 1, 0, 1));
  EXPECT_THAT(map.h, ElementsAre(0, 0, 1, 1, 2, 2));
}

TEST(MaskMapTest, DiagonalOfTheSecondElement) {
  std::vector<uint8_t> active(32, 0);
  for (size_t k = 0; k < 4; ++k) active[16 + 5 * k] = 1;

  const ColumnMap map = MakeColumnMap({{63, 4, 4, 2}}, active);

  EXPECT_THAT(map.i, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(map.j, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(map.h, ElementsAre(1, 1, 1, 1));
}

TEST(MaskMapTest, AllColumnsInactiveGivesEmptyMap) {
  const ColumnMap map =
      MakeColumnMap({{3, 2, 2, 2}}, std::vector<uint8_t>(8, 0));

  EXPECT_EQ(map.num_active(), 0);
  EXPECT_THAT(map.i, IsEmpty());
  EXPECT_EQ(map.active, std::vector<uint8_t>(8, 0));
}

TEST(MaskMapTest, NoColumnsGiveEmptyMap) {
  const ColumnMap map = MakeColumnMap({{3, 4, 4, 0}}, {});

  EXPECT_EQ(map.num_active(), 0);
  EXPECT_THAT(map.active, IsEmpty());
}

TEST(MaskMapTest, AnyNonZeroByteIsActiveAndStoredAsOne) {
  const ColumnMap map = MakeColumnMap({{1, 3, 1, 1}}, {255, 0, 2});

  EXPECT_THAT(map.active, ElementsAre(1, 0, 1));
  EXPECT_THAT(map.i, ElementsAre(0, 2));
}

}  // namespace
}  // namespace layoutd
