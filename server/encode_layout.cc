#include "server/encode_layout.h"

#include <string>

#include "absl/strings/ascii.h"

namespace layoutd {
namespace {

v1::LayoutKind EncodeLayoutKind(LayoutKind kind) {
  v1::LayoutKind encoded = v1::LAYOUT_KIND_UNSPECIFIED;
  // Only DataF is not in capitals.
  v1::LayoutKind_Parse(absl::AsciiStrToUpper(Name(kind)), &encoded);
  return encoded;
}

void EncodePoints(const std::array<int64_t, 4>& points,
                  v1::Halo::Points* encoded) {
  encoded->set_v(points[0]);
  encoded->set_i(points[1]);
  encoded->set_j(points[2]);
  encoded->set_h(points[3]);
}

void EncodeBuffer(const DataLayout& layout, v1::Buffer* encoded) {
  const BufferSpec& buffer = layout.buffer();
  const absl::string_view axes = ParentAxes(layout.kind());
  encoded->set_axes(axes.data(), axes.size());
  for (size_t axis = 0; axis < axes.size(); ++axis) {
    encoded->add_alloc_shape(buffer.alloc_shape[axis]);
    encoded->add_shape(buffer.shape[axis]);
    encoded->add_offset(buffer.offset[axis]);
    encoded->add_strides(buffer.strides[axis]);
  }
}

}  // namespace

void EncodeShape(const Shape& shape, v1::Shape* encoded) {
  encoded->set_nv(shape.v());
  encoded->set_ni(shape.i());
  encoded->set_nj(shape.j());
  encoded->set_nh(shape.h());
}

void EncodeLayout(const DataLayout& layout, v1::Layout* encoded) {
  encoded->set_kind(EncodeLayoutKind(layout.kind()));
  EncodeShape(layout.shape(), encoded->mutable_shape());
  encoded->mutable_type()->set_text(layout.type().ToString());
  encoded->set_base_type(std::string(Name(layout.base_type())));
  encoded->set_num_components(layout.num_components());
  if (layout.has_halo()) {
    EncodePoints(layout.halo().low, encoded->mutable_halo()->mutable_low());
    EncodePoints(layout.halo().high, encoded->mutable_halo()->mutable_high());
  }
  encoded->set_align_bytes(layout.align_bytes());
  encoded->set_plane_ni(layout.plane_nodes().i);
  encoded->set_plane_nj(layout.plane_nodes().j);
  encoded->set_static_nh(layout.spec().static_h);
  EncodeBuffer(layout, encoded->mutable_buffer());
  encoded->set_num_levels(layout.num_levels());
  encoded->set_num_nodes(layout.num_nodes());
  encoded->set_num_elements(layout.num_elements());
  encoded->set_f_dim(FDim(layout.kind()).value_or(0));
  for (const std::optional<int64_t>& extent : layout.inferred_size()) {
    encoded->add_inferred_size(extent.value_or(-1));
  }
  encoded->set_linear_index(layout.allows_linear_index());
}

}  // namespace layoutd
