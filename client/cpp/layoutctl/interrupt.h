#ifndef LAYOUTD_CLIENT_CPP_LAYOUTCTL_INTERRUPT_H_
#define LAYOUTD_CLIENT_CPP_LAYOUTCTL_INTERRUPT_H_

// Ctrl-C: cancels the calls in flight, on the server too, and lets the command
// end; ends the process when there is none, or it does not.

#include <atomic>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "client/cpp/client.h"

namespace layoutd::client {

// What the process returns after Ctrl-C.
inline constexpr int kInterruptedExit = 130;

// Takes SIGINT for the whole process; create it before any other thread.
class InterruptWatcher {
 public:
  InterruptWatcher();
  ~InterruptWatcher();
  InterruptWatcher(const InterruptWatcher&) = delete;
  InterruptWatcher& operator=(const InterruptWatcher&) = delete;

  // The client to cancel, or null; it must live until it is replaced.
  void Watch(Client* client);

  bool is_interrupted() const { return is_interrupted_; }

 private:
  void Run();

  absl::Mutex mutex_;
  Client* client_ ABSL_GUARDED_BY(mutex_) = nullptr;
  std::atomic<bool> is_interrupted_ = false;
  std::atomic<bool> is_done_ = false;
  std::thread thread_;
};

}  // namespace layoutd::client

#endif  // LAYOUTD_CLIENT_CPP_LAYOUTCTL_INTERRUPT_H_
