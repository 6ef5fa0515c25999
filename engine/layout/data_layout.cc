#include "engine/layout/data_layout.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "engine/base/checked_math.h"
#include "engine/base/error.h"
#include "engine/base/status_macros.h"

namespace layoutd {
namespace {

struct KindRow {
  absl::string_view name;
  absl::string_view parent_axes;  // first letter varies fastest
};

constexpr KindRow kKinds[] = {
    {"DataF", "F"}, {"VIJFH", "VIJFH"}, {"VIJHF", "VIJHF"}};
constexpr absl::string_view kLogicalAxes = "VIJH";

const KindRow& RowOf(LayoutKind kind) {
  return kKinds[static_cast<size_t>(kind)];
}

// Returns whether the product of `shape`'s extents and `factor` fits int64,
// counting extents of 0 as 1: products of some axes alone must fit too.
bool SizeFits(const Shape& shape, int64_t factor) {
  const auto at_least_1 = [](int64_t extent) {
    return std::max<int64_t>(extent, 1);
  };
  return CheckedProduct({at_least_1(shape.v()), at_least_1(shape.i()),
                         at_least_1(shape.j()), at_least_1(shape.h()), factor})
      .has_value();
}

absl::Status CheckShape(LayoutKind kind, const Shape& shape) {
  for (size_t axis = 0; axis < 4; ++axis) {
    if (shape.extents[axis] >= 0) continue;
    const absl::string_view name(&kAxisNames[axis], 1);
    return InvalidArgument("BAD_EXTENT",
                           absl::StrCat("extent ", shape.extents[axis],
                                        " along ", name, " is below 0"))
        .With("axis", name);
  }
  if (!SizeFits(shape, 1)) {
    return OutOfRange("SIZE_OVERFLOW",
                      absl::StrCat("shape ", ToString(shape),
                                   ": the points do not fit 63 bits"));
  }
  if (kind == LayoutKind::kDataF && shape != Shape()) {
    return InvalidArgument(
        "BAD_SHAPE", absl::StrCat("DataF holds one value; its shape is (1, 1, "
                                  "1, 1), not ",
                                  ToString(shape)));
  }
  if (shape.j() != shape.i() && shape.j() != 1) {
    return InvalidArgument(
        "BAD_SHAPE",
        absl::StrCat("shape ", ToString(shape), ": the extent along j is ",
                     shape.j(), ", must equal that along i or be 1"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::string_view Name(LayoutKind kind) { return RowOf(kind).name; }

absl::StatusOr<LayoutKind> ParseLayoutKind(absl::string_view name) {
  std::string known;
  for (size_t k = 0; k < std::size(kKinds); ++k) {
    if (kKinds[k].name == name) return static_cast<LayoutKind>(k);
    absl::StrAppend(&known, k > 0 ? ", " : "", kKinds[k].name);
  }
  return InvalidArgument(
      "UNKNOWN_LAYOUT",
      absl::StrCat("unknown layout \"", absl::CHexEscape(name.substr(0, 64)),
                   "\"; known are ", known));
}

LeafPlace View::PlaceOf(int index) const {
  const Leaf& leaf = type.leaves()[static_cast<size_t>(index)];
  return PlaceLeaf(value_offset_bytes + leaf.offset_bytes, SizeBytes(leaf.type),
                   SizeBytes(base_type));
}

LeafAddress AddressOf(const View& view, int leaf_index) {
  const LeafPlace place = view.PlaceOf(leaf_index);
  return {view.type.leaves()[static_cast<size_t>(leaf_index)].type,
          view.offset_bytes + place.slot * view.slot_stride_bytes +
              place.offset_in_slot,
          place.num_pieces, place.piece_bytes};
}

DataLayout::DataLayout(LayoutKind kind, const Shape& shape, ValueType type,
                       const BufferSpec& buffer)
    : kind_(kind), shape_(shape), type_(std::move(type)), buffer_(buffer) {}

absl::StatusOr<DataLayout> DataLayout::Create(
    LayoutKind kind, const Shape& shape, ValueType type,
    std::optional<ScalarType> base_type) {
  RETURN_IF_ERROR(CheckShape(kind, shape));
  const ScalarType base = base_type.value_or(DefaultBaseType(type));
  RETURN_IF_ERROR(CheckBaseType(base, type));
  if (!SizeFits(shape, type.size_bytes())) {
    return OutOfRange("SIZE_OVERFLOW",
                      absl::StrCat("shape ", ToString(shape), " of values of ",
                                   type.size_bytes(),
                                   " bytes: the bytes do not fit 63 bits"));
  }

  std::vector<int64_t> parent_extents;
  for (char letter : RowOf(kind).parent_axes) {
    parent_extents.push_back(letter == 'F'
                                 ? NumSlots(base, type)
                                 : shape.extents[kLogicalAxes.find(letter)]);
  }
  ASSIGN_OR_RETURN(const BufferSpec buffer,
                   MakeBufferSpec(base, parent_extents));
  return DataLayout(kind, shape, std::move(type), buffer);
}

int64_t DataLayout::num_components() const {
  return NumSlots(base_type(), type_);
}

bool DataLayout::LeavesFillBuffer() const {
  int64_t leaf_bytes = 0;
  for (const Leaf& leaf : type_.leaves()) leaf_bytes += SizeBytes(leaf.type);
  return size_bytes() == shape_.num_points() * leaf_bytes;
}

View DataLayout::WholeView() const {
  View view{.type = type_, .base_type = base_type(), .shape = shape_};
  const int64_t base_bytes = SizeBytes(base_type());
  const absl::string_view axes = RowOf(kind_).parent_axes;
  for (size_t axis = 0; axis < axes.size(); ++axis) {
    const int64_t stride_bytes = buffer_.strides[axis] * base_bytes;
    view.offset_bytes += buffer_.offset[axis] * stride_bytes;
    if (axes[axis] == 'F') {
      view.slot_stride_bytes = stride_bytes;
    } else {
      view.strides_bytes[kLogicalAxes.find(axes[axis])] = stride_bytes;
    }
  }
  return view;
}

}  // namespace layoutd
