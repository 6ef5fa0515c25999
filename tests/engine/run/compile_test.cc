// What a program would cost, against what it takes.

#include "engine/run/compile.h"

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/program/reduction_order.h"
#include "tests/support/random_program.h"
#include "tests/support/runtime_world.h"
#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

using testing::_;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::SizeIs;

// More columns than masks are combined in at a time.
constexpr Shape kShape{{5, 4, 4, 700}};
constexpr int64_t kPoints = 5 * 4 * 4 * 700;
constexpr int64_t kColumns = kPoints / 5;
constexpr int64_t kBytes = kPoints * 8;
constexpr int64_t kSurfaceBytes = kColumns * 8;
// A chunk's partial of one reduction: value, position, has-value flag.
constexpr int64_t kSlotBytes = 16 + 8 + 1;

// Runs `text` with exactly the free memory that its estimate asks for, and with
// one byte less; the world is left as the run leaves it. `held_bytes` are what
// the fields it uses hold in the budget without having been written.
void ExpectExact(RuntimeWorld& world, const std::string& text,
                 int64_t held_bytes) {
  SCOPED_TRACE(text);
  MemoryBudget& budget = world.budget();
  ASSERT_OK_AND_ASSIGN(const CompileReply reply, world.Compile(text));
  const Estimate& estimate = reply.estimate;
  const int64_t used_before = budget.used_bytes();
  ASSERT_EQ(estimate.free_bytes, budget.limit_bytes() - used_before);
  ASSERT_TRUE(estimate.fits());
  const int64_t spare = estimate.free_bytes - estimate.peak_scratch_bytes;

  if (estimate.peak_scratch_bytes > 0) {
    ASSERT_OK_AND_ASSIGN(const Reservation most,
                         budget.Reserve(spare + 1, "a test"));
    ASSERT_OK_AND_ASSIGN(const CompileReply again, world.Compile(text));
    EXPECT_FALSE(again.estimate.fits());
    EXPECT_THAT(world.Run(text), IsError(absl::StatusCode::kResourceExhausted,
                                         "MEMORY_LIMIT", _));
  }
  const int64_t live_before = world.device().live_bytes();
  world.device().ResetPeak();
  std::optional<ExecutionProfile> profile;
  {
    ASSERT_OK_AND_ASSIGN(const Reservation rest,
                         budget.Reserve(spare, "a test"));
    ASSERT_OK_AND_ASSIGN(ExecuteReply ran, world.RunProfiled(text));
    profile = std::move(ran.profile);
  }
  ASSERT_TRUE(profile.has_value());
  EXPECT_EQ(profile->peak_scratch_bytes, estimate.peak_scratch_bytes);
  EXPECT_EQ(budget.used_bytes() - used_before, estimate.lasting_bytes);
  EXPECT_LE(world.device().peak_bytes() - live_before,
            estimate.peak_scratch_bytes + held_bytes);

  // What was estimated is what was run.
  ASSERT_EQ(profile->loops.size(), estimate.loops.size());
  for (size_t k = 0; k < estimate.loops.size(); ++k) {
    const LoopWork& want = estimate.loops[k].work;
    const LoopWork& got = profile->loops[k].work;
    EXPECT_EQ(got.kind, want.kind);
    EXPECT_EQ(got.points, want.points);
    EXPECT_EQ(got.operations, want.operations);
    EXPECT_EQ(got.read_bytes, want.read_bytes);
    EXPECT_EQ(got.written_bytes, want.written_bytes);
    EXPECT_TRUE(profile->loops[k].cache_hit);
  }
  EXPECT_EQ(profile->moved_bytes, estimate.read_bytes + estimate.written_bytes +
                                      2 * estimate.copied_bytes);
}

class CompileTest : public testing::Test {
 protected:
  // Fields x, y and the surface s are written, blank never was; the masks m and
  // n have every third and every second column.
  void SetUp() override {
    world_ = RuntimeWorld::Open().value();
    for (const char* id : {"x", "y"}) {
      ASSERT_OK(world_->AddField(
          id, LayoutOf(kShape),
          std::vector<Scalar>(static_cast<size_t>(kPoints), Scalar::F64(1))));
    }
    ASSERT_OK(world_->AddField(
        "s", LayoutOf(kShape.WithV(1)),
        std::vector<Scalar>(static_cast<size_t>(kColumns), Scalar::F64(1))));
    ASSERT_OK(world_->runtime().fields->Create("blank", LayoutOf(kShape), {}));
    for (int64_t c = 0; c < kColumns; ++c) {
      m_.push_back(c % 3 == 0 ? 1 : 0);
      n_.push_back(c % 2 == 0 ? 1 : 0);
      num_m_ += m_.back();
      num_m_and_not_n_ += m_.back() == 1 && n_.back() == 0 ? 1 : 0;
    }
    ASSERT_OK(world_->AddMask("m", kShape.WithV(1), m_));
    ASSERT_OK(world_->AddMask("n", kShape.WithV(1), n_));
  }

