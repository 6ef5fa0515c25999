#ifndef LAYOUTD_TESTS_BENCH_HAND_LOOPS_H_
#define LAYOUTD_TESTS_BENCH_HAND_LOOPS_H_

// The loops that the engine is compared with: what a good engineer writes by
// hand for one machine, compiled with -O3 -march=native. For float and double.
// Points lie with v fastest, so a column is `num_levels` neighbours. Each
// covers points or columns [begin, end); arrays do not overlap.

#include <cstdint>

#include "absl/types/span.h"

namespace layoutd {

// z = x
template <typename T>
void HandCopy(const T* x, T* z, int64_t begin, int64_t end);

// w = x * y + z
template <typename T>
void HandMultiplyAdd(const T* x, const T* y, const T* z, T* w, int64_t begin,
                     int64_t end);

// w = a polynomial of degree 6 in y: six multiplications, six additions.
template <typename T>
void HandPolynomial(const T* y, T* w, int64_t begin, int64_t end);

// The same without fused multiply-add.
template <typename T>
void HandPolynomialUnfused(const T* y, T* w, int64_t begin, int64_t end);

// Returns the sum of x.
template <typename T>
double HandSum(const T* x, int64_t begin, int64_t end);

// y at a level = the sum of x from the first level to it. In a cache, four
// columns at a time: four chains of additions, where one alone waits for its
// own latency at every level. In memory, one after another: there four streams
// of reads and four of writes take up to twice the time of one (measured, Zen
// 3).
template <typename T>
void HandScan(const T* x, T* y, int64_t num_levels, bool in_cache,
              int64_t begin, int64_t end);

// y = the sum of x over the levels, one value per column.
template <typename T>
void HandFold(const T* x, T* y, int64_t num_levels, int64_t begin, int64_t end);
// The same, level after level.
template <typename T>
void HandFoldInOrder(const T* x, T* y, int64_t num_levels, int64_t begin,
                     int64_t end);

// Also with -ffast-math, so that exp, log and pow are libmvec's vectors.

// w = the dew point in C of saturated air at temperature x in K: the vapour
// pressure over water (Rankine and Kirchhoff), then Bolton's inversion.
template <typename T>
void HandVapour(const T* x, T* w, int64_t begin, int64_t end);

// w = the vapour pressure in Pa over water at temperature x in K (Magnus).
template <typename T>
void HandMagnus(const T* x, T* w, int64_t begin, int64_t end);

// The same in the columns listed, in place: other columns of w stay.
template <typename T>
void HandMagnusColumns(const T* x, T* w, int64_t num_levels,
                       absl::Span<const int64_t> columns);

}  // namespace layoutd

#endif  // LAYOUTD_TESTS_BENCH_HAND_LOOPS_H_
