// The command line as scripts see it: exit code, standard output and standard
// error of the real program, without a server.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/client/layoutctl_process.h"

namespace layoutd::client {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kNobody[] = "--target unix:/tmp/no_layoutd_listens_here ";

TEST(LayoutctlTest, WrongUsageExitsTwoWithNothingOnStandardOutput) {
  for (const char* arguments : {"",
                                "nonsense",
                                "field",
                                "field create x",
                                "field create --type f64",
                                "field create x --type f64 --nv three",
                                "field create x --type f64 --layout XYZ",
                                "field create x --type f64 --attr units",
                                "field show",
                                "field show a b",
                                "field put x",
                                "field put x.u.2 x.npy",
                                "field get x - --json",
                                "field fill x",
                                "mask create m",
                                "mask set m",
                                "mask set m --all --none",
                                "run",
                                "run a -f b",
                                "run a --bind t",
                                "run ''",
                                "run -f ''",
                                "estimate",
                                "estimate a -f b",
                                "estimate a --bind t",
                                "estimate a --profile",
                                "mask set m --from ''",
                                "mask set m --where ''",
                                "field put x ''",
                                "field get x ''",
                                "field get tup. f.npy",
                                "field fill tup. 2.5",
                                "field fill .u 2.5",
                                "field fill x ''",
                                "field fill x -infinity",
                                "info --target localhost",
                                "info --target localhost:http",
                                "info --target unix:",
                                "info --nonsense",
                                "--json"}) {
    const Outcome outcome = Layoutctl(arguments);
    EXPECT_EQ(outcome.exit_code, 2) << arguments;
    EXPECT_EQ(outcome.out, "") << arguments;
    EXPECT_NE(outcome.err, "") << arguments;
  }
}

TEST(LayoutctlTest, HelpAndVersionGoToStandardOutput) {
  const Outcome help = Layoutctl("field create --help");
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.out, HasSubstr("--type"));
  const Outcome version = Layoutctl("--version");
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_EQ(version.out, "layoutctl " LAYOUTD_VERSION "\n");
}

TEST(LayoutctlTest, AnUnreachableServerExitsOneWithOneLine) {
  const Outcome outcome = Layoutctl(std::string(kNobody) + "info");

  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err,
            "error: UNAVAILABLE UNREACHABLE: cannot reach layoutd at "
            "unix:/tmp/no_layoutd_listens_here: no such file or directory\n");
}

TEST(LayoutctlTest, OnlyItsOwnLineStandsOnStandardError) {
  // gRPC logs that there is no such interface.
  const Outcome outcome = Layoutctl("--target '[::1%no_zone]:1' info");

  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.err,
            "error: UNAVAILABLE UNREACHABLE: cannot reach layoutd at "
            "[::1%no_zone]:1\n");
}

TEST(LayoutctlTest, JsonErrorsAreOneDocument) {
  const Outcome outcome = Layoutctl(std::string(kNobody) + "field list --json");

  EXPECT_EQ(outcome.exit_code, 1);
  const nlohmann::json error = nlohmann::json::parse(outcome.out)["error"];
  EXPECT_EQ(error["code"], "UNAVAILABLE");
  EXPECT_EQ(error["reason"], "UNREACHABLE");
  EXPECT_TRUE(error["metadata"].is_object());
  EXPECT_TRUE(error["violations"].is_array());
}

TEST(LayoutctlTest, TheTargetComesFromTheEnvironment) {
  setenv("LAYOUTD_TARGET", "unix:/tmp/no_layoutd_from_environment", 1);
  const Outcome outcome = Layoutctl("info");
  unsetenv("LAYOUTD_TARGET");

  EXPECT_THAT(outcome.err, HasSubstr("unix:/tmp/no_layoutd_from_environment"));
}

TEST(LayoutctlTest, NegativeNumbersAreValuesNotOptions) {
  const Outcome outcome =
      Layoutctl(std::string(kNobody) + "field fill x -1.5e3");

  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, StartsWith("error: UNAVAILABLE"));
}

}  // namespace
}  // namespace layoutd::client
