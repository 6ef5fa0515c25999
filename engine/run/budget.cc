#include "engine/run/budget.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/base/error.h"
#include "engine/base/status_macros.h"

namespace layoutd {

Reservation::Reservation(Reservation&& other) noexcept
    : budget_(std::exchange(other.budget_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)) {}

Reservation& Reservation::operator=(Reservation&& other) noexcept {
  if (this != &other) {
    if (budget_ != nullptr) budget_->Release(bytes_);
    budget_ = std::exchange(other.budget_, nullptr);
    bytes_ = std::exchange(other.bytes_, 0);
  }
  return *this;
}

Reservation::~Reservation() {
  if (budget_ != nullptr) budget_->Release(bytes_);
}

Reservation Reservation::Take(int64_t bytes) {
  LAYOUTD_DCHECK(bytes >= 0 && bytes <= bytes_);
  bytes_ -= bytes;
  return Reservation(budget_, bytes);
}

absl::StatusOr<Reservation> MemoryBudget::Reserve(int64_t bytes,
                                                  absl::string_view what) {
  LAYOUTD_DCHECK(bytes >= 0);
  int64_t free_bytes = 0;
  {
    absl::MutexLock lock(&mutex_);
    free_bytes = limit_bytes_ - used_bytes_;
    if (bytes <= free_bytes) {
      used_bytes_ += bytes;
      return Reservation(this, bytes);
    }
  }
  return ResourceExhausted(
             "MEMORY_LIMIT",
             absl::StrCat(what, " needs ", bytes, " bytes; ", free_bytes,
                          " of the limit of ", limit_bytes_, " are free"))
      .With("needed_bytes", absl::StrCat(bytes))
      .With("free_bytes", absl::StrCat(free_bytes))
      .With("limit_bytes", absl::StrCat(limit_bytes_));
}

int64_t MemoryBudget::used_bytes() const {
  absl::MutexLock lock(&mutex_);
  return used_bytes_;
}

void MemoryBudget::Release(int64_t bytes) {
  absl::MutexLock lock(&mutex_);
  used_bytes_ -= bytes;
  LAYOUTD_DCHECK(used_bytes_ >= 0);
}

}  // namespace layoutd
