// Programs through the engine: order, atomic publishing, memory, stopping. What
// programs compute is the business of the tests of program/ and jit/.

#include <string>
#include <utility>
#include <vector>

#include "engine/program/parse.h"
#include "tests/engine/engine_fixture.h"

namespace layoutd {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class EngineProgramTest : public EngineFixture {
 protected:
  void SetUp() override {
    ASSERT_OK(engine_->CreateField(Spec("x", Shape{{4, 1, 1, 1}})));
    ASSERT_OK(Write("x", {1, 2, 3, 4}));
  }
};

TEST_F(EngineProgramTest, CreatesFieldsAndReducesThem) {
  ASSERT_OK_AND_ASSIGN(const ExecuteReply reply, Run(R"(
      new y = x * x
      reduce {
        total = sum(y)
        n = count(y > 2.0)
      }
  )"));

  ASSERT_THAT(reply.results, SizeIs(2));
  EXPECT_EQ(reply.results[0].name, "total");
  EXPECT_EQ(reply.results[0].leaves[0].As<double>(), 30);
  EXPECT_EQ(reply.results[1].leaves[0].As<int64_t>(), 3);
  ASSERT_THAT(reply.fields, SizeIs(1));
  EXPECT_EQ(reply.fields[0].id, "y");
  EXPECT_EQ(reply.fields[0].revision, 1);
  EXPECT_TRUE(reply.fields[0].created);
  EXPECT_THAT(*Read("y"), ElementsAre(1, 4, 9, 16));
}

TEST_F(EngineProgramTest, WritesTheFieldABindingStandsFor) {
  ASSERT_OK(engine_->CreateField(Spec("out/y", Shape{{4, 1, 1, 1}})));

  ASSERT_OK_AND_ASSIGN(const ExecuteReply reply,
                       Run("b = a + 1.0", {{"a", "x"}, {"b", "out/y"}}));

  EXPECT_EQ(reply.fields[0].id, "out/y");
  EXPECT_FALSE(reply.fields[0].created);
  EXPECT_THAT(*Read("out/y"), ElementsAre(2, 3, 4, 5));
}

TEST_F(EngineProgramTest, AGraphMeansTheSameAsItsText) {
  ASSERT_OK_AND_ASSIGN(Program program, ParseProgram("x = x + 1.0"));
  ASSERT_OK(Wait<ExecuteReply>([&](Done<ExecuteReply> done) {
    engine_->Execute({.program = program, .bindings = {}}, StopToken(),
                     std::move(done));
  }));

  EXPECT_THAT(*Read("x"), ElementsAre(2, 3, 4, 5));
}

TEST_F(EngineProgramTest, ProgramsOnOneFieldRunInTheOrderOfSubmission) {
  for (int i = 0; i < 50; ++i) {  // not waited for
    engine_->Execute(
        {.program = i % 2 == 0 ? "x = x + 1.0" : "x = x * 2.0", .bindings = {}},
        StopToken(), [](const absl::StatusOr<ExecuteReply>&) {});
  }

  double want = 1;
  for (int i = 0; i < 50; ++i) want = i % 2 == 0 ? want + 1 : want * 2;
  EXPECT_EQ((*Read("x"))[0], want);
  EXPECT_EQ(engine_->GetField("x")->revision, 51);
}

TEST_F(EngineProgramTest, ReusesKernelsForProgramsOfOneStructure) {
  ASSERT_OK(Run("x = x + 1.0"));
  const int64_t num_kernels = engine_->Info().num_kernels;
  ASSERT_OK(Run("x = x + 2.0"));

  EXPECT_GE(num_kernels, 1);
  EXPECT_EQ(engine_->Info().num_kernels, num_kernels);
}

TEST_F(EngineProgramTest, AProgramThatFailsPublishesNothing) {
  const int64_t used_bytes = engine_->Info().memory_used_bytes;

  EXPECT_THAT(Run("new y = x\nx = x + 1.0\nx = nope"),
              IsError(absl::StatusCode::kNotFound, "NAME_NOT_FOUND",
                      HasSubstr("nope")));
  EXPECT_THAT(Run("new y = x\nreduce { m = min(x, where = x > 9.0) }"),
              IsError(absl::StatusCode::kFailedPrecondition, "NO_ACTIVE_POINT",
                      HasSubstr("m")));
  EXPECT_THAT(Run("x = x +"), IsError(absl::StatusCode::kInvalidArgument,
                                      "SYNTAX", HasSubstr("line 1")));

  EXPECT_THAT(*Read("x"), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(engine_->Info().num_fields, 1);
  EXPECT_EQ(engine_->Info().memory_used_bytes, used_bytes);
}

TEST_F(EngineProgramTest, AnErrorShowsTheLineItIsAbout) {
  EXPECT_THAT(Run("x = x\nx = nope + 1.0"),
              IsError(absl::StatusCode::kNotFound, "NAME_NOT_FOUND",
                      EndsWith("\n  x = nope + 1.0\n      ^")));
  EXPECT_THAT(Run("reduce {\n  low = min(x, where = x > 9.0)\n}"),
              IsError(absl::StatusCode::kFailedPrecondition, "NO_ACTIVE_POINT",
                      AllOf(HasSubstr("line 2, column 3: "),
                            EndsWith("\n    low = min(x, where = x > 9.0)\n"
                                     "    ^"))));

  // A graph has no lines.
  ASSERT_OK_AND_ASSIGN(Program program, ParseProgram("x = x"));
  program.nodes[0].name = "nope";
  program.nodes[0].position = {};
  const absl::Status status =
      Wait<ExecuteReply>([&](Done<ExecuteReply> done) {
        engine_->Execute({.program = program, .bindings = {}}, StopToken(),
                         std::move(done));
      }).status();
  EXPECT_THAT(status, IsError(absl::StatusCode::kNotFound, "NAME_NOT_FOUND",
                              Not(HasSubstr("\n"))));
  EXPECT_EQ(DetailOf(status).violations[0].first, "program.nodes[0]");
}

TEST_F(EngineProgramTest, AStoppedProgramPublishesNothing) {
  const StopToken cancelled;
  cancelled.Cancel();
  EXPECT_THAT(Run("x = x + 1.0", {}, cancelled),
              IsError(absl::StatusCode::kCancelled, "CANCELLED", testing::_));
  EXPECT_EQ(
      Run("x = x + 1.0", {}, StopToken(absl::InfinitePast())).status().code(),
      absl::StatusCode::kDeadlineExceeded);

  EXPECT_EQ(engine_->GetField("x")->revision, 1);
}

TEST_F(EngineProgramTest, AProgramThatNeedsMoreThanIsFreeDoesNotStart) {
  constexpr int64_t kValues = 100000;  // 800 kB of the 1 MiB
  ASSERT_OK(engine_->CreateField(Spec("big", Shape{{kValues, 1, 1, 1}})));
  ASSERT_OK(Fill("big", "", "1"));

  const absl::Status status = Run("big = big + 1.0").status();

  EXPECT_THAT(status, IsError(absl::StatusCode::kResourceExhausted,
                              "MEMORY_LIMIT", HasSubstr("800000")));
  EXPECT_EQ(engine_->GetField("big")->revision, 1);
}

TEST_F(EngineProgramTest, AFieldAsLargeAsWhatIsFreeIsWrittenByAProgram) {
  constexpr int64_t kValues = 130000;
  ASSERT_OK(engine_->CreateField(Spec("big", Shape{{kValues, 1, 1, 1}})));

  ASSERT_OK(Run("big = 3.0"));

  EXPECT_THAT(*Read("big"), AllOf(SizeIs(kValues), Each(3)));
}

TEST_F(EngineProgramTest, DrainWaitsForWhatWasSubmitted) {
  int ran = 0;
  for (int i = 0; i < 10; ++i) {
    engine_->Execute({.program = "x = x + 1.0", .bindings = {}}, StopToken(),
                     [&](const absl::StatusOr<ExecuteReply>& reply) {
                       if (reply.ok()) ++ran;  // one after another
                     });
  }
  engine_->Drain();

  EXPECT_EQ(ran, 10);
}

TEST_F(EngineProgramTest, NeverWrittenFieldsReadAsZeros) {
  ASSERT_OK(engine_->CreateField(Spec("z", Shape{{4, 1, 1, 1}})));

  ASSERT_OK(Run("x = z + 0.5"));

  EXPECT_THAT(*Read("x"), Each(0.5));
}

TEST_F(EngineProgramTest,
       CompilingSeesWhatWasSubmittedBeforeAndChangesNothing) {
  engine_->Execute(
      {.program = "new y = x\nreduce { m = max(y) }", .bindings = {}},
      StopToken(), [](const absl::StatusOr<ExecuteReply>&) {});

  ASSERT_OK_AND_ASSIGN(const CompileReply reply,
                       Compile("y = a * 2.0", {{"a", "x"}}));

  EXPECT_THAT(reply.fields, SizeIs(2));
  EXPECT_FALSE(reply.estimate.cache_hit());
  EXPECT_EQ(engine_->GetField("y")->revision, 1);
  const int64_t num_kernels = engine_->Info().num_kernels;
  ASSERT_OK(Run("y = x * 2.0"));
  EXPECT_EQ(engine_->Info().num_kernels, num_kernels);
}

TEST_F(EngineProgramTest, CompilingFailsAsRunningDoes) {
  for (const char* text : {"x = x +", "x = x\nx = nope + 1.0", "x = x and x",
                           "new x = 1.0", "reduce mask m { s = sum(x) }"}) {
    const absl::Status ran = Run(text).status();
    EXPECT_FALSE(ran.ok()) << text;
    EXPECT_EQ(Compile(text).status(), ran);
  }
  EXPECT_EQ(Compile("x = a", {{"a", "nope"}}).status(),
            Run("x = a", {{"a", "nope"}}).status());
  const StopToken cancelled;
  cancelled.Cancel();
  EXPECT_THAT(Compile("x = x * 7.0 - 2.0", {}, cancelled),
              IsError(absl::StatusCode::kCancelled, "CANCELLED", testing::_));
  // What depends on values is not known yet, and memory is only compared.
  EXPECT_OK(Compile("reduce { m = min(x, where = x > 9.0) }"));
  ASSERT_OK(engine_->CreateField(Spec("big", Shape{{100000, 1, 1, 1}})));
  ASSERT_OK(Fill("big", "", "1"));
  ASSERT_OK_AND_ASSIGN(const CompileReply big, Compile("big = big + 1.0"));
  EXPECT_EQ(big.estimate.peak_scratch_bytes, 800000);
  EXPECT_FALSE(big.estimate.fits());
}

TEST_F(EngineProgramTest, AProfileComesOnRequest) {
  ASSERT_OK_AND_ASSIGN(
      const ExecuteReply reply,
      Wait<ExecuteReply>([&](Done<ExecuteReply> done) {
        engine_->Execute(
            {.program = "x = x + 1.0", .bindings = {}, .profile = true},
            StopToken(), std::move(done));
      }));

  ASSERT_TRUE(reply.profile.has_value());
  EXPECT_GT(reply.profile->queue_time, absl::ZeroDuration());
  ASSERT_THAT(reply.profile->loops, SizeIs(1));
  EXPECT_EQ(reply.profile->loops[0].num_threads, 2);
  EXPECT_FALSE(Run("x = x + 1.0")->profile.has_value());
}

TEST_F(EngineProgramTest, AnEmptyProgramDoesNothing) {
  ASSERT_OK_AND_ASSIGN(const ExecuteReply reply, Run(""));

  EXPECT_THAT(reply.fields, IsEmpty());
  EXPECT_THAT(reply.results, IsEmpty());
}

}  // namespace
}  // namespace layoutd
