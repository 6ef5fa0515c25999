#include "tests/support/compare_with_oracle.h"

#include <map>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/base/error.h"
#include "engine/base/status_macros.h"
#include "engine/program/parse.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

std::string DifferenceOf(const std::vector<Scalar>& got,
                         const std::vector<Scalar>& want,
                         const std::string& what) {
  if (got.size() != want.size()) {
    return absl::StrCat(what, ": ", got.size(), " leaves, want ", want.size());
  }
  for (size_t k = 0; k < got.size(); ++k) {
    if (SameBits(got[k], want[k])) continue;
    return absl::StrCat(what, ", leaf ", k, " of ", got.size(), ": got ",
                        Name(got[k].type), " ", ScalarText(got[k]), ", want ",
                        ScalarText(want[k]));
  }
  return "";
}

}  // namespace

absl::StatusOr<std::string> CompareWithOracle(Program program,
                                              const ProgramCase& inputs,
                                              RuntimeWorld& world) {
  ASSIGN_OR_RETURN(const VerifiedProgram verified,
                   VerifyProgram(program, CatalogOf(inputs)));
  OracleState state = StateOf(inputs);
  const absl::StatusOr<OracleResults> want = EvaluateProgram(verified, state);

  world.Clear();
  for (const CaseField& field : inputs.fields) {
    RETURN_IF_ERROR(world.AddField(field.id, LayoutOf(field), field.leaves));
  }
  for (const CaseMask& mask : inputs.masks) {
    RETURN_IF_ERROR(world.AddMask(mask.id, mask.shape, mask.active));
  }
  int64_t expected_bytes = world.budget().used_bytes();
  const absl::StatusOr<ExecuteReply> got = world.Run(std::move(program));
  if (!got.ok() && DetailOf(got.status()).reason == "PROGRAM_LIMIT") {
    return got.status();
  }
  if (got.ok() != want.ok() ||
      DetailOf(got.status()).reason != DetailOf(want.status()).reason) {
    return absl::StrCat("got ", got.status().ToString(), ", want ",
                        want.status().ToString());
  }
  if (got.ok()) {
    if (got->results.size() != want->size()) {
      return absl::StrCat(got->results.size(), " results, want ", want->size());
    }
    for (size_t r = 0; r < want->size(); ++r) {
      std::string difference =
          DifferenceOf(got->results[r].leaves, (*want)[r],
                       absl::StrCat("result ", got->results[r].name));
      if (!difference.empty()) return difference;
    }
    for (const FieldUse& field : verified.fields) {
      if (field.created) expected_bytes += field.layout.size_bytes();
    }
  }
  if (world.budget().used_bytes() != expected_bytes) {
    return absl::StrCat(world.budget().used_bytes(), " bytes used, want ",
                        expected_bytes);
  }
  for (const auto& [id, field] : state.fields) {
    ASSIGN_OR_RETURN(const OracleField content, world.ReadField(id));
    std::string difference =
        DifferenceOf(content.leaves, field.leaves, absl::StrCat("field ", id));
    if (!difference.empty()) return difference;
  }
  return "";
}

absl::StatusOr<std::string> CompareWithOracle(const ProgramCase& program,
                                              RuntimeWorld& world) {
  ASSIGN_OR_RETURN(Program parsed, ParseProgram(program.text));
  return CompareWithOracle(std::move(parsed), program, world);
}

RuntimeWorld& SharedWorld(const WorldOptions& options) {
  using Key = std::tuple<int, int, int64_t>;
  static auto* worlds = new std::map<Key, std::unique_ptr<RuntimeWorld>>();
  std::unique_ptr<RuntimeWorld>& world = (*worlds)[{
      options.num_threads, options.vector_bits, options.memory_limit_bytes}];
  if (world != nullptr) return *world;
  absl::StatusOr<std::unique_ptr<RuntimeWorld>> opened =
      RuntimeWorld::Open(options);
  if (!opened.ok() && DetailOf(opened.status()).reason == "BAD_OPTION") {
    WorldOptions widest = options;
    widest.vector_bits = 0;
    opened = RuntimeWorld::Open(widest);
  }
  world = std::move(opened).value();
  return *world;
}

void ExpectSameAsOracle(const ProgramCase& program,
                        const WorldOptions& options) {
  const absl::StatusOr<std::string> difference =
      CompareWithOracle(program, SharedWorld(options));
  ASSERT_OK(difference);
  EXPECT_EQ(*difference, "");
}

}  // namespace layoutd
