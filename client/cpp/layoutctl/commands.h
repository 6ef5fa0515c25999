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

// A field, or a component of it, as the command line names it.
struct FieldReference {
  std::string id;
  std::string component;  // "u.2"; empty: the whole value
};

// Splits "ID.u.2" at its first dot: ids have none.
FieldReference ParseFieldReference(const std::string& text);

}  // namespace layoutd::client

#endif  // LAYOUTD_CLIENT_CPP_LAYOUTCTL_COMMANDS_H_
