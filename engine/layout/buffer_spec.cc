#include "engine/layout/buffer_spec.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/base/checked_math.h"
#include "engine/base/error.h"
#include "engine/base/status_macros.h"

namespace layoutd {
namespace {

absl::Status CheckExtents(absl::Span<const int64_t> shape,
                          const BufferPadding& padding) {
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    for (int64_t extent :
         {shape[axis], padding.low[axis], padding.high[axis]}) {
      if (extent >= 0) continue;
      return InvalidArgument("BAD_EXTENT",
                             absl::StrCat("buffer axis ", axis, " has extent ",
                                          extent, ", below 0"));
    }
  }
  return absl::OkStatus();
}

// Returns the extent of the fastest axis filled up to whole rows of
// `row_elements`.
std::optional<int64_t> FillRow(int64_t extent, int64_t row_elements) {
  const std::optional<int64_t> padded = CheckedAdd(extent, row_elements - 1);
  if (!padded) return std::nullopt;
  return *padded / row_elements * row_elements;
}

}  // namespace

int64_t BufferSpec::num_elements() const {
  int64_t elements = 1;
  for (int axis = 0; axis < num_axes; ++axis) {
    elements *= alloc_shape[static_cast<size_t>(axis)];
  }
  return elements;
}

int64_t BufferSpec::size_bytes() const {
  return num_elements() * SizeBytes(base_type);
}

int64_t BufferSpec::ElementOffset(absl::Span<const int64_t> index) const {
  LAYOUTD_DCHECK(index.size() == static_cast<size_t>(num_axes));
  int64_t element = 0;
  for (size_t axis = 0; axis < index.size(); ++axis) {
    element += (offset[axis] + index[axis]) * strides[axis];
  }
  return element;
}

BufferRegion BufferSpec::RegionOf(absl::Span<const int64_t> index) const {
  if (index.size() != static_cast<size_t>(num_axes)) {
    return BufferRegion::kOutside;
  }
  bool inner = true;
  for (size_t axis = 0; axis < index.size(); ++axis) {
    // No sum that could overflow: the index is anything.
    if (index[axis] < -offset[axis] ||
        index[axis] >= alloc_shape[axis] - offset[axis]) {
      return BufferRegion::kOutside;
    }
    inner = inner && index[axis] >= 0 && index[axis] < shape[axis];
  }
  return inner ? BufferRegion::kInner : BufferRegion::kPadding;
}

bool BufferSpec::Contains(absl::Span<const int64_t> index) const {
  return RegionOf(index) != BufferRegion::kOutside;
}

absl::StatusOr<BufferSpec> MakeBufferSpec(ScalarType base_type,
                                          absl::Span<const int64_t> shape,
                                          const BufferPadding& padding,
                                          const BufferOrder& order) {
  LAYOUTD_DCHECK(!shape.empty() && shape.size() <= kMaxBufferAxes);
  const int num_axes = static_cast<int>(shape.size());
  LAYOUTD_DCHECK(order.num_tensor_axes >= 0 &&
                 order.num_tensor_axes <= num_axes);
  RETURN_IF_ERROR(CheckExtents(shape, padding));
  const int64_t base_bytes = SizeBytes(base_type);
  if (padding.align_bytes < 0 || padding.align_bytes % base_bytes != 0) {
    return InvalidArgument(
        "BAD_ALIGNMENT",
        absl::StrCat("row alignment of ", padding.align_bytes,
                     " bytes is no multiple of ", Name(base_type), " (",
                     base_bytes, " bytes)"));
  }

  BufferSpec spec;
  spec.base_type = base_type;
  spec.num_axes = num_axes;
  spec.order = order;
  spec.alloc_shape.fill(1);
  spec.shape.fill(1);
  // An axis of extent 0 must not hide an overflow in the strides of the others.
  std::optional<int64_t> bytes = base_bytes;
  // Of what lies before inner element 0. It may exceed the allocation where the
  // inner region is empty, and is computed all the same by whoever views it.
  std::optional<int64_t> low_bytes = 0;
  int64_t stride = 1;
  bool fastest = true;
  for (int axis_index : AxesFromFastest(order, num_axes)) {
    const auto axis = static_cast<size_t>(axis_index);
    std::optional<int64_t> extent = CheckedAdd(padding.low[axis], shape[axis]);
    if (extent) extent = CheckedAdd(*extent, padding.high[axis]);
    if (extent && fastest && padding.align_bytes > 0) {
      extent = FillRow(*extent, padding.align_bytes / base_bytes);
    }
    fastest = false;
    if (extent) bytes = CheckedProduct({*bytes, std::max<int64_t>(*extent, 1)});
    const auto low = CheckedProduct({padding.low[axis], stride, base_bytes});
    if (low) low_bytes = CheckedAdd(*low_bytes, *low);
    if (!extent || !bytes || !low || !low_bytes) {
      bytes = std::nullopt;
      break;
    }
    spec.alloc_shape[axis] = *extent;
    spec.shape[axis] = shape[axis];
    spec.offset[axis] = padding.low[axis];
    spec.strides[axis] = stride;
    stride *= *extent;
  }
  if (!bytes) {
    return OutOfRange(
        "SIZE_OVERFLOW",
        absl::StrCat("buffer of shape (", absl::StrJoin(shape, ", "), ") of ",
                     Name(base_type), ": the bytes do not fit 63 bits"));
  }
  return spec;
}

int64_t BytesToAlign(uint64_t address, int64_t aligned_byte,
                     int64_t align_bytes) {
  const auto unit = static_cast<uint64_t>(align_bytes);
  // Remainders first: the sum of address and byte might not fit.
  const uint64_t past =
      (address % unit + static_cast<uint64_t>(aligned_byte) % unit) % unit;
  return static_cast<int64_t>((unit - past) % unit);
}

}  // namespace layoutd
