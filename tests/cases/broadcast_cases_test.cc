// Cases from public bug reports: expressions over fields of different shapes
// and types.

#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/cases/program_case.h"

namespace layoutd {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

void AddLevelAndPlane(ProgramWorld& world) {
  world.Add("a", "f64", {{5, 1, 1, 1}},
            [](int64_t v, int64_t, int64_t, int64_t) {
              return static_cast<double>(v);
            });
  world.Add("b", "f64", {{1, 4, 4, 3}},
            [](int64_t, int64_t i, int64_t j, int64_t h) {
              return static_cast<double>(10 * i + 100 * j + 1000 * h);
            });
}

// Integers -5 ... 4, in a line of `n`, of a type that may be unsigned.
std::vector<double> AroundZero(size_t n, bool is_signed) {
  std::vector<double> line;
  for (size_t k = 0; k < n; ++k) {
    line.push_back(static_cast<double>(k % 10) - (is_signed ? 5 : 0));
  }
  return line;
}

std::vector<ProgramCase> BroadcastCases() {
  std::vector<ProgramCase> cases = {
      {"K05MinAndMaxOfTwoPropagateNan",
       [](ProgramWorld& world) {
         world.AddLine("x", "f64", {kNan, 2, 1, kNan, 5});
       },
       R"(new low = min(x, 2)
          new high = max(2, x)
          new order = min(2, x)
          new test = isnan(x)
          new same = x == x)",
       {{"low", "f64", {kNan, 2, 1, kNan, 2}},
        {"high", "f64", {kNan, 2, 2, kNan, 5}},
        {"order", "f64", {kNan, 2, 1, kNan, 2}},
        {"test", "bool", {1, 0, 0, 1, 0}},
        {"same", "bool", {0, 1, 1, 0, 1}}}},
      {"K12ZerosKeepTheirSignsInBothOrders",
       [](ProgramWorld& world) {
         world.AddLine("p", "f64", {0.0, 0.0, 0.0});
         world.AddLine("m", "f64", {-0.0, -0.0, -0.0});
       },
       R"(new low1 = min(p, m)
          new low2 = min(m, p)
          new high1 = max(p, m)
          new high2 = max(m, p)
          new inverse = 1 / m
          new literal = -0.0 * (p + 1))",
       {{"low1", "f64", {-0.0, -0.0, -0.0}},
        {"low2", "f64", {-0.0, -0.0, -0.0}},
        {"high1", "f64", {0.0, 0.0, 0.0}},
        {"high2", "f64", {0.0, 0.0, 0.0}},
        {"inverse", "f64", {-kInf, -kInf, -kInf}},
        {"literal", "f64", {-0.0, -0.0, -0.0}}}},
      {"K14AnEmptyAxisStaysEmptyBesideOneOfOne",
       [](ProgramWorld& world) {
         world.AddConstant("x", "f64", {{5, 1, 1, 0}}, 1);
         world.AddConstant("s", "f64", {{5, 1, 1, 1}}, 1);
       },
       "new y = x + s\ny = y + 1\nreduce { n = count(y > 0) }",
       {{"y", "f64", {}}, {"n", "i64", {0}}}},
      {"K15AVolumeIsMadeOfALevelAndAPlane",
       AddLevelAndPlane,
       R"(new y = a + b
          new corner = at(y, last)
          reduce { n = count(y >= 0)
                   far = max(corner)
                   total = sum(y) })",
       {{"n", "i64", {240}},
        {"far", "f64", {2334}},
        {"total", "f64", {280080}}}},
      {"K15AColumnIsNotEnlarged",
       AddLevelAndPlane,
       "a = a + b",
       {{"a", "f64", {0, 1, 2, 3, 4}}},
       "SHAPE_MISMATCH",
       {"(5, 4, 4, 3)", "(5, 1, 1, 1)"}},
      {"K15APlaneIsNotEnlarged",
       AddLevelAndPlane,
       "b = b + a",
       {},
       "SHAPE_MISMATCH",
       {"(5, 4, 4, 3)", "(1, 4, 4, 3)"}},
      {"K18MixedTypesComputeInTheCommonType",
       [](ProgramWorld& world) {
         world.AddLine("i", "i64", {16777217});
         world.AddLine("f", "f32", {1});
         world.AddLine("half", "f32", {0.5});
         world.AddLine("one", "i32", {1});
         world.AddIntegers("big", "i64", {(int64_t{1} << 53) + 1});
         world.AddLine("zero", "f64", {0});
         world.AddLine("small", "i16", {3});
       },
       R"(new sum1 = i + f
          new quotient = half / one
          new scaled = 0.5 * f
          new rounded = big + zero
          new narrow = small + f
          new cubed = f ** 3)",
       {{"sum1", "f64", {16777218}},
        {"quotient", "f64", {0.5}},
        {"scaled", "f32", {0.5}},
        {"rounded", "f64", {9007199254740992}},
        {"narrow", "f32", {4}},
        {"cubed", "f32", {1}}}},
      {"K18ALiteralThatDoesNotFitIsRefused",
       [](ProgramWorld& world) {
         world.AddLine("u", "u8", {1, 2});
       },
       "new y = u + 300",
       {},
       "LITERAL_RANGE",
       {"300", "u8"}},
      {"K19QuotientsOfIntegersAreFloats",
       [](ProgramWorld& world) {
         world.AddLine("a", "i64", {-7, 7, -7, 7, -135, -2, 0});
         world.AddLine("b", "i64", {2, -2, -2, 2, 360, 4, 5});
         world.AddLine("fa", "f64", {-7, 7, -7, 7, -135, -2, 0});
         world.AddLine("fb", "f64", {2, -2, -2, 2, 360, 4, 5});
       },
       "new q = a / b\nnew fq = fa / fb",
       {{"q", "f64", {-3.5, -3.5, 3.5, 3.5, -0.375, -0.5, 0}},
        {"fq", "f64", {-3.5, -3.5, 3.5, 3.5, -0.375, -0.5, 0}}}},
      {"K22IntegerPowersAreExactAndWrap",
       [](ProgramWorld& world) {
         world.AddLine("three", "i64", {3});
         world.AddLine("eleven", "u32", {11});
         world.AddLine("short", "i16", {222});
         world.AddLine("minus", "i64", {-2});
         world.AddLine("down", "i64", {-2});
         world.AddLine("real", "f64", {2});
       },
       R"(new same = three ** 1
          new run = eleven ** 19
          new folded = 11_u32 ** 19 + 0_u32 * eleven
          new square = short ** 2
          new lowest = minus ** 63
          new none = three ** down
          new quarter = real ** -2)",
       {{"same", "i64", {3}},
        {"run", "u32", {1673271667}},
        {"folded", "u32", {1673271667}},
        {"square", "i16", {-16252}},
        {"lowest", "i64", {-9223372036854775808.0}},
        {"none", "i64", {0}},
        {"quarter", "f64", {0.25}}}},
      {"K22ANegativeLiteralPowerOfAnIntegerIsRefused",
       [](ProgramWorld& world) { world.AddLine("two", "i64", {2}); },
       "new y = two ** -2",
       {},
       "BAD_ARGUMENT",
       {"negative power", "i64"}},
      {"K29ComponentsOfAStructAreTheirOwn",
       [](ProgramWorld& world) {
         world.AddConstant("r", "{a: f64, b: f64}", {{1, 4, 1, 3}}, 0);
         world.Add("s", "f64", {{1, 4, 1, 3}},
                   [](int64_t, int64_t i, int64_t, int64_t h) {
                     return static_cast<double>(i + 10 * h);
                   });
       },
       R"(r.a = s
          r.b = 100 + r.a
          reduce {
            a = sum(r.a)
            b = sum(r.b)
            last = max(select(@i == 3 and @h == 2, r.b, 0.0))
          })",
       {{"a", "f64", {138}}, {"b", "f64", {1338}}, {"last", "f64", {123}}}},
  };

  // Extents around every width of vectors and tiles: each point, once.
  const std::pair<Shape, double> points[] = {
      {{{13, 4, 4, 19}}, 3952}, {{{7, 3, 3, 5}}, 315}, {{{1, 1, 1, 1}}, 1},
      {{{1, 1, 1, 31}}, 31},    {{{1, 1, 1, 33}}, 33}, {{{63, 4, 4, 1}}, 1008},
  };
  for (const auto& [shape, count] : points) {
    const Shape extents = shape;
    cases.push_back(
        {absl::StrCat("K16EveryPointOf", count, "IsWritten"),
         [extents](ProgramWorld& world) {
           world.AddConstant("x", "f64", extents, 0);
           world.AddConstant("y", "f64", extents, -7);
         },
         "y = x + 1\nreduce { n = count(y == 1)\n rest = count(y != 1) }",
         {{"n", "i64", {count}}, {"rest", "i64", {0}}}});
  }

  // Division by zero neither traps nor depends on length or on what is divided.
  for (const char* type :
       {"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"}) {
    for (size_t n : {10, 1000}) {
      const bool is_signed = type[0] == 'i';
      const std::vector<double> line = AroundZero(n, is_signed);
      std::vector<double> want;
      for (double value : line) {
        want.push_back(value < 0 ? -kInf : value > 0 ? kInf : kNan);
      }
      const std::string name = type;
      cases.push_back(
          {absl::StrCat("K19ByZeroOf", n, name),
           [=](ProgramWorld& world) {
             world.AddLine("a", name, line);
             world.AddLine("zero", name, std::vector<double>(n, 0));
           },
           "new by_field = a / zero\nnew by_literal = a / 0",
           {{"by_field", "f64", want}, {"by_literal", "f64", want}}});
    }
  }
  return cases;
}

using BroadcastCaseTest = ProgramCaseTest;
LAYOUTD_PROGRAM_CASES(BroadcastCaseTest, BroadcastCases());

}  // namespace
}  // namespace layoutd
