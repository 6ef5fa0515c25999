#include "engine/layout/buffer_spec.h"

#include <limits>
#include <vector>

#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

using ::testing::HasSubstr;

using Axes = BufferSpec::Axes;

constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();

TEST(BufferSpecTest, FirstAxisVariesFastest) {
  ASSERT_OK_AND_ASSIGN(const BufferSpec spec,
                       MakeBufferSpec(ScalarType::kF64, {10, 5, 5, 4, 20}));

  EXPECT_EQ(spec.num_axes, 5);
  EXPECT_EQ(spec.strides, (Axes{1, 10, 50, 250, 1000}));
  EXPECT_EQ(spec.shape, (Axes{10, 5, 5, 4, 20, 1, 1, 1}));
  EXPECT_EQ(spec.alloc_shape, spec.shape);
  EXPECT_EQ(spec.size_bytes(), 160000);
  EXPECT_EQ(spec.ElementOffset({1, 2, 1, 2, 19}), 19571);
}

TEST(BufferSpecTest, UnusedAxesAreNeutral) {
  ASSERT_OK_AND_ASSIGN(const BufferSpec spec,
                       MakeBufferSpec(ScalarType::kF32, {3}));

  EXPECT_EQ(spec.shape, (Axes{3, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(spec.offset, Axes());
  EXPECT_EQ(spec.size_bytes(), 12);
}

TEST(BufferSpecTest, GhostLayersSurroundTheInnerRegion) {
  const BufferPadding ghosts{.low = {1, 1, 1}, .high = {1, 1, 1}};
  ASSERT_OK_AND_ASSIGN(const BufferSpec spec,
                       MakeBufferSpec(ScalarType::kF64, {4, 5, 6, 3}, ghosts));

  EXPECT_EQ(spec.alloc_shape, (Axes{6, 7, 8, 3, 1, 1, 1, 1}));
  EXPECT_EQ(spec.strides, (Axes{1, 6, 42, 336}));
  EXPECT_EQ(spec.ElementOffset({0, 0, 0, 0}), 49);
  EXPECT_EQ(spec.ElementOffset({-1, -1, -1, 0}), 0);
  EXPECT_EQ(spec.ElementOffset({4, 5, 6, 2}), 6 * 7 * 8 * 3 - 1);
  EXPECT_EQ(spec.size_bytes(), 6 * 7 * 8 * 3 * 8);
}

TEST(BufferSpecTest, GhostsAreContainedAndWhatLiesBeyondIsNot) {
  const BufferPadding ghosts{.low = {1, 0}, .high = {2, 0}};
  ASSERT_OK_AND_ASSIGN(const BufferSpec spec,
                       MakeBufferSpec(ScalarType::kF64, {4, 5}, ghosts));

  EXPECT_TRUE(spec.Contains({-1, 0}));
  EXPECT_TRUE(spec.Contains({5, 4}));
  EXPECT_FALSE(spec.Contains({-2, 0}));
  EXPECT_FALSE(spec.Contains({6, 0}));
  EXPECT_FALSE(spec.Contains({0, -1}));
  EXPECT_FALSE(spec.Contains({0, 5}));
  EXPECT_FALSE(spec.Contains({kHuge, 0}));
  EXPECT_FALSE(spec.Contains({std::numeric_limits<int64_t>::min(), 0}));
  EXPECT_FALSE(spec.Contains({0}));
}

TEST(BufferSpecTest, IndicesAreInTheInnerRegionThePaddingOrOutside) {
  const BufferPadding ghosts{.low = {1, 0}, .high = {2, 0}};
  ASSERT_OK_AND_ASSIGN(const BufferSpec spec,
                       MakeBufferSpec(ScalarType::kF64, {4, 5}, ghosts));

  EXPECT_EQ(spec.RegionOf({0, 0}), BufferRegion::kInner);
  EXPECT_EQ(spec.RegionOf({3, 4}), BufferRegion::kInner);
  EXPECT_EQ(spec.RegionOf({-1, 4}), BufferRegion::kPadding);
  EXPECT_EQ(spec.RegionOf({5, 0}), BufferRegion::kPadding);
  EXPECT_EQ(spec.RegionOf({6, 0}), BufferRegion::kOutside);
  EXPECT_EQ(spec.RegionOf({-1, 5}), BufferRegion::kOutside);
  EXPECT_EQ(spec.RegionOf({0, 0, 0}), BufferRegion::kOutside);
}

TEST(BufferSpecTest, OrdersDecideTheStrides) {
  struct Row {
    AxisOrder order;
    Axes strides;
  };
  const Row rows[] = {{AxisOrder::kLeftmost, {1, 6, 42, 294, 588}},
                      {AxisOrder::kRightmost, {294, 42, 6, 3, 1}},
                      {AxisOrder::kZyxf, {6, 36, 252, 3, 1}}};
  const BufferPadding ghosts{.low = {2, 1, 0}, .high = {0, 1, 2}};
  for (const Row& row : rows) {
    SCOPED_TRACE(Name(row.order));
    ASSERT_OK_AND_ASSIGN(const BufferSpec spec,
                         MakeBufferSpec(ScalarType::kF64, {4, 5, 5, 2, 3},
                                        ghosts, {row.order, 2}));

    EXPECT_EQ(spec.alloc_shape, (Axes{6, 7, 7, 2, 3, 1, 1, 1}));
    EXPECT_EQ(spec.strides, row.strides);
    EXPECT_EQ(spec.order.axes, row.order);
    EXPECT_EQ(spec.num_elements(), 6 * 7 * 7 * 2 * 3);
  }
}

TEST(BufferSpecTest, RowsOfTheFastestAxisArePaddedWhicheverItIs) {
  const BufferPadding padding{.low = {1, 1}, .high = {1, 1}, .align_bytes = 32};

  ASSERT_OK_AND_ASSIGN(const BufferSpec right,
                       MakeBufferSpec(ScalarType::kF64, {4, 5, 3}, padding,
                                      {AxisOrder::kRightmost, 1}));
  ASSERT_OK_AND_ASSIGN(
      const BufferSpec zyxf,
      MakeBufferSpec(ScalarType::kF64, {4, 5}, padding, {AxisOrder::kZyxf, 0}));

  EXPECT_EQ(right.alloc_shape, (Axes{6, 7, 4, 1, 1, 1, 1, 1}));
  EXPECT_EQ(right.strides, (Axes{28, 4, 1}));
  EXPECT_EQ(zyxf.alloc_shape, (Axes{8, 7, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(zyxf.offset, (Axes{1, 1}));
}

TEST(BufferSpecTest, ABufferStartsWhereTheByteToAlignIsAligned) {
  EXPECT_EQ(BytesToAlign(0, 0, 64), 0);
  EXPECT_EQ(BytesToAlign(0, 8, 64), 56);
  EXPECT_EQ(BytesToAlign(24, 8, 32), 0);
  EXPECT_EQ(BytesToAlign(25, 8, 32), 31);
  EXPECT_EQ(BytesToAlign(7, 1000, 1), 0);
  const uint64_t last = std::numeric_limits<uint64_t>::max();  // 15 of 16
  EXPECT_EQ(BytesToAlign(last, kHuge, 16), 2);                 // 15 + 15 + 2
}

TEST(BufferSpecTest, RowsFillWholeAlignmentUnits) {
  ASSERT_OK_AND_ASSIGN(
      const BufferSpec spec,
      MakeBufferSpec(ScalarType::kF64, {6, 7, 8, 3}, {.align_bytes = 64}));

  EXPECT_EQ(spec.strides, (Axes{1, 8, 56, 448}));
  EXPECT_EQ(spec.shape, (Axes{6, 7, 8, 3, 1, 1, 1, 1}));
  EXPECT_EQ(spec.size_bytes(), 8 * 7 * 8 * 3 * 8);
}

TEST(BufferSpecTest, EmptyAxisMakesAnEmptyBuffer) {
  ASSERT_OK_AND_ASSIGN(const BufferSpec spec,
                       MakeBufferSpec(ScalarType::kF64, {3, 0, 5}));

  EXPECT_EQ(spec.size_bytes(), 0);
  EXPECT_FALSE(spec.Contains({0, 0, 0}));
}

TEST(BufferSpecTest, NegativeExtentsAreRefused) {
  constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

  EXPECT_THAT(MakeBufferSpec(ScalarType::kF64, {3, -1}),
              IsError(kInvalid, "BAD_EXTENT", HasSubstr("axis 1")));
  EXPECT_THAT(MakeBufferSpec(ScalarType::kF64, {3}, {.low = {-2}}),
              IsError(kInvalid, "BAD_EXTENT", HasSubstr("-2")));
  EXPECT_THAT(MakeBufferSpec(ScalarType::kF64, {3}, {.high = {-2}}),
              IsError(kInvalid, "BAD_EXTENT", HasSubstr("-2")));
}

TEST(BufferSpecTest, AlignmentThatCutsAnElementIsRefused) {
  for (int64_t align_bytes : {4, 12, -8, -1}) {
    EXPECT_THAT(
        MakeBufferSpec(ScalarType::kF64, {3}, {.align_bytes = align_bytes}),
        IsError(absl::StatusCode::kInvalidArgument, "BAD_ALIGNMENT",
                HasSubstr("f64 (8 bytes)")));
  }
}

TEST(BufferSpecTest, SizesThatDoNotFitAreRefused) {
  const std::vector<std::vector<int64_t>> shapes = {
      {kHuge},
      {kHuge / 8 + 1},
      {1LL << 32, 1LL << 32},
      {0, 1LL << 40, 1LL << 40},
      {1LL << 40, 1LL << 40, 0},
      {kHuge, kHuge, kHuge, kHuge, kHuge}};
  for (const auto& shape : shapes) {
    EXPECT_THAT(MakeBufferSpec(ScalarType::kF64, shape),
                IsError(absl::StatusCode::kOutOfRange, "SIZE_OVERFLOW",
                        HasSubstr("do not fit 63 bits")));
  }
  EXPECT_THAT(MakeBufferSpec(ScalarType::kU8, {1}, {.low = {kHuge}}),
              IsError(absl::StatusCode::kOutOfRange, "SIZE_OVERFLOW",
                      HasSubstr("do not fit")));
  EXPECT_THAT(MakeBufferSpec(ScalarType::kU8, {2}, {.align_bytes = kHuge}),
              IsError(absl::StatusCode::kOutOfRange, "SIZE_OVERFLOW",
                      HasSubstr("do not fit")));
}

// The inner region may be empty and still start behind the last byte.
TEST(BufferSpecTest, AnInnerRegionThatStartsPastAllAddressesIsRefused) {
  const int64_t half = 1LL << 62;
  EXPECT_THAT(MakeBufferSpec(ScalarType::kU8, {0, 0, 0}, {.low = {half, 1, 1}}),
              IsError(absl::StatusCode::kOutOfRange, "SIZE_OVERFLOW",
                      HasSubstr("do not fit")));
  EXPECT_OK(MakeBufferSpec(ScalarType::kU8, {0, 0, 0}, {.low = {half, 0, 0}})
                .status());
}

TEST(BufferSpecTest, LargestSizeThatFitsIsAccepted) {
  ASSERT_OK_AND_ASSIGN(const BufferSpec spec,
                       MakeBufferSpec(ScalarType::kF64, {kHuge / 8}));

  EXPECT_EQ(spec.size_bytes(), kHuge / 8 * 8);
}

}  // namespace
}  // namespace layoutd
