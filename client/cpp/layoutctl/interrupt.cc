#include "client/cpp/layoutctl/interrupt.h"

#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <ctime>

namespace layoutd::client {
namespace {

// How long a cancelled command may take to end: it may be reading a pipe that
// never gives anything.
constexpr timespec kGrace = {.tv_sec = 1, .tv_nsec = 0};

sigset_t Interrupts() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  return signals;
}

}  // namespace

InterruptWatcher::InterruptWatcher() {
  // Blocked here and so in every later thread: only Run takes it.
  const sigset_t signals = Interrupts();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  thread_ = std::thread([this] { Run(); });
}

InterruptWatcher::~InterruptWatcher() {
  is_done_ = true;
  pthread_kill(thread_.native_handle(), SIGINT);
  thread_.join();
}

void InterruptWatcher::Watch(Client* client) {
  absl::MutexLock lock(&mutex_);
  client_ = client;
}

void InterruptWatcher::Run() {
  const sigset_t signals = Interrupts();
  int signal;
  sigwait(&signals, &signal);
  if (is_done_) return;
  exit_code_ = 128 + signal;
  {
    absl::MutexLock lock(&mutex_);
    if (client_ == nullptr) _exit(exit_code_);
    client_->Cancel();
  }
  // Another signal, or too long: go now.
  sigtimedwait(&signals, nullptr, &kGrace);
  if (!is_done_) _exit(exit_code_);
}

}  // namespace layoutd::client
