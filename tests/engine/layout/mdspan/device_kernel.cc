// Compiled as CUDA by mdspan_device_test: mappings and their parts are usable
// in device code.

#include <utility>

#include "engine/layout/mdspan/mdspan.h"

namespace layoutd {

// Adds one to the inner region of each row of a padded box, and the strides of
// the source to its corner.
__global__ void AddToInnerRegion(
    mdspan<float, dextents<int, 3>, layout_left_padded<8>> box) {
  const auto inner =
      submdspan(box, std::pair{1, box.extent(0) - 1},
                static_cast<int>(blockIdx.y), extent_slice{0, 2, 2});
  const int row = static_cast<int>(threadIdx.x);
  if (row < inner.extent(0)) inner(row, 1) += 1.0f;

  const layout_stride::mapping<dextents<int, 3>> strided = box.mapping();
  if (strided == box.mapping()) {
    box(0, 0, 0) += static_cast<float>(strided.strides()[2]);
  }
}

}  // namespace layoutd
