#ifndef LAYOUTD_ENGINE_PROGRAM_SCALAR_H_
#define LAYOUTD_ENGINE_PROGRAM_SCALAR_H_

// One scalar value with its type, and the arithmetic of the language on it: the
// reference for every generated kernel. Plain C++ on one value at a time;
// compiled without contraction, so bits are IEEE's.

#include <cstdint>
#include <cstring>

#include "absl/types/span.h"
#include "engine/base/scalar_type.h"
#include "engine/program/opcode.h"

namespace layoutd {

struct Scalar {
  ScalarType type = ScalarType::kF64;
  // The value's bytes, little-endian, zero beyond its size: exactly what lies
  // in memory.
  alignas(16) uint8_t bytes[16] = {};

  template <typename T>
  static Scalar Of(ScalarType type, T value) {
    Scalar scalar;
    scalar.type = type;
    std::memcpy(scalar.bytes, &value, sizeof(T));
    return scalar;
  }
  static Scalar Bool(bool value) {
    return Of<uint8_t>(ScalarType::kBool, value ? 1 : 0);
  }
  static Scalar I64(int64_t value) { return Of(ScalarType::kI64, value); }
  static Scalar F64(double value) { return Of(ScalarType::kF64, value); }

  template <typename T>
  T As() const {
    T value;
    std::memcpy(&value, bytes, sizeof(T));
    return value;
  }
  bool IsTrue() const { return bytes[0] != 0; }
};

// Returns whether a and b have the same type and bits; any NaN equals any NaN.
bool SameBits(const Scalar& a, const Scalar& b);

// Returns `value` converted to `type`: float to integer truncates and
// saturates, NaN gives 0; integers wrap; anything to bool is "not zero".
Scalar Convert(const Scalar& value, ScalarType type);

// Returns the value of a pointwise scalar operation (kAdd ... kSelect; not
// kConvert). All numeric operands have one common type (the operand type of
// promotion.h); kSelect's first is bool.
// Source: the language's rules: IEEE without contraction; integers wrap;
// abs(MIN) = MIN; min and max propagate NaN, -0 < +0; an integer to a negative
// power is 0, but 1 for base 1 and 1 or -1 for base -1.
Scalar Apply(Opcode op, absl::Span<const Scalar> operands);

// Returns what an exclusive scan with `op` begins with: 1 for kMul, true for
// kAnd, else 0 or false.
Scalar FoldIdentity(Opcode op, ScalarType type);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_PROGRAM_SCALAR_H_
