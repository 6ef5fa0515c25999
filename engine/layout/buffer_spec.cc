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

// Returns the extent of axis 0 filled up to whole rows of `row_elements`.
std::optional<int64_t> FillRow(int64_t extent, int64_t row_elements) {
  const std::optional<int64_t> padded = CheckedAdd(extent, row_elements - 1);
  if (!padded) return std::nullopt;
  return *padded / row_elements * row_elements;
}

}  // namespace

int64_t BufferSpec::size_bytes() const {
  int64_t bytes = SizeBytes(base_type);
  for (int axis = 0; axis < num_axes; ++axis) {
    bytes *= alloc_shape[static_cast<size_t>(axis)];
  }
  return bytes;
}

int64_t BufferSpec::ElementOffset(absl::Span<const int64_t> index) const {
  LAYOUTD_DCHECK(index.size() == static_cast<size_t>(num_axes));
  int64_t element = 0;
  for (size_t axis = 0; axis < index.size(); ++axis) {
    element += (offset[axis] + index[axis]) * strides[axis];
  }
  return element;
}

bool BufferSpec::Contains(absl::Span<const int64_t> index) const {
  if (index.size() != static_cast<size_t>(num_axes)) return false;
  for (size_t axis = 0; axis < index.size(); ++axis) {
    // No sum that could overflow: the index is anything.
    if (index[axis] < -offset[axis] ||
        index[axis] >= alloc_shape[axis] - offset[axis]) {
      return false;
    }
  }
  return true;
}

absl::StatusOr<BufferSpec> MakeBufferSpec(ScalarType base_type,
                                          absl::Span<const int64_t> shape,
                                          const BufferPadding& padding) {
  LAYOUTD_DCHECK(!shape.empty() && shape.size() <= kMaxBufferAxes);
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
  spec.num_axes = static_cast<int>(shape.size());
  spec.alloc_shape.fill(1);
  spec.shape.fill(1);
  // An axis of extent 0 must not hide an overflow in the strides of the others.
  std::optional<int64_t> bytes = base_bytes;
  int64_t stride = 1;
  for (size_t axis = 0; axis < shape.size() && bytes; ++axis) {
    std::optional<int64_t> extent = CheckedAdd(padding.low[axis], shape[axis]);
    if (extent) extent = CheckedAdd(*extent, padding.high[axis]);
    if (extent && axis == 0 && padding.align_bytes > 0) {
      extent = FillRow(*extent, padding.align_bytes / base_bytes);
    }
    if (extent) {
      bytes = CheckedProduct({*bytes, std::max<int64_t>(*extent, 1)});
    } else {
      bytes = std::nullopt;
    }
    if (!bytes) break;
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

}  // namespace layoutd
