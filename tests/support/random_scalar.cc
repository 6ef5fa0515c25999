#include "tests/support/random_scalar.h"

#include <iterator>
#include <limits>

namespace layoutd {
namespace {

template <typename T>
T RandomFloat(std::mt19937_64& random, uint64_t special_percent) {
  using Limits = std::numeric_limits<T>;
  const T specials[] = {Limits::quiet_NaN(), Limits::infinity(),
                        -Limits::infinity(), T{-0.0}, T{0},
                        Limits::denorm_min(), -Limits::min() / 2, Limits::max(),
                        Limits::lowest(), Limits::epsilon(),
                        // Where conversions to integers begin to saturate.
                        T{2147483648.0}, T{-9223372036854775808.0}, T{0x1p64},
                        T{-0x1p127}, T{0x1.fffffep127}};
  if (random() % 100 < special_percent) {
    return specials[random() % std::size(specials)];
  }
  const T unit = static_cast<T>(random() % (1 << 20)) / T{1 << 20};
  const T scales[] = {T{0.0078125}, T{1}, T{8}, T{1000}};
  return (unit - T{0.5}) * scales[random() % std::size(scales)];
}

// Of an integer type; the value is cut to its size.
Scalar RandomInteger(std::mt19937_64& random, ScalarType type,
                     uint64_t special_percent) {
  const auto cut = [type](Uint128 value) {
    return Convert(Scalar::Of(ScalarType::kU128, value), type);
  };
  const int bits = static_cast<int>(8 * SizeBytes(type));
  if (random() % 100 < special_percent) {
    const Uint128 top = Uint128{1} << (bits - 1);
    const Uint128 high = random();
    const Uint128 specials[] = {
        0, 1, ~Uint128{0}, top, top - 1, high << 64 | random(), random()};
    return cut(specials[random() % std::size(specials)]);
  }
  const auto small = static_cast<Int128>(random() % 2001);
  return cut(
      static_cast<Uint128>(IsSignedInteger(type) ? small - 1000 : small));
}

}  // namespace

Scalar RandomScalar(std::mt19937_64& random, ScalarType type,
                    uint64_t special_percent) {
  if (type == ScalarType::kBool) return Scalar::Bool(random() % 2 == 0);
  if (type == ScalarType::kF32) {
    return Scalar::Of(type, RandomFloat<float>(random, special_percent));
  }
  if (type == ScalarType::kF64) {
    return Scalar::F64(RandomFloat<double>(random, special_percent));
  }
  return RandomInteger(random, type, special_percent);
}

}  // namespace layoutd
