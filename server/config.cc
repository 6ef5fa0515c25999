#include "server/config.h"

#include <utility>

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "engine/base/error.h"
#include "engine/base/status_macros.h"
#include "server/memory_limit.h"

namespace layoutd {
namespace {

constexpr int kUsageError = 2;

// What the flags say, before it is checked.
struct Flags {
  std::vector<std::string> listen = {"127.0.0.1:5733"};
  std::string memory_limit;
  bool insecure_anonymous = false;
  Config config;
};

void AddFlags(CLI::App* app, Flags* flags) {
  EngineOptions& engine = flags->config.engine;
  app->set_version_flag("--version", "layoutd " LAYOUTD_VERSION);
  app->add_option(
         "--listen", flags->listen,
         "HOST:PORT, [IPv6]:PORT or unix:PATH; several with commas, or "
         "given more than once")
      ->envname("LAYOUTD_LISTEN")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->capture_default_str();
  app->add_option("--device", engine.device, "where fields live: cpu")
      ->envname("LAYOUTD_DEVICE")
      ->capture_default_str();
  app->add_option("--memory-limit", flags->memory_limit,
                  "8GiB, 512MiB or bytes; default: 80 % of the container's or "
                  "machine's memory")
      ->envname("LAYOUTD_MEMORY_LIMIT");
  app->add_option("--threads", engine.num_threads,
                  "threads that compute; 0: the CPU quota")
      ->envname("LAYOUTD_THREADS")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  app->add_option("--operation-threads", engine.num_operation_threads,
                  "operations that may run at once")
      ->envname("LAYOUTD_OPERATION_THREADS")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  app->add_option("--vector-bits", engine.vector_bits,
                  "width of generated vectors; 0: the CPU's widest")
      ->envname("LAYOUTD_VECTOR_BITS")
      ->check(CLI::IsMember({0, 128, 256, 512}))
      ->capture_default_str();
  app->add_flag("--insecure-anonymous", flags->insecure_anonymous,
                "listen beyond this machine without authentication")
      ->envname("LAYOUTD_INSECURE_ANONYMOUS");
  app->add_option("--log-level", flags->config.log_level,
                  "of the log on stderr")
      ->envname("LAYOUTD_LOG_LEVEL")
      ->check(CLI::IsMember(
          {"trace", "debug", "info", "warn", "error", "critical", "off"}))
      ->capture_default_str();
}

absl::StatusOr<Config> Check(Flags flags) {
  Config config = std::move(flags.config);
  for (const std::string& text : flags.listen) {
    ASSIGN_OR_RETURN(ListenAddress address, ParseListenAddress(text));
    if (!address.IsLocal() && !flags.insecure_anonymous) {
      return InvalidArgument(
          "INSECURE",
          absl::StrCat("refusing to listen on ", text,
                       ": anyone who reaches it could read and change all "
                       "fields; listen on loopback or a unix socket, or give "
                       "--insecure-anonymous"));
    }
    config.listen.push_back(std::move(address));
  }
  if (config.listen.empty()) {
    return InvalidArgument("BAD_ADDRESS", "--listen needs an address");
  }
  config.engine.memory_limit_bytes = DefaultMemoryLimit();
  if (!flags.memory_limit.empty()) {
    ASSIGN_OR_RETURN(config.engine.memory_limit_bytes,
                     ParseByteSize(flags.memory_limit));
  }
  return config;
}

}  // namespace

std::variant<Config, EarlyExit> ParseConfig(int argc, const char* const* argv) {
  Flags flags;
  CLI::App app("layoutd: owns simulation fields and computes on them",
               "layoutd");
  AddFlags(&app, &flags);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return EarlyExit{.exit_code = 0, .text = app.help()};
  } catch (const CLI::CallForVersion& version) {
    return EarlyExit{.exit_code = 0,
                     .text = absl::StrCat(version.what(), "\n")};
  } catch (const CLI::ParseError& error) {
    return EarlyExit{.exit_code = kUsageError,
                     .text = absl::StrCat("layoutd: ", error.what(), "\n")};
  }
  absl::StatusOr<Config> config = Check(std::move(flags));
  if (!config.ok()) {
    return EarlyExit{
        .exit_code = kUsageError,
        .text = absl::StrCat(
            "layoutd: ", std::string(config.status().message()), "\n")};
  }
  return *std::move(config);
}

}  // namespace layoutd
