#include "engine/layout/buffer_view.h"

#include "engine/base/status_macros.h"

namespace layoutd {

int64_t BufferView::span_elements() const {
  int64_t last = 0;
  for (size_t axis = 0; axis < static_cast<size_t>(num_axes); ++axis) {
    if (shape[axis] == 0) return 0;
    last += (shape[axis] - 1) * strides[axis];
  }
  return last + 1;
}

int64_t BufferView::ElementOffset(absl::Span<const int64_t> index) const {
  LAYOUTD_DCHECK(index.size() == static_cast<size_t>(num_axes));
  // From index 0 outward: no partial sum leaves the allocation by more than
  // `start`, so none overflows.
  int64_t distance = 0;
  for (size_t axis = 0; axis < index.size(); ++axis) {
    distance += index[axis] * strides[axis];
  }
  return start + distance;
}

BufferView AllocationView(const BufferSpec& spec) {
  return {spec.base_type,   spec.num_axes, spec.order, 0,
          spec.alloc_shape, spec.strides};
}

BufferView InnerView(const BufferSpec& spec) {
  BufferView view = AllocationView(spec);
  view.shape = spec.shape;
  for (size_t axis = 0; axis < static_cast<size_t>(spec.num_axes); ++axis) {
    view.start += spec.offset[axis] * spec.strides[axis];
  }
  return view;
}

}  // namespace layoutd
