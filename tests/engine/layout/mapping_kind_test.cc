#include "engine/layout/mapping_kind.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/layout/tensor_buffer.h"
#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

struct Row {
  AxisOrder order;
  std::vector<int64_t> points;
  std::vector<int64_t> tensor;
  int64_t ghosts;
  MappingKind want;
};

TEST(MappingKindTest, InnerViewsHaveTheKindOfSlicesByTheStandardsRules) {
  using enum MappingKind;
  using enum AxisOrder;
  const std::vector<Row> rows = {
      {kLeftmost, {4, 5, 6}, {3}, 0, kLeft},
      {kLeftmost, {4}, {}, 0, kLeft},
      {kLeftmost, {4}, {}, 1, kLeft},
      {kLeftmost, {4}, {3}, 1, kLeftPadded},
      {kLeftmost, {4}, {2, 3}, 1, kLeftPadded},
      {kLeftmost, {4, 5}, {}, 1, kLeftPadded},
      {kLeftmost, {4, 5}, {3}, 1, MappingKind::kStride},
      {kLeftmost, {4, 5, 6}, {}, 1, MappingKind::kStride},
      {kRightmost, {4, 5, 6}, {3}, 0, kRight},
      {kRightmost, {4}, {}, 1, kRight},
      {kRightmost, {4, 5}, {}, 1, kRightPadded},
      {kRightmost, {4, 5, 6}, {}, 1, MappingKind::kStride},
      {kRightmost, {4}, {3}, 1, kRight},
      {kRightmost, {4}, {2, 3}, 1, kRight},
      {kRightmost, {4, 5}, {3}, 1, MappingKind::kStride},
      {kZyxf, {4, 5}, {3}, 0, MappingKind::kStride},
      {kZyxf, {4, 5}, {3}, 1, MappingKind::kStride},
      {kZyxf, {4, 5, 6}, {2, 3}, 1, MappingKind::kStride},
      // Without components it is leftmost, over one axis of points rightmost.
      {kZyxf, {4, 5, 6}, {}, 0, kLeft},
      {kZyxf, {4, 5}, {}, 1, kLeftPadded},
      {kZyxf, {4}, {3}, 1, kRight},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(absl::StrCat(Name(row.order), " d ", row.points.size(), " n ",
                              row.tensor.size(), " ghosts ", row.ghosts));
    const std::vector<int64_t> ghosts(row.points.size(), row.ghosts);
    ASSERT_OK_AND_ASSIGN(const BufferSpec spec,
                         MakeTensorBuffer({.points = row.points,
                                           .tensor = row.tensor,
                                           .ghosts_low = ghosts,
                                           .ghosts_high = ghosts,
                                           .order = row.order}));
    EXPECT_EQ(Name(KindOf(InnerView(spec))), Name(row.want));
  }
}

TEST(MappingKindTest, RowPaddingMakesPaddedMappings) {
  for (const auto& [order, want] :
       {std::pair(AxisOrder::kLeftmost, MappingKind::kLeftPadded),
        std::pair(AxisOrder::kRightmost, MappingKind::kRightPadded)}) {
    ASSERT_OK_AND_ASSIGN(
        const BufferSpec spec,
        MakeTensorBuffer(
            {.points = {6, 7, 9}, .order = order, .align_bytes = 64}));
    EXPECT_EQ(KindOf(InnerView(spec)), want);
    EXPECT_EQ(KindOf(AllocationView(spec)), order == AxisOrder::kLeftmost
                                                ? MappingKind::kLeft
                                                : MappingKind::kRight);
  }
}

TEST(MappingKindTest, OneAxisAndSingleElementsAreOfTheFastestSide) {
  EXPECT_EQ(KindOf({7}, {1}), MappingKind::kLeft);
  EXPECT_EQ(KindOf({7}, {1}, AxisOrder::kRightmost), MappingKind::kRight);
  EXPECT_EQ(KindOf({1, 1}, {1, 1}, AxisOrder::kZyxf), MappingKind::kLeft);
  EXPECT_EQ(KindOf({1, 1}, {1, 1}, AxisOrder::kRightmost), MappingKind::kRight);
  EXPECT_EQ(KindOf({}, {}, AxisOrder::kRightmost), MappingKind::kRight);
  EXPECT_EQ(KindOf({7}, {2}), MappingKind::kStride);
}

TEST(MappingKindTest, ExactMappingsGoBeforePaddedOnesOfTheOtherSide) {
  // Right padded over a last extent enlarged from 1 to 3 as well.
  EXPECT_EQ(KindOf({3, 1}, {1, 3}), MappingKind::kLeft);
  EXPECT_EQ(KindOf({1, 3}, {3, 1}), MappingKind::kRight);
  EXPECT_EQ(KindOf({3, 1}, {1, 3}, AxisOrder::kRightmost), MappingKind::kLeft);
}

TEST(MappingKindTest, StridesOfAxesOfOneIndexCount) {
  EXPECT_EQ(KindOf({4, 1, 5}, {1, 4, 4}), MappingKind::kLeft);
  EXPECT_EQ(KindOf({4, 1, 5}, {1, 8, 8}), MappingKind::kLeftPadded);
  EXPECT_EQ(KindOf({4, 1, 5}, {1, 4, 8}), MappingKind::kStride);
}

TEST(MappingKindTest, OverlappingOrBackwardRowsAreStrides) {
  EXPECT_EQ(KindOf({4, 5}, {1, 3}), MappingKind::kStride);
  EXPECT_EQ(KindOf({4, 5}, {1, -4}), MappingKind::kStride);
  EXPECT_EQ(KindOf({4, 5}, {-1, 4}), MappingKind::kStride);
}

TEST(MappingKindTest, EmptyExtentsKeepTheKindOfTheirStrides) {
  EXPECT_EQ(KindOf({0, 5}, {1, 0}), MappingKind::kLeft);
  EXPECT_EQ(KindOf({0, 5}, {1, 6}), MappingKind::kLeftPadded);
  EXPECT_EQ(KindOf({3, 0, 5}, {1, 3, 0}), MappingKind::kLeft);
}

// The expected stride of the last axis does not fit; nothing equals it.
TEST(MappingKindTest, ProductsThatOverflowAreNoStride) {
  EXPECT_EQ(KindOf({1LL << 40, 1LL << 40, 2}, {1, 1LL << 40, 0}),
            MappingKind::kStride);
}

}  // namespace
}  // namespace layoutd
