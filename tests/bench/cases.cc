#include "tests/bench/cases.h"

#include "absl/strings/str_cat.h"
#include "tests/bench/hand_loops.h"

namespace layoutd {
namespace {

// The least that a thread takes at once.
constexpr int64_t kGrainPoints = 4096;
constexpr int64_t kGrainColumns = 64;

// A field of at most this stays in a cache near the core.
constexpr int64_t kCacheBytes = int64_t{1} << 20;

constexpr char kPolynomial[] =
    "w = (((((0.125 * y - 0.75) * y + 1.5) * y - 0.625) * y + 2.25) * y"
    " - 1.125) * y + 3.5";
constexpr char kPolynomialFma[] =
    "w = fma(fma(fma(fma(fma(fma(0.125, y, -0.75), y, 1.5), y, -0.625), y,"
    " 2.25), y, -1.125), y, 3.5)";
constexpr char kVapour[] =
    "let es = 611.657 * pow(x / 273.16, -5.0314)"
    " * exp(6793.2 * (1.0 / 273.16 - 1.0 / x))\n"
    "let l = log(es / 611.2)\n"
    "w = 243.5 * l / (17.67 - l)";
constexpr char kMagnus[] =
    "w = 611.2 * exp(17.62 * (x - 273.15) / (x - 30.03))";

// Returns the hand loop `body(data, begin, end)` over all points.
template <typename T, typename Body>
std::function<double(BenchWorld<T>&)> OverPoints(Body body) {
  return [body](BenchWorld<T>& world) {
    world.threads().For(
        world.shape().num_points(), kGrainPoints,
        [&](int64_t begin, int64_t end) { body(world.data(), begin, end); });
    return 0.0;
  };
}

template <typename T, typename Body>
std::function<double(BenchWorld<T>&)> OverColumns(Body body) {
  return [body](BenchWorld<T>& world) {
    world.threads().For(world.shape().num_columns(), kGrainColumns,
                        [&](int64_t begin, int64_t end) {
                          body(world.data(), world.shape().v(), begin, end);
                        });
    return 0.0;
  };
}

template <typename T>
std::function<double(BenchWorld<T>&)> CopyToW() {
  return OverPoints<T>([](Dataset<T>& data, int64_t begin, int64_t end) {
    HandCopy(data.x.data(), data.w.data(), begin, end);
  });
}

// A few roundings of T.
template <typename T>
constexpr double kRounding = sizeof(T) == 4 ? 2e-6 : 4e-15;

template <typename T>
Case<T> Masked(int percent) {
  Case<T> c;
  c.name = absl::StrCat("masked", percent);
  c.program =
      absl::StrCat("foreach point mask m", percent, " { ", kMagnus, " }");
  c.output = "w";
  c.values_per_point = 2.0 * percent / 100;
  c.tolerance = 10 * kRounding<T>;
  c.hand = [percent](BenchWorld<T>& world) {
    const absl::Span<const int64_t> columns = world.mask(percent).columns;
    world.threads().For(
        static_cast<int64_t>(columns.size()), kGrainColumns,
        [&](int64_t begin, int64_t end) {
          HandMagnusColumns(world.data().x.data(), world.data().w.data(),
                            world.shape().v(),
                            columns.subspan(static_cast<size_t>(begin),
                                            static_cast<size_t>(end - begin)));
        });
    return 0.0;
  };
  c.has_hand_goal = false;
  c.other = {.measure = "masked / unmasked time",
             .counter = "of_unmasked",
             .program = kMagnus,
             .hand = nullptr,
             .engine_over_other = true,
             .goal = std::nullopt};
  if (percent == 10) c.other->goal = Goal{0.25, /*at_least=*/false};
  return c;
}

}  // namespace

template <typename T>
std::vector<Case<T>> AllCases() {
  std::vector<Case<T>> cases;
  cases.push_back({.name = "copy",
                   .program = "w = x",
                   .output = "w",
                   .hand = CopyToW<T>()});
  cases.push_back(
      {.name = "multiply_add",
       .program = "w = x * y + z",
       .output = "w",
       .values_per_point = 4,
       .tolerance = kRounding<T>,
       .hand = OverPoints<T>([](Dataset<T>& d, int64_t begin, int64_t end) {
         HandMultiplyAdd(d.x.data(), d.y.data(), d.z.data(), d.w.data(), begin,
                         end);
       })});
  for (const bool fma : {false, true}) {
    cases.push_back(
        {.name = fma ? "polynomial_fma" : "polynomial",
         .program = fma ? kPolynomialFma : kPolynomial,
         .output = "w",
         .tolerance = kRounding<T>,
         .hand = OverPoints<T>([](Dataset<T>& d, int64_t begin, int64_t end) {
           HandPolynomial(d.y.data(), d.w.data(), begin, end);
         })});
  }
  cases.push_back(
      {.name = "vapour",
       .program = kVapour,
       .output = "w",
       .tolerance = 1000 * kRounding<T>,  // log near 1, after pow
       .hand = OverPoints<T>([](Dataset<T>& d, int64_t begin, int64_t end) {
         HandVapour(d.x.data(), d.w.data(), begin, end);
       })});
  cases.push_back(
      {.name = "magnus",
       .program = kMagnus,
       .output = "w",
       .tolerance = 10 * kRounding<T>,
       .hand = OverPoints<T>([](Dataset<T>& d, int64_t begin, int64_t end) {
         HandMagnus(d.x.data(), d.w.data(), begin, end);
       })});
  // What contraction alone makes of the first polynomial.
  cases[2].other = typename Case<T>::Other{
      .measure = "hand without fma / engine time",
      .counter = "of_unfused",
      .program = "",
      .hand = OverPoints<T>([](Dataset<T>& d, int64_t begin, int64_t end) {
        HandPolynomialUnfused(d.y.data(), d.w.data(), begin, end);
      }),
      .engine_over_other = false,
      .goal = std::nullopt};
  for (const int percent : {10, 50, 100}) cases.push_back(Masked<T>(percent));
  cases.push_back({.name = "sum",
                   .program = "reduce { total = sum(x) }",
                   .values_per_point = 1,
                   .tolerance = sizeof(T) == 4 ? 1e-5 : 1e-12,
                   .hand =
                       [](BenchWorld<T>& world) {
                         const T* x = world.data().x.data();
                         return world.threads().Sum(
                             world.shape().num_points(), kGrainPoints,
                             [x](int64_t begin, int64_t end) {
                               return HandSum(x, begin, end);
                             });
                       },
                   .hand_goal = 1.0});
  cases.push_back(
      {.name = "scan",
       .program = "foreach column { w = scan(+, x) }",
       .output = "w",
       .hand = OverColumns<T>(
           [](Dataset<T>& d, int64_t num_levels, int64_t begin, int64_t end) {
             const bool in_cache =
                 d.x.size() * static_cast<int64_t>(sizeof(T)) <= kCacheBytes;
             HandScan(d.x.data(), d.w.data(), num_levels, in_cache, begin, end);
           }),
       .has_hand_goal = false,
       .other = typename Case<T>::Other{.measure = "copy / scan time",
                                        .counter = "of_copy",
                                        .program = "",
                                        .hand = CopyToW<T>(),
                                        .engine_over_other = false,
                                        .goal = Goal{0.8, true}}});
  cases.push_back(
      {.name = "fold",
       .program = "foreach column { s = fold(+, x) }",
       .output = "s",
       .values_per_point = 1 + 1.0 / 63,
       .tolerance = 10 * kRounding<T>,
       .hand = OverColumns<T>(
           [](Dataset<T>& d, int64_t num_levels, int64_t begin, int64_t end) {
             HandFold(d.x.data(), d.s.data(), num_levels, begin, end);
           }),
       .other = typename Case<T>::Other{
           .measure = "hand in order of levels / engine time",
           .counter = "of_in_order",
           .program = "",
           .hand = OverColumns<T>([](Dataset<T>& d, int64_t num_levels,
                                     int64_t begin, int64_t end) {
             HandFoldInOrder(d.x.data(), d.s.data(), num_levels, begin, end);
           }),
           .engine_over_other = false,
           .goal = std::nullopt}});
  return cases;
}

template std::vector<Case<float>> AllCases<float>();
template std::vector<Case<double>> AllCases<double>();

}  // namespace layoutd
