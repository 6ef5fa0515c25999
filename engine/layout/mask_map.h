#ifndef LAYOUTD_ENGINE_LAYOUT_MASK_MAP_H_
#define LAYOUTD_ENGINE_LAYOUT_MASK_MAP_H_

// An IJH mask: which columns are active, and the compacted list of them that
// loops walk (i fastest, then j, then h), so that cost follows the number of
// active columns. Immutable once built.

#include <cstdint>
#include <vector>

#include "engine/layout/shape.h"

namespace layoutd {

struct ColumnMap {
  Shape shape;                  // v extent 1
  std::vector<uint8_t> active;  // 0 or 1 per column, i fastest, then j, then h
  // Indices of the active columns, each num_active() long.
  std::vector<int64_t> i;
  std::vector<int64_t> j;
  std::vector<int64_t> h;

  int64_t num_active() const { return static_cast<int64_t>(i.size()); }
  int64_t size_bytes() const;
};

inline constexpr int64_t kColumnIndexBytes = 3 * sizeof(int64_t);  // i, j, h

// Returns the bytes that a map of so many columns takes.
int64_t ColumnMapBytes(int64_t num_columns, int64_t num_active);

// Returns the map of `active` (one byte per column, any non-zero is active),
// which becomes part of it.
// Shape: `shape`.num_columns() bytes; v is ignored.
ColumnMap MakeColumnMap(const Shape& shape, std::vector<uint8_t> active);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_LAYOUT_MASK_MAP_H_
