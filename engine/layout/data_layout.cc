#include "engine/layout/data_layout.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/base/checked_math.h"
#include "engine/base/error.h"
#include "engine/base/status_macros.h"
#include "engine/layout/replace_scalar.h"

namespace layoutd {
namespace {

constexpr absl::string_view kLogicalAxes = "VIJH";

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

Error BadShape(const LayoutSpec& spec, absl::string_view why) {
  return InvalidArgument("BAD_SHAPE",
                         absl::StrCat("shape ", ToString(spec.shape), " of ",
                                      Name(spec.kind), ": ", why));
}

absl::Status CheckNotNegative(const std::array<int64_t, 4>& along,
                              absl::string_view reason,
                              absl::string_view what) {
  for (size_t axis = 0; axis < along.size(); ++axis) {
    if (along[axis] >= 0) continue;
    const absl::string_view name(&kAxisNames[axis], 1);
    return InvalidArgument(reason, absl::StrCat(what, " ", along[axis],
                                                " along ", name, " is below 0"))
        .With("axis", name);
  }
  return absl::OkStatus();
}

// A halo lies around points, so the kind must have its axis in memory.
absl::Status CheckHalo(const LayoutSpec& spec) {
  for (const auto* side : {&spec.halo.low, &spec.halo.high}) {
    RETURN_IF_ERROR(CheckNotNegative(*side, "BAD_HALO", "halo"));
    for (size_t axis = 0; axis < side->size(); ++axis) {
      if ((*side)[axis] == 0 ||
          ParentAxes(spec.kind).find(kLogicalAxes[axis]) !=
              absl::string_view::npos) {
        continue;
      }
      const absl::string_view name(&kAxisNames[axis], 1);
      return InvalidArgument("BAD_HALO",
                             absl::StrCat("halo along ", name, ": ",
                                          Name(spec.kind), " has no such axis"))
          .With("axis", name);
    }
  }
  return absl::OkStatus();
}

// Checks the nodes of a plane's elements and fills in those left out.
absl::Status CheckPlane(LayoutSpec& spec) {
  const bool has_j = spec.kind == LayoutKind::kIH1JH2;
  const Shape& shape = spec.shape;
  if (has_j ? shape.v() != 1 || shape.h() != 1
            : shape.j() != 1 || shape.h() != 1) {
    return BadShape(spec, has_j ? "the extents along v and h must be 1"
                                : "the extents along j and h must be 1");
  }
  PlaneNodes& nodes = spec.plane_nodes;
  const auto fill = [](int64_t& count, int64_t extent) {
    if (count == 0) count = std::max<int64_t>(extent, 1);
    return count > 0 && extent % count == 0;
  };
  if (!fill(nodes.i, shape.i()) || !fill(nodes.j, shape.j())) {
    return BadShape(spec, absl::StrCat("elements of (", nodes.i, ", ", nodes.j,
                                       ") nodes do not divide it"));
  }
  if (nodes.j != nodes.i && nodes.j != 1) {
    return BadShape(spec, absl::StrCat("elements of (", nodes.i, ", ", nodes.j,
                                       ") nodes: those along j must be as "
                                       "many as along i, or 1"));
  }
  const int64_t elements = (shape.i() / nodes.i) * (shape.j() / nodes.j);
  if (spec.static_h && elements != 1) {
    return BadShape(
        spec, absl::StrCat("a static Nh of a plane is 1, not ", elements));
  }
  return absl::OkStatus();
}

absl::Status CheckShape(LayoutSpec& spec) {
  RETURN_IF_ERROR(CheckNotNegative(spec.shape.extents, "BAD_EXTENT", "extent"));
  if (!SizeFits(spec.shape, 1)) {
    return OutOfRange("SIZE_OVERFLOW",
                      absl::StrCat("shape ", ToString(spec.shape),
                                   ": the points do not fit 63 bits"));
  }
  RETURN_IF_ERROR(CheckHalo(spec));
  switch (FamilyOf(spec.kind)) {
    case LayoutFamily::kVIH1:
    case LayoutFamily::kIH1JH2:
      return CheckPlane(spec);
    case LayoutFamily::kDataF:
      if (spec.shape != Shape()) {
        return BadShape(spec, "it holds one value; its shape is (1, 1, 1, 1)");
      }
      break;
    case LayoutFamily::kVIJH:
      if (spec.shape.j() != spec.shape.i() && spec.shape.j() != 1) {
        return BadShape(spec,
                        absl::StrCat("the extent along j is ", spec.shape.j(),
                                     ", must equal that along i or be 1"));
      }
      break;
  }
  if (spec.plane_nodes != PlaneNodes()) {
    return BadShape(spec, "only planes have nodes of their own");
  }
  return absl::OkStatus();
}

bool IsPlane(LayoutKind kind) {
  return kind == LayoutKind::kVIH1 || kind == LayoutKind::kIH1JH2;
}

}  // namespace

DataLayout::DataLayout(LayoutSpec spec, const BufferSpec& buffer)
    : spec_(std::move(spec)), buffer_(buffer) {}

absl::StatusOr<DataLayout> DataLayout::Create(const LayoutSpec& spec) {
  LayoutSpec checked = spec;
  RETURN_IF_ERROR(CheckShape(checked));
  return LayOut(std::move(checked));
}

absl::StatusOr<DataLayout> DataLayout::CreateTemporary(const Shape& shape,
                                                       const ValueType& type) {
  return LayOut({LayoutKind::kVIJFH, shape, type});
}

absl::StatusOr<DataLayout> DataLayout::LayOut(LayoutSpec spec) {
  const ScalarType base = spec.base_type.value_or(DefaultBaseType(spec.type));
  RETURN_IF_ERROR(CheckBaseType(base, spec.type));
  spec.base_type = base;
  const int64_t num_slots = NumSlots(base, spec.type);
  if (!FDim(spec.kind) && num_slots != 1) {
    return InvalidArgument("BAD_BASE_TYPE",
                           absl::StrCat(Name(spec.kind),
                                        " has no F axis, so a value must fill "
                                        "one slot; ",
                                        spec.type.ToString(), " fills ",
                                        num_slots, " of ", Name(base)));
  }
  if (!SizeFits(spec.shape, spec.type.size_bytes())) {
    return OutOfRange("SIZE_OVERFLOW",
                      absl::StrCat("shape ", ToString(spec.shape),
                                   " of values of ", spec.type.size_bytes(),
                                   " bytes: the bytes do not fit 63 bits"));
  }

  std::vector<int64_t> parent_extents;
  BufferPadding padding;
  padding.align_bytes = spec.align_bytes;
  for (char letter : ParentAxes(spec.kind)) {
    const size_t parent_axis = parent_extents.size();
    if (letter == 'F') {
      parent_extents.push_back(num_slots);
      continue;
    }
    const size_t axis = kLogicalAxes.find(letter);
    parent_extents.push_back(spec.shape.extents[axis]);
    padding.low[parent_axis] = spec.halo.low[axis];
    padding.high[parent_axis] = spec.halo.high[axis];
  }
  ASSIGN_OR_RETURN(const BufferSpec buffer,
                   MakeBufferSpec(base, parent_extents, padding));
  return DataLayout(std::move(spec), buffer);
}

int64_t DataLayout::num_components() const {
  return NumSlots(base_type(), type());
}

int64_t DataLayout::num_levels() const { return shape().v(); }

int64_t DataLayout::num_nodes() const {
  if (IsPlane(kind())) return plane_nodes().i * plane_nodes().j;
  return shape().i() * shape().j();
}

int64_t DataLayout::num_elements() const {
  if (!IsPlane(kind())) return shape().h();
  return (shape().i() / plane_nodes().i) * (shape().j() / plane_nodes().j);
}

VijhParams DataLayout::vijh_params() const {
  VijhParams params = {shape().v(), shape().i(), shape().j(), std::nullopt};
  if (IsPlane(kind())) {
    params[1] = plane_nodes().i;
    params[2] = plane_nodes().j;
  }
  if (spec_.static_h || kind() == LayoutKind::kDataF)
    params[3] = num_elements();
  return params;
}

std::vector<std::optional<int64_t>> DataLayout::inferred_size() const {
  const VijhParams params = vijh_params();
  // Elements lie along a plane's axes, so those are static only with Nh.
  const auto along = [&](size_t axis) {
    return params[3] ? params[axis] : std::nullopt;
  };
  switch (FamilyOf(kind())) {
    case LayoutFamily::kDataF:
      return {};
    case LayoutFamily::kVIJH:
      return {params.begin(), params.end()};
    case LayoutFamily::kVIH1:
      return {params[0], along(1)};
    case LayoutFamily::kIH1JH2:
      return {along(1), along(2)};
  }
  return {};
}

bool DataLayout::has_inferred_size() const {
  const auto size = inferred_size();
  return std::all_of(size.begin(), size.end(),
                     [](const auto& extent) { return extent.has_value(); });
}

bool DataLayout::allows_linear_index() const {
  if (kind() == LayoutKind::kDataF) return true;
  if (buffer_.alloc_shape != buffer_.shape) return false;
  if (num_components() <= 1) return true;
  // Slots lie apart by what stands before F, so nothing may vary behind it.
  const VijhParams params = vijh_params();
  return std::all_of(params.begin() + *FDim(kind()) - 1, params.end(),
                     [](const auto& extent) { return extent == 1; });
}

bool DataLayout::LeavesFillBuffer() const {
  int64_t leaf_bytes = 0;
  for (const Leaf& leaf : type().leaves()) leaf_bytes += SizeBytes(leaf.type);
  return size_bytes() == shape().num_points() * leaf_bytes;
}

View DataLayout::WholeView() const {
  View view{.type = type(), .base_type = base_type(), .shape = shape()};
  const int64_t base_bytes = SizeBytes(base_type());
  const absl::string_view axes = ParentAxes(kind());
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

absl::StatusOr<DataLayout> DataLayout::Similar(ValueType type) const {
  LayoutSpec spec = spec_;
  spec.base_type = CheckedValidBaseType(base_type(), type);
  spec.type = std::move(type);
  return Create(spec);
}

absl::StatusOr<DataLayout> DataLayout::Reinterpreted(ValueType type) const {
  if (type.size_bytes() != spec_.type.size_bytes()) {
    return InvalidArgument(
        "TYPE_MISMATCH",
        absl::StrCat("values of ", spec_.type.ToString(), " have ",
                     spec_.type.size_bytes(), " bytes, those of ",
                     type.ToString(), " ", type.size_bytes()));
  }
  LayoutSpec spec = spec_;
  spec.type = std::move(type);
  return Create(spec);
}

absl::StatusOr<DataLayout> DataLayout::WithBaseType(ScalarType base) const {
  LayoutSpec spec = spec_;
  ASSIGN_OR_RETURN(spec.type, ReplaceScalar(spec_.type, base_type(), base));
  spec.base_type = base;
  return Create(spec);
}

}  // namespace layoutd
