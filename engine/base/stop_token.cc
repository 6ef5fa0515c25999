#include "engine/base/stop_token.h"

#include "engine/base/error.h"

namespace layoutd {

absl::Status StopToken::status() const {
  if (state_->cancelled.load()) {
    return Error(absl::StatusCode::kCancelled, "CANCELLED",
                 "the operation was cancelled; nothing was published");
  }
  if (PastDeadline()) {
    return Error(absl::StatusCode::kDeadlineExceeded, "DEADLINE_EXCEEDED",
                 "the deadline passed; nothing was published");
  }
  return absl::OkStatus();
}

}  // namespace layoutd
