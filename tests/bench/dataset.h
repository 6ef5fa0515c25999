#ifndef LAYOUTD_TESTS_BENCH_DATASET_H_
#define LAYOUTD_TESTS_BENCH_DATASET_H_

// The numbers that the hand loops work on; the engine is given the same.

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "engine/layout/shape.h"

namespace layoutd {

// Memory as the engine has it: huge pages where they pay. Reads as zeros.
template <typename T>
class Array {
 public:
  explicit Array(int64_t size);
  T* data() const { return data_.get(); }
  int64_t size() const { return size_; }
  absl::Span<const T> span() const {
    return {data(), static_cast<size_t>(size_)};
  }
  void Clear();

 private:
  struct Free {
    void operator()(T* data) const { std::free(data); }
  };
  int64_t size_;
  std::unique_ptr<T, Free> data_;
};

// Which columns are active: as bytes for the engine, as a list for hand loops.
struct ActiveColumns {
  std::vector<uint8_t> active;
  std::vector<int64_t> columns;
};
// Returns about `percent` of the columns, picked at random by a fixed seed.
ActiveColumns PickColumns(int64_t num_columns, int percent);

template <typename T>
struct Dataset {
  explicit Dataset(const Shape& shape);

  Array<T> x;  // temperatures in K, 220 to 310
  Array<T> y;  // 0.5 to 1.5
  Array<T> z;  // 0.5 to 1.5
  Array<T> w;  // written, one value per point
  Array<T> s;  // written, one value per column
};

}  // namespace layoutd

#endif  // LAYOUTD_TESTS_BENCH_DATASET_H_
