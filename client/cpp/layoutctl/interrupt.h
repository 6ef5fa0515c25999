#ifndef LAYOUTD_CLIENT_CPP_LAYOUTCTL_INTERRUPT_H_
#define LAYOUTD_CLIENT_CPP_LAYOUTCTL_INTERRUPT_H_

// Ctrl-C and SIGTERM: each cancels the calls in flight, on the server too, and
// lets the command end; ends the process when there is none, or it does not.

#include <atomic>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "client/cpp/client.h"

namespace layoutd::client {

// Takes SIGINT and SIGTERM for the whole process; create it before any other
// thread.
class InterruptWatcher {
 public:
  InterruptWatcher();
  ~InterruptWatcher();
  InterruptWatcher(const InterruptWatcher&) = delete;
  InterruptWatcher& operator=(const InterruptWatcher&) = delete;

  // The client to cancel, or null; it must live until it is replaced.
  void Watch(Client* client);

  // What the process returns after the signal that came, as a shell reports it
  // (130 after Ctrl-C, 143 after SIGTERM); 0 when none did.
  int exit_code() const { return exit_code_; }

 private:
  void Run();

  absl::Mutex mutex_;
  Client* client_ ABSL_GUARDED_BY(mutex_) = nullptr;
  std::atomic<int> exit_code_ = 0;
  std::atomic<bool> is_done_ = false;
  std::thread thread_;
};

}  // namespace layoutd::client

#endif  // LAYOUTD_CLIENT_CPP_LAYOUTCTL_INTERRUPT_H_
