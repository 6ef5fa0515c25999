#include "engine/layout/axis_order.h"

#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(AxisOrderTest, AliasesAreOneOrder) {
  for (const char* name : {"leftmost", "fortran", "fzyx", "soa", "SoA"}) {
    EXPECT_EQ(ParseAxisOrder(name).value(), AxisOrder::kLeftmost) << name;
  }
  for (const char* name : {"rightmost", "c", "numpy", "NUMPY"}) {
    EXPECT_EQ(ParseAxisOrder(name).value(), AxisOrder::kRightmost) << name;
  }
  for (const char* name : {"zyxf", "aos", "ZyxF"}) {
    EXPECT_EQ(ParseAxisOrder(name).value(), AxisOrder::kZyxf) << name;
  }
}

TEST(AxisOrderTest, TheNameOfAnOrderIsOneOfItsNames) {
  for (AxisOrder order :
       {AxisOrder::kLeftmost, AxisOrder::kRightmost, AxisOrder::kZyxf}) {
    EXPECT_EQ(ParseAxisOrder(Name(order)).value(), order);
  }
}

TEST(AxisOrderTest, AnUnknownNameIsAnsweredWithTheKnownOnes) {
  for (const char* name : {"f", "reverse_numpy", "", "xyzf"}) {
    EXPECT_THAT(
        ParseAxisOrder(name),
        IsError(absl::StatusCode::kInvalidArgument, "UNKNOWN_AXIS_ORDER",
                HasSubstr("leftmost, fortran, fzyx, soa, rightmost, c, numpy, "
                          "zyxf, aos")));
  }
}

TEST(AxisOrderTest, TheOldNamesAreAnotherSet) {
  EXPECT_EQ(ParseOldAxisOrder("f").value(), AxisOrder::kLeftmost);
  EXPECT_EQ(ParseOldAxisOrder("reverse_numpy").value(), AxisOrder::kLeftmost);
  EXPECT_EQ(ParseOldAxisOrder("aos").value(), AxisOrder::kZyxf);
  EXPECT_THAT(
      ParseOldAxisOrder("leftmost"),
      IsError(absl::StatusCode::kInvalidArgument, "UNKNOWN_AXIS_ORDER",
              HasSubstr("fzyx, soa, f, reverse_numpy, c, numpy, zyxf, aos")));
}

TEST(AxisOrderTest, ZyxfPutsComponentsBeforePointsAndXFirstAmongThese) {
  EXPECT_THAT(AxesFromFastest({AxisOrder::kLeftmost, 2}, 5),
              ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(AxesFromFastest({AxisOrder::kRightmost, 2}, 5),
              ElementsAre(4, 3, 2, 1, 0));
  EXPECT_THAT(AxesFromFastest({AxisOrder::kZyxf, 2}, 5),
              ElementsAre(4, 3, 0, 1, 2));
}

TEST(AxisOrderTest, ZyxfWithoutComponentsIsLeftmost) {
  EXPECT_THAT(AxesFromFastest({AxisOrder::kZyxf, 0}, 3), ElementsAre(0, 1, 2));
  EXPECT_THAT(AxesFromFastest({AxisOrder::kZyxf, 3}, 3), ElementsAre(2, 1, 0));
  EXPECT_THAT(AxesFromFastest({AxisOrder::kZyxf, 0}, 0), IsEmpty());
}

}  // namespace
}  // namespace layoutd
