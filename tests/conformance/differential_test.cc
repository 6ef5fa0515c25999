// Random programs: what the generator makes of them must equal the oracle bit
// for bit (any NaN equals any NaN), results and every field alike, masked-off
// points and untouched fields included.

#include <cstdint>
#include <cstdlib>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "engine/program/parse.h"
#include "gtest/gtest.h"
#include "tests/support/random_program.h"
#include "tests/support/runtime_world.h"
#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

constexpr uint64_t kNumPrograms = 500;

std::string Describe(const Scalar& value) {
  return absl::StrCat(std::string(Name(value.type)), " 0x",
                      absl::BytesToHexString(absl::string_view(
                          reinterpret_cast<const char*>(value.bytes),
                          static_cast<size_t>(SizeBytes(value.type)))),
                      value.type == ScalarType::kF64
                          ? absl::StrCat(" ", value.As<double>())
                          : "");
}

std::string DescribeInputs(const RandomProgram& program) {
  std::string text;
  for (const RandomField& field : program.fields) {
    absl::StrAppend(&text, "  ", field.id, ": ", field.type.ToString(), " ",
                    ToString(field.shape), " ", std::string(Name(field.kind)),
                    "\n");
  }
  for (const RandomMask& mask : program.masks) {
    absl::StrAppend(&text, "  mask ", mask.id, " ", ToString(mask.shape), "\n");
  }
  return text;
}

void ExpectSameLeaves(const std::vector<Scalar>& got,
                      const std::vector<Scalar>& want,
                      const std::string& what) {
  ASSERT_EQ(got.size(), want.size()) << what;
  for (size_t k = 0; k < got.size(); ++k) {
    ASSERT_TRUE(SameBits(got[k], want[k]))
        << what << ", leaf " << k << " of " << got.size() << ": got "
        << Describe(got[k]) << ", want " << Describe(want[k]);
  }
}

// Runs the program of `seed` on a runtime and on the oracle.
void Compare(uint64_t seed, const WorldOptions& options) {
  const RandomProgram random = MakeRandomProgram(seed);
  SCOPED_TRACE(absl::StrCat("seed ", seed, ", ", options.vector_bits, " bits, ",
                            options.num_threads, " threads\n",
                            DescribeInputs(random), random.text));
  ASSERT_OK_AND_ASSIGN(Program program, ParseProgram(random.text));
  ASSERT_OK_AND_ASSIGN(const VerifiedProgram verified,
                       VerifyProgram(std::move(program), CatalogOf(random)));
  OracleState state = StateOf(random);
  ASSERT_OK_AND_ASSIGN(const OracleResults want,
                       EvaluateProgram(verified, state));

  ASSERT_OK_AND_ASSIGN(const std::unique_ptr<RuntimeWorld> world,
                       RuntimeWorld::Open(options));
  for (const RandomField& field : random.fields) {
    ASSERT_OK_AND_ASSIGN(const DataLayout layout,
                         DataLayout::Create(field.kind, field.shape, field.type,
                                            field.base_type));
    ASSERT_OK(world->AddField(field.id, layout, field.leaves));
  }
  for (const RandomMask& mask : random.masks) {
    ASSERT_OK(world->AddMask(mask.id, mask.shape, mask.active));
  }
  const int64_t used_before = world->budget().used_bytes();
  ASSERT_OK_AND_ASSIGN(const ExecuteReply reply, world->Run(random.text));

  ASSERT_EQ(reply.results.size(), want.size());
  for (size_t r = 0; r < want.size(); ++r) {
    ExpectSameLeaves(reply.results[r].leaves, want[r],
                     absl::StrCat("result ", reply.results[r].name));
    if (testing::Test::HasFatalFailure()) return;
  }
  int64_t created_bytes = 0;
  for (const FieldUse& field : verified.fields) {
    if (field.created) created_bytes += field.layout.size_bytes();
  }
  EXPECT_EQ(world->budget().used_bytes(), used_before + created_bytes);
  for (const auto& [id, field] : state.fields) {
    ASSERT_OK_AND_ASSIGN(const OracleField got, world->ReadField(id));
    ExpectSameLeaves(got.leaves, field.leaves, absl::StrCat("field ", id));
    if (testing::Test::HasFatalFailure()) return;
  }
}

// Seeds are spread over the instances so that each counts as one test of a
// bounded length. LAYOUTD_SEED runs one seed alone, on every configuration.
class DifferentialTest : public testing::TestWithParam<uint64_t> {};

TEST_P(DifferentialTest, RandomProgramsEqualTheOracle) {
  const char* only = std::getenv("LAYOUTD_SEED");
  constexpr uint64_t kPerInstance = kNumPrograms / 10;
  const WorldOptions options[] = {{1, 0}, {2, 256}, {7, 128}};
  if (only != nullptr) {
    const uint64_t seed = std::strtoull(only, nullptr, 10);
    for (const WorldOptions& option : options) Compare(seed, option);
    return;
  }
  for (uint64_t k = 0; k < kPerInstance; ++k) {
    const uint64_t seed = GetParam() * kPerInstance + k;
    Compare(seed, options[seed % 3]);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, DifferentialTest,
                         testing::Range<uint64_t>(0, 10));

}  // namespace
}  // namespace layoutd
