#include "engine/layout/shape.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/base/error.h"

namespace layoutd {

std::string ToString(const Shape& shape) {
  return absl::StrCat("(", absl::StrJoin(shape.extents, ", "), ")");
}

absl::StatusOr<Shape> BroadcastShapes(const Shape& a, const Shape& b) {
  Shape result = a;
  for (size_t axis = 0; axis < 4; ++axis) {
    const int64_t extent = b.extents[axis];
    if (extent == result.extents[axis] || extent == 1) continue;
    if (result.extents[axis] == 1) {
      result.extents[axis] = extent;
      continue;
    }
    const absl::string_view name(&kAxisNames[axis], 1);
    return InvalidArgument("SHAPE_MISMATCH",
                           absl::StrCat("shapes ", ToString(a), " and ",
                                        ToString(b), " differ along ", name,
                                        ": ", a.extents[axis], " and ", extent))
        .With("axis", name);
  }
  return result;
}

bool BroadcastsTo(const Shape& from, const Shape& to) {
  for (size_t axis = 0; axis < 4; ++axis) {
    if (from.extents[axis] != to.extents[axis] && from.extents[axis] != 1) {
      return false;
    }
  }
  return true;
}

}  // namespace layoutd
