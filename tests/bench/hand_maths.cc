// The hand loops with elementary functions: built with -ffast-math, where
// glibc's headers offer its vector versions (libmvec) to the compiler.

#include <cmath>

#include "tests/bench/hand_loops.h"

namespace layoutd {
namespace {

template <typename T>
inline T Magnus(T x) {
  return T(611.2) * std::exp(T(17.62) * (x - T(273.15)) / (x - T(30.03)));
}

}  // namespace

template <typename T>
void HandVapour(const T* __restrict x, T* __restrict w, int64_t begin,
                int64_t end) {
  for (int64_t k = begin; k < end; ++k) {
    const T es = T(611.657) * std::pow(x[k] / T(273.16), T(-5.0314)) *
                 std::exp(T(6793.2) * (T(1) / T(273.16) - T(1) / x[k]));
    const T l = std::log(es / T(611.2));
    w[k] = T(243.5) * l / (T(17.67) - l);
  }
}

template <typename T>
void HandMagnus(const T* __restrict x, T* __restrict w, int64_t begin,
                int64_t end) {
  for (int64_t k = begin; k < end; ++k) w[k] = Magnus(x[k]);
}

template <typename T>
void HandMagnusColumns(const T* __restrict x, T* __restrict w,
                       int64_t num_levels, absl::Span<const int64_t> columns) {
  for (const int64_t column : columns) {
    HandMagnus(x, w, column * num_levels, (column + 1) * num_levels);
  }
}

#define LAYOUTD_HAND_MATHS(T)                                  \
  template void HandVapour<T>(const T*, T*, int64_t, int64_t); \
  template void HandMagnus<T>(const T*, T*, int64_t, int64_t); \
  template void HandMagnusColumns<T>(const T*, T*, int64_t,    \
                                     absl::Span<const int64_t>)
LAYOUTD_HAND_MATHS(float);
LAYOUTD_HAND_MATHS(double);

}  // namespace layoutd
