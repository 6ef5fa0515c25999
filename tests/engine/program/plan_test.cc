#include "engine/program/plan.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "engine/program/parse.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

// Fields x, y of (20, 4, 4, 6), surface s of (1, 4, 4, 6), u = (f64, f64) of
// the volume, all f64 and VIJFH; mask m.
class PlanTest : public testing::Test {
 protected:
  void SetUp() override {
    const Shape volume{{20, 4, 4, 6}};
    Add("x", volume, ScalarType::kF64);
    Add("y", volume, ScalarType::kF64);
    Add("s", volume.WithV(1), ScalarType::kF64);
    Add("u", volume,
        ValueType::Tuple({ScalarType::kF64, ScalarType::kF64}).value());
    catalog_.masks.emplace("m", volume.WithV(1));
  }

  void Add(const std::string& id, const Shape& shape, const ValueType& type) {
    catalog_.fields.emplace(
        id,
        Catalog::FieldEntry{
            id, DataLayout::Create({LayoutKind::kVIJFH, shape, type}).value()});
  }

  ExecutionPlan Plan(const std::string& text) {
    absl::StatusOr<Program> program = ParseProgram(text);
    EXPECT_OK(program);
    absl::StatusOr<VerifiedProgram> verified =
        VerifyProgram(*std::move(program), catalog_);
    EXPECT_OK(verified);
    verified_ = *std::move(verified);
    absl::StatusOr<ExecutionPlan> plan = PlanProgram(*verified_);
    EXPECT_OK(plan);
    return *std::move(plan);
  }

  Catalog catalog_;
  std::optional<VerifiedProgram> verified_;
};

TEST_F(PlanTest, NeighbouringPointwiseStatementsShareOneLoop) {
  const ExecutionPlan plan = Plan("x = x + 1\ny = x * 2\nx = y - x");

  ASSERT_THAT(plan.steps, SizeIs(1));
  // x is read once, from its published revision; what is stored is read back
  // from registers; both stores of x go to one buffer.
  EXPECT_THAT(plan.buffers, SizeIs(3));
  EXPECT_THAT(plan.steps[0].loop.accesses, SizeIs(3));
}

TEST_F(PlanTest, ADenseLoopIsOneLongRow) {
  const ExecutionPlan plan = Plan("x = y + 1");

  const LoopPlan& loop = plan.steps[0].loop;
  EXPECT_EQ(loop.num_dimensions, 1);
  EXPECT_EQ(loop.extents[0], 20 * 4 * 4 * 6);
  EXPECT_EQ(loop.accesses[0].lanes, LaneStride::kUnit);
}

TEST_F(PlanTest, ASurfaceOperandKeepsColumnsApart) {
  const ExecutionPlan plan = Plan("x = y + s");

  const LoopPlan& loop = plan.steps[0].loop;
  EXPECT_THAT(loop.extents, ElementsAre(20, 4 * 4 * 6, 1, 1));
}

TEST_F(PlanTest, AComponentOfAStructSkipsTheOtherSlotsBetweenElements) {
  const ExecutionPlan plan = Plan("u.1 = x");

  const LoopPlan& loop = plan.steps[0].loop;
  EXPECT_THAT(loop.extents, ElementsAre(20 * 4 * 4, 6, 1, 1));
  // The other component must survive.
  EXPECT_EQ(plan.buffers.back().start, PlanBuffer::Start::kCopy);
}

TEST_F(PlanTest, AReadOfANeighbourWaitsForTheLoopThatStoresIt) {
  const ExecutionPlan plan = Plan("x = x + 1\ny = at(x, v - 1, edge = 0)");

  EXPECT_THAT(plan.steps, SizeIs(2));
}

