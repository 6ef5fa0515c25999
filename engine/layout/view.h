#ifndef LAYOUTD_ENGINE_LAYOUT_VIEW_H_
#define LAYOUTD_ENGINE_LAYOUT_VIEW_H_

// A described part of a buffer: where values lie, point by point. Value type;
// pure description, no memory.

#include <array>
#include <cstdint>

#include "engine/base/scalar_type.h"
#include "engine/layout/shape.h"
#include "engine/layout/struct_storage.h"
#include "engine/layout/value_type.h"

namespace layoutd {

// Where one value of a view lies. Addresses are bytes from the start of the
// buffer: offset_bytes + v*strides[0] + i*strides[1] + j*strides[2] +
// h*strides[3] is slot 0 of the point; slot k is k*slot_stride further.
// A view aliases its field's memory and is valid as long as its buffer.
struct View {
  ValueType type;            // of the (component) value
  ScalarType base_type;      // of the slots
  Shape shape;               // logical extents
  int64_t offset_bytes = 0;  // slot 0 of the whole value at point (0,0,0,0)
  std::array<int64_t, 4> strides_bytes = {};  // along v, i, j, h
  int64_t slot_stride_bytes = 0;              // along F
  int64_t value_offset_bytes = 0;  // of this component inside the whole value

  // Returns the place of leaf `index` of `type` (offsets within the whole value
  // are already added).
  LeafPlace PlaceOf(int index) const;
};

// How a leaf of a view is addressed: the address of piece p at a point is
// base_bytes + point strides + p * slot_stride_bytes.
struct LeafAddress {
  ScalarType type;
  int64_t base_bytes;  // from the start of the buffer
  int num_pieces;
  int64_t piece_bytes;
};
LeafAddress AddressOf(const View& view, int leaf_index);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_LAYOUT_VIEW_H_
