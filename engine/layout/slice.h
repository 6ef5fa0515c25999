#ifndef LAYOUTD_ENGINE_LAYOUT_SLICE_H_
#define LAYOUTD_ENGINE_LAYOUT_SLICE_H_

// Parts of a view, each again a view on the same memory: a component of the
// value (property view), a level, slab, column or point.

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "engine/layout/data_layout.h"
#include "engine/layout/struct_view.h"

namespace layoutd {

// Returns the view of the component at `path` ("u.2"); shape unchanged.
// Every component can be read and written, also one that shares slots with
// others: its leaves are addressed by their own bytes.
// Errors: NotFound (UNKNOWN_COMPONENT).
absl::StatusOr<View> PropertyView(const View& view, absl::string_view path);

// Returns the slots that the values of `view` have to themselves, counted from
// slot 0 of the whole value: the view is then an array of base-type elements
// restricted along F. Returns nothing where they share slots with other bytes
// of the whole value, so that their leaves are to be read by pieces.
std::optional<SlotRange> DirectSlots(const View& view);

// Each returns the view with the sliced axes at extent 1.
// Errors: OutOfRange (INDEX_OUT_OF_RANGE) — names axis, index and extent.
absl::StatusOr<View> Level(const View& view, int64_t v);
absl::StatusOr<View> Slab(const View& view, int64_t v, int64_t h);
absl::StatusOr<View> Column(const View& view, int64_t i, int64_t j, int64_t h);
absl::StatusOr<View> Point(const View& view, int64_t v, int64_t i, int64_t j,
                           int64_t h);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_LAYOUT_SLICE_H_
