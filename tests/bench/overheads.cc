#include "tests/bench/overheads.h"

#include <chrono>
#include <ctime>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/base/status_macros.h"
#include "tests/bench/dataset.h"
#include "tests/bench/hand_loops.h"
#include "tests/bench/hand_threads.h"
#include "tests/bench/report.h"
#include "tests/bench/waiting_engine.h"

namespace layoutd {
namespace {

constexpr int kNumPrograms = 31;
constexpr double kCompileGoalMs = 10;
constexpr double kExecuteGoalUs = 30;
constexpr Shape kShape100KB = {{100, 4, 4, 8}};

// Returns a program of 12 operations picked by `random`: two of them have the
// same loop by chance only, one in 10^12.
std::string RandomProgram(std::mt19937& random) {
  std::string expression = "x";
  for (int k = 0; k < 12; ++k) {
    const char* const op =
        std::vector<const char*>{" + ", " - ", " * "}[random() % 3];
    const char* const operand =
        std::vector<const char*>{"x", "y", "z", "0.25"}[random() % 4];
    expression = absl::StrCat("(", expression, op, operand, ")");
  }
  return absl::StrCat("w = ", expression);
}

absl::StatusOr<WaitingEngine> OpenWithFields(int num_threads,
                                             const Shape& shape,
                                             ScalarType type) {
  ASSIGN_OR_RETURN(WaitingEngine engine, WaitingEngine::Open(num_threads));
  for (const char* id : {"x", "y", "z", "w"}) {
    RETURN_IF_ERROR(engine.Create(id, shape, type));
  }
  return engine;
}

absl::StatusOr<double> FirstExecuteSeconds(WaitingEngine& engine,
                                           const std::string& program) {
  const auto start = std::chrono::steady_clock::now();
  RETURN_IF_ERROR(engine.Execute(program).status());
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

absl::Status MeasureCompileIn(benchmark::State& state, ScalarType type,
                              const InterleaveOptions& options) {
  const Shape one_element = {{63, 4, 4, 1}};
  ASSIGN_OR_RETURN(WaitingEngine engine, OpenWithFields(1, one_element, type));
  std::mt19937 random(5);
  for (int warm = 0; warm < 3; ++warm) {
    RETURN_IF_ERROR(engine.Execute(RandomProgram(random)).status());
  }
  std::vector<double> seconds;
  std::vector<double>
      cpu_seconds;  // of all threads: what a quiet machine takes
  for (int k = 0; k < kNumPrograms; ++k) {
    const std::string program = RandomProgram(random);
    const int64_t before = engine.engine().Info().num_kernels;
    const std::clock_t cpu_before = std::clock();
    ASSIGN_OR_RETURN(const double first, FirstExecuteSeconds(engine, program));
    cpu_seconds.push_back(static_cast<double>(std::clock() - cpu_before) /
                          CLOCKS_PER_SEC);
    if (engine.engine().Info().num_kernels != before + 1) {
      return absl::InternalError("a program compiled no kernel");
    }
    seconds.push_back(first);
  }
  const double median = Median(options.cpu_time ? cpu_seconds : seconds);
  state.SetIterationTime(median);
  Row row;
  row.name = absl::StrCat("compile/", Name(type));
  row.measure = "first Execute, ms";
  row.value = median * 1e3;
  row.goal = Goal{kCompileGoalMs, /*at_least=*/false};
  row.engine_seconds = median;
  row.note = absl::StrFormat("%d programs of 12 operations; CPU %.1f ms",
                             kNumPrograms, Median(cpu_seconds) * 1e3);
  state.counters["compile_cpu_ms"] = Median(cpu_seconds) * 1e3;
  TheReport().Add(state, "compile_ms", row);
  return absl::OkStatus();
}

absl::Status MeasureExecuteIn(benchmark::State& state, int num_threads,
                              const InterleaveOptions& options) {
  ASSIGN_OR_RETURN(WaitingEngine engine,
                   OpenWithFields(num_threads, kShape100KB, ScalarType::kF64));
  const Dataset<double> data(kShape100KB);
  RETURN_IF_ERROR(engine.Write("x", data.x.span()));
  RETURN_IF_ERROR(engine.Write("y", data.y.span()));
  RETURN_IF_ERROR(engine.Write("z", data.z.span()));
  HandThreads threads(num_threads);
  const std::function<void()> contenders[] = {
      [&] { engine.Execute("w = x * y + z").IgnoreError(); },
      [&] {
        threads.For(kShape100KB.num_points(), 4096,
                    [&](int64_t begin, int64_t end) {
                      HandMultiplyAdd(data.x.data(), data.y.data(),
                                      data.z.data(), data.w.data(), begin, end);
                    });
      }};
  contenders[1]();
  RETURN_IF_ERROR(engine.Execute("w = x * y + z").status());
  RETURN_IF_ERROR(engine.Check("w", data.w.span(), 4e-15));

  const std::vector<std::vector<double>> seconds =
      Interleave(contenders, options);
  Row row;
  row.name = absl::StrCat("execute_100KB/", num_threads, "t");
  row.measure = "Execute - hand, us";
  row.value = MedianDifference(seconds[0], seconds[1]) * 1e6;
  row.goal = Goal{kExecuteGoalUs, /*at_least=*/false};
  row.engine_seconds = Median(seconds[0]);
  row.other_seconds = Median(seconds[1]);
  state.SetIterationTime(row.engine_seconds);
  TheReport().Add(state, "over_us", row);
  return absl::OkStatus();
}

// Runs the only iteration of a benchmark.
void RunOnce(benchmark::State& state, const std::string& name,
             const std::function<absl::Status()>& run) {
  for ([[maybe_unused]] auto _ : state) {
    if (const absl::Status status = run(); !status.ok()) {
      TheReport().Stop(state, name, status);
      break;
    }
  }
}

}  // namespace

void MeasureCompile(benchmark::State& state, ScalarType type,
                    const InterleaveOptions& options) {
  RunOnce(state, absl::StrCat("compile/", Name(type)),
          [&] { return MeasureCompileIn(state, type, options); });
}

void MeasureExecute(benchmark::State& state, int num_threads,
                    const InterleaveOptions& options) {
  RunOnce(state, absl::StrCat("execute_100KB/", num_threads, "t"),
          [&] { return MeasureExecuteIn(state, num_threads, options); });
}

}  // namespace layoutd