TEST_F(PlanTest, AFieldUpdatedFromItsNeighboursKeepsItsOldContent) {
  const ExecutionPlan plan = Plan("x = x + at(x, v - 1, edge = 0)");

  ASSERT_THAT(plan.steps, SizeIs(1));
  ASSERT_THAT(plan.buffers, SizeIs(2));
  EXPECT_EQ(plan.buffers[0].start, PlanBuffer::Start::kPinned);
  EXPECT_EQ(plan.buffers[1].start, PlanBuffer::Start::kUndefined);
}

TEST_F(PlanTest, ALetKeepsWhatItSawWhenItsFieldIsStoredLater) {
  const ExecutionPlan plan = Plan("x = x + 1\nlet a = x\nx = x * 2\ny = a");

  // Both contents of x are needed, so the second store has its own buffer.
  EXPECT_THAT(plan.buffers, SizeIs(4));
}

TEST_F(PlanTest, AMaskedStoreStartsFromTheOldContent) {
  const ExecutionPlan plan = Plan("foreach point mask m { x = y }");

  const LoopPlan& loop = plan.steps[0].loop;
  EXPECT_TRUE(loop.masked);
  EXPECT_EQ(plan.buffers.back().start, PlanBuffer::Start::kCopy);
  EXPECT_EQ(
      plan.buffers[static_cast<size_t>(plan.buffers.back().copy_of)].field,
      plan.buffers.back().field);
}

TEST_F(PlanTest, FoldsOfOneColumnShareAPassAndTheirUsersFollowIt) {
  const ExecutionPlan plan = Plan(
      "foreach column {\n"
      "  s = fold(+, x)\n"
      "  y = x - fold(max, x)\n"
      "}");

  ASSERT_THAT(plan.steps, SizeIs(1));
  const LoopPlan& loop = plan.steps[0].loop;
  EXPECT_EQ(loop.kind, LoopKind::kColumns);
  // The pass of the folds, the store of s, the pass that stores y.
  ASSERT_THAT(loop.blocks, SizeIs(3));
  EXPECT_TRUE(loop.blocks[0].levels);
  EXPECT_EQ(loop.blocks[0].num_levels, 20);
  EXPECT_FALSE(loop.blocks[1].levels);
  EXPECT_TRUE(loop.blocks[2].levels);
}

TEST_F(PlanTest, APointwiseColumnLoopRunsAsAPointLoop) {
  const ExecutionPlan plan =
      Plan("foreach column { let a = x + 1\n y = a * a }");

  EXPECT_EQ(plan.steps[0].loop.kind, LoopKind::kPoints);
}

TEST_F(PlanTest, ReductionsOverOneShapeShareAPass) {
  const ExecutionPlan plan = Plan(
      "reduce {\n"
      "  a = sum(x)\n  b = max(y)\n  c = mean(x * y, weight = s)\n"
      "  d = sum(s)\n}");

  // One over the volume, one over the surface.
  ASSERT_THAT(plan.steps, SizeIs(2));
  EXPECT_THAT(plan.steps.back().results, ElementsAre(0, 1, 2, 3));
}

TEST_F(PlanTest, AReductionOfAnEarlierResultWaitsForItsPass) {
  const ExecutionPlan plan = Plan(
      "reduce {\n  m = mean(x, weight = s)\n  d = m * 2\n"
      "  e = max(abs(x - m))\n}");

  ASSERT_THAT(plan.steps, SizeIs(2));
  EXPECT_THAT(plan.steps[0].results, ElementsAre(0, 1));
  EXPECT_THAT(plan.steps[1].results, ElementsAre(2));
}

TEST_F(PlanTest, AReductionOfManyLeavesIsSpreadOverLoops) {
  std::vector<ValueType> members(100, ScalarType::kF64);
  Add("wide", Shape{{20, 4, 4, 6}}, ValueType::Tuple(members).value());

  const ExecutionPlan plan = Plan("reduce { a = sum(wide) }");

  ASSERT_THAT(plan.steps, SizeIs(4));
  for (const PlanStep& step : plan.steps) {
    EXPECT_LE(step.loop.reductions.size(), 32u);
  }
  EXPECT_THAT(plan.steps.back().results, ElementsAre(0));
}

