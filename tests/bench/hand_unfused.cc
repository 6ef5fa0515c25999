// The hand loops that round after every multiplication, as the language does
// where no fma is written: built with -ffp-contract=off.

#include "tests/bench/hand_loops.h"
#include "tests/bench/hand_polynomial.h"

namespace layoutd {

template <typename T>
void HandPolynomialUnfused(const T* __restrict y, T* __restrict w,
                           int64_t begin, int64_t end) {
  for (int64_t k = begin; k < end; ++k) w[k] = PolynomialAt(y[k]);
}

template void HandPolynomialUnfused<float>(const float*, float*, int64_t,
                                           int64_t);
template void HandPolynomialUnfused<double>(const double*, double*, int64_t,
                                            int64_t);

}  // namespace layoutd
