#ifndef LAYOUTD_ENGINE_PROGRAM_ELEMENTARY_H_
#define LAYOUTD_ENGINE_PROGRAM_ELEMENTARY_H_

// Elementary functions, each written once over a `Maths` builder: the evaluator
// instantiates it with plain C++ scalars, the generator with LLVM values, so
// both give the same bits by construction. Only correctly rounded operations
// are used (add, sub, mul, fma, compare, select, integer shifts).
//
// A Maths type offers, over its value type V (f64 lanes) and B (bool lanes):
//   V F64(double); V Add(V, V); V Sub(V, V); V Mul(V, V); V Fma(V, V, V);
//   B Less(V, V); B IsNan(V); V Select(B, V, V);
//   V ScaleByPowerOfTwo(V x, V n): x * 2^n for integral n with |n| <= 1022,
//   exact (an exponent-field multiplication); any value when n is NaN.

#include "engine/program/math_table.h"

namespace layoutd {

// Returns e^x in f64; at most 1 ULP over the whole range, subnormal results
// included; exp(-inf) = 0, exp(inf) = inf, NaN stays NaN.
//
// x = n ln2 + r with |r| <= ln2 / 2, by a two-part Cody-Waite reduction; e^r by
// a polynomial; the scale is applied in two halves so that neither factor
// leaves the normal range and a subnormal result is rounded once.
template <typename Maths, typename V = typename Maths::V>
V Exp(Maths& m, V x) {
  // Outside this range the result is 0 or infinite; clamping keeps n small.
  const V low = m.F64(kExpLow);
  const V high = m.F64(kExpHigh);
  V y = m.Select(m.Less(x, low), low, x);
  y = m.Select(m.Less(high, y), high, y);

  // Adding 1.5 * 2^52 rounds to the nearest integer in round-to-nearest mode.
  const V shifter = m.F64(kRoundShifter);
  const V n = m.Sub(m.Fma(y, m.F64(kLog2E), shifter), shifter);
  const V r_high = m.Fma(n, m.F64(-kLn2High), y);  // exact
  const V r_low = m.Mul(n, m.F64(-kLn2Low));
  const V r = m.Add(r_high, r_low);

  V p = m.F64(kExpPolynomial[kNumExpCoefficients - 1]);
  for (int k = kNumExpCoefficients - 2; k >= 0; --k) {
    p = m.Fma(p, r, m.F64(kExpPolynomial[k]));
  }
  // e^r = 1 + r + r^2 p. What 1 + r_high rounds away is kept and added with the
  // small terms, so that only the last addition rounds by half an ULP.
  const V sum = m.Add(m.F64(1.0), r_high);
  const V lost = m.Sub(r_high, m.Sub(sum, m.F64(1.0)));
  const V tail = m.Fma(m.Mul(r, r), p, r_low);
  const V e = m.Add(sum, m.Add(lost, tail));

  // 2^n in two exact steps: half = round(n / 2), rest = n - half.
  const V half = m.Sub(m.Fma(n, m.F64(0.5), shifter), shifter);
  const V rest = m.Sub(n, half);
  const V scaled = m.ScaleByPowerOfTwo(m.ScaleByPowerOfTwo(e, half), rest);
  return m.Select(m.IsNan(x), x, scaled);
}

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_PROGRAM_ELEMENTARY_H_
