// The shrinker on an injected fault: a device on which max gives the least.

#include "tests/support/shrink_program.h"

#include <algorithm>
#include <string>
#include <vector>

#include "engine/program/parse.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/random_program.h"
#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

using testing::HasSubstr;

// All leaves that a program leaves behind, or nothing where it does not run.
std::vector<Scalar> Outcome(const Program& program, const ProgramCase& inputs) {
  const absl::StatusOr<VerifiedProgram> verified =
      VerifyProgram(program, CatalogOf(inputs));
  if (!verified.ok()) return {};
  OracleState state = StateOf(inputs);
  const absl::StatusOr<OracleResults> results =
      EvaluateProgram(*verified, state);
  if (!results.ok()) return {};
  std::vector<Scalar> outcome;
  for (const std::vector<Scalar>& leaves : *results) {
    outcome.insert(outcome.end(), leaves.begin(), leaves.end());
  }
  for (const auto& [id, field] : state.fields) {
    outcome.insert(outcome.end(), field.leaves.begin(), field.leaves.end());
  }
  return outcome;
}

bool FailsOnFaultyMax(const ProgramCase& candidate) {
  const absl::StatusOr<Program> program = ParseProgram(candidate.text);
  if (!program.ok()) return false;
  Program faulty = *program;
  for (Node& node : faulty.nodes) {
    if (node.op == Opcode::kMax) node.op = Opcode::kMin;
  }
  const std::vector<Scalar> want = Outcome(*program, candidate);
  const std::vector<Scalar> got = Outcome(faulty, candidate);
  return !std::equal(got.begin(), got.end(), want.begin(), want.end(),
                     SameBits);
}

TEST(ShrinkProgramTest, AFaultEndsAtASmallProgram) {
  int num_failing = 0;
  for (uint64_t seed = 0; num_failing < 8; ++seed) {
    ASSERT_LT(seed, 500u);
    const ProgramCase program = MakeRandomProgram(seed);
    if (!FailsOnFaultyMax(program)) continue;
    ++num_failing;

    const ProgramCase smallest = ShrinkProgram(program, FailsOnFaultyMax);

    SCOPED_TRACE(smallest.text);
    EXPECT_TRUE(FailsOnFaultyMax(smallest));
    ASSERT_OK_AND_ASSIGN(const Program parsed, ParseProgram(smallest.text));
    EXPECT_EQ(parsed.statements.size(), 1u);
    EXPECT_LE(parsed.nodes.size(), 7u);
    EXPECT_EQ(
        std::count_if(parsed.nodes.begin(), parsed.nodes.end(),
                      [](const Node& node) { return node.op == Opcode::kMax; }),
        1);
    EXPECT_LE(smallest.fields.size(), 2u);
    EXPECT_EQ(smallest.masks.size(), 0u);
    for (const CaseField& field : smallest.fields) {
      EXPECT_LE(field.shape.num_points(), 2) << field.id;
    }
  }
}

TEST(ShrinkProgramTest, WhatCannotShrinkStaysAsItIs) {
  ProgramCase program;
  program.text = "x = max(0.0_f64, 1.0_f64)\n";
  program.fields.push_back({"x",
                            ScalarType::kF64,
                            {},
                            LayoutKind::kVIJFH,
                            std::nullopt,
                            Leaves("f64", "0x1p+1")});
  ASSERT_TRUE(FailsOnFaultyMax(program));

  const ProgramCase smallest = ShrinkProgram(program, FailsOnFaultyMax);

  EXPECT_EQ(smallest.fields.size(), 1u);
  EXPECT_EQ(smallest.text, program.text);
  EXPECT_EQ(ScalarText(smallest.fields[0].leaves[0]), "0x0p+0");
}

TEST(ShrinkProgramTest, AttemptsAreBounded) {
  int attempts = 0;
  const ProgramCase program = MakeRandomProgram(3);

  ShrinkProgram(program,
                [&](const ProgramCase&) { return ++attempts % 2 == 0; }, {20});

  EXPECT_LE(attempts, 20);
}

TEST(ProgramCaseTest, ScalarsReadAsTheyWereWritten) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    for (const CaseField& field : MakeRandomProgram(seed).fields) {
      for (const Scalar& leaf : field.leaves) {
        ASSERT_TRUE(
            SameBits(ParseScalarText(leaf.type, ScalarText(leaf)), leaf))
            << ScalarText(leaf);
      }
    }
  }
  EXPECT_EQ(Leaves("(i8, bool)", "-3 true 4*1 false").size(), 4u);
  EXPECT_EQ(ScalarText(Leaves("i128",
                              "-170141183460469231731687303715884105728*"
                              "2")[1]),
            "-170141183460469231731687303715884105728");
}

constexpr char kPastedSource[] = R"source(TEST(DifferentialTest, Pasted) {
  ProgramCase program;
  program.text = R"(
foreach column mask m {
  "sea/q" = fold(max, t.a + "sea/q")
}
)";
  program.fields.push_back({"sea/q", ValueType::Parse("i16").value(), {{3, 1, 1, 2}}, LayoutKind::kVIJHF, std::nullopt, Leaves("i16", "1*3 -5 0*2")});
  program.fields.push_back({"t", ValueType::Parse("{a: u8, b: f32}").value(), {{1, 1, 1, 1}}, LayoutKind::kDataF, ScalarType::kU8, Leaves("{a: u8, b: f32}", "200 -0x1.8p+1")});
  program.masks.push_back({"m", {{1, 1, 1, 2}}, {0, 1}});
  ExpectSameAsOracle(program, {2, 256});
}
)source";

// The body is what TestSource gives, so that what it prints is known to compile
// and to build the same case.
ProgramCase PastedProgram() {
  ProgramCase program;
  program.text = R"(
foreach column mask m {
  "sea/q" = fold(max, t.a + "sea/q")
}
)";
  program.fields.push_back({"sea/q",
                            ValueType::Parse("i16").value(),
                            {{3, 1, 1, 2}},
                            LayoutKind::kVIJHF,
                            std::nullopt,
                            Leaves("i16", "1*3 -5 0*2")});
  program.fields.push_back({"t",
                            ValueType::Parse("{a: u8, b: f32}").value(),
                            {{1, 1, 1, 1}},
                            LayoutKind::kDataF,
                            ScalarType::kU8,
                            Leaves("{a: u8, b: f32}", "200 -0x1.8p+1")});
  program.masks.push_back({"m", {{1, 1, 1, 2}}, {0, 1}});
  return program;
}

TEST(ProgramCaseTest, ASourceBuildsTheSameCase) {
  ProgramCase program = PastedProgram();
  ExpectSameAsOracle(program, {2, 256});
  program.text.erase(0, 1);  // the line break after R"(

  EXPECT_EQ(TestSource(program, "Pasted", 2, 256), kPastedSource);
}

TEST(ReportDifferenceTest, GivesTheSourceOfATest) {
  const ProgramCase program = PastedProgram();

  // Nothing differs, so that nothing shrinks.
  const std::string report = ReportDifference(program, {1, 128}, "Pasted");

  EXPECT_THAT(report, HasSubstr("TEST(DifferentialTest, Pasted) {\n"));
  EXPECT_THAT(report, HasSubstr("ExpectSameAsOracle(program, {1, 128});\n"));
}

}  // namespace
}  // namespace layoutd
