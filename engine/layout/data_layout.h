#ifndef LAYOUTD_ENGINE_LAYOUT_DATA_LAYOUT_H_
#define LAYOUTD_ENGINE_LAYOUT_DATA_LAYOUT_H_

// The layout kinds: how points (v, i, j, h) and the slots of their values (F)
// lie in a universal buffer. In a name such as VIJFH the first letter varies
// fastest. Value type; pure description, no memory.
// Source: ClimaCore.jl src/DataLayouts (0-based here).

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "engine/base/scalar_type.h"
#include "engine/layout/buffer_spec.h"
#include "engine/layout/shape.h"
#include "engine/layout/struct_storage.h"
#include "engine/layout/value_type.h"

namespace layoutd {

enum class LayoutKind : uint8_t {
  kDataF,  // one value: parent axes (F)
  kVIJFH,  // parent axes (V, I, J, F, H)
  kVIJHF,  // parent axes (V, I, J, H, F)
};

absl::string_view Name(LayoutKind kind);
// Errors: InvalidArgument (UNKNOWN_LAYOUT) — lists the known names.
absl::StatusOr<LayoutKind> ParseLayoutKind(absl::string_view name);

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

class DataLayout {
 public:
  // Returns the layout; without `base_type` the default one for `type`.
  // Shape: kDataF needs (1, 1, 1, 1); Nj must be Ni or 1; extents may be 0.
  // Errors: InvalidArgument — BAD_EXTENT, BAD_BASE_TYPE, BAD_SHAPE;
  // OutOfRange (SIZE_OVERFLOW) — points or bytes do not fit int64.
  static absl::StatusOr<DataLayout> Create(
      LayoutKind kind, const Shape& shape, ValueType type,
      std::optional<ScalarType> base_type = std::nullopt);

  LayoutKind kind() const { return kind_; }
  const Shape& shape() const { return shape_; }
  const ValueType& type() const { return type_; }
  ScalarType base_type() const { return buffer_.base_type; }
  const BufferSpec& buffer() const { return buffer_; }
  int64_t size_bytes() const { return buffer_.size_bytes(); }
  // Whether writing every leaf of every point leaves no byte of the buffer
  // untouched: no padding in values or rows, no halo.
  bool LeavesFillBuffer() const;
  // Slots per value (Nf).
  int64_t num_components() const;

  // Returns the view of every value.
  View WholeView() const;

  friend bool operator==(const DataLayout&, const DataLayout&) = default;

 private:
  DataLayout(LayoutKind kind, const Shape& shape, ValueType type,
             const BufferSpec& buffer);

  LayoutKind kind_;
  Shape shape_;
  ValueType type_;
  BufferSpec buffer_;
};

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_LAYOUT_DATA_LAYOUT_H_
