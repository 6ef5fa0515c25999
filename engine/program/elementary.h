#ifndef LAYOUTD_ENGINE_PROGRAM_ELEMENTARY_H_
#define LAYOUTD_ENGINE_PROGRAM_ELEMENTARY_H_

// Elementary functions, each written once over a `Maths` builder: the evaluator
// instantiates it with plain C++ scalars, the generator with LLVM values, so
// both give the same bits by construction. Only correctly rounded operations
// are used. NaN stays NaN; which NaN is not said.
//
// A Maths type has a float format `Float` (double or float) and, over lanes of
// it (V), integers of the same width (I) and bools (B), offers:
//   V Num(double)          the constant, which Float holds
//   I Int(int64_t)         the constant, cut to the width
//   V Add, Sub, Mul, Div(V, V); V Fma(V, V, V); V Neg, Abs(V)
//   B Less, Equal(V, V)    false when an operand is NaN
//   B And, Or(B, B); B Not(B)
//   V Select(B, V, V)
//   I Bits(V); V FromBits(I)
//   I AddI, SubI, AndI, OrI(I, I); I ShiftLeft, ShiftRight(I, int)   logical
//   B LessI(I, I)          signed
//   V IfAny(B rare, V x, fix)  x; but fix(), in all lanes, when `rare` holds in
//                          any lane. In lanes that are not rare fix() gives x.
// Short chains matter as much as few operations; that is why polynomials are
// split in two.

#include <cstddef>
#include <limits>

#include "engine/program/math_table.h"

