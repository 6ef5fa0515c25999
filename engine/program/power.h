#ifndef LAYOUTD_ENGINE_PROGRAM_POWER_H_
#define LAYOUTD_ENGINE_PROGRAM_POWER_H_

// x^y over a `Maths` builder, as in elementary.h, of f64 and of f32. Powers of
// integers need no such care: scalar.cc and the generator have their own.

#include <cstdint>
#include <limits>

#include "engine/program/elementary.h"

namespace layoutd {

// An unevaluated sum of two f64; low is below about an ULP of high.
template <typename V>
struct TwoFloat {
  V high;
  V low;
};

// Returns high + low exactly, for |high| >= |low| or high = 0.
template <typename Maths, typename V = typename Maths::V>
TwoFloat<V> QuickSum(Maths& m, V high, V low) {
  const V sum = m.Add(high, low);
  return {sum, m.Add(m.Sub(high, sum), low)};
}

// Returns ln(2^k (1 + f)) with a relative error below 2^-64.
//
// ln(1 + f) = 2 atanh(s / 2) = s (1 + z (1/12 + z p(z))) with
// s = f / (1 + f / 2) and z = s^2: only p is evaluated in plain f64.
template <typename Maths, typename V = typename Maths::V>
TwoFloat<V> LogInTwo(Maths& m, V k, V f) {
  const V one = m.Num(1.0);
  const V half = m.Num(0.5);
  // 1 + f / 2, one bit longer than f64.
  const V d = m.Fma(f, half, one);
  const V d_low = m.Fma(f, half, m.Sub(one, d));
  const V inverse = m.Div(one, d);
  const V s = m.Mul(f, inverse);
  const V minus_s = m.Neg(s);
  const V s_lacks = m.Fma(minus_s, d_low, m.Fma(minus_s, d, f));
  const V s_low = m.Mul(s_lacks, inverse);
  const V z = m.Mul(s, s);
  const V z_low = m.Fma(m.Add(s, s), s_low, m.Fma(s, s, m.Neg(z)));

  const V p = Polynomial(m, kAtanh, z, m.Mul(z, z));
  const V zp = m.Mul(z, p);
  const V twelfth = m.Num(kTwelfthHigh);
  const V q = m.Add(twelfth, zp);
  const V zp_low = m.Fma(z_low, p, m.Num(kTwelfthLow));
  const V q_low = m.Add(m.Sub(twelfth, q), m.Add(zp, zp_low));
  const V w = m.Mul(z, q);
  const V w_low = m.Fma(z, q_low, m.Fma(z_low, q, m.Fma(z, q, m.Neg(w))));

  // (s + s_low) (1 + w + w_low).
  const V sw = m.Mul(s, w);
  const V sw_low = m.Fma(s, w, m.Neg(sw));
  const V low = m.Fma(s, w_low, m.Fma(s_low, w, m.Add(s_low, sw_low)));
  const TwoFloat<V> fraction = QuickSum(m, s, sw);

  // k * kLn2High is exact.
  using Table = MathTable<double>;
  const TwoFloat<V> sum =
      QuickSum(m, m.Mul(k, m.Num(Table::kLn2High)), fraction.high);
  return {sum.high, m.Add(sum.low, m.Fma(k, m.Num(Table::kLn2Low),
                                         m.Add(fraction.low, low)))};
}

// Returns (2^k (1 + f))^y for |y| <= 2^64.
template <typename Maths, typename V = typename Maths::V>
V PowOfSplit(Maths& m, const SplitFloat<Maths>& x, V y) {
  const TwoFloat<V> log = LogInTwo(m, x.exponent, x.fraction);
  const V product = m.Mul(y, log.high);
  const V low = m.Fma(y, log.low, m.Fma(y, log.high, m.Neg(product)));
  return ExpOfSum(m, product, &low);
}

// Returns whether finite or infinite `y` is an integer.
template <typename Maths, typename V = typename Maths::V>
typename Maths::B IsIntegral(Maths& m, V y) {
  const V magnitude = m.Abs(y);
  const V power = m.Num(static_cast<double>(
      int64_t{1} << MathTable<typename Maths::Float>::kMantissaBits));
  const V rounded = m.Sub(m.Add(magnitude, power), power);
  return m.Or(m.Equal(rounded, magnitude), m.Not(m.Less(magnitude, power)));
}

// Returns x^y, given `power` = |x|^y where |x| and y are ordinary: neither 0,
// infinite nor NaN (x), neither infinite nor NaN (y). C99, Annex F.
template <typename Maths, typename V = typename Maths::V>
V FixPower(Maths& m, V x, V y, V power) {
  const V zero = m.Num(0.0);
  const V one = m.Num(1.0);
  const V infinity = m.Num(std::numeric_limits<double>::infinity());
  const V size = m.Abs(x);
  // 0, infinite |x|, infinite y: all that counts is which way.
  const auto x_above = m.Less(one, size);
  const auto y_above = m.Less(zero, y);
  const auto grows =
      m.Or(m.And(x_above, y_above), m.Not(m.Or(x_above, y_above)));
  const auto extreme = m.Or(m.Equal(m.Abs(y), infinity),
                            m.Or(m.Equal(size, zero), m.Equal(size, infinity)));
  V result = m.Select(extreme, m.Select(grows, infinity, zero), power);
  result = m.Select(m.Equal(size, one), one, result);
  // The sign, or NaN: negative numbers have integral powers only.
  const auto integral = IsIntegral(m, y);
  const auto odd = m.And(integral, m.Not(IsIntegral(m, m.Mul(y, m.Num(0.5)))));
  // 1 with x's sign.
  constexpr int kSignBit = 8 * sizeof(typename Maths::Float) - 1;
  const V sign = m.FromBits(m.OrI(
      m.ShiftLeft(m.ShiftRight(m.Bits(x), kSignBit), kSignBit), m.Bits(one)));
  result = m.Select(odd, m.Mul(result, sign), result);
  const V nan = m.Num(std::numeric_limits<double>::quiet_NaN());
  const auto negative = m.And(m.Less(x, zero), m.Less(m.Neg(infinity), x));
  result = m.Select(m.And(negative, m.Not(integral)), nan, result);
  // Last, as x^0 and 1^y are 1 even for NaN.
  const auto ordered = m.And(m.Equal(x, x), m.Equal(y, y));
  result = m.Select(ordered, result, nan);
  return m.Select(m.Or(m.Equal(y, zero), m.Equal(x, one)), one, result);
}

// Returns x^y in f64; at most 2 ULP over the whole range, subnormal arguments
// and results included; every special value as C99's Annex F has it.
template <typename Maths, typename V = typename Maths::V>
V Pow(Maths& m, V x, V y) {
  static_assert(sizeof(typename Maths::Float) == sizeof(double));
  // With such an exponent only 1 has a power that is not 0 or infinite; below
  // it the product with any logarithm is finite.
  const V huge = m.Num(0x1p64);
  const V size = m.Abs(x);
  const SplitFloat<Maths> usual = Split(m, size);
  const auto rare = m.Or(usual.rare, m.Not(m.Less(m.Abs(y), huge)));
  const V power = m.IfAny(rare, PowOfSplit(m, usual, y), [&] {
    const V low = m.Neg(huge);
    V exponent = m.Select(m.Less(y, low), low, y);
    exponent = m.Select(m.Less(huge, exponent), huge, exponent);
    return PowOfSplit(m, SplitAny(m, size), exponent);
  });
  return m.IfAny(m.Or(rare, m.Less(x, m.Num(0.0))), power,
                 [&] { return FixPower(m, x, y, power); });
}

// Returns x^y of two f32 that were converted to f64, still in f64: converted
// back it is at most 1 ULP off. f64 has the digits that f32 needs, and the
// range, so polynomials are short and nothing is carried in two parts.
template <typename Maths, typename V = typename Maths::V>
V PowOfSingle(Maths& m, V x, V y) {
  static_assert(sizeof(typename Maths::Float) == sizeof(double));
  const V infinity = m.Num(std::numeric_limits<double>::infinity());
  const auto rare =
      m.Not(m.And(m.And(m.Less(m.Num(0.0), x), m.Less(x, infinity)),
                  m.Less(m.Abs(y), infinity)));
  const SplitFloat<Maths> split = Split(m, m.Abs(x));
  const V f = split.fraction;
  const V p = Polynomial(m, kLog2, f, m.Mul(f, f));
  const V product = m.Mul(y, m.Fma(f, p, split.exponent));
  const V low = m.Num(-160.0);
  const V high = m.Num(130.0);
  V t = m.Select(m.Less(product, low), low, product);
  t = m.Select(m.Less(high, t), high, t);

  const V shifter = m.Num(MathTable<double>::kRoundShifter);
  const V shifted = m.Add(t, shifter);
  const V r = m.Sub(t, m.Sub(shifted, shifter));
  const V e = Polynomial(m, kExp2, r, m.Mul(r, r));
  // f64 holds every power of two here: add n to the exponent field.
  const V power = m.FromBits(
      m.AddI(m.Bits(e),
             m.ShiftLeft(m.Bits(shifted), MathTable<double>::kMantissaBits)));
  return m.IfAny(rare, power, [&] { return FixPower(m, x, y, power); });
}

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_PROGRAM_POWER_H_
