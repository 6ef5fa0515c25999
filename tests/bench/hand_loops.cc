#include "tests/bench/hand_loops.h"

#include <algorithm>
#include <cstring>

#include "tests/bench/hand_polynomial.h"

namespace layoutd {
namespace {

// Eight vectors in flight hide the latency of an addition.
constexpr int64_t kVectorBytes = 32;
constexpr int64_t kVectorsInFlight = 8;

template <typename T>
struct VectorOf {
  typedef T Type __attribute__((vector_size(kVectorBytes)));
  static constexpr int64_t kLanes = kVectorBytes / sizeof(T);
  static Type Load(const T* from) {
    Type vector;
    std::memcpy(&vector, from, sizeof(vector));
    return vector;
  }
};

// Returns the sum of `count` neighbours with `N` vectors in flight.
template <typename T, int64_t N>
T SumOf(const T* x, int64_t count) {
  using V = VectorOf<T>;
  typename V::Type acc[N] = {};
  int64_t k = 0;
  for (; k + N * V::kLanes <= count; k += N * V::kLanes) {
    for (int64_t n = 0; n < N; ++n) acc[n] += V::Load(x + k + n * V::kLanes);
  }
  for (; k + V::kLanes <= count; k += V::kLanes) acc[0] += V::Load(x + k);
  for (int64_t n = 1; n < N; ++n) acc[0] += acc[n];
  T total = 0;
  for (int64_t lane = 0; lane < V::kLanes; ++lane) total += acc[0][lane];
  for (; k < count; ++k) total += x[k];
  return total;
}

// Scans `N` neighbouring columns together.
template <typename T, int64_t N>
void ScanColumns(const T* __restrict x, T* __restrict y, int64_t num_levels) {
  T acc[N] = {};
  for (int64_t v = 0; v < num_levels; ++v) {
    for (int64_t c = 0; c < N; ++c) {
      acc[c] += x[c * num_levels + v];
      y[c * num_levels + v] = acc[c];
    }
  }
}

}  // namespace

template <typename T>
void HandCopy(const T* __restrict x, T* __restrict z, int64_t begin,
              int64_t end) {
  for (int64_t k = begin; k < end; ++k) z[k] = x[k];
}

template <typename T>
void HandMultiplyAdd(const T* __restrict x, const T* __restrict y,
                     const T* __restrict z, T* __restrict w, int64_t begin,
                     int64_t end) {
  for (int64_t k = begin; k < end; ++k) w[k] = x[k] * y[k] + z[k];
}

template <typename T>
void HandPolynomial(const T* __restrict y, T* __restrict w, int64_t begin,
                    int64_t end) {
  for (int64_t k = begin; k < end; ++k) w[k] = PolynomialAt(y[k]);
}

// Blocks are summed in T, and the blocks' sums in double, so that the result
// does not lose digits as the field grows.
template <typename T>
double HandSum(const T* x, int64_t begin, int64_t end) {
  constexpr int64_t kBlock = 65536;
  double total = 0;
  for (int64_t k = begin; k < end; k += kBlock) {
    total +=
        double{SumOf<T, kVectorsInFlight>(x + k, std::min(kBlock, end - k))};
  }
  return total;
}

template <typename T>
void HandScan(const T* __restrict x, T* __restrict y, int64_t num_levels,
              bool in_cache, int64_t begin, int64_t end) {
  int64_t column = begin;
  if (in_cache) {
    for (; column + 4 <= end; column += 4) {
      ScanColumns<T, 4>(x + column * num_levels, y + column * num_levels,
                        num_levels);
    }
  }
  for (; column < end; ++column) {
    ScanColumns<T, 1>(x + column * num_levels, y + column * num_levels,
                      num_levels);
  }
}

// Along the column, where neighbours fill a vector; the order of additions is
// the engineer's to choose.
template <typename T>
void HandFold(const T* __restrict x, T* __restrict y, int64_t num_levels,
              int64_t begin, int64_t end) {
  for (int64_t column = begin; column < end; ++column) {
    y[column] = SumOf<T, 2>(x + column * num_levels, num_levels);
  }
}

// Level after level, as the language promises; columns side by side hide the
// latency of an addition.
template <typename T>
void HandFoldInOrder(const T* __restrict x, T* __restrict y, int64_t num_levels,
                     int64_t begin, int64_t end) {
  constexpr int64_t kColumns = 8;
  int64_t column = begin;
  for (; column + kColumns <= end; column += kColumns) {
    T acc[kColumns] = {};
    const T* from = x + column * num_levels;
    for (int64_t v = 0; v < num_levels; ++v) {
      for (int64_t c = 0; c < kColumns; ++c) acc[c] += from[c * num_levels + v];
    }
    for (int64_t c = 0; c < kColumns; ++c) y[column + c] = acc[c];
  }
  for (; column < end; ++column) {
    T acc = 0;
    for (int64_t v = 0; v < num_levels; ++v) acc += x[column * num_levels + v];
    y[column] = acc;
  }
}

#define LAYOUTD_HAND_LOOPS(T)                                                 \
  template void HandCopy<T>(const T*, T*, int64_t, int64_t);                  \
  template void HandMultiplyAdd<T>(const T*, const T*, const T*, T*, int64_t, \
                                   int64_t);                                  \
  template void HandPolynomial<T>(const T*, T*, int64_t, int64_t);            \
  template double HandSum<T>(const T*, int64_t, int64_t);                     \
  template void HandScan<T>(const T*, T*, int64_t, bool, int64_t, int64_t);   \
  template void HandFold<T>(const T*, T*, int64_t, int64_t, int64_t);         \
  template void HandFoldInOrder<T>(const T*, T*, int64_t, int64_t, int64_t)
LAYOUTD_HAND_LOOPS(float);
LAYOUTD_HAND_LOOPS(double);

}  // namespace layoutd
