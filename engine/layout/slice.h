#ifndef LAYOUTD_ENGINE_LAYOUT_SLICE_H_
#define LAYOUTD_ENGINE_LAYOUT_SLICE_H_

// Parts of a view, each again a view on the same memory: a component of the
// value (property view), a level, slab, column or point.

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "engine/layout/data_layout.h"

namespace layoutd {

// Returns the view of the component at `path` ("u.2"); shape unchanged.
// Errors: NotFound (UNKNOWN_COMPONENT).
absl::StatusOr<View> PropertyView(const View& view, absl::string_view path);

// Each returns the view with the sliced axes at extent 1.
// Errors: OutOfRange (INDEX_OUT_OF_RANGE) — names axis, index and extent.
absl::StatusOr<View> Level(const View& view, int64_t v);
absl::StatusOr<View> Slab(const View& view, int64_t v, int64_t h);
absl::StatusOr<View> Column(const View& view, int64_t i, int64_t j, int64_t h);
absl::StatusOr<View> Point(const View& view, int64_t v, int64_t i, int64_t j,
                           int64_t h);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_LAYOUT_SLICE_H_
