// engine_bench: the engine against loops written by hand. See README.md here.
//
//   engine_bench [--case_seconds=S] [--cpu_time] [--benchmark_filter=REGEX] ...
//
// Google Benchmark's output goes to stdout (and --benchmark_out), the table of
// goals to stderr.

#include <cstdio>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "benchmark/benchmark.h"
#include "tests/bench/cases.h"
#include "tests/bench/measure.h"
#include "tests/bench/overheads.h"
#include "tests/bench/report.h"
#include "tests/bench/setting.h"

namespace layoutd {
namespace {

template <typename T>
void RegisterCases(FieldSize size, int num_threads,
                   const InterleaveOptions& options) {
  const Setting setting{size, kScalarTypeOf<T>, num_threads};
  for (const Case<T>& c : AllCases<T>()) {
    benchmark::RegisterBenchmark(
        absl::StrCat(c.name, "/", setting.name()).c_str(),
        [c, setting, options](benchmark::State& state) {
          Measure<T>(state, c, setting, options);
        })
        ->Iterations(1)
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  }
}

void RegisterOverheads(const InterleaveOptions& options) {
  const auto register_one = [](const std::string& name, const auto& run) {
    benchmark::RegisterBenchmark(name.c_str(), run)
        ->Iterations(1)
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  };
  for (const ScalarType type : {ScalarType::kF64, ScalarType::kF32}) {
    register_one(absl::StrCat("compile/", Name(type)),
                 [type, options](benchmark::State& state) {
                   MeasureCompile(state, type, options);
                 });
  }
  for (const int num_threads : {1, 2}) {
    register_one(absl::StrCat("execute_100KB/", num_threads, "t"),
                 [num_threads, options](benchmark::State& state) {
                   MeasureExecute(state, num_threads, options);
                 });
  }
}

// Takes our own flags out of the arguments; returns false when one is wrong.
bool TakeOptions(int& argc, char** argv, InterleaveOptions& options) {
  int kept = 1;
  for (int k = 1; k < argc; ++k) {
    absl::string_view argument = argv[k];
    if (argument == "--cpu_time") {
      options.cpu_time = true;
    } else if (absl::ConsumePrefix(&argument, "--case_seconds=")) {
      if (!absl::SimpleAtod(argument, &options.budget_seconds)) return false;
    } else {
      argv[kept++] = argv[k];
    }
  }
  argc = kept;
  return true;
}

int Main(int argc, char** argv) {
  InterleaveOptions options;
  if (!TakeOptions(argc, argv, options)) {
    std::fputs("engine_bench: --case_seconds wants a number\n", stderr);
    return 2;
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  // In this order one world after another is needed, small ones first.
  RegisterOverheads(options);
  RegisterSections();
  for (const FieldSize size : kFieldSizes) {
    for (const int num_threads : {1, 2}) {
      RegisterCases<double>(size, num_threads, options);
      RegisterCases<float>(size, num_threads, options);
    }
  }
  benchmark::RunSpecifiedBenchmarks();
  DropWorlds();
  std::fputs(TheReport().Table().c_str(), stderr);
  benchmark::Shutdown();
  return TheReport().failed() ? 1 : 0;
}

}  // namespace
}  // namespace layoutd

int main(int argc, char** argv) { return layoutd::Main(argc, argv); }
