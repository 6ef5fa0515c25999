#include "engine/layout/tensor_buffer.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/base/checked_math.h"
#include "engine/base/error.h"
#include "engine/base/status_macros.h"

namespace layoutd {
namespace {

absl::Status CheckTensorBuffer(const TensorBufferSpec& spec) {
  const auto bad_shape = [&](absl::string_view why) {
    return InvalidArgument(
        "BAD_SHAPE",
        absl::StrCat("tensors (", absl::StrJoin(spec.tensor, ", "),
                     ") at points (", absl::StrJoin(spec.points, ", "),
                     "): ", why));
  };
  if (spec.points.empty()) return bad_shape("there is no axis of points");
  if (spec.points.size() + spec.tensor.size() > kMaxBufferAxes) {
    return bad_shape(
        absl::StrCat("a buffer has at most ", kMaxBufferAxes, " axes"));
  }
  for (int64_t extent : spec.tensor) {
    if (extent == 1) return bad_shape("a tensor axis of extent 1 is none");
  }
  for (const auto* ghosts : {&spec.ghosts_low, &spec.ghosts_high}) {
    if (!ghosts->empty() && ghosts->size() != spec.points.size()) {
      return InvalidArgument("BAD_HALO",
                             absl::StrCat("ghost layers of ", ghosts->size(),
                                          " axes for ", spec.points.size()));
    }
    for (int64_t width : *ghosts) {
      if (width >= 0) continue;
      return InvalidArgument("BAD_HALO",
                             absl::StrCat(width, " ghost layers, below 0"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<BufferSpec> MakeTensorBuffer(const TensorBufferSpec& spec) {
  RETURN_IF_ERROR(CheckTensorBuffer(spec));
  std::vector<int64_t> shape = spec.points;
  shape.insert(shape.end(), spec.tensor.begin(), spec.tensor.end());
  BufferPadding padding;
  std::copy(spec.ghosts_low.begin(), spec.ghosts_low.end(),
            padding.low.begin());
  std::copy(spec.ghosts_high.begin(), spec.ghosts_high.end(),
            padding.high.begin());
  padding.align_bytes = spec.align_bytes;
  return MakeBufferSpec(spec.base_type, shape, padding,
                        {spec.order, static_cast<int>(spec.tensor.size())});
}

absl::StatusOr<std::vector<int64_t>> ComponentIndex(
    const BufferSpec& buffer, absl::Span<const int64_t> point,
    absl::Span<const int64_t> step, absl::Span<const int64_t> component) {
  const auto num_tensor = static_cast<size_t>(buffer.order.num_tensor_axes);
  const size_t num_points = static_cast<size_t>(buffer.num_axes) - num_tensor;
  if (point.size() != num_points || component.size() != num_tensor ||
      (!step.empty() && step.size() != num_points)) {
    return InvalidArgument(
        "BAD_AXIS_COUNT",
        absl::StrCat("an index of ", point.size(), " + ", component.size(),
                     " axes and a step of ", step.size(), " into a buffer of ",
                     num_points, " axes of points and ", num_tensor,
                     " of components"));
  }
  std::vector<int64_t> index(point.begin(), point.end());
  bool fits = true;
  for (size_t axis = 0; axis < step.size(); ++axis) {
    const std::optional<int64_t> sum = CheckedAdd(point[axis], step[axis]);
    fits = fits && sum.has_value();
    index[axis] = sum.value_or(0);
  }
  index.insert(index.end(), component.begin(), component.end());
  // Row padding may stand behind a tensor axis; no component lies there.
  for (size_t axis = 0; axis < num_tensor; ++axis) {
    const int64_t extent = buffer.shape[num_points + axis];
    if (component[axis] >= 0 && component[axis] < extent) continue;
    return OutOfRange(
        "INDEX_OUT_OF_RANGE",
        absl::StrCat("tensor axis ", axis, ": index ", component[axis],
                     " outside [0, ", extent, ")"));
  }
  if (!fits || !buffer.Contains(index)) {
    return OutOfRange(
        "INDEX_OUT_OF_RANGE",
        absl::StrCat("point (", absl::StrJoin(point, ", "), ") stepped by (",
                     absl::StrJoin(step, ", "), ") lies outside the buffer"));
  }
  return index;
}

}  // namespace layoutd
