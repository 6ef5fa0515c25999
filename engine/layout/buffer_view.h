#ifndef LAYOUTD_ENGINE_LAYOUT_BUFFER_VIEW_H_
#define LAYOUTD_ENGINE_LAYOUT_BUFFER_VIEW_H_

// The two forms of a universal buffer: what is created is the whole allocation,
// what programs get is the view of its inner region. A view has no padding of
// its own, so it cannot be trimmed a second time: the view is taken of the
// spec, never of a view. Pure description, no memory.
// Source: pystencils grids (create_ndarray, view_ndarray).

#include <cstdint>

#include "absl/types/span.h"
#include "engine/base/scalar_type.h"
#include "engine/layout/axis_order.h"
#include "engine/layout/buffer_spec.h"

namespace layoutd {

// Elements of a buffer at `start + sum of index * stride`, in base elements
// from the start of the allocation. Inside the shape an index is an element of
// the view; outside it, it reaches what surrounds it in the allocation.
struct BufferView {
  ScalarType base_type = ScalarType::kF64;
  int num_axes = 0;  // entries past it are 1 (shape) or 0 (strides)
  BufferOrder order = {};
  // Of index 0. Past the allocation only where the view is empty.
  int64_t start = 0;
  BufferSpec::Axes shape = {};
  BufferSpec::Axes strides = {};

  // Returns the elements from the first to the last of the view, both counted;
  // 0 if there is none. Less than the allocation's: row padding behind the last
  // row is not in it.
  int64_t span_elements() const;
  // Returns where `index`, which lies in the allocation, is.
  int64_t ElementOffset(absl::Span<const int64_t> index) const;

  friend bool operator==(const BufferView&, const BufferView&) = default;
};

// Returns the view of the whole allocation; index 0 is its first element.
BufferView AllocationView(const BufferSpec& spec);

// Returns the view of the inner region: of the allocation's strides.
BufferView InnerView(const BufferSpec& spec);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_LAYOUT_BUFFER_VIEW_H_
