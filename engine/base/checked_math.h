#ifndef LAYOUTD_ENGINE_BASE_CHECKED_MATH_H_
#define LAYOUTD_ENGINE_BASE_CHECKED_MATH_H_

// Overflow-checked 64-bit arithmetic for sizes. A size that does not fit is
// `nullopt`; the caller turns it into the error its user understands.

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>

namespace layoutd {

constexpr std::optional<int64_t> CheckedAdd(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

// Returns the product of `factors`; the empty product is 1.
constexpr std::optional<int64_t> CheckedProduct(
    std::initializer_list<int64_t> factors) {
  int64_t product = 1;
  for (int64_t factor : factors) {
    if (__builtin_mul_overflow(product, factor, &product)) return std::nullopt;
  }
  return product;
}

// The same for figures that only have to be compared: what does not fit is the
// largest int64. Operands are at least 0.
constexpr int64_t SaturatingAdd(int64_t a, int64_t b) {
  return CheckedAdd(a, b).value_or(std::numeric_limits<int64_t>::max());
}
constexpr int64_t SaturatingProduct(int64_t a, int64_t b) {
  return CheckedProduct({a, b}).value_or(std::numeric_limits<int64_t>::max());
}

constexpr int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_BASE_CHECKED_MATH_H_
