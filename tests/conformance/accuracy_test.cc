// exp, log and pow against MPFR: a million points of each in f32 and f64, over
// the whole range. Then the kernels, which must have the evaluator's bits at
// every vector width, however the points are cut into vectors and ranges.

#include <mpfr.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/support/runtime_world.h"
#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

// 1000001 points, which is 101 * 9901: no multiple of any number of lanes.
constexpr Shape kShape{{101, 1, 1, 9901}};
constexpr size_t kNumPoints = 101 * 9901;
constexpr int kNumThreads = 2;  // that ask MPFR

template <typename F>
constexpr ScalarType kTypeOf = sizeof(F) == 8 ? ScalarType::kF64
                                              : ScalarType::kF32;

template <typename F>
struct Points {
  std::vector<F> x;
  std::vector<F> y;  // kPow only
};

template <typename F>
class PointMaker {
 public:
  explicit PointMaker(uint64_t seed) : random_(seed) {}

  // All exponents are equally frequent, subnormals, infinities and NaN among
  // them.
  F AnyBits() {
    using Bits = std::conditional_t<sizeof(F) == 8, uint64_t, uint32_t>;
    return std::bit_cast<F>(static_cast<Bits>(random_()));
  }
  F Between(double low, double high) { return static_cast<F>(Real(low, high)); }
  // 1 + d or 1 - d, where the exponents of d are equally frequent.
  F NearOne() {
    constexpr int kDigits = std::numeric_limits<F>::digits;
    const int exponent = -static_cast<int>(random_() % kDigits) - 1;
    return static_cast<F>(1.0 + std::ldexp(Real(-1, 1), exponent));
  }

  F ForExp(size_t k) {
    constexpr bool kWide = sizeof(F) == 8;
    switch (k % 5) {
      case 0:
        return AnyBits();
      case 1:  // subnormal results
        return kWide ? Between(-745.2, -708.3) : Between(-104, -87.3);
      case 2:
        return Between(-1, 1);
      case 3:  // close to multiples of ln2 / 2, where the reduction turns
        return static_cast<F>(
            (std::floor(Real(-200, 200)) / 2) * 0.6931471805599453 +
            std::ldexp(Real(-1, 1), -static_cast<int>(random_() % 40)));
      default:
        return kWide ? Between(-746, 710) : Between(-104, 89);
    }
  }

  F ForLog(size_t k) {
    switch (k % 4) {
      case 0:
        return AnyBits();
      case 1:
        return std::fabs(AnyBits());
      case 2:
        return NearOne();
      default:
        return Between(0.25, 4);
    }
  }

  void AddForPow(size_t k, Points<F>& points) {
    constexpr bool kWide = sizeof(F) == 8;
    const double low = kWide ? -745.5 : -104;
    const double high = kWide ? 710 : 89;
    F x = std::fabs(AnyBits());
    F y = 0;
    switch (k % 8) {
      case 0:  // mostly 0 or infinite
        x = AnyBits();
        y = AnyBits();
        break;
      case 1:  // any base, any finite power
      case 2:
        y = static_cast<F>(Real(low, high) / std::log(double{x}));
        break;
      case 3:  // large exponents
        x = NearOne();
        y = static_cast<F>(Real(low, high) / std::log(double{x}));
        break;
      case 4:  // the ends of the range
        y = static_cast<F>(
            (random_() % 2 == 0 ? Real(low, low + 40) : Real(high - 3, high)) /
            std::log(double{x}));
        break;
      case 5:  // integers and halves, both signs
        if (random_() % 2 == 0) x = -x;
        y = static_cast<F>(std::floor(Real(-40, 40)) / 2);
        break;
      case 6:  // exact and halfway cases
        x = static_cast<F>(std::floor(Real(-300, 300)));
        y = static_cast<F>(std::floor(Real(-4, 20)) / 2);
        break;
      default:
        x = Between(0.25, 4);
        y = kWide ? Between(-530, 530) : Between(-75, 75);
        break;
    }
    points.x.push_back(x);
    points.y.push_back(y);
  }

 private:
  double Real(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }

  std::mt19937_64 random_;
};

template <typename F>
std::vector<F> SpecialValues() {
  using Limits = std::numeric_limits<F>;
  const F half_range = std::ldexp(F{1}, Limits::digits);
  std::vector<F> values;
  for (const F value : {F{0},
                        F{1},
                        F{2},
                        F{3},
                        F{0.5},
                        F{1.5},
                        F{2.5},
                        F{10},
                        F{0.1F},
                        Limits::denorm_min(),
                        Limits::min(),
                        Limits::min() / 2,
                        Limits::max(),
                        Limits::infinity(),
                        F{1} + Limits::epsilon(),
                        F{1} - Limits::epsilon() / 2,
                        half_range,
                        half_range - 1,
                        half_range + 2,
                        half_range / 2 - 1,
                        half_range / 2 + 1,
                        half_range / 2 - F{0.5},
                        half_range / 4 + F{0.5},
                        F{64},
                        F{126},
                        F{127},
                        F{128},
                        F{149},
                        F{150},
                        F{1022},
                        F{1023},
                        F{1024},
                        F{1074},
                        F{1075},
                        F{88.72283F},
                        F{103.97207F},
                        F{709.7827F},
                        F{745.1332F},
                        Limits::quiet_NaN()}) {
    values.push_back(value);
    values.push_back(-value);
  }
  return values;
}

