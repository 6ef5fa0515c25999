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

namespace layoutd {

inline constexpr int kMaxBufferAxes = 5;

struct BufferSpec {
  using Axes = std::array<int64_t, kMaxBufferAxes>;

  ScalarType base_type = ScalarType::kF64;
  int num_axes = 0;       // entries past it are 1 (shapes) or 0 (offset)
  Axes alloc_shape = {};  // extents of the whole allocation
  Axes shape = {};        // extents of the inner region
  Axes offset = {};       // where the inner region starts
  Axes strides = {};      // base elements per step, from alloc_shape

  // Returns the size of the whole allocation. Units: bytes.
  int64_t size_bytes() const;
  // Returns where inner element `index` lies, counted from the start of the
  // allocation. Units: base elements. `index` has num_axes entries; ghost
  // elements have indices below 0 or past the inner shape.
  int64_t ElementOffset(absl::Span<const int64_t> index) const;
  // Returns whether `index` is inside the allocation (inner or ghost).
  bool Contains(absl::Span<const int64_t> index) const;

  friend bool operator==(const BufferSpec&, const BufferSpec&) = default;
};

// What MakeBufferSpec needs beyond the inner shape.
struct BufferPadding {
  BufferSpec::Axes low = {};   // ghost elements before the inner region
  BufferSpec::Axes high = {};  // and after it
  int64_t align_bytes = 0;  // rows of axis 0 fill a multiple of this; 0: none
};

// Returns the spec whose first axis varies fastest.
// Errors: InvalidArgument — a negative extent (BAD_EXTENT), an alignment that
// is no multiple of the base size (BAD_ALIGNMENT); OutOfRange (SIZE_OVERFLOW) —
// the allocation's bytes do not fit int64.
absl::StatusOr<BufferSpec> MakeBufferSpec(ScalarType base_type,
                                          absl::Span<const int64_t> shape,
                                          const BufferPadding& padding = {});

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_LAYOUT_BUFFER_SPEC_H_
