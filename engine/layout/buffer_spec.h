#ifndef LAYOUTD_ENGINE_LAYOUT_BUFFER_SPEC_H_
#define LAYOUTD_ENGINE_LAYOUT_BUFFER_SPEC_H_

// The universal buffer: an allocation of `alloc_shape` base elements of which
// the inner region `shape`, starting at `offset`, is what programs iterate;
// the rest is ghost layers (halo) and row padding. Pure description, no memory.
// Source: pystencils grids (TensorField), in our terms in engine/README.md.

#include <array>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "engine/base/scalar_type.h"
#include "engine/layout/axis_order.h"

namespace layoutd {

// Four axes of points and a tensor of four, or all of points.
inline constexpr int kMaxBufferAxes = 8;

// Where an index of a buffer lies.
enum class BufferRegion : uint8_t {
  kInner,
  kPadding,  // in the allocation only: below 0 or past the shape on some axis
  kOutside,  // in neither
};

// An index counts from the first inner element, so the padding has indices
// below 0 or past the inner shape. It has num_axes entries.
struct BufferSpec {
  using Axes = std::array<int64_t, kMaxBufferAxes>;

  ScalarType base_type = ScalarType::kF64;
  int num_axes = 0;  // entries past it are 1 (shapes) or 0 (offset)
  BufferOrder order = {};
  Axes alloc_shape = {};  // extents of the whole allocation
  Axes shape = {};        // extents of the inner region
  Axes offset = {};       // where the inner region starts
  Axes strides = {};      // base elements per step, from alloc_shape

  // Returns the size of the whole allocation. Units: base elements, bytes.
  int64_t num_elements() const;
  int64_t size_bytes() const;
  // Returns where `index`, which the allocation contains, lies, counted from
  // the start of the allocation. Units: base elements.
  int64_t ElementOffset(absl::Span<const int64_t> index) const;
  // Returns the region of any index; of another number of axes: kOutside.
  BufferRegion RegionOf(absl::Span<const int64_t> index) const;
  // Returns whether `index` is inside the allocation (inner or padding).
  bool Contains(absl::Span<const int64_t> index) const;

  friend bool operator==(const BufferSpec&, const BufferSpec&) = default;
};

// What MakeBufferSpec needs beyond the inner shape.
struct BufferPadding {
  BufferSpec::Axes low = {};   // ghost elements before the inner region
  BufferSpec::Axes high = {};  // and after it
  // Rows of the fastest axis fill a multiple of this, by elements behind the
  // high ghosts; 0: none. Units: bytes.
  int64_t align_bytes = 0;
};

// Returns the spec of a buffer, whose first axis varies fastest unless `order`
// says otherwise. `shape` has 1 to kMaxBufferAxes extents, `order` no more
// tensor axes than that.
// Errors: InvalidArgument — a negative extent (BAD_EXTENT), an alignment that
// is no multiple of the base size (BAD_ALIGNMENT); OutOfRange (SIZE_OVERFLOW) —
// the allocation's bytes, or those before the inner region, do not fit int64.
absl::StatusOr<BufferSpec> MakeBufferSpec(ScalarType base_type,
                                          absl::Span<const int64_t> shape,
                                          const BufferPadding& padding = {},
                                          const BufferOrder& order = {});

// Returns how far behind `address` a buffer has to start so that the byte
// `aligned_byte` of it lies at a multiple of `align_bytes`: with rows aligned
// as in BufferPadding and the byte of the first inner element, every row's
// first inner element does. Both arguments in bytes are at least 0, align_bytes
// at least 1; the result is below align_bytes.
int64_t BytesToAlign(uint64_t address, int64_t aligned_byte,
                     int64_t align_bytes);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_LAYOUT_BUFFER_SPEC_H_
