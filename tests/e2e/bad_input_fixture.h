#ifndef LAYOUTD_TESTS_E2E_BAD_INPUT_FIXTURE_H_
#define LAYOUTD_TESTS_E2E_BAD_INPUT_FIXTURE_H_

// What the tests of bad input have in common: a real server with a few fields
// and masks, which live on unchanged whatever a test sends.

#include <cstdint>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/e2e/live_server.h"

namespace layoutd {

inline constexpr Shape kShape = {{3, 2, 2, 5}};
// A server with the fields "temp" and "salt" (f64, 3 x 2 x 2 x 5) and "steps"
// (i32, one level) and "flags" (bool), and the masks "ocean" (all columns),
// "land" (none) and "small" (of other columns). Checks after each test that the
// server answers and that all of these are as they were.
class BadInputTest : public testing::Test {
 protected:
  void SetUp() override {
    std::vector<double> values(60);
    for (size_t k = 0; k < values.size(); ++k) {
      values[k] = static_cast<double>(k) / 4;
    }
    for (const char* id : {"temp", "salt"}) {
      ASSERT_TRUE(live_.CreateField(id, v1::VIJFH, kShape, "f64").ok());
      ASSERT_TRUE(live_.Write(id, BytesOf(values)).ok());
    }
    ASSERT_TRUE(
        live_.CreateField("steps", v1::VIJHF, kShape.WithV(1), "i32").ok());
    ASSERT_TRUE(live_.CreateField("flags", v1::VIJFH, kShape, "bool").ok());
    ASSERT_TRUE(live_.CreateMask("ocean", kShape).ok());
    ASSERT_TRUE(live_.CreateMask("land", kShape).ok());
    ASSERT_TRUE(live_.SetMask("land", std::vector<uint8_t>(20, 0)).ok());
    ASSERT_TRUE(live_.CreateMask("small", {{1, 2, 2, 4}}).ok());
    before_ = live_.Snapshot();
    memory_before_ = Info().memory_used_bytes();
  }

  void TearDown() override {
    EXPECT_EQ(live_.Snapshot(), before_);
    EXPECT_EQ(Info().memory_used_bytes(), memory_before_);
    // The next call works as if nothing had been.
    const grpc::Status status = live_.Execute("reduce { total = sum(temp) }");
    EXPECT_TRUE(status.ok()) << status.error_message();
  }

  v1::ServerInfo Info() {
    v1::ServerInfo info;
    grpc::ClientContext context;
    EXPECT_TRUE(live_.about().GetServerInfo(&context, {}, &info).ok());
    return info;
  }

  CallError RunText(const std::string& text) {
    v1::ExecuteRequest request;
    request.mutable_program()->set_text(text);
    return Run(request);
  }

  CallError RunGraph(const v1::Graph& graph) {
    v1::ExecuteRequest request;
    *request.mutable_program()->mutable_graph() = graph;
    return Run(request);
  }

  // Compiling refuses the same in the same words, but for what depends on
  // values.
  CallError Run(const v1::ExecuteRequest& request) {
    v1::ExecuteResponse reply;
    grpc::ClientContext context;
    const CallError error =
        ErrorOf(live_.compute().Execute(&context, request, &reply));
    v1::CompileProgramRequest compile;
    *compile.mutable_program() = request.program();
    *compile.mutable_bindings() = request.bindings();
    v1::CompileProgramResponse compiled;
    grpc::ClientContext compile_context;
    const CallError other = ErrorOf(
        live_.compute().CompileProgram(&compile_context, compile, &compiled));
    if (error.reason == "NO_ACTIVE_POINT") {
      EXPECT_EQ(other.code, grpc::StatusCode::OK);
    } else {
      EXPECT_EQ(other.code, error.code);
      EXPECT_EQ(other.message, error.message);
      EXPECT_EQ(other.reason, error.reason);
      EXPECT_EQ(other.metadata, error.metadata);
      EXPECT_EQ(other.paths, error.paths);
    }
    return error;
  }

  LiveServer live_{int64_t{16} << 20};
  std::string before_;
  int64_t memory_before_ = 0;
};

}  // namespace layoutd

#endif  // LAYOUTD_TESTS_E2E_BAD_INPUT_FIXTURE_H_
