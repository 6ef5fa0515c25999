#include "tests/support/random_scalar.h"

#include <iterator>
#include <limits>

namespace layoutd {
namespace {

template <typename T>
T RandomFloat(std::mt19937_64& random, uint64_t special_percent) {
  using Limits = std::numeric_limits<T>;
  const T specials[] = {Limits::quiet_NaN(),
                        Limits::infinity(),
                        -Limits::infinity(),
                        T{-0.0},
                        T{0},
                        Limits::denorm_min(),
                        -Limits::min() / 2,
                        Limits::max(),
                        Limits::lowest(),
                        Limits::epsilon()};
  if (random() % 100 < special_percent)
    return specials[random() % std::size(specials)];
  const T unit = static_cast<T>(random() % (1 << 20)) / T{1 << 20};
  const T scales[] = {T{0.0078125}, T{1}, T{8}, T{1000}};
  return (unit - T{0.5}) * scales[random() % std::size(scales)];
}

template <typename T>
T RandomInteger(std::mt19937_64& random, uint64_t special_percent) {
  using Limits = std::numeric_limits<T>;
  const T specials[] = {Limits::min(), Limits::max(), 0, -1, 1};
  if (random() % 100 < special_percent)
    return specials[random() % std::size(specials)];
  return static_cast<T>(random() % 2001) - T{1000};
}

}  // namespace

Scalar RandomScalar(std::mt19937_64& random, ScalarType type,
                    uint64_t special_percent) {
  switch (type) {
    case ScalarType::kBool:
      return Scalar::Bool(random() % 2 == 0);
    case ScalarType::kF32:
      return Scalar::Of(type, RandomFloat<float>(random, special_percent));
    case ScalarType::kF64:
      return Scalar::F64(RandomFloat<double>(random, special_percent));
    case ScalarType::kI32:
      return Scalar::Of(type, RandomInteger<int32_t>(random, special_percent));
    default:
      return Scalar::I64(RandomInteger<int64_t>(random, special_percent));
  }
}

}  // namespace layoutd