  static DataLayout LayoutOf(const Shape& shape) {
    return DataLayout::Create({LayoutKind::kVIJFH, shape, ScalarType::kF64})
        .value();
  }

  Estimate EstimateOf(const std::string& text) {
    absl::StatusOr<CompileReply> reply = world_->Compile(text);
    EXPECT_OK(reply);
    return reply.ok() ? reply->estimate : Estimate();
  }

  std::unique_ptr<RuntimeWorld> world_;
  std::vector<uint8_t> m_;
  std::vector<uint8_t> n_;
  int64_t num_m_ = 0;
  int64_t num_m_and_not_n_ = 0;
};

TEST_F(CompileTest, APointLoopCountsItsFieldsOnce) {
  const Estimate estimate = EstimateOf("x = x * y + x * s");

  ASSERT_THAT(estimate.loops, SizeIs(1));
  const LoopWork& work = estimate.loops[0].work;
  EXPECT_EQ(work.kind, LoopKind::kPoints);
  EXPECT_EQ(work.scope, "ThreadPool > Thread");
  EXPECT_EQ(work.points, kPoints);
  EXPECT_EQ(work.operations, 3 * kPoints);
  EXPECT_EQ(work.read_bytes, 2 * kBytes + kSurfaceBytes);
  EXPECT_EQ(work.written_bytes, kBytes);
  EXPECT_EQ(estimate.peak_scratch_bytes, kBytes);
  EXPECT_EQ(estimate.lasting_bytes, 0);
  EXPECT_EQ(estimate.copied_bytes, 0);
}

TEST_F(CompileTest, NeighboursDoNotCountAFieldTwice) {
  const Estimate estimate = EstimateOf(
      "y = at(x, v - 1, edge = clamp) + x + at(x, v + 1, edge = clamp)");

  EXPECT_EQ(estimate.read_bytes, kBytes);
  EXPECT_EQ(estimate.written_bytes, kBytes);
}

TEST_F(CompileTest, AMaskedLoopCountsActiveColumnsOnly) {
  const Estimate points = EstimateOf("foreach point mask m { x = y + 1.0 }");
  EXPECT_EQ(points.loops[0].work.points, 5 * num_m_);
  EXPECT_EQ(points.operations, 5 * num_m_);
  EXPECT_EQ(points.read_bytes, 5 * num_m_ * 8);
  EXPECT_EQ(points.written_bytes, 5 * num_m_ * 8);
  // Compact columns, put in place at the end.
  EXPECT_EQ(points.copied_bytes, 5 * num_m_ * 8);

  const Estimate columns =
      EstimateOf("foreach column mask m { s = fold(+, x) }");
  EXPECT_EQ(columns.loops[0].work.kind, LoopKind::kColumns);
  EXPECT_EQ(columns.loops[0].work.points, 5 * num_m_);
  EXPECT_EQ(columns.operations, 5 * num_m_);
  EXPECT_EQ(columns.read_bytes, 5 * num_m_ * 8);
  EXPECT_EQ(columns.written_bytes, num_m_ * 8);
}

TEST_F(CompileTest, AReductionNeedsItsPartialsAndCombinedMask) {
  const int64_t partial_bytes =
      ReductionOrder(kShape).num_chunks() * kSlotBytes;

  const Estimate plain = EstimateOf("reduce { total = sum(x) }");
  EXPECT_EQ(plain.loops[0].work.kind, LoopKind::kReduction);
  EXPECT_EQ(plain.operations, kPoints);
  EXPECT_EQ(plain.read_bytes, kBytes);
  EXPECT_EQ(plain.written_bytes, 0);
  EXPECT_EQ(plain.peak_scratch_bytes, partial_bytes);
  // One mask is there already.
  EXPECT_EQ(EstimateOf("reduce mask m { total = sum(x) }").peak_scratch_bytes,
            partial_bytes);

  const Estimate combined =
      EstimateOf("reduce mask m and not n { total = sum(x) }");
  EXPECT_EQ(combined.loops[0].work.points, 5 * num_m_and_not_n_);
  EXPECT_EQ(combined.peak_scratch_bytes,
            partial_bytes + kColumns + 24 * num_m_and_not_n_);
}

