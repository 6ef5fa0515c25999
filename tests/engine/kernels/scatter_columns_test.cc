#include "engine/kernels/scatter_columns.h"

#include <cstdint>
#include <memory>
#include <vector>

#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

// Fills `to` with 7, scatters the columns 0, 1, ... of another field over it
// and returns what then lies where.
TEST(ScatterColumnsTest, OnlyTheActiveColumnsChange) {
  const std::unique_ptr<Device> device =
      *OpenDevice({.name = "cpu", .num_threads = 2});
  const Shape shape{{5, 3, 3, 7}};
  const ValueType type = *ValueType::Parse("(i32, f64)");
  std::vector<uint8_t> active(63, 0);
  for (size_t column : {0u, 4u, 5u, 31u, 62u}) active[column] = 1;
  const ColumnMap columns = MakeColumnMap(shape.WithV(1), active);
  for (LayoutKind kind :
       {LayoutKind::kVFIJH, LayoutKind::kVIJFH, LayoutKind::kVIJHF}) {
    const DataLayout to = *DataLayout::Create({kind, shape, type});
    View from = to.WholeView();
    from.shape = {{5, 1, 1, columns.num_active()}};
    from.slot_stride_bytes = 5 * SizeBytes(to.base_type());
    from.strides_bytes = {SizeBytes(to.base_type()), 0, 0,
                          to.num_components() * from.slot_stride_bytes};
    std::vector<uint8_t> source(
        static_cast<size_t>(from.strides_bytes[3] * columns.num_active()));
    for (size_t k = 0; k < source.size(); ++k) {
      source[k] = static_cast<uint8_t>(k % 251 + 1);
    }
    std::vector<uint8_t> want(static_cast<size_t>(to.size_bytes()), 7);
    std::vector<uint8_t> got = want;
    const View view = to.WholeView();
    const int64_t base = SizeBytes(to.base_type());
    for (int64_t n = 0; n < columns.num_active(); ++n) {
      const auto c = static_cast<size_t>(n);
      for (int64_t slot = 0; slot < to.num_components(); ++slot) {
        for (int64_t byte = 0; byte < 5 * base; ++byte) {
          want[static_cast<size_t>(columns.i[c] * view.strides_bytes[1] +
                                   columns.j[c] * view.strides_bytes[2] +
                                   columns.h[c] * view.strides_bytes[3] +
                                   slot * view.slot_stride_bytes + byte)] =
              source[static_cast<size_t>(n * from.strides_bytes[3] +
                                         slot * from.slot_stride_bytes + byte)];
        }
      }
    }

    ScatterColumns(*device, from, source.data(), columns, view, got.data());

    EXPECT_EQ(got, want) << Name(kind);
  }
}

}  // namespace
}  // namespace layoutd
