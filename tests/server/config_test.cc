#include "server/config.h"

#include <cstdlib>
#include <string>
#include <variant>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace layoutd {
namespace {

using testing::HasSubstr;

std::variant<Config, EarlyExit> Parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "layoutd");
  return ParseConfig(static_cast<int>(arguments.size()), arguments.data());
}

Config ParseOk(const std::vector<const char*>& arguments) {
  const auto parsed = Parse(arguments);
  if (const auto* exit = std::get_if<EarlyExit>(&parsed)) {
    ADD_FAILURE() << exit->text;
    return {};
  }
  return std::get<Config>(parsed);
}

// Sets an environment variable for one test.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const char* value) : name_(name) {
    setenv(name, value, 1);
  }
  ~ScopedVariable() { unsetenv(name_); }

 private:
  const char* const name_;
};

TEST(ConfigTest, DefaultsAreLoopbackAndTheMachinesMemory) {
  const Config config = ParseOk({});

  ASSERT_EQ(config.listen.size(), 1u);
  EXPECT_EQ(ToString(config.listen[0]), "127.0.0.1:5733");
  EXPECT_EQ(config.engine.device, "cpu");
  EXPECT_EQ(config.engine.num_threads, 0);
  EXPECT_EQ(config.engine.num_operation_threads, 4);
  EXPECT_EQ(config.engine.vector_bits, 0);
  EXPECT_GT(config.engine.memory_limit_bytes, 1 << 20);
  EXPECT_EQ(config.log_level, "info");
}

TEST(ConfigTest, FlagsSetEverything) {
  const Config config =
      ParseOk({"--listen", "127.0.0.1:0", "--listen=unix:/run/layoutd.sock",
               "--device", "cpu", "--memory-limit", "512MiB", "--threads", "7",
               "--operation-threads", "3", "--vector-bits", "256",
               "--log-level", "warn"});

  ASSERT_EQ(config.listen.size(), 2u);
  EXPECT_EQ(ToString(config.listen[0]), "127.0.0.1:0");
  EXPECT_EQ(ToString(config.listen[1]), "unix:/run/layoutd.sock");
  EXPECT_EQ(config.engine.memory_limit_bytes, 512 << 20);
  EXPECT_EQ(config.engine.num_threads, 7);
  EXPECT_EQ(config.engine.num_operation_threads, 3);
  EXPECT_EQ(config.engine.vector_bits, 256);
  EXPECT_EQ(config.log_level, "warn");
}

TEST(ConfigTest, EnvironmentSetsWhatNoFlagDoes) {
  const ScopedVariable listen("LAYOUTD_LISTEN", "[::1]:7,unix:a.sock");
  const ScopedVariable memory("LAYOUTD_MEMORY_LIMIT", "1GiB");
  const ScopedVariable threads("LAYOUTD_THREADS", "5");

  const Config config = ParseOk({"--threads", "2"});

  ASSERT_EQ(config.listen.size(), 2u);
  EXPECT_EQ(ToString(config.listen[0]), "[::1]:7");
  EXPECT_EQ(ToString(config.listen[1]), "unix:a.sock");
  EXPECT_EQ(config.engine.memory_limit_bytes, 1 << 30);
  EXPECT_EQ(config.engine.num_threads, 2);
}

TEST(ConfigTest, WhatIsWrongEndsWithCodeTwoAndAMessage) {
  struct Case {
    std::vector<const char*> arguments;
    const char* message;
  };
  const Case cases[] = {
      {{"--no-such-flag"}, "--no-such-flag"},
      {{"--threads", "many"}, "many"},
      {{"--threads", "-1"}, "-1"},
      {{"--vector-bits", "100"}, "100"},
      {{"--memory-limit", "8 horses"}, "8 horses"},
      {{"--memory-limit", "0"}, "\"0\""},
      {{"--listen", "nowhere"}, "no port"},
      {{"--listen", "127.0.0.1:99999"}, "99999"},
      {{"--log-level", "loud"}, "loud"},
      {{"stray"}, "stray"},
  };
  for (const Case& c : cases) {
    const auto parsed = Parse(c.arguments);

    ASSERT_TRUE(std::holds_alternative<EarlyExit>(parsed)) << c.message;
    EXPECT_EQ(std::get<EarlyExit>(parsed).exit_code, 2);
    EXPECT_THAT(std::get<EarlyExit>(parsed).text, HasSubstr(c.message));
  }
}

TEST(ConfigTest, OnlyThisMachineReachesItWithoutTheFlag) {
  for (const char* address :
       {"0.0.0.0:5733", "[::]:5733", "10.1.2.3:0", "[::ffff:10.0.0.1]:0"}) {
    const auto refused = Parse({"--listen", address});

    ASSERT_TRUE(std::holds_alternative<EarlyExit>(refused)) << address;
    EXPECT_EQ(std::get<EarlyExit>(refused).exit_code, 2);
    EXPECT_THAT(std::get<EarlyExit>(refused).text,
                HasSubstr("--insecure-anonymous"));
    EXPECT_EQ(
        ParseOk({"--listen", address, "--insecure-anonymous"}).listen.size(),
        1u);
  }
}

TEST(ConfigTest, LoopbackInEveryFormIsTaken) {
  for (const char* address : {"127.0.0.1:0", "127.1.2.3:0", "[::1]:0",
                              "localhost:0", "unix:layoutd.sock"}) {
    EXPECT_EQ(ParseOk({"--listen", address}).listen.size(), 1u) << address;
  }
  EXPECT_EQ(ToString(ParseOk({"--listen", "localhost:80"}).listen[0]),
            "127.0.0.1:80");
}

TEST(ConfigTest, HelpNamesEveryFlagAndEndsWithCodeZero) {
  const auto parsed = Parse({"--help"});

  ASSERT_TRUE(std::holds_alternative<EarlyExit>(parsed));
  EXPECT_EQ(std::get<EarlyExit>(parsed).exit_code, 0);
  for (const char* flag :
       {"--listen", "--device", "--memory-limit", "--threads",
        "--operation-threads", "--vector-bits", "--insecure-anonymous",
        "--log-level", "LAYOUTD_LISTEN"}) {
    EXPECT_THAT(std::get<EarlyExit>(parsed).text, HasSubstr(flag));
  }
}

}  // namespace
}  // namespace layoutd
