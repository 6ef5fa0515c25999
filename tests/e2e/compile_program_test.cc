// What a program would cost and what it took, through the real server.

#include <cstdint>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/e2e/live_server.h"

namespace layoutd {
namespace {

constexpr Shape kShape = {{3, 2, 2, 5}};
constexpr int64_t kBytes = 60 * 8;

class CompileProgramTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(live_.CreateField("temp", v1::VIJFH, kShape, "f64").ok());
    ASSERT_TRUE(
        live_.Write("temp", BytesOf(std::vector<double>(60, 1.5))).ok());
    ASSERT_TRUE(live_.CreateMask("ocean", kShape).ok());
    ASSERT_TRUE(live_
                    .SetMask("ocean", std::vector<uint8_t>({1, 0, 0, 0, 1, 0, 0,
                                                            0, 1, 0, 0, 0, 1, 0,
                                                            0, 0, 1, 0, 0, 0}))
                    .ok());
  }

  v1::CompileProgramResponse Compile(const std::string& text) {
    v1::CompileProgramRequest request;
    request.mutable_program()->set_text(text);
    (*request.mutable_bindings())["t"] = "fields/temp";
    v1::CompileProgramResponse reply;
    grpc::ClientContext context;
    const grpc::Status status =
        live_.compute().CompileProgram(&context, request, &reply);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return reply;
  }

  v1::ExecuteResponse Execute(const std::string& text, bool profile) {
    v1::ExecuteRequest request;
    request.mutable_program()->set_text(text);
    request.set_profile(profile);
    v1::ExecuteResponse reply;
    grpc::ClientContext context;
    const grpc::Status status =
        live_.compute().Execute(&context, request, &reply);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return reply;
  }

  LiveServer live_;
};

TEST_F(CompileProgramTest, TellsTheSignature) {
  const v1::CompileProgramResponse reply = Compile(
      "new warm = t > 1.0\nreduce mask ocean { m = mean(t)\nn = count(warm) }");

  const v1::Signature& signature = reply.signature();
  ASSERT_EQ(signature.fields_size(), 2);
  for (const v1::Signature::FieldUse& field : signature.fields()) {
    const bool created = field.name() == "fields/warm";
    EXPECT_TRUE(created || field.name() == "fields/temp");
    EXPECT_EQ(field.created(), created);
    EXPECT_EQ(field.written(), created);
    EXPECT_TRUE(field.read());
    EXPECT_EQ(field.layout().type().text(), created ? "bool" : "f64");
    EXPECT_EQ(field.layout().shape().nh(), 5);
  }
  ASSERT_EQ(signature.masks_size(), 1);
  EXPECT_EQ(signature.masks(0).name(), "masks/ocean");
  EXPECT_EQ(signature.masks(0).active_columns(), 5);
  ASSERT_EQ(signature.results_size(), 2);
  EXPECT_EQ(signature.results(0).name(), "m");
  EXPECT_EQ(signature.results(1).type().text(), "i64");
  ASSERT_EQ(signature.warnings_size(), 1);
  EXPECT_EQ(signature.warnings(0).code(), "UNWEIGHTED_MEAN");
}

TEST_F(CompileProgramTest, EstimatesWithoutChangingAnything) {
  const std::string before = live_.Snapshot();

  const v1::Estimate estimate =
      Compile("temp = temp * 2.0\nreduce mask ocean { s = sum(temp) }")
          .estimate();

  EXPECT_EQ(live_.Snapshot(), before);
  ASSERT_EQ(estimate.loops_size(), 2);
  EXPECT_EQ(estimate.loops(0).kind(), v1::Loop::POINTS);
  EXPECT_EQ(estimate.loops(0).scope(), "ThreadPool > Thread");
  EXPECT_EQ(estimate.loops(0).points(), 60);
  EXPECT_EQ(estimate.loops(1).kind(), v1::Loop::REDUCTION);
  EXPECT_TRUE(estimate.loops(1).masked());
  EXPECT_EQ(estimate.loops(1).points(), 15);
  EXPECT_EQ(estimate.operations(), 60 + 15);
  EXPECT_EQ(estimate.read_bytes(), kBytes + 15 * 8);
  EXPECT_EQ(estimate.written_bytes(), kBytes);
  EXPECT_EQ(estimate.peak_scratch_bytes(), kBytes + 16 + 8 + 1);
  EXPECT_EQ(estimate.lasting_bytes(), 0);
  EXPECT_TRUE(estimate.fits());
  EXPECT_FALSE(estimate.cache_hit());
  EXPECT_TRUE(Compile("temp = temp * 3.0\nreduce mask ocean { s = sum(temp) }")
                  .estimate()
                  .cache_hit());
}

TEST_F(CompileProgramTest, AProfileIsThereWhenItIsAskedFor) {
  EXPECT_FALSE(Execute("temp = temp * 2.0", false).has_profile());

  const v1::ExecuteResponse reply = Execute("temp = temp * 2.0", true);

  ASSERT_TRUE(reply.has_profile());
  const v1::ExecutionProfile& profile = reply.profile();
  ASSERT_EQ(profile.loops_size(), 1);
  EXPECT_EQ(profile.loops(0).loop().points(), 60);
  EXPECT_TRUE(profile.loops(0).loop().cache_hit());
  EXPECT_GT(profile.loops(0).run_time().nanos(), 0);
  EXPECT_GT(profile.loops(0).num_threads(), 0);
  EXPECT_GT(profile.queue_time().nanos(), 0);
  EXPECT_GT(profile.plan_time().nanos(), 0);
  EXPECT_EQ(profile.peak_scratch_bytes(), kBytes);
  EXPECT_EQ(profile.moved_bytes(), 2 * kBytes);
}

}  // namespace
}  // namespace layoutd
