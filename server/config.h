#ifndef LAYOUTD_SERVER_CONFIG_H_
#define LAYOUTD_SERVER_CONFIG_H_

// The configuration of the process: flags, and for each the environment
// variable LAYOUTD_*; a flag wins over its variable.

#include <string>
#include <variant>
#include <vector>

#include "engine/engine.h"
#include "server/listen_address.h"

namespace layoutd {

struct Config {
  std::vector<ListenAddress> listen;  // at least one
  EngineOptions engine;
  std::string log_level = "info";  // spdlog's names
};

// The process ends before it starts: --help, --version, or a usage error.
struct EarlyExit {
  int exit_code = 0;  // 0, or 2 for a usage error
  std::string text;   // to stdout when the code is 0, else to stderr
};

// Parses the command line and the environment. Other addresses than loopback
// and unix sockets are refused without --insecure-anonymous.
std::variant<Config, EarlyExit> ParseConfig(int argc, const char* const* argv);

}  // namespace layoutd

#endif  // LAYOUTD_SERVER_CONFIG_H_
