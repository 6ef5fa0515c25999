// Properties of every address of universal buffers, against 128-bit arithmetic:
// each index of the allocation has an element of its own, and none is outside.

#include <limits>
#include <random>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/layout/buffer_view.h"
#include "engine/layout/tensor_buffer.h"
#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

constexpr AxisOrder kOrders[] = {AxisOrder::kLeftmost, AxisOrder::kRightmost,
                                 AxisOrder::kZyxf};

std::string Describe(const TensorBufferSpec& spec) {
  return absl::StrCat(
      Name(spec.order), " points ", absl::StrJoin(spec.points, "x"), " tensor ",
      absl::StrJoin(spec.tensor, "x"), " low ",
      absl::StrJoin(spec.ghosts_low, ","), " high ",
      absl::StrJoin(spec.ghosts_high, ","), " align ", spec.align_bytes);
}

// Moves `index` to the next of the box `[low, high)`; false after the last.
bool Advance(std::vector<int64_t>& index, const std::vector<int64_t>& low,
             const std::vector<int64_t>& high) {
  for (size_t axis = 0; axis < index.size(); ++axis) {
    if (++index[axis] < high[axis]) return true;
    index[axis] = low[axis];
  }
  return false;
}

void CheckEveryIndex(const TensorBufferSpec& tensors) {
  SCOPED_TRACE(Describe(tensors));
  ASSERT_OK_AND_ASSIGN(const BufferSpec spec, MakeTensorBuffer(tensors));
  const BufferView view = InnerView(spec);
  const auto rank = static_cast<size_t>(spec.num_axes);
  std::vector<int64_t> low(rank), high(rank);
  int64_t num_inner = 1;
  for (size_t axis = 0; axis < rank; ++axis) {
    // One further than the allocation on each side.
    low[axis] = -spec.offset[axis] - 1;
    high[axis] = spec.alloc_shape[axis] - spec.offset[axis] + 1;
    num_inner *= spec.shape[axis];
  }
  std::vector<bool> seen(static_cast<size_t>(spec.num_elements()));
  int64_t num_seen = 0;
  int64_t num_inner_seen = 0;
  std::vector<int64_t> index = low;
  do {
    bool inside = true;
    bool inner = true;
    Int128 element = 0;
    for (size_t axis = 0; axis < rank; ++axis) {
      inside =
          inside && index[axis] > low[axis] && index[axis] < high[axis] - 1;
      inner = inner && index[axis] >= 0 && index[axis] < spec.shape[axis];
      element += (Int128{spec.offset[axis]} + index[axis]) * spec.strides[axis];
    }
    ASSERT_EQ(spec.RegionOf(index), !inside ? BufferRegion::kOutside
                                    : inner ? BufferRegion::kInner
                                            : BufferRegion::kPadding)
        << absl::StrJoin(index, ", ");
    if (!inside) continue;
    ASSERT_TRUE(element >= 0 && element < spec.num_elements());
    const auto place = static_cast<int64_t>(element);
    ASSERT_EQ(spec.ElementOffset(index), place);
    ASSERT_EQ(view.ElementOffset(index), place);
    ASSERT_FALSE(seen[static_cast<size_t>(place)]);
    seen[static_cast<size_t>(place)] = true;
    ++num_seen;
    if (!inner) continue;
    ++num_inner_seen;
    ASSERT_GE(place, view.start);
    ASSERT_LT(place, view.start + view.span_elements());
  } while (Advance(index, low, high));
  EXPECT_EQ(num_seen, spec.num_elements());
  EXPECT_EQ(num_inner_seen, num_inner);
}

TEST(BufferAddressesTest, EveryIndexOfASmallBufferHasItsOwnElement) {
  const std::vector<std::vector<int64_t>> shapes = {
      {1}, {0}, {5}, {3, 2}, {0, 3}, {2, 3, 4}, {1, 1, 1}, {2, 1, 2, 3}};
  const std::vector<std::vector<int64_t>> tensors = {{}, {3}, {2, 3}};
  struct Ghosts {
    int64_t low[4], high[4];
  };
  const Ghosts ghosts[] = {{{0, 0, 0, 0}, {0, 0, 0, 0}},
                           {{1, 1, 1, 1}, {1, 1, 1, 1}},
                           {{2, 0, 1, 0}, {0, 1, 3, 1}},
                           {{0, 3, 0, 0}, {1, 0, 0, 2}}};
  for (AxisOrder order : kOrders) {
    for (const auto& points : shapes) {
      for (const auto& tensor : tensors) {
        for (const Ghosts& width : ghosts) {
          for (int64_t align_bytes : {0, 8, 32}) {
            CheckEveryIndex(
                {.base_type = ScalarType::kF64,
                 .points = points,
                 .tensor = tensor,
                 .ghosts_low = {width.low, width.low + points.size()},
                 .ghosts_high = {width.high, width.high + points.size()},
                 .order = order,
                 .align_bytes = align_bytes});
            if (HasFatalFailure()) return;
          }
        }
      }
    }
  }
}

