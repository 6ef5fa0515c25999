#ifndef LAYOUTD_ENGINE_LAYOUT_MAPPING_KIND_H_
#define LAYOUTD_ENGINE_LAYOUT_MAPPING_KIND_H_

// Which of C++26's layout mappings the strides of a view are, told at run time:
// what a client needs to know to make an mdspan of the bytes it gets.
// Source: C++ working draft, [mdspan.layout].

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "engine/layout/axis_order.h"
#include "engine/layout/buffer_view.h"

namespace layoutd {

enum class MappingKind : uint8_t {
  kLeft,         // axis 0 has stride 1, each next one the product of those left
  kLeftPadded,   // as kLeft, over a first extent enlarged to strides[1]
  kRight,        // mirror image: the last axis has stride 1
  kRightPadded,  // and a last extent enlarged to strides[rank - 2]
  kStride,       // any other
};

// Returns the name of the layout policy: "layout_left_padded".
absl::string_view Name(MappingKind kind);

// Returns the strictest mapping over `extents` with exactly `strides`; those of
// axes of extent 1 count too, as they do in the standard's conversions. It is
// at least as strict as what submdspan tells from types alone.
// Several do where one axis is left or every extent is 1: then that of the
// side that varies fastest in `order`, left for kZyxf.
// Shape: extents and strides have one entry an axis. Units: elements.
MappingKind KindOf(absl::Span<const int64_t> extents,
                   absl::Span<const int64_t> strides,
                   AxisOrder order = AxisOrder::kLeftmost);

MappingKind KindOf(const BufferView& view);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_LAYOUT_MAPPING_KIND_H_