TEST_F(CompileTest, CombinedMasksHoldTheirColumns) {
  ASSERT_OK_AND_ASSIGN(
      const ExecuteReply reply,
      world_->Run("reduce mask m and not n { k = count(s > 0.0) }"));

  EXPECT_EQ(reply.results[0].leaves[0].As<int64_t>(), num_m_and_not_n_);
}

TEST_F(CompileTest, WhatAFieldHadReservedIsNoScratch) {
  EXPECT_EQ(EstimateOf("blank = 1.0").peak_scratch_bytes, 0);
  EXPECT_EQ(EstimateOf("x = blank").peak_scratch_bytes, kBytes);
  EXPECT_EQ(EstimateOf("blank = blank + 1.0").peak_scratch_bytes, kBytes);
  const Estimate created = EstimateOf("new c = x + blank");
  EXPECT_EQ(created.peak_scratch_bytes, kBytes);
  EXPECT_EQ(created.lasting_bytes, kBytes);
}

TEST_F(CompileTest, ARunTakesExactlyItsEstimate) {
  for (const char* text : {
           "x = x + 1.0",
           "new a = x * y",
           "foreach point mask m { x = 0.5 }",
           "foreach point mask m or n { x = 0.5 * x }",
           "foreach column mask not m { s = fold(max, x * y) }",
           "reduce { low = min(x)\nhigh = max(y) }",
           "reduce mask m and n { total = sum(x)\nw = mean(x, weight = y) }",
           "let t = x\nx = y\ny = t",
           "foreach column mask m { x = scan(+, x) - fold(+, y) }",
           "reduce mask m { where_low = argmin(x)\nboth = extrema(y) }",
           "foreach column { let t = scan(+, x)\ny = at(t, v + 1, edge = "
           "clamp) }",
           // Intermediate contents and a copy of a created field.
           "new b = x\nforeach column mask m { b = b + at(b, v - 1, edge = "
           "clamp)\n b = b * 2.0 }\nnew d = at(b, 0)\nreduce mask m and not n "
           "{ total = sum(b * d) }",
           "x = x + 1.0\nreduce { total = sum(x) }\nforeach point mask m and n "
           "{ x = x - 1.0 }\nforeach point mask m or n { y = x }",
       }) {
    ExpectExact(*world_, text, /*held_bytes=*/0);
  }
  for (const char* text : {"blank = blank + 1.0", "blank = 2.0", "x = blank"}) {
    FieldStore& fields = *world_->runtime().fields;
    ASSERT_OK(fields.Delete("blank", ""));
    ASSERT_OK(fields.Create("blank", LayoutOf(kShape), {}));
    ExpectExact(*world_, text, /*held_bytes=*/kBytes);
  }
}

TEST_F(CompileTest, RandomProgramsTakeExactlyTheirEstimates) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const ProgramCase random = MakeRandomProgram(seed);
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    world_->Clear();
    for (const CaseField& field : random.fields) {
      ASSERT_OK(
          world_->AddField(field.id, layoutd::LayoutOf(field), field.leaves));
    }
    for (const CaseMask& mask : random.masks) {
      ASSERT_OK(world_->AddMask(mask.id, mask.shape, mask.active));
    }
    ExpectExact(*world_, random.text, /*held_bytes=*/0);
    if (HasFailure()) return;
  }
}

TEST_F(CompileTest, HugeBroadcastsAreCountedWithoutOverflow) {
  const auto bytes_of = [](const Shape& shape) {
    return DataLayout::Create({LayoutKind::kVIJFH, shape, ScalarType::kI8})
        .value();
  };
  FieldStore& fields = *world_->runtime().fields;
  ASSERT_OK(fields.Create("a", bytes_of({{1 << 20, 1, 1, 1}}), {}));
  ASSERT_OK(fields.Create("b", bytes_of({{1, 1 << 10, 1 << 10, 1}}), {}));
  ASSERT_OK(fields.Create("c", bytes_of({{1, 1, 1, 1 << 20}}), {}));
  std::string text;
  for (int k = 0; k < 16; ++k) absl::StrAppend(&text, "new n", k, " = a+b+c\n");

  const Estimate estimate = EstimateOf(text);

  EXPECT_FALSE(estimate.fits());
  EXPECT_GT(estimate.operations, int64_t{1} << 60);
  EXPECT_GT(estimate.peak_scratch_bytes, int64_t{1} << 62);
  EXPECT_THAT(world_->Run(text),
              IsError(absl::StatusCode::kResourceExhausted, "MEMORY_LIMIT", _));
}

