// Bad input through the real server: the right code, reason and path, a server
// that lives on, and nothing half changed.

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/e2e/live_server.h"

namespace layoutd {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;
using testing::StartsWith;

constexpr Shape kShape = {{3, 2, 2, 5}};

// A server with fields "temp" and "salt" (f64, 3 x 2 x 2 x 5), a column count
// "steps" (i32, one level), and the mask "ocean". Checks after each test that
// the server answers and that fields and masks are as they were.
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
    ASSERT_TRUE(live_.CreateMask("ocean", kShape.WithV(1)).ok());
    before_ = live_.Snapshot();
  }

  void TearDown() override {
    v1::ServerInfo info;
    grpc::ClientContext context;
    ASSERT_TRUE(live_.about().GetServerInfo(&context, {}, &info).ok());
    EXPECT_EQ(info.num_fields(), 3);
    EXPECT_EQ(info.memory_used_bytes(), memory_used_bytes_at(before_));
    EXPECT_EQ(live_.Snapshot(), before_);
    // The next call works as if nothing had been.
    EXPECT_TRUE(live_.Execute("reduce { total = sum(temp) }").ok());
  }

  LiveServer live_{int64_t{16} << 20};
  std::string before_;
};

TEST_F(BadInputTest, UnknownFieldIsNotFoundWithTheNearestName) {
  const CallError error = ErrorOf(live_.Execute("salt = tempp * 2.0"));

  EXPECT_EQ(error.code, grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(error.reason, "NAME_NOT_FOUND");
  EXPECT_EQ(error.domain, "layoutd");
  EXPECT_THAT(error.message, AllOf(HasSubstr("tempp"), HasSubstr("\"temp\"")));
  EXPECT_THAT(error.paths, ElementsAre("program.text:1:8"));
}
