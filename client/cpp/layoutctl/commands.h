#ifndef LAYOUTD_CLIENT_CPP_LAYOUTCTL_COMMANDS_H_
#define LAYOUTD_CLIENT_CPP_LAYOUTCTL_COMMANDS_H_

// The commands of layoutctl. Parsing a command line leaves the chosen command
// in an Invocation; main connects and runs it. Nothing is printed to standard
// output before a command has succeeded.

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "client/cpp/client.h"

namespace layoutd::client {

// What one command line asks for.
struct Invocation {
  std::string target = "127.0.0.1:5733";
  bool json = false;
  std::function<absl::Status(Client&)> command;
  // Set instead of `command` when the arguments contradict each other.
  std::string usage_error;
};

// Each adds its commands to `app`; `invocation` must outlive the parsing.
void AddInfoCommand(CLI::App& app, Invocation& invocation);
void AddFieldCommands(CLI::App& app, Invocation& invocation);
// field put, field get; called by AddFieldCommands.
void AddTransferCommands(CLI::App& field, Invocation& invocation);
void AddMaskCommands(CLI::App& app, Invocation& invocation);
void AddRunCommand(CLI::App& app, Invocation& invocation);
void AddEstimateCommand(CLI::App& app, Invocation& invocation);

// Adds a command to `group` that runs on the id which is its only argument.
void AddIdCommand(
    CLI::App& group, Invocation& invocation, const std::string& name,
    const std::string& description,
    std::function<absl::Status(Client&, const std::string& id)> run);

// Says that `id` has been deleted.
absl::Status PrintDeleted(const std::string& id, bool json);

}  // namespace layoutd::client

#endif  // LAYOUTD_CLIENT_CPP_LAYOUTCTL_COMMANDS_H_
