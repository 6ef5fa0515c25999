// Cases from public bug reports: reductions.

#include <cmath>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/cases/program_case.h"

namespace layoutd {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
// What argmin and argmax of an f64 field give.
constexpr char kPlaceOfF64[] = "{value: f64, index: (i64, i64, i64, i64)}";
constexpr int64_t kMaxI64 = std::numeric_limits<int64_t>::max();

// 1 + 0.01 * (number of the point in C order of (v, i, j, h)).
void AddPositive(ProgramWorld& world) {
  world.Add("x", "f64", {{7, 3, 3, 5}},
            [](int64_t v, int64_t i, int64_t j, int64_t h) {
              const int64_t k = ((v * 3 + i) * 3 + j) * 5 + h;
              return 1 + 0.01 * static_cast<double>(k);
            });
}

std::vector<double> Repeat(size_t count, double value) {
  return std::vector<double>(count, value);
}

// NaN at two places of a line of n values 2, 3, 2, 3, ...
std::vector<double> WithNans(size_t n) {
  std::vector<double> line;
  for (size_t k = 0; k < n; ++k) line.push_back(2 + static_cast<double>(k % 2));
  line[1] = kNan;
  line[n - 1] = kNan;
  return line;
}

std::vector<ProgramCase> ReductionCases() {
  std::vector<ProgramCase> cases = {
      {"K01NothingButThePointsJoinsAMinimum",
       AddPositive,
       R"(reduce {
         low = min(x)
         high = max(-x)
         total = sum(x)
       })",
       {{"low", "f64", {1.0}},
        {"high", "f64", {-1.0}},
        {"total", "f64", {809.55}, 1e-11}}},
      {"K01TheMinimumOfOnesIsOne",
       [](ProgramWorld& world) {
         world.AddConstant("one", "f64", {{7, 3, 3, 5}}, 1);
       },
       "reduce { low = min(one) }",
       {{"low", "f64", {1.0}}}},
      {"K04TheFirstOfEqualElementsIsFound",
       [](ProgramWorld& world) {
         const auto turn = [](int64_t k) { return static_cast<double>(k % 3); };
         world.Add(
             "line", "f64", {{1, 1, 1, 2000}},
             [=](int64_t, int64_t, int64_t, int64_t h) { return turn(h); });
         world.Add(
             "column", "f64", {{2000, 1, 1, 1}},
             [=](int64_t v, int64_t, int64_t, int64_t) { return turn(v); });
         world.AddLine("few", "f64", {1, 0, 0});
       },
       R"(reduce {
         line_high = argmax(line)
         line_low = argmin(line)
         column_high = argmax(column)
         column_low = argmin(column)
         few_low = argmin(few)
       })",
       {{"line_high", kPlaceOfF64, {2, 0, 0, 0, 2}},
        {"line_low", kPlaceOfF64, {0, 0, 0, 0, 0}},
        {"column_high", kPlaceOfF64, {2, 2, 0, 0, 0}},
        {"column_low", kPlaceOfF64, {0, 0, 0, 0, 0}},
        {"few_low", kPlaceOfF64, {0, 0, 0, 0, 1}}}},
      {"K05NanWinsAndIsCounted",
       [](ProgramWorld& world) {
         world.AddLine("x", "f64", {3, kNan, 1, kNan, 2});
         world.AddLine("y", "f64", {kNan, 1, 2, 3});
       },
       R"(reduce {
         low = min(x)
         high = max(x)
         n = count(isnan(y))
         rest = sum(select(isnan(y), 0, y))
         unequal = count(y != y)
         low_at = argmin(x)
         high_at = argmax(x)
       })",
       {{"low", "f64", {kNan}},
        {"high", "f64", {kNan}},
        {"n", "i64", {1}},
        {"rest", "f64", {6}},
        {"unequal", "i64", {1}},
        {"low_at", kPlaceOfF64, {kNan, 0, 0, 0, 1}},
        {"high_at", kPlaceOfF64, {kNan, 0, 0, 0, 1}}}},
      {"K05SumsOfInfinities",
       [](ProgramWorld& world) {
         world.AddLine("a", "f64", {kInf, -kInf});
         world.AddLine("b", "f64", {kInf, 1});
       },
       "reduce { lost = sum(a)\n kept = sum(b) }",
       {{"lost", "f64", {kNan}}, {"kept", "f64", {kInf}}}},
      {"K06SumsOfSmallIntegersAreWide",
       [](ProgramWorld& world) {
         world.AddLine("a", "i8", Repeat(10000, 100));
         world.AddLine("b", "u8", Repeat(10000, 200));
         world.AddLine("c", "i32", Repeat(5, 2147483647));
         std::vector<double> truth;
         for (int k = 0; k < 100000; ++k) truth.push_back(k > 1 ? 1 : 0);
         world.AddLine("d", "bool", truth);
       },
       R"(reduce {
         ta = sum(a)
         tb = sum(b)
         tc = sum(c)
         td = sum(d)
         ma = mean(a)
         mb = mean(b)
         mc = mean(c)
       })",
       {{"ta", "i64", {1000000}},
        {"tb", "u64", {2000000}},
        {"tc", "i64", {10737418235}},
        {"td", "i64", {99998}},
        {"ma", "f64", {100}},
        {"mb", "f64", {200}},
        {"mc", "f64", {2147483647}}}},
      {"K08MeansOfLargeIntegersDoNotWrap",
       [](ProgramWorld& world) {
         world.AddIntegers("a", "i64", {kMaxI64, 1});
         world.AddIntegers("b", "i64", std::vector<int64_t>(10, kMaxI64));
         world.AddIntegers("c", "i64",
                           {-1303487490025821099, -8371390547526583103,
                            -2572374159461887095});
       },
       "reduce { a1 = mean(a)\n b1 = mean(b)\n c1 = mean(c) }",
       {{"a1", "f64", {4.611686018427388e+18}},
        {"b1", "f64", {9.223372036854776e+18}},
        {"c1", "f64", {-4.0824173990047636e+18}}}},
      {"K09AVarianceInTwoPassesKeepsSmallDifferences",
       [](ProgramWorld& world) {
         world.AddLine("x", "f64", {1e9, 1e9 + 1, 1e9 + 2});
       },
       "reduce { m = mean(x) }\nreduce { var2 = mean((x - m) * (x - m)) }",
       {{"m", "f64", {1e9 + 1}}, {"var2", "f64", {0.6666666666666666}}}},
      {"K12ASumOfNegativeZerosKeepsItsSign",
       [](ProgramWorld& world) {
         world.AddLine("x", "f64", {-0.0, -0.0});
         world.AddLine("y", "f64", {0.0, -0.0});
         world.AddLine("z", "f64", {-0.0, 0.0});
       },
       R"(reduce {
         total = sum(x)
         inverse = 1 / sum(x)
         low1 = min(y)
         low2 = min(z)
         high1 = max(y)
         high2 = max(z)
       })",
       {{"total", "f64", {-0.0}},
        {"inverse", "f64", {-kInf}},
        {"low1", "f64", {-0.0}},
        {"low2", "f64", {-0.0}},
        {"high1", "f64", {0.0}},
        {"high2", "f64", {0.0}}}},
      {"K14NoPointsGiveTheIdentity",
       [](ProgramWorld& world) {
         world.AddConstant("x", "f64", {{5, 1, 1, 0}}, 1);
       },
       R"(reduce {
         total = sum(x)
         n = count(x > 0)
         low = min(x, init = 3)
         some = any(x > 0)
         every = all(x > 0)
       })",
       {{"total", "f64", {0}},
        {"n", "i64", {0}},
        {"low", "f64", {3}},
        {"some", "bool", {0}},
        {"every", "bool", {1}}}},
      {"K14TheMinimumOfNothingIsRefused",
       [](ProgramWorld& world) {
         world.AddConstant("x", "f64", {{5, 1, 1, 0}}, 1);
       },
       "reduce { low = min(x) }",
       {},
       "NO_ACTIVE_POINT",
       {"low"}},
      {"K15AReductionOfABroadcastIsThatOfItsStoredValue",
       [](ProgramWorld& world) {
         world.Add("a", "f64", {{5, 1, 1, 1}},
                   [](int64_t v, int64_t, int64_t, int64_t) {
                     return static_cast<double>(v);
                   });
         world.Add("b", "f64", {{1, 4, 4, 3}},
                   [](int64_t, int64_t i, int64_t j, int64_t h) {
                     return static_cast<double>(10 * i + 100 * j + 1000 * h);
                   });
       },
       R"(new y = a + b
          reduce {
            lazy = sum(a + b)
            stored = sum(y)
            m = mean(y, weight = 1)
            n = count(y == y)
            last = max(y)
          })",
       {{"lazy", "f64", {280080}},
        {"stored", "f64", {280080}},
        {"m", "f64", {1167}},
        {"n", "i64", {240}},
        {"last", "f64", {2334}}}},
  };
  // The vector body of a loop, its tail, and more than one chunk.
  for (size_t n : {5, 33, 1000, 5000}) {
    cases.push_back(
        {absl::StrCat("K05NanWinsInALineOf", n),
         [n](ProgramWorld& world) { world.AddLine("x", "f64", WithNans(n)); },
         R"(reduce {
           low = min(x)
           high = max(x)
           n = count(isnan(x))
           kept = max(x, where = not isnan(x))
         })",
         {{"low", "f64", {kNan}},
          {"high", "f64", {kNan}},
          {"n", "i64", {2}},
          {"kept", "f64", {3}}}});
  }
  return cases;
}

using ReductionCaseTest = ProgramCaseTest;
LAYOUTD_PROGRAM_CASES(ReductionCaseTest, ReductionCases());

}  // namespace
}  // namespace layoutd
