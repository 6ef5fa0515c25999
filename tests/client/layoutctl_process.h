#ifndef LAYOUTD_TESTS_CLIENT_LAYOUTCTL_PROCESS_H_
#define LAYOUTD_TESTS_CLIENT_LAYOUTCTL_PROCESS_H_

// Runs of the real program, as a script sees them.

#include <string>

namespace layoutd::client {

struct Outcome {
  int exit_code;
  std::string out;
  std::string err;
};

// Runs layoutctl with `arguments`, in the words of a shell.
Outcome Layoutctl(const std::string& arguments);

// Runs a command of a shell, in which $LAYOUTCTL is the program.
Outcome Shell(const std::string& command);

}  // namespace layoutd::client

#endif  // LAYOUTD_TESTS_CLIENT_LAYOUTCTL_PROCESS_H_