template <typename F>
Points<F> MakePoints(Opcode op) {
  Points<F> points;
  const std::vector<F> specials = SpecialValues<F>();
  for (const F x : specials) {
    if (op != Opcode::kPow) {
      points.x.push_back(x);
      continue;
    }
    for (const F y : specials) {
      points.x.push_back(x);
      points.y.push_back(y);
    }
  }
  PointMaker<F> maker(static_cast<uint64_t>(op) * 2 + sizeof(F) / 8);
  for (size_t k = points.x.size(); k < kNumPoints; ++k) {
    if (op == Opcode::kExp) points.x.push_back(maker.ForExp(k));
    if (op == Opcode::kLog) points.x.push_back(maker.ForLog(k));
    if (op == Opcode::kPow) maker.AddForPow(k, points);
  }
  return points;
}

// A number of MPFR with more digits than any error here asks for.
class Exact {
 public:
  Exact() { mpfr_init2(value_, 120); }
  ~Exact() { mpfr_clear(value_); }
  Exact(const Exact&) = delete;
  Exact& operator=(const Exact&) = delete;
  mpfr_ptr get() { return value_; }

 private:
  mpfr_t value_;
};

// Asks MPFR. One per thread.
template <typename F>
class Reference {
 public:
  explicit Reference(Opcode op) : op_(op) {}

  // Returns the error of `got` in units in the last place of the exact result;
  // infinity where a special value is missed.
  double Error(F x, F y, F got) {
    using Limits = std::numeric_limits<F>;
    constexpr double kWrong = std::numeric_limits<double>::infinity();
    mpfr_set_d(x_.get(), x, MPFR_RNDN);
    if (op_ == Opcode::kExp) mpfr_exp(want_.get(), x_.get(), MPFR_RNDN);
    if (op_ == Opcode::kLog) mpfr_log(want_.get(), x_.get(), MPFR_RNDN);
    if (op_ == Opcode::kPow) {
      mpfr_set_d(y_.get(), y, MPFR_RNDN);
      mpfr_pow(want_.get(), x_.get(), y_.get(), MPFR_RNDN);
    }
    if (mpfr_nan_p(want_.get()) != 0) return std::isnan(got) ? 0 : kWrong;
    if (std::isnan(got)) return kWrong;
    if ((mpfr_signbit(want_.get()) != 0) != std::signbit(got)) return kWrong;
    if (mpfr_regular_p(want_.get()) == 0) {
      return mpfr_cmp_d(want_.get(), got) == 0 ? 0 : kWrong;
    }
    // The next number after the largest stands for infinity.
    mpfr_set_si_2exp(got_.get(), std::signbit(got) ? -1 : 1,
                     Limits::max_exponent, MPFR_RNDN);
    if (std::isinf(got)) {
      if (mpfr_cmpabs(want_.get(), got_.get()) >= 0) return 0;
    } else {
      mpfr_set_d(got_.get(), got, MPFR_RNDN);
    }
    const auto exponent = std::clamp<mpfr_exp_t>(
        mpfr_get_exp(want_.get()), Limits::min_exponent, Limits::max_exponent);
    mpfr_sub(got_.get(), got_.get(), want_.get(), MPFR_RNDN);
    mpfr_mul_2si(got_.get(), got_.get(), Limits::digits - exponent, MPFR_RNDN);
    return std::fabs(mpfr_get_d(got_.get(), MPFR_RNDN));
  }

 private:
  const Opcode op_;
  Exact x_, y_, want_, got_;
};

template <typename F>
std::vector<Scalar> ToScalars(const std::vector<F>& values) {
  std::vector<Scalar> scalars;
  scalars.reserve(values.size());
  for (const F value : values) {
    scalars.push_back(Scalar::Of(kTypeOf<F>, value));
  }
  return scalars;
}

template <typename F>
std::vector<F> Evaluate(Opcode op, const Points<F>& points) {
  std::vector<F> results;
  results.reserve(points.x.size());
  for (size_t k = 0; k < points.x.size(); ++k) {
    std::array<Scalar, 2> operands = {Scalar::Of(kTypeOf<F>, points.x[k])};
    if (op == Opcode::kPow) {
      operands[1] = Scalar::Of(kTypeOf<F>, points.y[k]);
    }
    results.push_back(Apply(op, absl::MakeConstSpan(operands.data(),
                                                    op == Opcode::kPow ? 2 : 1))
                          .template As<F>());
  }
  return results;
}

