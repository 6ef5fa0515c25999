#ifndef LAYOUTD_CLIENT_CPP_LAYOUTCTL_PROGRAM_ARGUMENTS_H_
#define LAYOUTD_CLIENT_CPP_LAYOUTCTL_PROGRAM_ARGUMENTS_H_

// How `run` and `estimate` take a program: TEXT, -f FILE or -, and --bind.

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/cpp/client.h"

namespace layoutd::client {

struct ProgramArguments {
  std::string text;
  std::string path;
  std::vector<std::string> bindings;  // "name=FIELD"
};

// Adds the options to `command`; what they are given is there once it is
// parsed.
std::shared_ptr<ProgramArguments> AddProgramArguments(CLI::App& command);

// Returns the text of the program.
// Errors: those of InputFile.
absl::StatusOr<std::string> ReadText(const ProgramArguments& program);

Bindings BindingsOf(const ProgramArguments& program);

}  // namespace layoutd::client

#endif  // LAYOUTD_CLIENT_CPP_LAYOUTCTL_PROGRAM_ARGUMENTS_H_
