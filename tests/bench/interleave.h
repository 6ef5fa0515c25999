#ifndef LAYOUTD_TESTS_BENCH_INTERLEAVE_H_
#define LAYOUTD_TESTS_BENCH_INTERLEAVE_H_

// Times several ways of doing the same work against each other on a machine
// that is never quiet: they take turns, and only times of one round are
// compared.

#include <functional>
#include <vector>

#include "absl/types/span.h"

namespace layoutd {

struct InterleaveOptions {
  double budget_seconds = 1.0;  // for all rounds together
  int min_rounds = 5;           // even if they take longer
  int max_rounds = 51;
  // The time of this process on all CPUs instead of the clock on the wall: for
  // one thread on a machine that has other work.
  bool cpu_time = false;
};

// Returns the seconds of one call, [contender][round]. Short calls are repeated
// within a round. Before each turn comes a call that is not timed and brings
// the data back into the cache, unless every contender takes long. The order
// turns with each round, and every other one runs backwards, so that nobody
// always follows the same one.
std::vector<std::vector<double>> Interleave(
    absl::Span<const std::function<void()>> contenders,
    const InterleaveOptions& options);

double Median(std::vector<double> values);
// Median over the rounds of a / b, and of a - b.
double MedianRatio(const std::vector<double>& a, const std::vector<double>& b);
double MedianDifference(const std::vector<double>& a,
                        const std::vector<double>& b);

}  // namespace layoutd

#endif  // LAYOUTD_TESTS_BENCH_INTERLEAVE_H_
