#include "engine/layout/mask_map.h"

#include <utility>

#include "engine/base/checked_math.h"
#include "engine/base/status_macros.h"

namespace layoutd {

int64_t ColumnMapBytes(int64_t num_columns, int64_t num_active) {
  return SaturatingAdd(num_columns,
                       SaturatingProduct(num_active, kColumnIndexBytes));
}

int64_t ColumnMap::size_bytes() const {
  return ColumnMapBytes(static_cast<int64_t>(active.size()), num_active());
}

ColumnMap MakeColumnMap(const Shape& shape, std::vector<uint8_t> active) {
  LAYOUTD_DCHECK(active.size() == static_cast<size_t>(shape.num_columns()));
  ColumnMap map;
  map.shape = shape.WithV(1);
  map.active = std::move(active);
  size_t num_active = 0;
  for (uint8_t& column : map.active) {
    column = column != 0 ? 1 : 0;
    num_active += column;
  }
  map.i.reserve(num_active);
  map.j.reserve(num_active);
  map.h.reserve(num_active);
  size_t column = 0;
  for (int64_t h = 0; h < shape.h(); ++h) {
    for (int64_t j = 0; j < shape.j(); ++j) {
      for (int64_t i = 0; i < shape.i(); ++i, ++column) {
        if (!map.active[column]) continue;
        map.i.push_back(i);
        map.j.push_back(j);
        map.h.push_back(h);
      }
    }
  }
  return map;
}

}  // namespace layoutd
