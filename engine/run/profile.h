#ifndef LAYOUTD_ENGINE_RUN_PROFILE_H_
#define LAYOUTD_ENGINE_RUN_PROFILE_H_

// What one run took, measured when its client asks for it.

#include <chrono>
#include <cstdint>
#include <vector>

#include "absl/time/time.h"
#include "engine/run/loop_work.h"

namespace layoutd {

struct ExecutionProfile {
  struct Loop {
    LoopWork work;
    bool cache_hit = false;
    absl::Duration compile_time;  // or the wait for another run's compile
    absl::Duration run_time;      // of the loop alone
    int32_t num_threads = 0;      // that may take part
  };
  std::vector<Loop> loops;  // in the order they ran
  // The parts of the run, one after another.
  absl::Duration queue_time;    // in line behind other operations
  absl::Duration plan_time;     // look-up, verify, plan, pin, reserve
  absl::Duration compile_time;  // all kernels
  absl::Duration run_time;      // all steps: copies, loops, combining partials
  absl::Duration publish_time;
  int64_t peak_scratch_bytes = 0;  // see PlanMemory::peak_bytes
  int64_t moved_bytes = 0;  // read and written by loops, and twice the copies
};

// Measures times one after another; does nothing when it is not running.
class Stopwatch {
 public:
  explicit Stopwatch(bool running) : running_(running) { Lap(); }

  // Returns the time since it was made or last asked; 0 when not running.
  absl::Duration Lap() {
    if (!running_) return absl::ZeroDuration();
    const auto now = std::chrono::steady_clock::now();
    const absl::Duration lap = absl::FromChrono(now - last_);
    last_ = now;
    return lap;
  }

 private:
  bool running_;
  std::chrono::steady_clock::time_point last_;
};

// Fills the profile of one run, part by part; without a profile it does
// nothing.
class Profiler {
 public:
  explicit Profiler(ExecutionProfile* profile)
      : profile_(profile), watch_(profile != nullptr) {}

  // Null: nobody wants one.
  ExecutionProfile* profile() const { return profile_; }
  // Ends a part: it took the time since the one before, or since the start.
  void End(absl::Duration ExecutionProfile::*part) {
    if (profile_ != nullptr) profile_->*part = watch_.Lap();
  }

 private:
  ExecutionProfile* const profile_;
  Stopwatch watch_;
};

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_RUN_PROFILE_H_
