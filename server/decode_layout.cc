#include "server/decode_layout.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/base/error.h"
#include "engine/base/status_macros.h"
#include "server/grpc_status.h"

namespace layoutd {
namespace {

// The protocol's name of DataF is in capitals, as its other values are.
constexpr absl::string_view kDataFName = "DATAF";

std::array<int64_t, 4> DecodePoints(const v1::Halo::Points& points) {
  return {points.v(), points.i(), points.j(), points.h()};
}

absl::Status CheckAbsentAxes(const LayoutName& name, const Shape& shape) {
  for (size_t axis = 0; axis < shape.extents.size(); ++axis) {
    const char letter = kAxisNames[axis];
    if (shape.extents[axis] == 1 ||
        name.absent_axes.find(letter) == absl::string_view::npos) {
      continue;
    }
    return InvalidArgument(
               "BAD_SHAPE",
               absl::StrCat("shape ", ToString(shape), ": a layout without ",
                            absl::string_view(&letter, 1),
                            " has extent 1 along it"))
        .At("layout.shape");
  }
  return absl::OkStatus();
}

}  // namespace

Shape DecodeShape(const v1::Shape& shape) {
  return {{shape.nv(), shape.ni(), shape.nj(), shape.nh()}};
}

absl::StatusOr<LayoutName> DecodeLayoutKind(v1::LayoutKind kind) {
  const std::string& name = v1::LayoutKind_Name(kind);
  absl::StatusOr<LayoutName> parsed = ParseLayoutName(
      name == kDataFName ? Name(LayoutKind::kDataF) : absl::string_view(name));
  // The enum is open: any number may come, and 0 is none.
  if (kind == v1::LAYOUT_KIND_UNSPECIFIED || !parsed.ok()) {
    return InvalidArgument("UNKNOWN_LAYOUT",
                           absl::StrCat("layout kind ", static_cast<int>(kind),
                                        " is no kind that the protocol names"))
        .At("layout.kind");
  }
  return parsed;
}

absl::StatusOr<LayoutSpec> DecodeLayout(const v1::Layout& layout) {
  LayoutSpec spec;
  ASSIGN_OR_RETURN(const LayoutName name, DecodeLayoutKind(layout.kind()));
  spec.kind = name.kind;
  if (layout.has_shape()) {
    spec.shape = DecodeShape(layout.shape());
  } else if (spec.kind != LayoutKind::kDataF) {
    return InvalidArgument("MISSING_VALUE", "layout.shape is not set")
        .At("layout.shape");
  }
  RETURN_IF_ERROR(CheckAbsentAxes(name, spec.shape));
  absl::StatusOr<ValueType> type = ValueType::Parse(layout.type().text());
  if (!type.ok()) return WithPath(type.status(), "layout.type.text");
  spec.type = *std::move(type);
  if (!layout.base_type().empty()) {
    spec.base_type = ParseScalarType(layout.base_type());
    if (!spec.base_type) {
      return InvalidArgument(
                 "BAD_BASE_TYPE",
                 absl::StrCat("\"", layout.base_type(), "\" is no scalar type"))
          .At("layout.base_type");
    }
  }
  spec.halo = {DecodePoints(layout.halo().low()),
               DecodePoints(layout.halo().high())};
  spec.align_bytes = layout.align_bytes();
  spec.plane_nodes = {layout.plane_ni(), layout.plane_nj()};
  spec.static_h = layout.static_nh();
  return spec;
}

}  // namespace layoutd
