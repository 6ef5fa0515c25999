#include "tests/client/layoutctl_process.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace layoutd::client {
namespace {

std::string ReadAndRemove(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  unlink(path.c_str());
  return text.str();
}

}  // namespace

Outcome Layoutctl(const std::string& arguments) {
  return Shell("$LAYOUTCTL " + arguments);
}

Outcome Shell(const std::string& command) {
  const std::string prefix = "/tmp/layoutctl_test_" + std::to_string(getpid());
  const std::string out = prefix + ".out", err = prefix + ".err";
  setenv("LAYOUTCTL", LAYOUTCTL_PATH, 1);
  const std::string line =
      "{ " + command + "\n} </dev/null >" + out + " 2>" + err;
  const int status = std::system(line.c_str());
  return {WEXITSTATUS(status), ReadAndRemove(out), ReadAndRemove(err)};
}

}  // namespace layoutd::client
