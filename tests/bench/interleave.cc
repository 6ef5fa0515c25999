#include "tests/bench/interleave.h"

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <utility>

namespace layoutd {
namespace {

// A timed batch lasts at least this long where a call is shorter: far above the
// clock's own cost.
constexpr double kBatchSeconds = 300e-6;
// Where every call is longer than this, no cache holds enough of anybody's data
// to matter. Below, what ran last is at an advantage.
constexpr double kLongSeconds = 10e-3;

double Now(bool cpu_time) {
  timespec now = {};
  clock_gettime(cpu_time ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) +
         1e-9 * static_cast<double>(now.tv_nsec);
}

double SecondsOf(const std::function<void()>& run, int calls, bool cpu_time) {
  const double start = Now(cpu_time);
  for (int k = 0; k < calls; ++k) run();
  return (Now(cpu_time) - start) / calls;
}

template <typename Combine>
double MedianOf(const std::vector<double>& a, const std::vector<double>& b,
                const Combine& combine) {
  std::vector<double> combined;
  for (size_t k = 0; k < a.size(); ++k) combined.push_back(combine(a[k], b[k]));
  return Median(std::move(combined));
}

}  // namespace

std::vector<std::vector<double>> Interleave(
    absl::Span<const std::function<void()>> contenders,
    const InterleaveOptions& options) {
  std::vector<double> once;
  std::vector<int> calls;
  for (const std::function<void()>& run : contenders) {
    run();  // pages, caches, threads
    once.push_back(SecondsOf(run, 1, options.cpu_time));
    calls.push_back(
        static_cast<int>(std::clamp(kBatchSeconds / once.back(), 1.0, 1e4)));
  }
  // All or none: else the one just below the bound would be the only warm one.
  const bool warm = *std::min_element(once.begin(), once.end()) < kLongSeconds;
  std::vector<std::vector<double>> seconds(contenders.size());
  const double start = Now(/*cpu_time=*/false);
  for (int round = 0; round < options.max_rounds; ++round) {
    if (round >= options.min_rounds &&
        Now(/*cpu_time=*/false) - start > options.budget_seconds) {
      break;
    }
    for (size_t turn = 0; turn < contenders.size(); ++turn) {
      size_t c = (turn + static_cast<size_t>(round) / 2) % contenders.size();
      if (round % 2 == 1) c = contenders.size() - 1 - c;
      if (warm) contenders[c]();
      seconds[c].push_back(
          SecondsOf(contenders[c], calls[c], options.cpu_time));
    }
  }
  return seconds;
}

double Median(std::vector<double> values) {
  const auto middle =
      values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double MedianRatio(const std::vector<double>& a, const std::vector<double>& b) {
  return MedianOf(a, b, [](double x, double y) { return x / y; });
}

double MedianDifference(const std::vector<double>& a,
                        const std::vector<double>& b) {
  return MedianOf(a, b, [](double x, double y) { return x - y; });
}

}  // namespace layoutd
