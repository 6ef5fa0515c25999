#include "engine/layout/mask_map.h"

#include "engine/base/status_macros.h"

namespace layoutd {

ColumnMap MakeColumnMap(const Shape& shape, absl::Span<const uint8_t> active) {
  LAYOUTD_DCHECK(active.size() == static_cast<size_t>(shape.num_columns()));
  ColumnMap map;
  map.shape = shape.WithV(1);
  map.active.resize(active.size());
  size_t num_active = 0;
  for (size_t column = 0; column < active.size(); ++column) {
    map.active[column] = active[column] != 0;
    num_active += map.active[column];
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
