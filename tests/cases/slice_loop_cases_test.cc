// Cases from public bug reports: loops over columns, and reads of other levels.

#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/cases/program_case.h"

namespace layoutd {
namespace {

void AddRising(ProgramWorld& world) {
  world.AddColumn("x", "f64", {1, 2, 3, 4, 5, 6, 7, 8});
}

void AddSix(ProgramWorld& world) {
  world.AddColumn("a", "f64", {1, 2, 3, 4, 5, 6});
  world.AddColumn("b", "f64", {1, 4, 9, 16, 25, 36});
}

// 20000 levels: more than any kernel keeps in registers or walks in one tile.
void AddOnes(ProgramWorld& world) {
  world.AddConstant("x", "f64", {{20000, 1, 1, 1}}, 1);
}

std::vector<ProgramCase> SliceLoopCases() {
  const std::vector<double> shifted = {8, 27, 64, 125, 216, 216};
  std::vector<ProgramCase> cases = {
      {"K24AnUpdateInPlaceReadsOldValues",
       AddRising,
       "foreach column { x = x + at(x, v - 1, edge = 0) }\n"
       "reduce { total = sum(x) }",
       {{"x", "f64", {1, 3, 5, 7, 9, 11, 13, 15}}, {"total", "f64", {64}}}},
      {"K24AnUpdateOfAWholeFieldReadsOldValuesToo",
       AddRising,
       "x = x + at(x, v - 1, edge = 0)",
       {{"x", "f64", {1, 3, 5, 7, 9, 11, 13, 15}}}},
      {"K24TheSameFromAbove",
       AddRising,
       "foreach column { x = x + at(x, v + 1, edge = 0) }",
       {{"x", "f64", {3, 5, 7, 9, 11, 13, 15, 8}}}},
      {"K24SmoothingOnesKeepsOnes",
       AddOnes,
       R"(foreach column { x = 0.5 * (x + at(x, v - 1, edge = clamp)) }
          reduce { n = count(x == 1.0) })",
       {{"n", "i64", {20000}}}},
      {"K24ALaterStatementReadsWhatAnEarlierOneStored",
       AddRising,
       R"(foreach column {
            x = 10 * x
            x = x + at(x, v + 1, edge = 0)
          })",
       {{"x", "f64", {30, 50, 70, 90, 110, 130, 150, 80}}}},
      {"K24ADestinationOfItsOwnGivesTheSame",
       AddRising,
       R"(new y = x + at(x, v - 1, edge = 0)
          foreach column { x = x + at(x, v - 1, edge = 0) }
          reduce { n = count(x == y) })",
       {{"n", "i64", {8}}}},
      {"K25TwoLevelsBack",
       [](ProgramWorld& world) {
         world.AddColumn("x", "f64", {0, 1, 2, 3, 4, 5});
       },
       "new y = select(@v >= 2, 1 - at(x, v - 2, edge = 1e30), x)",
       {{"y", "f64", {0, 1, 1, 0, -1, -2}}}},
      {"K25AShiftedExpressionIsTheStoredOneShifted",
       AddSix,
       R"(let lazy = a * b
          new product = a * b
          new s1 = at(lazy, v + 1, edge = clamp)
          new s2 = at(a, v + 1, edge = clamp) * at(b, v + 1, edge = clamp)
          new s3 = at(product, v + 1, edge = clamp)
          reduce { total = sum(s1) })",
       {{"s1", "f64", shifted},
        {"s2", "f64", shifted},
        {"s3", "f64", shifted},
        {"total", "f64", {656}}}},
      {"K25TheLargestShiftOfFewLevels",
       [](ProgramWorld& world) {
         world.AddColumn("x", "f64", {0, 1, 2, 3, 4});
       },
       R"(new up = at(x, v + 64, edge = clamp)
          new down = at(x, v - 64, edge = -1)
          new back = at(at(x, v + 2, edge = clamp), v - 2, edge = clamp))",
       {{"up", "f64", {4, 4, 4, 4, 4}},
        {"down", "f64", {-1, -1, -1, -1, -1}},
        {"back", "f64", {2, 2, 2, 3, 4}}}},
      {"K26AFoldOfSmallIntegersIsWide",
       [](ProgramWorld& world) {
         world.AddColumn("x", "u8", {250, 250});
         world.AddColumn("y", "f64", {1, 2, 4, 8});
       },
       R"(foreach column { new tx = fold(+, x) }
          foreach column {
            new ty = fold(+, y)
            new from_ten = fold(+, y, init = 10)
            new down = fold(-, y, flip = true)
            new up = fold(-, y)
          })",
       {{"tx", "u64", {500}},
        {"ty", "f64", {15}},
        {"from_ten", "f64", {25}},
        // 1 - (2 - (4 - 8)) and ((1 - 2) - 4) - 8
        {"down", "f64", {-5}},
        {"up", "f64", {-13}}}},
      {"K26ALongFoldCountsEveryLevelOfActiveColumnsOnly",
       [](ProgramWorld& world) {
         world.AddConstant("x", "f64", {{1000, 4, 4, 7}}, 1);
         world.AddConstant("y", "f64", {{1, 4, 4, 7}}, -1);
         world.SetMask("m", {{1, 4, 4, 7}},
                       [](int64_t i, int64_t, int64_t) { return i != 2; });
       },
       R"(foreach column mask m { y = fold(+, x) }
          reduce { active = count(y == 1000)
                   kept = count(y == -1) })",
       {{"active", "i64", {84}}, {"kept", "i64", {28}}}},
      {"K26AScanOfSmallIntegersIsWide",
       [](ProgramWorld& world) {
         world.AddColumn("x", "u8", {250, 250});
         world.AddColumn("y", "f64", {1, 2, 4, 8});
       },
       R"(foreach column { new sx = scan(+, x) }
          foreach column {
            new up = scan(+, y)
            new down = scan(+, y, flip = true)
            new from_ten = scan(+, y, init = 10)
          })",
       {{"sx", "u64", {250, 500}},
        {"up", "f64", {1, 3, 7, 15}},
        {"down", "f64", {15, 14, 12, 8}},
        {"from_ten", "f64", {11, 13, 17, 25}}}},
      {"K26ALongScanOfActiveColumnsReachesTheLastLevel",
       [](ProgramWorld& world) {
         world.AddConstant("x", "f64", {{1000, 4, 4, 7}}, 1);
         world.AddConstant("y", "f64", {{1000, 4, 4, 7}}, -1);
         world.SetMask("m", {{1, 4, 4, 7}},
                       [](int64_t i, int64_t, int64_t) { return i != 2; });
       },
       R"(foreach column mask m { y = scan(+, x) }
          reduce { last = count(at(y, last) == 1000)
                   right = count(y == @v + 1)
                   kept = count(y == -1) })",
       {{"last", "i64", {84}},
        {"right", "i64", {84000}},
        {"kept", "i64", {28000}}}},
      {"K14AScanOverNoLevelIsEmpty",
       [](ProgramWorld& world) {
         world.AddConstant("x", "f64", {{0, 2, 2, 3}}, 1);
       },
       "foreach column { new y = scan(+, x) }",
       {{"y", "f64", {}}}},
      {"K14AFoldOverNoLevelNeedsInit",
       [](ProgramWorld& world) {
         world.AddConstant("x", "f64", {{0, 2, 2, 3}}, 1);
       },
       "foreach column { new y = fold(+, x) }",
       {},
       "BAD_ARGUMENT"},
      {"K14AFoldOverNoLevelIsItsInit",
       [](ProgramWorld& world) {
         world.AddConstant("x", "f64", {{0, 2, 1, 3}}, 1);
       },
       "foreach column { new y = fold(+, x, init = 7) }",
       {{"y", "f64", {7, 7, 7, 7, 7, 7}}}},
  };
  for (int nv : {1, 2, 3}) {
    std::vector<double> column;
    std::vector<double> want;
    for (int v = 0; v < nv; ++v) {
      column.push_back(v);
      want.push_back(v < 2 ? v : 1.0 - (v - 2));
    }
    cases.push_back(
        {absl::StrCat("K25TwoLevelsBackOf", nv),
         [column](ProgramWorld& world) { world.AddColumn("x", "f64", column); },
         "new y = select(@v >= 2, 1 - at(x, v - 2, edge = 1e30), x)",
         {{"y", "f64", want}}});
  }
  return cases;
}

using SliceLoopCaseTest = ProgramCaseTest;
LAYOUTD_PROGRAM_CASES(SliceLoopCaseTest, SliceLoopCases());

}  // namespace
}  // namespace layoutd
