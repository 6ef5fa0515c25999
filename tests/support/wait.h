#ifndef LAYOUTD_TESTS_SUPPORT_WAIT_H_
#define LAYOUTD_TESTS_SUPPORT_WAIT_H_

// The Engine's asynchronous calls as calls that wait.

#include <functional>
#include <optional>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/synchronization/notification.h"
#include "engine/engine.h"

namespace layoutd {

// Returns what `start` reports through the callback it is given.
template <typename T>
absl::StatusOr<T> Wait(const std::function<void(Done<T>)>& start) {
  absl::Notification done;
  std::optional<absl::StatusOr<T>> result;
  start([&](absl::StatusOr<T> value) {
    result = std::move(value);
    done.Notify();
  });
  done.WaitForNotification();
  return *std::move(result);
}

}  // namespace layoutd

#endif  // LAYOUTD_TESTS_SUPPORT_WAIT_H_