TEST_F(PlanTest, AReductionThatAGraphUsesTwiceIsPlannedOnce) {
  ASSERT_OK_AND_ASSIGN(Program program,
                       ParseProgram("reduce { a = sum(x) + sum(x) }"));
  for (Node& node : program.nodes) {
    if (node.op == Opcode::kAdd) node.operands[1] = node.operands[0];
  }
  ASSERT_OK_AND_ASSIGN(const VerifiedProgram verified,
                       VerifyProgram(std::move(program), catalog_));

  ASSERT_OK_AND_ASSIGN(const ExecutionPlan plan, PlanProgram(verified));

  ASSERT_THAT(plan.steps, SizeIs(1));
  EXPECT_THAT(plan.steps[0].loop.reductions, SizeIs(1));
}

TEST_F(PlanTest, ProgramsThatDifferInLiteralsShareAKernel) {
  const ExecutionPlan a = Plan("x = x * 2.0 + 2.0");
  const ExecutionPlan b = Plan("x = x * 2.0 + 3.0");

  EXPECT_EQ(a.steps[0].loop.Key(), b.steps[0].loop.Key());
}

TEST_F(PlanTest, GroupsOfLeavesOfAReductionShareAKernel) {
  std::vector<ValueType> members(64, ScalarType::kF64);
  Add("wide", Shape{{20, 4, 4, 6}}, ValueType::Tuple(members).value());

  const ExecutionPlan plan = Plan("reduce { a = sum(wide) }");

  ASSERT_THAT(plan.steps, SizeIs(2));
  EXPECT_EQ(plan.steps[0].loop.Key(), plan.steps[1].loop.Key());
}

TEST_F(PlanTest, OnlyTheLeavesThatAreUsedAreLoaded) {
  std::vector<ValueType> members(64, ScalarType::kF64);
  Add("wide", Shape{{20, 4, 4, 6}}, ValueType::Tuple(members).value());

  const ExecutionPlan plan = Plan("x = wide.3 + wide.60");

  EXPECT_THAT(plan.steps[0].loop.accesses, SizeIs(3));
}

// Each let doubles what the next one asks for, at shifted levels.
TEST_F(PlanTest, AShortProgramThatExpandsWithoutBoundIsRefused) {
  std::vector<ValueType> members(200, ScalarType::kF64);
  Add("wide", Shape{{20, 4, 4, 6}}, ValueType::Tuple(members).value());
  std::string text = "let a0 = wide\n";
  for (int k = 1; k <= 8; ++k) {
    absl::StrAppend(&text, "let a", k, " = at(a", k - 1,
                    ", v + 1, edge = clamp) + at(a", k - 1,
                    ", v - 1, edge = clamp)\n");
  }
  absl::StrAppend(&text, "wide = a8\n");
  ASSERT_OK_AND_ASSIGN(Program program, ParseProgram(text));
  ASSERT_OK_AND_ASSIGN(const VerifiedProgram verified,
                       VerifyProgram(std::move(program), catalog_));

  EXPECT_THAT(PlanProgram(verified),
              IsError(absl::StatusCode::kInvalidArgument, "PROGRAM_LIMIT",
                      testing::HasSubstr("32768")));
}

TEST_F(PlanTest, AnIntermediateBufferLivesFromItsFirstStepToItsLast) {
  const ExecutionPlan plan = Plan(
      "x = x + 1\n"
      "x = at(x, v - 1, edge = 0)\n"
      "reduce { a = sum(x) }");

  ASSERT_THAT(plan.buffers, SizeIs(3));
  EXPECT_EQ(plan.buffers[1].first_step, 0);
  EXPECT_EQ(plan.buffers[1].last_step, 1);
  EXPECT_EQ(plan.final_buffers[0], 2);
  EXPECT_EQ(plan.buffers[2].last_step, 3);  // beyond the last: published
}

}  // namespace
}  // namespace layoutd
