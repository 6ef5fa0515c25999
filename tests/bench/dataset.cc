#include "tests/bench/dataset.h"

#include <sys/mman.h>

#include <cstring>

namespace layoutd {
namespace {

constexpr size_t kHugePageBytes = size_t{2} << 20;

// Returns 64 bits that look random and depend on `k` and `seed` only
// (splitmix64).
uint64_t Mix(uint64_t k, uint64_t seed) {
  uint64_t bits = (k + seed * 0x10001) * 0x9E3779B97F4A7C15u;
  bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9u;
  bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBu;
  return bits ^ (bits >> 31);
}

template <typename T>
void FillUniform(Array<T>& array, double low, double high, uint64_t seed) {
  const double step = (high - low) / (1 << 24);
  for (int64_t k = 0; k < array.size(); ++k) {
    const uint64_t bits = Mix(static_cast<uint64_t>(k), seed);
    array.data()[k] =
        static_cast<T>(low + step * static_cast<double>(bits >> 40));
  }
}

}  // namespace

template <typename T>
Array<T>::Array(int64_t size) : size_(size) {
  const size_t bytes = static_cast<size_t>(size) * sizeof(T);
  const size_t rounded =
      (bytes + kHugePageBytes - 1) / kHugePageBytes * kHugePageBytes;
  data_.reset(static_cast<T*>(std::aligned_alloc(kHugePageBytes, rounded)));
  // Advice: a kernel without huge pages just keeps small ones.
  madvise(data_.get(), rounded, MADV_HUGEPAGE);
  Clear();
}

template <typename T>
void Array<T>::Clear() {
  std::memset(data_.get(), 0, static_cast<size_t>(size_) * sizeof(T));
}

ActiveColumns PickColumns(int64_t num_columns, int percent) {
  constexpr uint64_t kSeed = 7;
  ActiveColumns picked;
  for (int64_t column = 0; column < num_columns; ++column) {
    const bool active = Mix(static_cast<uint64_t>(column), kSeed) % 100 <
                        static_cast<uint64_t>(percent);
    picked.active.push_back(active ? 1 : 0);
    if (active) picked.columns.push_back(column);
  }
  return picked;
}

template <typename T>
Dataset<T>::Dataset(const Shape& shape)
    : x(shape.num_points()),
      y(shape.num_points()),
      z(shape.num_points()),
      w(shape.num_points()),
      s(shape.num_columns()) {
  FillUniform(x, 220, 310, 1);
  FillUniform(y, 0.5, 1.5, 2);
  FillUniform(z, 0.5, 1.5, 3);
}

template class Array<float>;
template class Array<double>;
template struct Dataset<float>;
template struct Dataset<double>;

}  // namespace layoutd
