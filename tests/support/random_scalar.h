#ifndef LAYOUTD_TESTS_SUPPORT_RANDOM_SCALAR_H_
#define LAYOUTD_TESTS_SUPPORT_RANDOM_SCALAR_H_

// Random values for tests, the awkward ones among them.

#include <cstdint>
#include <random>

#include "engine/program/scalar.h"

namespace layoutd {

// Returns a value of `type`: of everyday size or, in `special_percent` of the
// cases, a NaN, an infinity, -0.0, a subnormal, an extreme or any bits at all.
Scalar RandomScalar(std::mt19937_64& random, ScalarType type,
                    uint64_t special_percent);

}  // namespace layoutd

#endif  // LAYOUTD_TESTS_SUPPORT_RANDOM_SCALAR_H_
