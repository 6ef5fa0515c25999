// layoutd: parses its configuration, starts engine and server, and waits for a
// signal.

#include <malloc.h>
#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/engine.h"
#include "grpc/support/log.h"
#include "server/config.h"
#include "server/server.h"
#include "spdlog/sinks/stdout_sinks.h"
#include "spdlog/spdlog.h"

namespace layoutd {
namespace {

constexpr absl::Duration kDrainGrace = absl::Seconds(30);

// gRPC receives into fresh heap memory; with glibc's defaults that memory goes
// back to the system after every message and is faulted in again: uploads run
// at 0.14 of a raw socket, with these at 0.77.
void TuneMalloc() {
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 64 << 20);
  mallopt(M_ARENA_MAX, 1);
}

// What gRPC has to say is for debugging: its errors come to the client, or to
// us, as statuses.
void LogForGrpc(gpr_log_func_args* args) {
  spdlog::debug("grpc: {}", args->message);
}

void SetUpLog(const std::string& level) {
  spdlog::set_default_logger(spdlog::stderr_logger_mt("layoutd"));
  spdlog::set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %l %v");
  spdlog::set_level(spdlog::level::from_str(level));
  gpr_set_log_function(LogForGrpc);
}

// The signals that end the process, blocked in every thread and waited for.
sigset_t BlockSignals() {
  std::signal(SIGPIPE, SIG_IGN);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

int WaitForSignal(const sigset_t& signals) {
  int signal = 0;
  sigwait(&signals, &signal);
  return signal;
}

int Fail(const absl::Status& status) {
  std::fprintf(stderr, "layoutd: %s\n", std::string(status.message()).c_str());
  return absl::IsInvalidArgument(status) ? 2 : 1;
}

int Run(const Config& config) {
  // Before any thread is there: they inherit the mask.
  const sigset_t signals = BlockSignals();
  SetUpLog(config.log_level);
  absl::StatusOr<std::unique_ptr<Engine>> engine =
      Engine::Create(config.engine);
  if (!engine.ok()) return Fail(engine.status());
  absl::StatusOr<std::unique_ptr<Server>> server =
      Server::Start(engine->get(), config.listen);
  if (!server.ok()) return Fail(server.status());

  std::printf("layoutd listening on %s\n",
              absl::StrJoin((*server)->addresses(), ", ").c_str());
  std::fflush(stdout);
  const EngineInfo info = (*engine)->Info();
  spdlog::info("device {}, {} threads, memory limit {} bytes", info.device,
               info.num_threads, info.memory_limit_bytes);

  spdlog::info("signal {}: draining", WaitForSignal(signals));
  std::thread([signals] { _exit(128 + WaitForSignal(signals)); }).detach();
  (*server)->Drain(kDrainGrace);
  spdlog::info("drained");
  return 0;
}

}  // namespace
}  // namespace layoutd

int main(int argc, char** argv) {
  layoutd::TuneMalloc();
  auto parsed = layoutd::ParseConfig(argc, argv);
  if (const auto* exit = std::get_if<layoutd::EarlyExit>(&parsed)) {
    std::fputs(exit->text.c_str(), exit->exit_code == 0 ? stdout : stderr);
    return exit->exit_code;
  }
  return layoutd::Run(std::get<layoutd::Config>(parsed));
}
