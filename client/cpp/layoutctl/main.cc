// layoutctl: the command line of layoutd. Exits with 0, 1 after an error of the
// server or a file, 2 after wrong usage, 130 after Ctrl-C, 143 after SIGTERM.

#include <malloc.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "client/cpp/client.h"
#include "client/cpp/error.h"
#include "client/cpp/json.h"
#include "client/cpp/layoutctl/argument.h"
#include "client/cpp/layoutctl/commands.h"
#include "client/cpp/layoutctl/interrupt.h"
#include "client/cpp/layoutctl/print.h"
#include "client/cpp/layoutctl/standard_streams.h"
#include "client/cpp/status_macros.h"

namespace layoutd::client {
namespace {

constexpr int kErrorExit = 1;
constexpr int kUsageExit = 2;

// gRPC receives every message into freshly malloc'ed slices and frees them soon
// after. Measured: with the default trimming their pages go back to the system
// and are faulted in again each time, and transfers fall to the order of
// 0.1 GB/s. So freed memory stays with the process.
void TuneMalloc() {
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 64 << 20);
  mallopt(M_ARENA_MAX, 1);
}

absl::Status Run(const Invocation& invocation, InterruptWatcher& interrupts) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Client> client,
                   Client::Connect(invocation.target));
  interrupts.Watch(client.get());
  absl::Status status = invocation.command(*client);
  interrupts.Watch(nullptr);
  return status;
}

int Main(int argc, char** argv) {
  InterruptWatcher interrupts;
  Invocation invocation;
  CLI::App app("Works with the fields of a layoutd server.", "layoutctl");
  app.fallthrough();  // --target and --json may stand after the command
  app.require_subcommand(1);
  app.set_version_flag("--version", "layoutctl " LAYOUTD_VERSION);
  app.add_option("--target", invocation.target, "HOST:PORT or unix:PATH")
      ->check(CheckTargetArgument)
      ->envname("LAYOUTD_TARGET")
      ->capture_default_str();
  app.add_flag("--json", invocation.json, "Print one JSON document");
  AddInfoCommand(app, invocation);
  AddFieldCommands(app, invocation);
  AddMaskCommands(app, invocation);
  AddRunCommand(app, invocation);
  AddEstimateCommand(app, invocation);
  std::vector<std::string> arguments = ReadArguments(argc, argv);
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kUsageExit;
  }
  if (!invocation.usage_error.empty()) {
    std::fprintf(stderr, "%s\n", invocation.usage_error.c_str());
    return kUsageExit;
  }
  absl::Status status = Run(invocation, interrupts);
  if (status.ok()) return 0;
  if (interrupts.exit_code() != 0) {
    status = MakeError(absl::StatusCode::kCancelled, "INTERRUPTED",
                       "interrupted, and cancelled on the server");
  }
  PrintError(status, invocation.json);
  if (invocation.json) PrintLine(ErrorJson(ErrorOf(status))).IgnoreError();
  return interrupts.exit_code() != 0 ? interrupts.exit_code() : kErrorExit;
}

}  // namespace
}  // namespace layoutd::client

int main(int argc, char** argv) {
  layoutd::client::OccupyStandardStreams();
  layoutd::client::TuneMalloc();
  // Standard error is ours: an error there is one line. Who wants gRPC's log
  // sets the variable.
  setenv("GRPC_VERBOSITY", "NONE", /*overwrite=*/0);
  return layoutd::client::Main(argc, argv);
}
