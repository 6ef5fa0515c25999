#ifndef LAYOUTD_ENGINE_KERNELS_SCATTER_COLUMNS_H_
#define LAYOUTD_ENGINE_KERNELS_SCATTER_COLUMNS_H_

#include <cstdint>

#include "engine/device/device.h"
#include "engine/layout/data_layout.h"
#include "engine/layout/mask_map.h"

namespace layoutd {

// Copies whole values, padding included: column h = n of `from` to the n-th
// active column of `columns` in `to`, on all workers of `device`; it cannot be
// stopped. Shape: `from` has (Nv, 1, 1, columns.num_active()), `to` has Nv
// levels and the columns of the map; both have one type and base type, and
// levels without gaps.
void ScatterColumns(Device& device, const View& from,
                    const uint8_t* from_memory, const ColumnMap& columns,
                    const View& to, uint8_t* to_memory);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_KERNELS_SCATTER_COLUMNS_H_
