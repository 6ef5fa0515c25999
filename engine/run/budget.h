#ifndef LAYOUTD_ENGINE_RUN_BUDGET_H_
#define LAYOUTD_ENGINE_RUN_BUDGET_H_

// The memory budget: every byte of fields, private copies, partials and masks
// (those combined within a program too) is reserved here before it is
// allocated, so a request either has all it needs or is refused before it
// starts. It counts what was asked for: the device's pool rounds blocks up and
// keeps some for reuse beyond it, and compiled kernels are not counted.

#include <cstdint>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"

namespace layoutd {

class MemoryBudget;

// Bytes set aside; given back when destroyed. Move-only; must not outlive the
// budget.
class Reservation {
 public:
  Reservation() = default;
  Reservation(Reservation&& other) noexcept;
  Reservation& operator=(Reservation&& other) noexcept;
  ~Reservation();

  int64_t bytes() const { return bytes_; }
  // Splits `bytes` (at most bytes()) off into a reservation of their own.
  Reservation Take(int64_t bytes);

 private:
  friend class MemoryBudget;
  Reservation(MemoryBudget* budget, int64_t bytes)
      : budget_(budget), bytes_(bytes) {}

  MemoryBudget* budget_ = nullptr;
  int64_t bytes_ = 0;
};

// Threads: safe.
class MemoryBudget {
 public:
  explicit MemoryBudget(int64_t limit_bytes) : limit_bytes_(limit_bytes) {}

  // Errors: ResourceExhausted (MEMORY_LIMIT) — message and metadata name
  // needed_bytes, free_bytes and limit_bytes, and `what` they were for.
  absl::StatusOr<Reservation> Reserve(int64_t bytes, absl::string_view what);

  int64_t limit_bytes() const { return limit_bytes_; }
  int64_t used_bytes() const;

 private:
  friend class Reservation;
  void Release(int64_t bytes);

  const int64_t limit_bytes_;
  mutable absl::Mutex mutex_;
  int64_t used_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_RUN_BUDGET_H_