TEST_F(CompileTest, TheSignatureTellsWhatIsUsed) {
  ASSERT_OK_AND_ASSIGN(const CompileReply reply,
                       world_->Compile("new c = at(x, 0) > 0.0\ny = x\n"
                                       "reduce mask m { k = count(c)\n"
                                       "t = mean(x) }"));

  for (const FieldUse& field : reply.fields) {
    EXPECT_EQ(field.created, field.id == "c");
    EXPECT_EQ(field.written, field.id != "x");
    if (field.id == "c") {
      EXPECT_EQ(field.layout.type(), ValueType(ScalarType::kBool));
      EXPECT_EQ(field.layout.shape(), kShape.WithV(1));
    }
  }
  EXPECT_THAT(reply.fields, SizeIs(3));
  ASSERT_THAT(reply.masks, SizeIs(1));
  EXPECT_EQ(reply.masks[0].active_columns, num_m_);
  ASSERT_THAT(reply.results, SizeIs(2));
  EXPECT_EQ(reply.results[0].type, ValueType(ScalarType::kI64));
  EXPECT_THAT(reply.warnings,
              ElementsAre(Field(&Warning::code, "UNWEIGHTED_MEAN")));
}

TEST_F(CompileTest, CompilesForTheRunThatFollowsAndChangesNothingElse) {
  const int64_t used_bytes = world_->budget().used_bytes();
  const int64_t live_bytes = world_->device().live_bytes();
  constexpr char kText[] = "x = blank\nreduce { total = sum(x) }";

  EXPECT_FALSE(EstimateOf(kText).cache_hit());
  EXPECT_TRUE(EstimateOf(kText).cache_hit());

  EXPECT_EQ(world_->runtime().kernels->num_compiled(), 2);
  EXPECT_EQ(world_->budget().used_bytes(), used_bytes);
  EXPECT_EQ(world_->device().live_bytes(), live_bytes);
  ASSERT_OK_AND_ASSIGN(const ExecuteReply reply, world_->RunProfiled(kText));
  EXPECT_EQ(world_->runtime().kernels->num_compiled(), 2);
  for (const ExecutionProfile::Loop& loop : reply.profile->loops) {
    EXPECT_TRUE(loop.cache_hit);
  }
}

TEST_F(CompileTest, AnEmptyProgramCostsNothing) {
  const Estimate estimate = EstimateOf("");

  EXPECT_THAT(estimate.loops, IsEmpty());
  EXPECT_EQ(estimate.peak_scratch_bytes, 0);
  EXPECT_TRUE(estimate.fits());
  EXPECT_TRUE(estimate.cache_hit());
}

TEST_F(CompileTest, AProfileIsMeasuredOnlyWhenAskedFor) {
  ASSERT_OK_AND_ASSIGN(const ExecuteReply plain, world_->Run("x = y"));
  EXPECT_FALSE(plain.profile.has_value());

  ASSERT_OK_AND_ASSIGN(const ExecuteReply reply,
                       world_->RunProfiled("x = y * 2.0"));
  ASSERT_TRUE(reply.profile.has_value());
  ASSERT_THAT(reply.profile->loops, SizeIs(1));
  const ExecutionProfile::Loop& loop = reply.profile->loops[0];
  EXPECT_FALSE(loop.cache_hit);
  EXPECT_EQ(loop.num_threads, 1);
  EXPECT_GT(loop.compile_time, absl::ZeroDuration());
  EXPECT_LE(loop.compile_time, reply.profile->compile_time);
  EXPECT_GT(loop.run_time, absl::ZeroDuration());
  EXPECT_LE(loop.run_time, reply.profile->run_time);
  EXPECT_GT(reply.profile->plan_time, absl::ZeroDuration());
  EXPECT_GT(reply.profile->publish_time, absl::ZeroDuration());
  EXPECT_EQ(reply.profile->moved_bytes, 2 * kBytes);
}

}  // namespace
}  // namespace layoutd
