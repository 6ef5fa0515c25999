#include "server/call_gate.h"

#include "engine/base/error.h"

namespace layoutd {

absl::Status CallGate::Ticket::status() const {
  if (admitted_) return absl::OkStatus();
  return Error(absl::StatusCode::kUnavailable, "DRAINING",
               "the server is shutting down and takes no more calls");
}

void CallGate::Close() {
  absl::MutexLock lock(&mutex_);
  closed_ = true;
}

bool CallGate::WaitUntilIdle(absl::Time deadline) {
  absl::MutexLock lock(&mutex_);
  const auto idle = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return num_calls_ == 0;
  };
  return mutex_.AwaitWithDeadline(absl::Condition(&idle), deadline);
}

bool CallGate::Enter() {
  absl::MutexLock lock(&mutex_);
  ++num_calls_;
  return !closed_;
}

void CallGate::Leave() {
  absl::MutexLock lock(&mutex_);
  --num_calls_;
}

}  // namespace layoutd
