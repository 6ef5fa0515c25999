#ifndef LAYOUTD_ENGINE_DEVICE_CPU_WORKERS_H_
#define LAYOUTD_ENGINE_DEVICE_CPU_WORKERS_H_

// The threads of the cpu device: a oneTBB arena, and nothing else of TBB.

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "oneapi/tbb/global_control.h"
#include "oneapi/tbb/task_arena.h"

namespace layoutd::cpu {

inline constexpr int kMaxThreads = 1024;

// Threads: safe; any number of callers at once, up to 512 of them each with a
// thread of its own (itself).
class Workers {
 public:
  // `num_threads`: the caller of a loop and those that help, in
  // [1, kMaxThreads].
  explicit Workers(int num_threads);

  // Runs `body(begin, end)` over ranges that cover [0, num_ranges), on the
  // caller and on whoever is free; returns when all are done.
  void Run(int64_t num_ranges,
           absl::FunctionRef<void(int64_t begin, int64_t end)> body);

 private:
  const tbb::global_control parallelism_;
  const tbb::global_control stack_size_;
  tbb::task_arena arena_;
};

}  // namespace layoutd::cpu

#endif  // LAYOUTD_ENGINE_DEVICE_CPU_WORKERS_H_
