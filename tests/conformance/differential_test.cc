// Random programs: what the generator makes of them must equal the oracle bit
// for bit (any NaN equals any NaN), results and every field alike, masked-off
// points and untouched fields included.

#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/support/random_program.h"
#include "tests/support/shrink_program.h"
#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

constexpr uint64_t kNumPrograms = 2000;
constexpr uint64_t kNumInstances = 20;

// Every width on every number of threads, in turns.
std::vector<WorldOptions> AllOptions() {
  std::vector<WorldOptions> all;
  for (int bits : {128, 256, 512}) {
    for (int threads : {1, 2, 7}) all.push_back({threads, bits});
  }
  return all;
}

void Compare(uint64_t seed, const WorldOptions& options) {
  const ProgramCase program = MakeRandomProgram(seed);
  SCOPED_TRACE(absl::StrCat("seed ", seed, ", ", options.vector_bits, " bits, ",
                            options.num_threads, " threads\n", program.text));
  const absl::StatusOr<std::string> difference =
      CompareWithOracle(program, SharedWorld(options));
  ASSERT_OK(difference);
  ASSERT_EQ(*difference, "")
      << ReportDifference(program, options, absl::StrCat("Seed", seed));
}

// Seeds are spread over the instances so that each counts as one test of a
// bounded length. LAYOUTD_SEED runs one seed alone, on every configuration.
class DifferentialTest : public testing::TestWithParam<uint64_t> {};

TEST_P(DifferentialTest, RandomProgramsEqualTheOracle) {
  const char* only = std::getenv("LAYOUTD_SEED");
  constexpr uint64_t kPerInstance = kNumPrograms / kNumInstances;
  const std::vector<WorldOptions> all = AllOptions();
  if (only != nullptr) {
    const uint64_t seed = std::strtoull(only, nullptr, 10);
    for (const WorldOptions& options : all) Compare(seed, options);
    return;
  }
  for (uint64_t k = 0; k < kPerInstance; ++k) {
    const uint64_t seed = GetParam() * kPerInstance + k;
    Compare(seed, all[seed % all.size()]);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, DifferentialTest,
                         testing::Range<uint64_t>(0, kNumInstances));

}  // namespace
}  // namespace layoutd