TEST(BufferAddressesTest, FirstInnerElementsOfAlignedRowsAreAligned) {
  for (AxisOrder order : kOrders) {
    ASSERT_OK_AND_ASSIGN(const BufferSpec spec,
                         MakeTensorBuffer({.points = {5, 6, 7},
                                           .tensor = {3},
                                           .ghosts_low = {1, 1, 1},
                                           .ghosts_high = {1, 1, 1},
                                           .order = order,
                                           .align_bytes = 64}));
    const int64_t start =
        BytesToAlign(1000, InnerView(spec).start * 8, 64) + 1000;
    for (size_t axis = 0; axis < 4; ++axis) {
      if (spec.strides[axis] == 1) continue;
      std::vector<int64_t> index(4, 0);
      index[axis] = 2;
      EXPECT_EQ((start + spec.ElementOffset(index) * 8) % 64, 0);
    }
  }
}

// Accepted exactly when 128-bit arithmetic says that all sizes fit; and then
// the corners of the allocation are where it says.
TEST(BufferAddressesTest, LargeBuffersAreRefusedExactlyWhenASizeDoesNotFit) {
  constexpr int kSeed = 20261201;
  SCOPED_TRACE(absl::StrCat("seed ", kSeed));
  std::mt19937_64 random(kSeed);
  const auto below = [&](uint64_t bound) {
    return static_cast<int64_t>(random() % bound);
  };
  constexpr Int128 kLimit = std::numeric_limits<int64_t>::max();
  int num_accepted = 0;
  for (int round = 0; round < 20000; ++round) {
    const auto rank = static_cast<size_t>(1 + below(6));
    const auto num_tensor = static_cast<size_t>(below(rank));
    TensorBufferSpec tensors{.base_type = ScalarType::kF32,
                             .order = kOrders[below(3)],
                             .align_bytes = 64 * below(2)};
    // Few bits an axis, so that about half of the buffers fit.
    const auto extent = [&] { return below(uint64_t{1} << below(24)); };
    for (size_t axis = 0; axis < rank; ++axis) {
      if (axis >= rank - num_tensor) {
        tensors.tensor.push_back(extent() + 2);
        continue;
      }
      tensors.points.push_back(extent());
      tensors.ghosts_low.push_back(extent());
      tensors.ghosts_high.push_back(extent());
    }
    Int128 bytes = 4;
    Int128 low_bytes = 0;
    Int128 stride = 1;
    bool fastest = true;
    bool fits = true;
    const BufferOrder order{tensors.order, static_cast<int>(num_tensor)};
    for (int axis_index : AxesFromFastest(order, static_cast<int>(rank))) {
      const auto axis = static_cast<size_t>(axis_index);
      const bool is_point = axis < rank - num_tensor;
      const int64_t low = is_point ? tensors.ghosts_low[axis] : 0;
      Int128 whole = is_point ? Int128{low} + tensors.points[axis] +
                                    tensors.ghosts_high[axis]
                              : tensors.tensor[axis - (rank - num_tensor)];
      if (fastest && tensors.align_bytes > 0) whole = (whole + 15) / 16 * 16;
      fastest = false;
      low_bytes += low * stride * 4;
      stride *= whole;
      bytes *= whole == 0 ? 1 : whole;
      fits = fits && bytes <= kLimit && low_bytes <= kLimit;
      if (!fits) break;
    }
    SCOPED_TRACE(Describe(tensors));
    const auto spec = MakeTensorBuffer(tensors);
    ASSERT_EQ(spec.ok(), fits) << spec.status();
    if (!fits) continue;
    ++num_accepted;
    ASSERT_EQ(Int128{InnerView(*spec).start} * 4, low_bytes);
    ASSERT_EQ(spec->num_elements(), stride);
    if (stride == 0) continue;
    std::vector<int64_t> first, last;
    for (size_t axis = 0; axis < rank; ++axis) {
      first.push_back(-spec->offset[axis]);
      last.push_back(spec->alloc_shape[axis] - spec->offset[axis] - 1);
    }
    ASSERT_EQ(InnerView(*spec).ElementOffset(first), 0);
    ASSERT_EQ(InnerView(*spec).ElementOffset(last), spec->num_elements() - 1);
    ASSERT_EQ(spec->ElementOffset(last), spec->num_elements() - 1);
  }
  EXPECT_GT(num_accepted, 2000);
  EXPECT_LT(num_accepted, 18000);
}

}  // namespace
}  // namespace layoutd
