#ifndef LAYOUTD_ENGINE_LAYOUT_SHAPE_H_
#define LAYOUTD_ENGINE_LAYOUT_SHAPE_H_

// The logical shape of a field, (Nv, Ni, Nj, Nh), and how shapes combine.

#include <array>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace layoutd {

enum class Axis : uint8_t { kV = 0, kI = 1, kJ = 2, kH = 3 };

inline constexpr char kAxisNames[] = "vijh";

// Extents along v, i, j, h; each at least 0. Sizes of a checked layout: the
// number of points fits int64.
struct Shape {
  std::array<int64_t, 4> extents = {1, 1, 1, 1};

  int64_t v() const { return extents[0]; }
  int64_t i() const { return extents[1]; }
  int64_t j() const { return extents[2]; }
  int64_t h() const { return extents[3]; }
  int64_t operator[](Axis axis) const {
    return extents[static_cast<size_t>(axis)];
  }
  int64_t num_points() const { return v() * num_columns(); }
  int64_t num_columns() const { return i() * j() * h(); }
  Shape WithV(int64_t nv) const { return {{nv, i(), j(), h()}}; }

  friend bool operator==(const Shape&, const Shape&) = default;
};

// Returns "(63, 4, 4, 5400)".
std::string ToString(const Shape& shape);

// Returns the shape that `a` and `b` broadcast to: per axis equal, or one of
// them 1 and the other taken.
// Errors: InvalidArgument (SHAPE_MISMATCH) — names both shapes and the axis.
absl::StatusOr<Shape> BroadcastShapes(const Shape& a, const Shape& b);

// Returns whether a value of shape `from` may be stored in or read at `to`:
// every extent of `from` equals that of `to`, or is 1.
bool BroadcastsTo(const Shape& from, const Shape& to);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_LAYOUT_SHAPE_H_
