#ifndef LAYOUTD_ENGINE_PROGRAM_MATH_TABLE_H_
#define LAYOUTD_ENGINE_PROGRAM_MATH_TABLE_H_

// Coefficients of the elementary functions: the only copy.
//
// Each polynomial is a minimax one: Remez exchange in 60 digits on the interval
// that is named, slightly widened, against the error weighted as it enters the
// result; where the first coefficient is the exact Taylor one it was fixed
// before the others were found. They were then rounded to the type; the error
// that is named is that of the rounded polynomial, relative to the result.

#include <cstdint>

namespace layoutd {

// The float format F and what exp and log of it need.
template <typename F>
struct MathTable;

template <>
struct MathTable<double> {
  static constexpr int kMantissaBits = 52;
  static constexpr int64_t kExponentBias = 1023;
  static constexpr int64_t kSqrtHalf = 0x3FE6A09E667F3BCD;  // bits, rounded
  static constexpr double kMinNormal = 0x1p-1022;
  // Added to a number below 2^51 it rounds that to an integer, which then is
  // in the low bits of the sum.
  static constexpr double kRoundShifter = 0x1.8p52;
  // Beyond kExpLow and kExpHigh exp is exactly 0 or infinite; where the
  // magnitude is below kExpNormal it is normal, however n is rounded.
  static constexpr double kExpLow = -746.0;
  static constexpr double kExpHigh = 710.0;
  static constexpr double kExpNormal = 708.0;
  static constexpr double kLog2E = 0x1.71547652b82fep0;
  // ln 2 in two parts; the high part has 11 trailing zero bits, so n * high is
  // exact for |n| < 2048.
  static constexpr double kLn2High = 0x1.62e42fefa3800p-1;
  static constexpr double kLn2Low = 0x1.ef35793c76730p-45;

  // (e^r - 1 - r) / r^2 on |r| <= ln2 / 2; 2^-57.3.
  static constexpr double kExp[] = {
      0x1p-1,
      0x1.5555555555501p-3,
      0x1.5555555553207p-5,
      0x1.11111111288a3p-7,
      0x1.6c16c17cc32b4p-10,
      0x1.a01a011c1480ap-13,
      0x1.a019ab2d295e6p-16,
      0x1.71df5562d254ep-19,
      0x1.289f8afd3105dp-22,
      0x1.ad1fe1cfd5542p-26,
  };

  // 2 atanh(s) / s - 2, over z = s^2, for |s| <= (sqrt(2) - 1) / (sqrt(2) + 1);
  // 2^-59.3 of the logarithm.
  static constexpr double kLog[] = {
      0x1.5555555555592p-1, 0x1.999999997fee0p-2, 0x1.24924941e1193p-2,
      0x1.c71c521616bf6p-3, 0x1.74663c5c65289p-3, 0x1.39a1fad975834p-3,
      0x1.2f02ec92cb678p-3,
  };
};

template <>
struct MathTable<float> {
  static constexpr int kMantissaBits = 23;
  static constexpr int64_t kExponentBias = 127;
  static constexpr int64_t kSqrtHalf = 0x3F3504F3;
  static constexpr double kMinNormal = 0x1p-126;
  static constexpr double kRoundShifter = 0x1.8p23;
  static constexpr double kExpLow = -104.0;
  static constexpr double kExpHigh = 89.0;
  static constexpr double kExpNormal = 86.5;
  static constexpr double kLog2E = 0x1.715476p0;
  // The high part has 15 bits, so n * high is exact for |n| < 512.
  static constexpr double kLn2High = 0x1.62e4p-1;
  static constexpr double kLn2Low = 0x1.7f7d1cp-20;

  // (e^r - 1 - r) / r^2 on |r| <= ln2 / 2; 2^-28.0.
  static constexpr float kExp[] = {
      0x1p-1F, 0x1.5554a4p-3F, 0x1.55568ap-5F, 0x1.122f78p-7F, 0x1.6b6c2cp-10F,
  };

  // (ln(1 + f) - f + f^2 / 2) / f^3 on sqrt(1/2) - 1 <= f <= sqrt(2) - 1;
  // 2^-27.1.
  static constexpr float kLog[] = {
      0x1.555554p-2F, -0x1.000228p-2F, 0x1.99a00ap-3F, -0x1.547244p-3F,
      0x1.22da0ap-3F, -0x1.0d8544p-3F, 0x1.055bdcp-3F, -0x1.38b680p-4F,
  };
};

// (2 atanh(s / 2) / s - 1 - z / 12) / z^2 for z = s^2, |s| <= 2 (sqrt(2) - 1) /
// (sqrt(2) + 1); 2^-66.3.
inline constexpr double kAtanh[] = {
    0x1.9999999999b30p-7,  0x1.2492492457d6dp-9,  0x1.c71c722d64b50p-12,
    0x1.745ce9e3f3869p-14, 0x1.3b1eebf02cf9cp-16, 0x1.0f7febe87fcb3p-18,
    0x1.0e4298b0788bcp-20};
// 1/12 in two parts.
inline constexpr double kTwelfthHigh = 0x1.5555555555555p-4;
inline constexpr double kTwelfthLow = 0x1.5555555555555p-58;

// For pow of f32, in f64: log2(1 + f) / f on sqrt(1/2) - 1 <= f <= sqrt(2) - 1,
// 2^-38.5; and 2^r on |r| <= 1/2, 2^-29.0.
inline constexpr double kLog2[] = {
    0x1.71547652b58f6p+0,  -0x1.71547651b7152p-1, 0x1.ec709de33dc4ep-2,
    -0x1.7154788838d2bp-2, 0x1.2776b6cc98d1bp-2,  -0x1.ec6f2dfe7359ep-3,
    0x1.a61b7de0c1e3ap-3,  -0x1.7188d38b922bap-3, 0x1.481faca75d87fp-3,
    -0x1.23d6498b31c6ep-3, 0x1.0acde813ee3bep-3,  -0x1.13b8ac83e25ebp-3,
    0x1.0f62c2806fd30p-3,  -0x1.1da7107e2c491p-4,
};
inline constexpr double kExp2[] = {
    0x1.0000000261ccep+0,  0x1.62e430c82fbf8p-1, 0x1.ebfbdadb8f6dep-3,
    0x1.c6aed45b3a2cfp-5,  0x1.3b2dbc274736fp-7, 0x1.5f4599ca600c4p-10,
    0x1.41d334aba35e9p-13,
};

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_PROGRAM_MATH_TABLE_H_
