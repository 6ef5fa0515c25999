#ifndef LAYOUTD_ENGINE_LAYOUT_PLANE_H_
#define LAYOUTD_ENGINE_LAYOUT_PLANE_H_

// Parts of the plane kinds: VIH1, levels and the nodes of a row of elements,
// and IH1JH2, the nodes of a grid of elements, which are numbered along i
// first. Source: ClimaCore.jl src/DataLayouts.

#include <cstdint>

#include "absl/status/statusor.h"
#include "engine/layout/data_layout.h"

namespace layoutd {

// Returns the nodes of element `h` on level `v`; (1, Ni, Nj, 1). The elements
// of a VIH1 go on from the start past the last, as upstream.
// Errors: OutOfRange (INDEX_OUT_OF_RANGE); InvalidArgument (LAYOUT_MISMATCH) —
// `layout` is no plane.
absl::StatusOr<View> PlaneSlab(const DataLayout& layout, int64_t v, int64_t h);

// Returns the levels at node (i, j) of element `h`; (Nv, 1, 1, 1).
// Errors: as PlaneSlab.
absl::StatusOr<View> PlaneColumn(const DataLayout& layout, int64_t i, int64_t j,
                                 int64_t h);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_LAYOUT_PLANE_H_
