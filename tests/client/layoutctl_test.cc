// The command line as scripts see it: exit code, standard output and standard
// error of the real program, without a server.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

namespace layoutd::client {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Outcome {
  int exit_code;
  std::string out;
  std::string err;
};

std::string ReadAndRemove(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  unlink(path.c_str());
  return text.str();
}

// Runs layoutctl with `arguments`, in the words of a shell.
Outcome Layoutctl(const std::string& arguments) {
  const std::string prefix = "/tmp/layoutctl_test_" + std::to_string(getpid());
  const std::string out = prefix + ".out", err = prefix + ".err";
  const std::string command = std::string(LAYOUTCTL_PATH) + " " + arguments +
                              " </dev/null >" + out + " 2>" + err;
  const int status = std::system(command.c_str());
  return {WEXITSTATUS(status), ReadAndRemove(out), ReadAndRemove(err)};
}

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
  EXPECT_EQ(Layoutctl("--version").exit_code, 0);
}

TEST(LayoutctlTest, AnUnreachableServerExitsOneWithOneLine) {
  const Outcome outcome = Layoutctl(std::string(kNobody) + "info");

  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err,
            "error: UNAVAILABLE UNREACHABLE: cannot reach layoutd at "
            "unix:/tmp/no_layoutd_listens_here\n");
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
