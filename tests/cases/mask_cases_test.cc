// Cases from public bug reports: masks.

#include <vector>

#include "tests/cases/program_case.h"
#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

constexpr Shape kShape = {{3, 4, 4, 300}};

void AddFields(ProgramWorld& world) {
  world.Add("x", "f64", kShape, [](int64_t, int64_t, int64_t, int64_t h) {
    return static_cast<double>(h);
  });
  world.AddConstant("y", "f64", kShape, -1);
  world.SetMask("m", kShape,
                [](int64_t, int64_t, int64_t h) { return h >= 290; });
}

std::vector<ProgramCase> MaskCases() {
  const std::vector<Want> wants = {{"total", "f64", {268800}},
                                   {"low", "f64", {-1}},
                                   {"high", "f64", {598}},
                                   {"kept", "i64", {13920}},
                                   {"masked_total", "f64", {282720}},
                                   {"masked_count", "i64", {480}},
                                   {"masked_kept", "i64", {0}}};
  const std::string reductions = R"(
    reduce {
      total = sum(y)
      low = min(y)
      high = max(y)
      kept = count(y == -1)
    }
    reduce mask m {
      masked_total = sum(y)
      masked_count = count(y >= 0)
      masked_kept = count(y == -1)
    })";
  return {
      {"K28AMaskedPointLoopKeepsTheRest", AddFields,
       "foreach point mask m { y = 2 * x }" + reductions, wants},
      {"K28AMaskedColumnLoopKeepsTheRest", AddFields,
       "foreach column mask m { y = 2 * x }" + reductions, wants},
      {"K28TheMaskOutlivesWhatIsDoneWithIt", AddFields,
       "foreach point mask m { y = x }\n"
       "x = x + 0\n"
       "foreach point mask m { y = 2 * y }" +
           reductions,
       wants},
      {"K28TheComplementIsTheRest",
       AddFields,
       R"(foreach point mask not m { y = 0 }
          reduce mask not m { n = count(y == 0) }
          reduce { kept = count(y == -1) })",
       {{"n", "i64", {13920}}, {"kept", "i64", {480}}}},
      {"K28AReductionWithoutActivePointsIsRefused",
       [](ProgramWorld& world) {
         AddFields(world);
         world.SetMask("m", kShape,
                       [](int64_t, int64_t, int64_t) { return false; });
       },
       "foreach point mask m { y = 5 }\nreduce mask m { low = min(y) }",
       {},
       "NO_ACTIVE_POINT"},
  };
}

using MaskCaseTest = ProgramCaseTest;
LAYOUTD_PROGRAM_CASES(MaskCaseTest, MaskCases());

TEST(MaskChangeTest, K28ALaterProgramUsesTheMaskAsItIsThen) {
  ProgramWorld world;
  AddFields(world);
  ASSERT_OK(world.Run("foreach point mask m { y = 2 * x }"));

  world.SetMask("m", kShape,
                [](int64_t, int64_t, int64_t h) { return h < 10; });
  ASSERT_OK(world.Run(R"(
    foreach point mask m { y = 2 * x }
    reduce { total = sum(y)
             kept = count(y == -1) }
    reduce mask m { n = count(y >= 0) })"));

  // 10 more elements of 48 points: 2 * (0 + ... + 9) instead of -1.
  EXPECT_EQ(world.Number("total"), 268800 + 480 + 48 * 90);
  EXPECT_EQ(world.Number("kept"), 13440);
  EXPECT_EQ(world.Number("n"), 480);
}

}  // namespace
}  // namespace layoutd
