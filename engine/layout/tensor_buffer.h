#ifndef LAYOUTD_ENGINE_LAYOUT_TENSOR_BUFFER_H_
#define LAYOUTD_ENGINE_LAYOUT_TENSOR_BUFFER_H_

// Universal buffers of tensors: axes of points, with ghost layers on any side,
// then axes of components, which have none. Pure description, no memory.
// Source: pystencils grids (TensorField).

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "engine/base/scalar_type.h"
#include "engine/layout/axis_order.h"
#include "engine/layout/buffer_spec.h"

namespace layoutd {

// What a tensor buffer is made from.
struct TensorBufferSpec {
  ScalarType base_type = ScalarType::kF64;
  std::vector<int64_t> points = {};  // inner extents, at least one
  std::vector<int64_t> tensor = {};  // extents of one value; empty: a scalar
  std::vector<int64_t> ghosts_low = {};   // one a point axis; empty: none
  std::vector<int64_t> ghosts_high = {};  // likewise
  AxisOrder order = AxisOrder::kRightmost;
  int64_t align_bytes = 0;  // as in BufferPadding
};

// Returns the buffer of `spec`.
// Errors: those of MakeBufferSpec; InvalidArgument — no axis of points, more
// axes than kMaxBufferAxes, or a tensor extent of 1 (BAD_SHAPE), another number
// of ghost layers than of point axes, or one below 0 (BAD_HALO).
absl::StatusOr<BufferSpec> MakeTensorBuffer(const TensorBufferSpec& spec);

// Returns the index of a component of the value at `point + step` in a buffer
// with tensor axes; an empty `step` is none. The point may lie in the padding.
// Errors: InvalidArgument (BAD_AXIS_COUNT) — another number of entries than of
// axes; OutOfRange (INDEX_OUT_OF_RANGE) — the point lies outside the
// allocation, or the tensor has no such component.
absl::StatusOr<std::vector<int64_t>> ComponentIndex(
    const BufferSpec& buffer, absl::Span<const int64_t> point,
    absl::Span<const int64_t> step, absl::Span<const int64_t> component);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_LAYOUT_TENSOR_BUFFER_H_
