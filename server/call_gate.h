#ifndef LAYOUTD_SERVER_CALL_GATE_H_
#define LAYOUTD_SERVER_CALL_GATE_H_

// Counts the calls in progress and, once closed, lets no more in: how a drain
// knows that nothing is left, while health checks are still answered.

#include <cstdint>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace layoutd {

// Threads: safe. Outlives its tickets.
class CallGate {
 public:
  // One call in progress, for as long as this lives.
  class Ticket {
   public:
    explicit Ticket(CallGate* gate) : gate_(gate), admitted_(gate->Enter()) {}
    ~Ticket() { gate_->Leave(); }
    Ticket(const Ticket&) = delete;
    Ticket& operator=(const Ticket&) = delete;

    // Returns OK, or Unavailable (DRAINING) when the gate was closed.
    absl::Status status() const;

   private:
    CallGate* const gate_;
    const bool admitted_;
  };

  // Refuses every call from now on.
  void Close();

  // Waits until no call is in progress; returns whether that came before
  // `deadline`.
  bool WaitUntilIdle(absl::Time deadline);

 private:
  bool Enter();
  void Leave();

  absl::Mutex mutex_;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
  int64_t num_calls_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace layoutd

#endif  // LAYOUTD_SERVER_CALL_GATE_H_
