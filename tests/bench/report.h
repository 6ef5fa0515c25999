#ifndef LAYOUTD_TESTS_BENCH_REPORT_H_
#define LAYOUTD_TESTS_BENCH_REPORT_H_

// What was measured against which goal: a Markdown table at the end of a run,
// and counters in Google Benchmark's output.

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "benchmark/benchmark.h"

namespace layoutd {

struct Goal {
  double bound;
  bool at_least;  // else: at most
};

struct Row {
  std::string name;     // of the benchmark
  std::string measure;  // "hand / engine"
  double value = 0;
  std::optional<Goal> goal;
  double engine_seconds = 0;  // 0: not told
  double other_seconds = 0;   // of what the engine is compared with
  double bytes = 0;           // that the program reads and writes
  std::string note;
};

class Report {
 public:
  // Adds the row, and `value` to the counters of `state` under `counter`.
  void Add(benchmark::State& state, absl::string_view counter, Row row);
  // A case that the engine refuses is skipped; one whose result is wrong
  // (Internal) makes the run a failure.
  void Stop(benchmark::State& state, const std::string& name,
            const absl::Status& why);
  bool failed() const { return failed_; }
  std::string Table() const;

 private:
  std::vector<Row> rows_;
  bool failed_ = false;
};

// The report of this process.
Report& TheReport();

}  // namespace layoutd

#endif  // LAYOUTD_TESTS_BENCH_REPORT_H_
