// What the thread sanitizer must know of Abseil's synchronisation, whose shared
// library is not instrumented: without it, all that a mutex guards looks like a
// race. These definitions stand before those of the library, call them, and
// tell the sanitizer what happens before what. Linked into tests in builds with
// the thread sanitizer only; covers what this tree uses.

#include <dlfcn.h>
#include <sanitizer/tsan_interface.h>

#include <cstdio>
#include <cstdlib>

#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "absl/time/time.h"

namespace layoutd {
namespace {

// Returns the library's function of that mangled name.
template <typename Function>
Function* Library(const char* symbol) {
  void* const found = dlsym(RTLD_NEXT, symbol);
  if (found == nullptr) {
    std::fprintf(stderr, "tsan_mutex: Abseil has no %s\n", symbol);
    std::abort();
  }
  return reinterpret_cast<Function*>(found);
}

// A condition that is evaluated under `mutex`, on whatever thread.
struct GuardedCondition {
  static bool Eval(GuardedCondition* self) {
    absl::Mutex* const mutex = self->mutex;
    __tsan_acquire(mutex);
    const bool is_so = self->condition->Eval();
    // The waiter's stack, which this thread has read, is reused thereafter.
    __tsan_release(mutex);
    return is_so;
  }
  absl::Mutex* mutex;
  const absl::Condition* condition;
};

}  // namespace
}  // namespace layoutd

namespace absl {
inline namespace debian3 {

void Mutex::Lock() {
  static auto* const library =
      layoutd::Library<void(Mutex*)>("_ZN4absl7debian35Mutex4LockEv");
  library(this);
  __tsan_acquire(this);
}

void Mutex::Unlock() {
  static auto* const library =
      layoutd::Library<void(Mutex*)>("_ZN4absl7debian35Mutex6UnlockEv");
  __tsan_release(this);
  library(this);
}

void Mutex::Await(const Condition& condition) {
  static auto* const library = layoutd::Library<void(Mutex*, const Condition&)>(
      "_ZN4absl7debian35Mutex5AwaitERKNS0_9ConditionE");
  layoutd::GuardedCondition guarded{this, &condition};
  const Condition guarded_condition(&layoutd::GuardedCondition::Eval, &guarded);
  __tsan_release(this);
  library(this, guarded_condition);
  __tsan_acquire(this);
}

void Notification::Notify() {
  static auto* const library = layoutd::Library<void(Notification*)>(
      "_ZN4absl7debian312Notification6NotifyEv");
  __tsan_release(this);
  library(this);
}

void Notification::WaitForNotification() const {
  static auto* const library = layoutd::Library<void(const Notification*)>(
      "_ZNK4absl7debian312Notification19WaitForNotificationEv");
  library(this);
  __tsan_acquire(const_cast<Notification*>(this));
}

}  // namespace debian3
}  // namespace absl