namespace layoutd {

// Returns sum c[k] x^k, given x and its square: even and odd powers apart, then
// put together.
template <typename Maths, typename F, size_t N, typename V = typename Maths::V>
V Polynomial(Maths& m, const F (&c)[N], V x, V x_squared) {
  static_assert(N >= 3);
  V last = m.Num(double{c[N - 1]});
  V other = m.Num(double{c[N - 2]});
  for (size_t k = N - 2; k-- > 0;) {
    const V next = m.Fma(last, x_squared, m.Num(double{c[k]}));
    last = other;
    other = next;
  }
  return m.Fma(last, x, other);
}

// e^x = 2^n e, with n the integer in the low bits of `shifted`, biased by those
// of kRoundShifter.
template <typename V>
struct ScaledExp {
  V e;  // in [0.7, 1.5)
  V shifted;
};

// Returns e^(x + x_low) for x that is NaN or between kExpLow and kExpHigh;
// x_low, a correction below an ULP of x, may be null: 0.
//
// x = n ln2 + r with |r| <= ln2 / 2, by a two-part Cody-Waite reduction; e^r by
// a polynomial.
template <typename Maths, typename V = typename Maths::V>
ScaledExp<V> ReducedExp(Maths& m, V x, const V* x_low) {
  using Table = MathTable<typename Maths::Float>;
  const V shifter = m.Num(Table::kRoundShifter);
  const V shifted = m.Fma(x, m.Num(Table::kLog2E), shifter);
  const V n = m.Sub(shifted, shifter);
  const V r_high = m.Fma(n, m.Num(-Table::kLn2High), x);  // exact
  const V ln2_low = m.Num(-Table::kLn2Low);
  const V r_low =
      x_low == nullptr ? m.Mul(n, ln2_low) : m.Fma(n, ln2_low, *x_low);
  const V r = m.Add(r_high, r_low);

  // e^r = 1 + (r_high + (r_low + r^2 p)): the last two additions round by half
  // and by at most a quarter of an ULP, all else is small.
  const V r_squared = m.Mul(r, r);
  const V p = Polynomial(m, Table::kExp, r, r_squared);
  const V tail = m.Fma(r_squared, p, r_low);
  return {m.Add(m.Num(1.0), m.Add(r_high, tail)), shifted};
}

// Returns e^(x + x_low) for any x, with x_low as in ReducedExp.
template <typename Maths, typename V = typename Maths::V>
V ExpOfSum(Maths& m, V x, const V* x_low) {
  using Table = MathTable<typename Maths::Float>;
  constexpr int kMantissa = Table::kMantissaBits;
  // Mostly 2^n and the result are normal: n is added to the exponent field.
  const ScaledExp<V> usual = ReducedExp(m, x, x_low);
  const V scaled = m.FromBits(
      m.AddI(m.Bits(usual.e), m.ShiftLeft(m.Bits(usual.shifted), kMantissa)));
  const auto rare = m.Not(m.Less(m.Abs(x), m.Num(Table::kExpNormal)));
  return m.IfAny(rare, scaled, [&] {
    // Outside these the result is 0 or infinite; clamping keeps n small. Where
    // it clamps the low part says nothing.
    const V low = m.Num(Table::kExpLow);
    const V high = m.Num(Table::kExpHigh);
    V y = m.Select(m.Less(x, low), low, x);
    y = m.Select(m.Less(high, y), high, y);
    V y_low = m.Num(0.0);
    if (x_low != nullptr) y_low = m.Select(m.Equal(x, y), *x_low, y_low);
    const ScaledExp<V> any =
        ReducedExp(m, y, x_low == nullptr ? nullptr : &y_low);
    // Two powers of two whose product is 2^n, so that both are normal and a
    // subnormal result is rounded once.
    const auto bits =
        m.AddI(m.Bits(any.shifted), m.Int(2 * Table::kExponentBias));
    const auto half = m.ShiftRight(bits, 1);
    const auto rest = m.SubI(bits, half);
    const V half_scaled =
        m.Mul(any.e, m.FromBits(m.ShiftLeft(half, kMantissa)));
    return m.Mul(half_scaled, m.FromBits(m.ShiftLeft(rest, kMantissa)));
  });
}

// Returns e^x; at most 1 ULP over the whole range, subnormal results included;
// exp(-inf) = 0, exp(inf) = inf.
template <typename Maths, typename V = typename Maths::V>
V Exp(Maths& m, V x) {
  return ExpOfSum<Maths, V>(m, x, nullptr);
}

// x = 2^exponent * (1 + fraction), sqrt(1/2) <= 1 + fraction < sqrt(2).
template <typename Maths>
struct SplitFloat {
  typename Maths::V exponent;  // integral
  typename Maths::V fraction;  // exact
  // x was not positive, normal and below sqrt(2) times the last power of two:
  // then the rest holds only if x is positive, normal and finite all the same.
  typename Maths::B rare;
};

template <typename Maths>
SplitFloat<Maths> Split(Maths& m, typename Maths::V x) {
  using Table = MathTable<typename Maths::Float>;
  constexpr int64_t kOne = int64_t{1} << Table::kMantissaBits;
  // Added to the bits of x, this makes the exponent field k + bias + 1, with
  // the border between two k at sqrt(1/2) instead of at 1; and negative as an
  // integer, or small, the sum for every x that is rare.
  constexpr int64_t kBias = Table::kExponentBias + 1;
  constexpr int64_t kOffset = kBias * kOne - Table::kSqrtHalf;
  const auto offset = m.AddI(m.Bits(x), m.Int(kOffset));
  const auto exponent = m.ShiftRight(offset, Table::kMantissaBits);
  const auto fraction = m.AndI(offset, m.Int(kOne - 1));
  // An integer in the low bits of the float kOne is that much more.
  const auto biased = m.OrI(exponent, m.Bits(m.Num(double{kOne})));
  const auto one_more = m.AddI(fraction, m.Int(Table::kSqrtHalf));
  return {m.Sub(m.FromBits(biased), m.Num(double{kOne + kBias})),
          m.Sub(m.FromBits(one_more), m.Num(1.0)),
          m.LessI(offset, m.Int(kOffset + kOne))};
}

// Splits any positive finite x, a subnormal too.
template <typename Maths>
SplitFloat<Maths> SplitAny(Maths& m, typename Maths::V x) {
  using Table = MathTable<typename Maths::Float>;
  using V = typename Maths::V;
  constexpr int kShift = Table::kMantissaBits + 1;
  const auto is_small = m.Less(x, m.Num(Table::kMinNormal));
  const V power = m.Num(double{int64_t{1} << kShift});
  SplitFloat<Maths> split = Split(m, m.Select(is_small, m.Mul(x, power), x));
  split.exponent = m.Sub(split.exponent,
                         m.Select(is_small, m.Num(double{kShift}), m.Num(0.0)));
  return split;
}

// Returns k ln2 + ln(1 + f) for x split into k and f.
//
// Of f32, ln(1 + f) = f + f^2 (-1/2 + f q(f)). Of f64 that would take a long q;
// with s = f / (2 + f) and z = s^2, ln(1 + f) = 2 atanh(s) =
// f - f^2 / 2 + s (f^2 / 2 + z p(z)), where what comes from the division is
// small. Where f + (...) rounds coarser than the whole sum, that sum is exact,
// so that at most one of the two additions rounds by half an ULP.
template <typename Maths, typename V = typename Maths::V>
V LogOfSplit(Maths& m, V k, V f) {
  using Table = MathTable<typename Maths::Float>;
  const V low = m.Mul(k, m.Num(Table::kLn2Low));
  V tail;
  if constexpr (sizeof(typename Maths::Float) == sizeof(float)) {
    const V f_squared = m.Mul(f, f);
    const V q = Polynomial(m, Table::kLog, f, f_squared);
    tail = m.Fma(f_squared, m.Fma(f, q, m.Num(-0.5)), low);
  } else {
    const V s = m.Div(f, m.Add(f, m.Num(2.0)));
    const V z = m.Mul(s, s);
    const V p = Polynomial(m, Table::kLog, z, m.Mul(z, z));
    const V half_f = m.Mul(f, m.Num(0.5));
    const V sum = m.Fma(z, p, m.Mul(half_f, f));
    tail = m.Fma(m.Neg(half_f), f, m.Fma(s, sum, low));
  }
  return m.Fma(k, m.Num(Table::kLn2High), m.Add(f, tail));
}

// Returns the natural logarithm; at most 1 ULP over the whole range, subnormal
// arguments included; log(0) = -inf, log(inf) = inf, NaN below 0.
template <typename Maths, typename V = typename Maths::V>
V Log(Maths& m, V x) {
  const SplitFloat<Maths> usual = Split(m, x);
  const V result = LogOfSplit<Maths, V>(m, usual.exponent, usual.fraction);
  return m.IfAny(usual.rare, result, [&] {
    const V zero = m.Num(0.0);
    const V infinity = m.Num(std::numeric_limits<double>::infinity());
    const V nan = m.Num(std::numeric_limits<double>::quiet_NaN());
    const SplitFloat<Maths> any = SplitAny(m, x);
    const V finite = LogOfSplit<Maths, V>(m, any.exponent, any.fraction);
    const V positive = m.Select(m.Less(x, infinity), finite, infinity);
    const V other = m.Select(m.Equal(x, zero), m.Neg(infinity), nan);
    return m.Select(m.Less(zero, x), positive, other);
  });
}

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_PROGRAM_ELEMENTARY_H_
