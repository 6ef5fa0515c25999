#include "engine/device/cpu/workers.h"

#include <cstddef>

#include "oneapi/tbb/blocked_range.h"
#include "oneapi/tbb/parallel_for.h"

namespace layoutd::cpu {
namespace {

// The frame of the largest kernel (see jit/cpu/orc.cc) with room to spare; the
// same as other threads have by default.
constexpr size_t kStackBytes = size_t{8} << 20;
// Callers that may be inside loops of their own at once, beside the workers:
// far more than there are operation threads. Beyond it a caller waits.
constexpr int kMaxCallers = 512;

}  // namespace

Workers::Workers(int num_threads)
    // TBB's own limit is the number of CPUs; an arena may ask for more. The
    // least limit of the process counts, so all devices set the same one.
    : parallelism_(tbb::global_control::max_allowed_parallelism, kMaxThreads),
      stack_size_(tbb::global_control::thread_stack_size, kStackBytes),
      // A place is kept for every caller: one that had to wait for a worker's
      // would wait for another's whole loop, as workers finish what they began.
      // So a short loop beside long ones runs at once, on its caller, and the
      // system shares the cores.
      arena_(num_threads - 1 + kMaxCallers, kMaxCallers) {}

void Workers::Run(int64_t num_ranges,
                  absl::FunctionRef<void(int64_t begin, int64_t end)> body) {
  arena_.execute([&] {
    // Isolated: while this thread waits for its last ranges it must not pick up
    // a long range of another operation.
    tbb::this_task_arena::isolate([&] {
      tbb::parallel_for(tbb::blocked_range<int64_t>(0, num_ranges),
                        [&](const tbb::blocked_range<int64_t>& ranges) {
                          body(ranges.begin(), ranges.end());
                        });
    });
  });
}

}  // namespace layoutd::cpu