struct Worst {
  double error = 0;
  size_t at = 0;
};

template <typename F>
Worst WorstError(Opcode op, const Points<F>& points,
                 const std::vector<F>& results) {
  std::array<Worst, kNumThreads> worst;
  std::vector<std::thread> threads;
  for (size_t t = 0; t < kNumThreads; ++t) {
    threads.emplace_back([&, t] {
      Reference<F> reference(op);
      for (size_t k = t; k < points.x.size(); k += kNumThreads) {
        const double error = reference.Error(
            points.x[k], op == Opcode::kPow ? points.y[k] : F{}, results[k]);
        if (error > worst[t].error) worst[t] = {error, k};
      }
      mpfr_free_cache();
    });
  }
  for (std::thread& thread : threads) thread.join();
  return *std::max_element(
      worst.begin(), worst.end(),
      [](const Worst& a, const Worst& b) { return a.error < b.error; });
}

// Checks that kernels give `results` for `points`, bit for bit.
template <typename F>
void ExpectKernelsGive(Opcode op, const Points<F>& points,
                       const std::vector<F>& results) {
  struct Way {
    int vector_bits;
    int num_threads;
    bool by_column;  // lanes are columns, else points in memory
  };
  constexpr Way kWays[] = {{128, 1, false}, {128, 2, true},  {256, 7, false},
                           {256, 1, true},  {512, 2, false}, {512, 7, true}};
  const std::vector<Scalar> x = ToScalars(points.x);
  const std::vector<Scalar> y = ToScalars(points.y);
  const DataLayout layout =
      DataLayout::Create({LayoutKind::kVIJFH, kShape, kTypeOf<F>}).value();
  const std::string call =
      op == Opcode::kPow ? "x ** y"
                         : absl::StrCat(std::string(Info(op).name), "(x)");
  for (const Way& way : kWays) {
    WorldOptions options;
    options.vector_bits = way.vector_bits;
    options.num_threads = way.num_threads;
    auto world = RuntimeWorld::Open(options);
    // A CPU need not have the widest vectors.
    if (!world.ok() && way.vector_bits == 512) continue;
    ASSERT_OK(world);
    ASSERT_OK((*world)->AddField("x", layout, x));
    if (op == Opcode::kPow) {
      ASSERT_OK((*world)->AddField("y", layout, y));
    }
    ASSERT_OK((*world)->Run(
        way.by_column
            ? absl::StrCat("new r = x\nforeach column { r = ", call, " }")
            : absl::StrCat("new r = ", call)));
    ASSERT_OK_AND_ASSIGN(const OracleField got, (*world)->ReadField("r"));
    ASSERT_EQ(got.leaves.size(), results.size());
    for (size_t k = 0; k < results.size(); ++k) {
      ASSERT_TRUE(SameBits(got.leaves[k], Scalar::Of(kTypeOf<F>, results[k])))
          << call << " at point " << k << ", x = " << points.x[k] << ", "
          << way.vector_bits << " bits, " << way.num_threads << " threads";
    }
  }
}

template <typename F>
void TestFunction(Opcode op, double bound) {
  const Points<F> points = MakePoints<F>(op);
  const std::vector<F> results = Evaluate(op, points);
  const Worst worst = WorstError(op, points, results);
  const std::string name = absl::StrCat(std::string(Info(op).name), " of ",
                                        std::string(Name(kTypeOf<F>)));
  std::printf("%s: at most %.4f ULP over %zu points\n", name.c_str(),
              worst.error, points.x.size());
  EXPECT_LE(worst.error, bound)
      << name << " at x = " << points.x[worst.at]
      << (points.y.empty() ? "" : absl::StrCat(", y = ", points.y[worst.at]))
      << ": " << results[worst.at];
  ExpectKernelsGive(op, points, results);
}

TEST(AccuracyTest, ExpOfF64IsWithinOneUlp) {
  TestFunction<double>(Opcode::kExp, 1.0);
}

TEST(AccuracyTest, ExpOfF32IsWithinOneUlp) {
  TestFunction<float>(Opcode::kExp, 1.0);
}

TEST(AccuracyTest, LogOfF64IsWithinOneUlp) {
  TestFunction<double>(Opcode::kLog, 1.0);
}

TEST(AccuracyTest, LogOfF32IsWithinOneUlp) {
  TestFunction<float>(Opcode::kLog, 1.0);
}

TEST(AccuracyTest, PowOfF64IsWithinTwoUlp) {
  TestFunction<double>(Opcode::kPow, 2.0);
}

TEST(AccuracyTest, PowOfF32IsWithinTwoUlp) {
  TestFunction<float>(Opcode::kPow, 2.0);
}

}  // namespace
}  // namespace layoutd
