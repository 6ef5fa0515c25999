#include "engine/kernels/scatter_columns.h"

#include <algorithm>
#include <cstring>

#include "engine/base/status_macros.h"
#include "engine/layout/struct_storage.h"

namespace layoutd {
namespace {

// Copied between two looks for other work: some 10 us.
constexpr int64_t kRangeBytes = int64_t{64} << 10;
constexpr int64_t kCacheLineBytes = 64;
constexpr int64_t kColumnsAhead = 4;

}  // namespace

void ScatterColumns(Device& device, const View& from,
                    const uint8_t* from_memory, const ColumnMap& columns,
                    const View& to, uint8_t* to_memory) {
  const int64_t slot_bytes = SizeBytes(to.base_type);
  const int64_t num_slots = NumSlots(to.base_type, to.type);
  const int64_t run_bytes = to.shape.v() * slot_bytes;
  LAYOUTD_DCHECK(to.shape.v() <= 1 || (from.strides_bytes[0] == slot_bytes &&
                                       to.strides_bytes[0] == slot_bytes));
  const auto target_of = [&](int64_t n) {
    const auto column = static_cast<size_t>(n);
    return to_memory + to.offset_bytes +
           columns.i[column] * to.strides_bytes[1] +
           columns.j[column] * to.strides_bytes[2] +
           columns.h[column] * to.strides_bytes[3];
  };
  const auto copy = [&](int64_t begin, int64_t end) {
    for (int64_t n = begin; n < end; ++n) {
      if (n + kColumnsAhead < end) {
        // Where the hardware cannot guess.
        const uint8_t* next = target_of(n + kColumnsAhead);
        for (int64_t slot = 0; slot < num_slots; ++slot) {
          for (int64_t at = 0; at < run_bytes; at += kCacheLineBytes) {
            __builtin_prefetch(next + slot * to.slot_stride_bytes + at, 1);
          }
        }
      }
      const uint8_t* source =
          from_memory + from.offset_bytes + n * from.strides_bytes[3];
      uint8_t* target = target_of(n);
      for (int64_t slot = 0; slot < num_slots; ++slot) {
        std::memcpy(target, source, static_cast<size_t>(run_bytes));
        source += from.slot_stride_bytes;
        target += to.slot_stride_bytes;
      }
    }
  };
  const int64_t column_bytes = std::max<int64_t>(1, num_slots * run_bytes);
  const absl::Status status = device.ParallelFor(
      columns.num_active(), std::max<int64_t>(1, kRangeBytes / column_bytes),
      copy, StopToken());
  LAYOUTD_DCHECK(status.ok());
}

}  // namespace layoutd
