#include "engine/layout/iteration_limits.h"

#include <limits>

#include "engine/layout/tensor_buffer.h"
#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

IterationLimits LimitsIn(AxisOrder order) {
  return LimitsOf(MakeTensorBuffer({.points = {4, 5, 6},
                                    .tensor = {3},
                                    .ghosts_low = {1, 0, 2},
                                    .ghosts_high = {0, 3, 0},
                                    .order = order,
                                    .align_bytes = 64})
                      .value());
}

TEST(IterationLimitsTest, TheInnerPointsAreWalkedAndNoGhostsOrComponents) {
  const IterationLimits limits = LimitsIn(AxisOrder::kLeftmost);

  EXPECT_THAT(limits.lower, ElementsAre(0, 0, 0));
  EXPECT_THAT(limits.upper, ElementsAre(4, 5, 6));
}

TEST(IterationLimitsTest, TheInnermostLoopIsOverTheFastestPointAxis) {
  EXPECT_THAT(LimitsIn(AxisOrder::kLeftmost).loop_order, ElementsAre(2, 1, 0));
  EXPECT_THAT(LimitsIn(AxisOrder::kZyxf).loop_order, ElementsAre(2, 1, 0));
  EXPECT_THAT(LimitsIn(AxisOrder::kRightmost).loop_order, ElementsAre(0, 1, 2));
}

TEST(IterationLimitsTest, OneLoopWalksFzyxWithZyxfButNotWithNumpy) {
  EXPECT_EQ(LimitsIn(AxisOrder::kLeftmost), LimitsIn(AxisOrder::kZyxf));
  EXPECT_NE(LimitsIn(AxisOrder::kLeftmost), LimitsIn(AxisOrder::kRightmost));
}

TEST(IterationLimitsTest, MarginsShrinkEachAxisByItsOwnTwoWidths) {
  ASSERT_OK_AND_ASSIGN(
      const IterationLimits shrunk,
      Shrink(LimitsIn(AxisOrder::kLeftmost), {{1, 1}, {0, 2}, {3, 0}}));

  EXPECT_THAT(shrunk.lower, ElementsAre(1, 0, 3));
  EXPECT_THAT(shrunk.upper, ElementsAre(3, 3, 6));
  EXPECT_THAT(shrunk.loop_order, ElementsAre(2, 1, 0));
}

TEST(IterationLimitsTest, MarginsThatMeetLeaveNoPoint) {
  const int64_t huge = std::numeric_limits<int64_t>::max();
  ASSERT_OK_AND_ASSIGN(
      const IterationLimits shrunk,
      Shrink(LimitsIn(AxisOrder::kLeftmost), {{2, 2}, {3, 4}, {huge, huge}}));

  EXPECT_EQ(shrunk.lower, shrunk.upper);
  EXPECT_THAT(shrunk.lower, ElementsAre(2, 3, 6));
}

TEST(IterationLimitsTest, MarginsOfOtherAxesOrBelowZeroAreRefused) {
  const IterationLimits limits = LimitsIn(AxisOrder::kLeftmost);

  EXPECT_THAT(Shrink(limits, {{1, 1}}),
              IsError(absl::StatusCode::kInvalidArgument, "BAD_AXIS_COUNT",
                      HasSubstr("1 margins for 3 axes")));
  EXPECT_THAT(Shrink(limits, {{0, 0}, {0, -2}, {0, 0}}),
              IsError(absl::StatusCode::kInvalidArgument, "BAD_EXTENT",
                      HasSubstr("axis 1 has a margin of -2")));
}

}  // namespace
}  // namespace layoutd
