#include "client/cpp/target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "client/cpp/error.h"

namespace layoutd::client {
namespace {

using ::testing::HasSubstr;

TEST(TargetTest, HostsAddressesAndSocketsAreTargets) {
  for (const char* target :
       {"localhost:1", "127.0.0.1:5733", "node-7.cluster_a:65535", "[::1]:5733",
        "[fe80::1%eth0]:80", "unix:/run/layoutd/socket", "unix:socket"}) {
    EXPECT_TRUE(CheckTarget(target).ok()) << CheckTarget(target);
  }
}

TEST(TargetTest, OtherFormsAreRefusedByName) {
  for (const std::string& target :
       {std::string(), std::string("localhost"), std::string(":5733"),
        std::string("localhost:"), std::string("localhost:http"),
        std::string("localhost:0"), std::string("localhost:65536"),
        std::string("localhost:-1"), std::string("localhost: 80"),
        std::string("a b:80"), std::string("::1:80"), std::string("[::1:80"),
        std::string("[nonsense]:80"), std::string("http://localhost:80"),
        std::string("localhost:99999999999999999999"), std::string("unix:"),
        "unix:/" + std::string(107, 'x')}) {
    const Error error = ErrorOf(CheckTarget(target));
    EXPECT_EQ(error.code, absl::StatusCode::kInvalidArgument) << target;
    EXPECT_EQ(error.reason, "BAD_TARGET") << target;
    EXPECT_THAT(error.message, HasSubstr("\"" + target + "\""));
  }
}

TEST(TargetTest, TheSystemSaysWhyASocketDoesNotAnswer) {
  EXPECT_EQ(WhyUnreachable("unix:/tmp/no_layoutd_listens_here"),
            "no such file or directory");
  EXPECT_EQ(WhyUnreachable("unix:/dev/null"), "connection refused");
  EXPECT_EQ(WhyUnreachable("127.0.0.1:1"), "");
}

}  // namespace
}  // namespace layoutd::client
