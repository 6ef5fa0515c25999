// The random programs themselves: they verify, run, and print as they were.

#include "tests/support/random_program.h"

#include <set>
#include <string>

#include "engine/program/parse.h"
#include "engine/program/print.h"
#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

constexpr uint64_t kNumSeeds = 1000;

TEST(RandomProgramTest, SameSeedGivesTheSameProgram) {
  const ProgramCase a = MakeRandomProgram(7);
  const ProgramCase b = MakeRandomProgram(7);
  const ProgramCase c = MakeRandomProgram(8);

  EXPECT_EQ(a.text, b.text);
  EXPECT_EQ(a.fields.size(), b.fields.size());
  EXPECT_NE(a.text, c.text);
}

TEST(RandomProgramTest, EveryProgramVerifies) {
  for (uint64_t seed = 0; seed < kNumSeeds; ++seed) {
    const ProgramCase random = MakeRandomProgram(seed);
    ASSERT_OK_AND_ASSIGN(Program program, ParseProgram(random.text));
    ASSERT_OK(VerifyProgram(program, CatalogOf(random)))
        << "seed " << seed << "\n"
        << random.text;
  }
}

TEST(RandomProgramTest, EveryProgramPrintsAsItWas) {
  for (uint64_t seed = 0; seed < kNumSeeds; ++seed) {
    const ProgramCase random = MakeRandomProgram(seed);
    ASSERT_OK_AND_ASSIGN(const Program program, ParseProgram(random.text));
    const std::string printed = PrintProgram(program);
    ASSERT_OK_AND_ASSIGN(const Program again, ParseProgram(printed));
    ASSERT_TRUE(again == program) << random.text << "\nprinted\n" << printed;
    ASSERT_EQ(PrintProgram(again), printed);
  }
}

TEST(RandomProgramTest, EveryProgramRuns) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const ProgramCase random = MakeRandomProgram(seed);
    ASSERT_OK_AND_ASSIGN(Program program, ParseProgram(random.text));
    ASSERT_OK_AND_ASSIGN(const VerifiedProgram verified,
                         VerifyProgram(std::move(program), CatalogOf(random)));
    OracleState state = StateOf(random);
    ASSERT_OK(EvaluateProgram(verified, state)) << "seed " << seed << "\n"
                                                << random.text;
  }
}

TEST(RandomProgramTest, ProgramsUseTheWholeLanguage) {
  std::set<Opcode> seen;
  for (uint64_t seed = 0; seed < kNumSeeds; ++seed) {
    ASSERT_OK_AND_ASSIGN(const Program program,
                         ParseProgram(MakeRandomProgram(seed).text));
    for (const Node& node : program.nodes) seen.insert(node.op);
  }

  for (const OpcodeInfo& info : AllOpcodes()) {
    EXPECT_TRUE(seen.contains(info.opcode))
        << static_cast<int>(info.opcode) << " " << std::string(info.name);
  }
}

}  // namespace
}  // namespace layoutd
