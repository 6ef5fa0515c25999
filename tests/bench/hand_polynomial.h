#ifndef LAYOUTD_TESTS_BENCH_HAND_POLYNOMIAL_H_
#define LAYOUTD_TESTS_BENCH_HAND_POLYNOMIAL_H_

namespace layoutd {
// One per source file: each compiles it with other options.
namespace {

template <typename T>
inline T PolynomialAt(T y) {
  T p = T(0.125) * y - T(0.75);
  p = p * y + T(1.5);
  p = p * y - T(0.625);
  p = p * y + T(2.25);
  p = p * y - T(1.125);
  return p * y + T(3.5);
}

}  // namespace
}  // namespace layoutd

#endif  // LAYOUTD_TESTS_BENCH_HAND_POLYNOMIAL_H_
