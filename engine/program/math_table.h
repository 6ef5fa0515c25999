#ifndef LAYOUTD_ENGINE_PROGRAM_MATH_TABLE_H_
#define LAYOUTD_ENGINE_PROGRAM_MATH_TABLE_H_

// Coefficients of the elementary functions: the only copy.

namespace layoutd {

// Arguments beyond which exp is exactly 0 or infinite in f64.
inline constexpr double kExpLow = -746.0;
inline constexpr double kExpHigh = 710.0;

inline constexpr double kRoundShifter = 0x1.8p52;
inline constexpr double kLog2E = 0x1.71547652b82fep0;
// ln 2 in two parts; the high part has 11 trailing zero bits, so n * high is
// exact for |n| < 2048.
inline constexpr double kLn2High = 0x1.62e42fefa3800p-1;
inline constexpr double kLn2Low = 0x1.ef35793c76730p-45;

// (e^r - 1 - r) / r^2 on |r| <= ln2 / 2: the Taylor series, whose remainder at
// this degree is below 2^-57.
inline constexpr double kExpPolynomial[] = {
    1.0 / 2.0,       1.0 / 6.0,        1.0 / 24.0,        1.0 / 120.0,
    1.0 / 720.0,     1.0 / 5040.0,     1.0 / 40320.0,     1.0 / 362880.0,
    1.0 / 3628800.0, 1.0 / 39916800.0, 1.0 / 479001600.0, 1.0 / 6227020800.0,
};
inline constexpr int kNumExpCoefficients =
    sizeof(kExpPolynomial) / sizeof(kExpPolynomial[0]);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_PROGRAM_MATH_TABLE_H_
