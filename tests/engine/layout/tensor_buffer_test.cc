#include "engine/layout/tensor_buffer.h"

#include <limits>

#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();

TEST(TensorBufferTest, GhostLayersLieAroundPointsAndNotAroundComponents) {
  ASSERT_OK_AND_ASSIGN(const BufferSpec spec,
                       MakeTensorBuffer({.base_type = ScalarType::kF32,
                                         .points = {4, 5},
                                         .tensor = {2, 3},
                                         .ghosts_low = {2, 0},
                                         .ghosts_high = {1, 4},
                                         .order = AxisOrder::kZyxf}));

  EXPECT_EQ(spec.alloc_shape, (BufferSpec::Axes{7, 9, 2, 3, 1, 1, 1, 1}));
  EXPECT_EQ(spec.offset, (BufferSpec::Axes{2, 0}));
  EXPECT_EQ(spec.strides, (BufferSpec::Axes{6, 42, 3, 1}));
  EXPECT_EQ(spec.size_bytes(), 7 * 9 * 6 * 4);
}

TEST(TensorBufferTest, TheDefaultOrderIsNumpys) {
  EXPECT_EQ(MakeTensorBuffer({.points = {4, 5}}).value().strides,
            (BufferSpec::Axes{5, 1}));
}

TEST(TensorBufferTest, ShapesThatAreNoTensorsAreRefused) {
  EXPECT_THAT(MakeTensorBuffer({.points = {}}),
              IsError(kInvalid, "BAD_SHAPE", HasSubstr("no axis of points")));
  EXPECT_THAT(MakeTensorBuffer({.points = {4}, .tensor = {2, 1}}),
              IsError(kInvalid, "BAD_SHAPE", HasSubstr("(2, 1)")));
  EXPECT_THAT(
      MakeTensorBuffer({.points = {2, 2, 2, 2, 2}, .tensor = {2, 2, 2, 2}}),
      IsError(kInvalid, "BAD_SHAPE", HasSubstr("at most 8 axes")));
  EXPECT_THAT(MakeTensorBuffer({.points = {4}, .tensor = {-2}}),
              IsError(kInvalid, "BAD_EXTENT", HasSubstr("-2")));
}

TEST(TensorBufferTest, GhostLayersMustFitTheAxes) {
  EXPECT_THAT(MakeTensorBuffer({.points = {4, 5}, .ghosts_low = {1}}),
              IsError(kInvalid, "BAD_HALO", HasSubstr("1 axes for 2")));
  EXPECT_THAT(MakeTensorBuffer({.points = {4, 5}, .ghosts_high = {1, -1}}),
              IsError(kInvalid, "BAD_HALO", HasSubstr("-1 ghost layers")));
}

TEST(TensorBufferTest, AComponentOfASteppedPointMayLieInThePadding) {
  const BufferSpec spec = MakeTensorBuffer({.points = {4, 5},
                                            .tensor = {3},
                                            .ghosts_low = {1, 0},
                                            .ghosts_high = {0, 2}})
                              .value();

  ASSERT_OK_AND_ASSIGN(const auto here, ComponentIndex(spec, {3, 4}, {}, {2}));
  EXPECT_THAT(here, ElementsAre(3, 4, 2));
  ASSERT_OK_AND_ASSIGN(const auto ghost,
                       ComponentIndex(spec, {0, 4}, {-1, 2}, {0}));
  EXPECT_THAT(ghost, ElementsAre(-1, 6, 0));
}

TEST(TensorBufferTest, AStepOutOfTheBufferIsRefused) {
  const BufferSpec spec = MakeTensorBuffer({.points = {4, 5},
                                            .tensor = {3},
                                            .ghosts_low = {1, 0},
                                            .ghosts_high = {0, 2}})
                              .value();
  constexpr auto kRange = absl::StatusCode::kOutOfRange;

  EXPECT_THAT(ComponentIndex(spec, {0, 4}, {-2, 0}, {0}),
              IsError(kRange, "INDEX_OUT_OF_RANGE", HasSubstr("(-2, 0)")));
  EXPECT_THAT(ComponentIndex(spec, {3, 4}, {1, 0}, {0}),
              IsError(kRange, "INDEX_OUT_OF_RANGE", HasSubstr("(3, 4)")));
  EXPECT_THAT(ComponentIndex(spec, {3, 4}, {0, kHuge}, {0}),
              IsError(kRange, "INDEX_OUT_OF_RANGE", HasSubstr("outside")));
}

TEST(TensorBufferTest, RowPaddingBehindComponentsIsNoComponent) {
  const BufferSpec spec =
      MakeTensorBuffer({.points = {4}, .tensor = {3}, .align_bytes = 64})
          .value();

  EXPECT_TRUE(spec.Contains({0, 5}));
  EXPECT_THAT(ComponentIndex(spec, {0}, {}, {3}),
              IsError(absl::StatusCode::kOutOfRange, "INDEX_OUT_OF_RANGE",
                      HasSubstr("tensor axis 0: index 3 outside [0, 3)")));
}

TEST(TensorBufferTest, AnIndexOfOtherAxesIsRefused) {
  const BufferSpec spec =
      MakeTensorBuffer({.points = {4, 5}, .tensor = {3}}).value();

  EXPECT_THAT(ComponentIndex(spec, {0}, {}, {0}),
              IsError(kInvalid, "BAD_AXIS_COUNT", HasSubstr("1 + 1 axes")));
  EXPECT_THAT(ComponentIndex(spec, {0, 0}, {1}, {0}),
              IsError(kInvalid, "BAD_AXIS_COUNT", HasSubstr("step of 1")));
  EXPECT_THAT(ComponentIndex(spec, {0, 0}, {}, {}),
              IsError(kInvalid, "BAD_AXIS_COUNT", HasSubstr("2 + 0 axes")));
}

}  // namespace
}  // namespace layoutd
