#include "engine/program/scalar.h"

#include <bit>
#include <cmath>
#include <type_traits>

#include "engine/base/status_macros.h"
#include "engine/program/elementary.h"
#include "engine/program/power.h"

namespace layoutd {
namespace {

// The Maths of elementary.h on one number.
template <typename F>
struct HostMaths {
  using Float = F;
  using V = F;
  using I = std::conditional_t<sizeof(F) == 8, uint64_t, uint32_t>;
  using B = bool;

  V Num(double x) const { return static_cast<F>(x); }
  I Int(int64_t x) const { return static_cast<I>(x); }
  V Add(V a, V b) const { return a + b; }
  V Sub(V a, V b) const { return a - b; }
  V Mul(V a, V b) const { return a * b; }
  V Div(V a, V b) const { return a / b; }
  V Fma(V a, V b, V c) const { return std::fma(a, b, c); }
  V Neg(V a) const { return -a; }
  V Abs(V a) const { return std::fabs(a); }
  B Less(V a, V b) const { return a < b; }
  B Equal(V a, V b) const { return a == b; }
  B And(B a, B b) const { return a && b; }
  B Or(B a, B b) const { return a || b; }
  B Not(B a) const { return !a; }
  V Select(B c, V a, V b) const { return c ? a : b; }
  I Bits(V x) const { return std::bit_cast<I>(x); }
  V FromBits(I x) const { return std::bit_cast<V>(x); }
  I AddI(I a, I b) const { return a + b; }
  I SubI(I a, I b) const { return a - b; }
  I AndI(I a, I b) const { return a & b; }
  I OrI(I a, I b) const { return a | b; }
  I ShiftLeft(I a, int n) const { return a << n; }
  I ShiftRight(I a, int n) const { return a >> n; }
  B LessI(I a, I b) const {
    using Signed = std::make_signed_t<I>;
    return static_cast<Signed>(a) < static_cast<Signed>(b);
  }
  template <typename Fix>
  V IfAny(B rare, V x, const Fix& fix) const {
    return rare ? fix() : x;
  }
};

// Every integer and bool as 128 bits, sign-extended: add, sub, mul and neg on
// them, cut to the type's size, are the wrapping ones of the type.
Uint128 LoadInteger(const Scalar& x) {
  switch (x.type) {
    case ScalarType::kI8:
      return static_cast<Uint128>(Int128{x.As<int8_t>()});
    case ScalarType::kI16:
      return static_cast<Uint128>(Int128{x.As<int16_t>()});
    case ScalarType::kI32:
      return static_cast<Uint128>(Int128{x.As<int32_t>()});
    case ScalarType::kI64:
      return static_cast<Uint128>(Int128{x.As<int64_t>()});
    case ScalarType::kBool:
    case ScalarType::kU8:
      return x.As<uint8_t>();
    case ScalarType::kU16:
      return x.As<uint16_t>();
    case ScalarType::kU32:
      return x.As<uint32_t>();
    case ScalarType::kU64:
      return x.As<uint64_t>();
    case ScalarType::kI128:
    case ScalarType::kU128:
      return x.As<Uint128>();
    case ScalarType::kF32:
    case ScalarType::kF64:
      break;
  }
  LAYOUTD_DCHECK(false);
  return 0;
}

Scalar StoreInteger(ScalarType type, Uint128 value) {
  Scalar result;
  result.type = type;
  std::memcpy(result.bytes, &value, static_cast<size_t>(SizeBytes(type)));
  return result;
}

double LoadFloat(const Scalar& x) {
  return x.type == ScalarType::kF32 ? double{x.As<float>()} : x.As<double>();
}

template <typename F>
Scalar StoreFloat(F value) {
  return Scalar::Of(sizeof(F) == 4 ? ScalarType::kF32 : ScalarType::kF64,
                    value);
}

// Truncates `x` to `type`, an integer type, and saturates; NaN gives 0.
Scalar TruncateToInteger(double x, ScalarType type) {
  const int bits = static_cast<int>(8 * SizeBytes(type));
  const bool is_signed = IsSignedInteger(type);
  const double limit = std::ldexp(1.0, is_signed ? bits - 1 : bits);
  const Uint128 ones = ~Uint128{0};
  if (std::isnan(x)) return StoreInteger(type, 0);
  if (x >= limit) {
    return StoreInteger(type, is_signed ? ones >> (129 - bits) : ones);
  }
  if (!is_signed) {
    return StoreInteger(type, x <= 0 ? 0 : static_cast<Uint128>(x));
  }
  if (x <= -limit) return StoreInteger(type, ones << (bits - 1));
  return StoreInteger(type, static_cast<Uint128>(static_cast<Int128>(x)));
}

template <typename F>
F IntegerToFloat(const Scalar& x) {
  const Uint128 value = LoadInteger(x);
  return IsSignedInteger(x.type) ? static_cast<F>(static_cast<Int128>(value))
                                 : static_cast<F>(value);
}

template <typename F>
F MinFloat(F a, F b) {
  if (std::isnan(a)) return a;
  if (std::isnan(b)) return b;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

template <typename F>
F MaxFloat(F a, F b) {
  if (std::isnan(a)) return a;
  if (std::isnan(b)) return b;
  if (a == b) return std::signbit(a) ? b : a;
  return a < b ? b : a;
}

template <typename F>
F PowFloat(F x, F y) {
  HostMaths<double> maths;
  if constexpr (sizeof(F) == 8) {
    return Pow(maths, x, y);
  } else {
    return static_cast<F>(PowOfSingle(maths, double{x}, double{y}));
  }
}

// a^b, wrapping; 0 for negative b, except 1 for a = 1 and 1 or -1 for a = -1.
Uint128 PowInteger(bool is_signed, Uint128 a, Uint128 b) {
  const Uint128 minus_one = ~Uint128{0};
  if (is_signed && static_cast<Int128>(b) < 0) {
    if (a == 1 || (a == minus_one && (b & 1) == 0)) return 1;
    return a == minus_one ? a : 0;
  }
  Uint128 result = 1;
  for (; b != 0; b >>= 1, a *= a) {
    if ((b & 1) != 0) result *= a;
  }
  return result;
}

// The comparison `op` of two values, or nothing else.
template <typename T>
Scalar Compare(Opcode op, T a, T b) {
  if (op == Opcode::kEqual) return Scalar::Bool(a == b);
  if (op == Opcode::kNotEqual) return Scalar::Bool(a != b);
  if (op == Opcode::kLess) return Scalar::Bool(a < b);
  if (op == Opcode::kLessEqual) return Scalar::Bool(a <= b);
  if (op == Opcode::kGreater) return Scalar::Bool(a > b);
  LAYOUTD_DCHECK(op == Opcode::kGreaterEqual);
  return Scalar::Bool(a >= b);
}

template <typename F>
Scalar ApplyFloat(Opcode op, absl::Span<const Scalar> operands) {
  const F a = operands[0].As<F>();
  const auto b = [&] { return operands[1].As<F>(); };
  if (op == Opcode::kAdd) return StoreFloat<F>(a + b());
  if (op == Opcode::kSub) return StoreFloat<F>(a - b());
  if (op == Opcode::kMul) return StoreFloat<F>(a * b());
  if (op == Opcode::kDiv) return StoreFloat<F>(a / b());
  if (op == Opcode::kNeg) return StoreFloat<F>(-a);
  if (op == Opcode::kAbs) return StoreFloat<F>(std::fabs(a));
  if (op == Opcode::kSqrt) return StoreFloat<F>(std::sqrt(a));
  HostMaths<F> maths;
  if (op == Opcode::kExp) return StoreFloat<F>(Exp(maths, a));
  if (op == Opcode::kLog) return StoreFloat<F>(Log(maths, a));
  if (op == Opcode::kPow) return StoreFloat<F>(PowFloat(a, b()));
  if (op == Opcode::kFma) {
    return StoreFloat<F>(std::fma(a, b(), operands[2].As<F>()));
  }
  if (op == Opcode::kMin) return StoreFloat<F>(MinFloat(a, b()));
  if (op == Opcode::kMax) return StoreFloat<F>(MaxFloat(a, b()));
  if (op == Opcode::kIsFinite) return Scalar::Bool(std::isfinite(a));
  if (op == Opcode::kIsNan) return Scalar::Bool(std::isnan(a));
  return Compare(op, a, b());
}

// Integers and bool.
Scalar ApplyInteger(Opcode op, absl::Span<const Scalar> operands) {
  const ScalarType type = operands[0].type;
  const Uint128 a = LoadInteger(operands[0]);
  if (op == Opcode::kNeg) return StoreInteger(type, -a);
  const bool is_signed = IsSignedInteger(type);
  if (op == Opcode::kAbs) {
    const bool negative = is_signed && static_cast<Int128>(a) < 0;
    return StoreInteger(type, negative ? -a : a);
  }
  if (op == Opcode::kIsFinite) return Scalar::Bool(true);
  if (op == Opcode::kIsNan) return Scalar::Bool(false);
  const Uint128 b = LoadInteger(operands[1]);
  if (op == Opcode::kAdd) return StoreInteger(type, a + b);
  if (op == Opcode::kSub) return StoreInteger(type, a - b);
  if (op == Opcode::kMul) return StoreInteger(type, a * b);
  if (op == Opcode::kPow) {
    return StoreInteger(type, PowInteger(is_signed, a, b));
  }
  const bool less =
      is_signed ? static_cast<Int128>(a) < static_cast<Int128>(b) : a < b;
  if (op == Opcode::kMin) return less ? operands[0] : operands[1];
  if (op == Opcode::kMax) return less ? operands[1] : operands[0];
  return is_signed ? Compare(op, static_cast<Int128>(a), static_cast<Int128>(b))
                   : Compare(op, a, b);
}

}  // namespace

bool SameBits(const Scalar& a, const Scalar& b) {
  if (a.type != b.type) return false;
  if (IsFloat(a.type) && std::isnan(LoadFloat(a)) && std::isnan(LoadFloat(b))) {
    return true;
  }
  return std::memcmp(a.bytes, b.bytes,
                     static_cast<size_t>(SizeBytes(a.type))) == 0;
}

Scalar Convert(const Scalar& value, ScalarType type) {
  if (value.type == type) return value;
  const bool from_float = IsFloat(value.type);
  if (type == ScalarType::kBool) {
    return Scalar::Bool(from_float ? LoadFloat(value) != 0
                                   : LoadInteger(value) != 0);
  }
  if (type == ScalarType::kF64) {
    return Scalar::F64(from_float ? LoadFloat(value)
                                  : IntegerToFloat<double>(value));
  }
  if (type == ScalarType::kF32) {
    return StoreFloat(from_float ? static_cast<float>(LoadFloat(value))
                                 : IntegerToFloat<float>(value));
  }
  if (from_float) return TruncateToInteger(LoadFloat(value), type);
  return StoreInteger(type, LoadInteger(value));
}

Scalar Apply(Opcode op, absl::Span<const Scalar> operands) {
  const Scalar& a = operands[0];
  if (op == Opcode::kSelect) return a.IsTrue() ? operands[1] : operands[2];
  if (op == Opcode::kNot) return Scalar::Bool(!a.IsTrue());
  if (op == Opcode::kAnd)
    return Scalar::Bool(a.IsTrue() && operands[1].IsTrue());
  if (op == Opcode::kOr)
    return Scalar::Bool(a.IsTrue() || operands[1].IsTrue());
  if (a.type == ScalarType::kF64) return ApplyFloat<double>(op, operands);
  if (a.type == ScalarType::kF32) return ApplyFloat<float>(op, operands);
  return ApplyInteger(op, operands);
}

Scalar FoldIdentity(Opcode op, ScalarType type) {
  const bool is_one = op == Opcode::kMul || op == Opcode::kAnd;
  return Convert(Scalar::I64(is_one ? 1 : 0), type);
}

}  // namespace layoutd
