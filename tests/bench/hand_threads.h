#ifndef LAYOUTD_TESTS_BENCH_HAND_THREADS_H_
#define LAYOUTD_TESTS_BENCH_HAND_THREADS_H_

// Runs hand loops on as many threads as the engine has.

#include <cstdint>
#include <functional>

#include "oneapi/tbb/blocked_range.h"
#include "oneapi/tbb/parallel_for.h"
#include "oneapi/tbb/parallel_reduce.h"
#include "oneapi/tbb/task_arena.h"

namespace layoutd {

class HandThreads {
 public:
  explicit HandThreads(int num_threads)
      : num_threads_(num_threads), arena_(num_threads) {}

  // Calls `body(begin, end)` over [0, count), in ranges of about `grain` or
  // more. One thread takes one range, without TBB.
  template <typename Body>
  void For(int64_t count, int64_t grain, const Body& body) {
    if (num_threads_ == 1) return body(0, count);
    arena_.execute([&] {
      tbb::parallel_for(
          tbb::blocked_range<int64_t>(0, count, static_cast<size_t>(grain)),
          [&](const auto& range) { body(range.begin(), range.end()); });
    });
  }

  // Returns the sum of what `body(begin, end)` returns.
  template <typename Body>
  double Sum(int64_t count, int64_t grain, const Body& body) {
    if (num_threads_ == 1) return body(0, count);
    return arena_.execute([&] {
      return tbb::parallel_reduce(
          tbb::blocked_range<int64_t>(0, count, static_cast<size_t>(grain)),
          0.0,
          [&](const auto& range, double total) {
            return total + body(range.begin(), range.end());
          },
          std::plus<double>());
    });
  }

 private:
  const int num_threads_;
  tbb::task_arena arena_;
};

}  // namespace layoutd

#endif  // LAYOUTD_TESTS_BENCH_HAND_THREADS_H_
