#include "engine/layout/buffer_view.h"

#include "engine/layout/tensor_buffer.h"
#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

using Axes = BufferSpec::Axes;

BufferSpec Buffer(const TensorBufferSpec& spec) {
  return MakeTensorBuffer(spec).value();
}

TEST(BufferViewTest, TheCreatedFormIsTheWholeAllocation) {
  const BufferSpec spec = Buffer({.points = {4, 5},
                                  .tensor = {3},
                                  .ghosts_low = {1, 2},
                                  .ghosts_high = {0, 3}});

  const BufferView view = AllocationView(spec);

  EXPECT_EQ(view.start, 0);
  EXPECT_EQ(view.shape, spec.alloc_shape);
  EXPECT_EQ(view.strides, spec.strides);
  EXPECT_EQ(view.span_elements(), spec.num_elements());
}

TEST(BufferViewTest, TheViewedFormIsTheInnerRegionAtTheSameStrides) {
  const BufferSpec spec = Buffer({.points = {4, 5},
                                  .tensor = {3},
                                  .ghosts_low = {1, 2},
                                  .ghosts_high = {0, 3}});

  const BufferView view = InnerView(spec);

  EXPECT_EQ(view.start, 1 * 30 + 2 * 3);
  EXPECT_EQ(view.shape, (Axes{4, 5, 3, 1, 1, 1, 1, 1}));
  EXPECT_EQ(view.strides, (Axes{30, 3, 1}));
  EXPECT_EQ(view.span_elements(), 3 * 30 + 4 * 3 + 2 + 1);
  EXPECT_EQ(view.ElementOffset({-1, -2, 0}), 0);
  EXPECT_EQ(view.ElementOffset({3, 7, 2}), spec.num_elements() - 1);
}

TEST(BufferViewTest, WithoutPaddingBothFormsAreTheSame) {
  const BufferSpec spec = Buffer({.points = {4, 5}, .tensor = {3}});

  EXPECT_EQ(InnerView(spec), AllocationView(spec));
}

TEST(BufferViewTest, TheSpanLeavesOutTheLastRowsPadding) {
  const BufferSpec spec = Buffer({.points = {2, 5}, .align_bytes = 64});

  EXPECT_EQ(spec.num_elements(), 16);
  EXPECT_EQ(InnerView(spec).span_elements(), 8 + 5);
}

TEST(BufferViewTest, AnEmptyInnerRegionStillHasItsGhosts) {
  const BufferSpec spec =
      Buffer({.points = {0, 4}, .ghosts_low = {1, 1}, .ghosts_high = {1, 1}});

  const BufferView view = InnerView(spec);

  EXPECT_EQ(view.span_elements(), 0);
  EXPECT_EQ(view.ElementOffset({-1, -1}), 0);
  EXPECT_EQ(view.ElementOffset({0, 4}), 11);
}

}  // namespace
}  // namespace layoutd
