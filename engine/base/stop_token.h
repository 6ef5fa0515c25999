#ifndef LAYOUTD_ENGINE_BASE_STOP_TOKEN_H_
#define LAYOUTD_ENGINE_BASE_STOP_TOKEN_H_

// How a running operation is told to stop: by its client (cancel, disconnect)
// or by its deadline. Copies share one state; all methods are thread-safe.

#include <atomic>
#include <memory>

#include "absl/status/status.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace layoutd {

class StopToken {
 public:
  // Returns a token that stops by itself at `deadline`.
  explicit StopToken(absl::Time deadline = absl::InfiniteFuture())
      : state_(std::make_shared<State>()) {
    state_->deadline = deadline;
  }

  void Cancel() const { state_->cancelled.store(true); }

  // Cost: an atomic load and, when there is a deadline, a clock read. Polled
  // once per chunk of work.
  bool stopped() const {
    return state_->cancelled.load(std::memory_order_relaxed) || PastDeadline();
  }

  // Returns the word that Cancel sets, for kernels to poll; it lives as long as
  // any copy of the token.
  const std::atomic<bool>* word() const { return &state_->cancelled; }

  // Returns OK, CANCELLED (reason CANCELLED) or DEADLINE_EXCEEDED.
  absl::Status status() const;

 private:
  struct State {
    std::atomic<bool> cancelled = false;
    absl::Time deadline;
  };
  bool PastDeadline() const {
    return state_->deadline != absl::InfiniteFuture() &&
           absl::Now() >= state_->deadline;
  }
  // Shared by the caller who cancels and the operation that polls.
  std::shared_ptr<State> state_;
};

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_BASE_STOP_TOKEN_H_
