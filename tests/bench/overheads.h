#ifndef LAYOUTD_TESTS_BENCH_OVERHEADS_H_
#define LAYOUTD_TESTS_BENCH_OVERHEADS_H_

#include "benchmark/benchmark.h"
#include "tests/bench/interleave.h"
#include "tests/bench/setting.h"

namespace layoutd {

// The first Execute of programs whose loops have a structure that the engine
// has never seen, with LLVM warm: almost all of it compiles.
void MeasureCompile(benchmark::State& state, ScalarType type,
                    const InterleaveOptions& options);

// What an Execute costs on top of its arithmetic, for fields of 100 KB.
void MeasureExecute(benchmark::State& state, int num_threads,
                    const InterleaveOptions& options);

// Registers a benchmark for each part of that Execute.
void RegisterSections();

}  // namespace layoutd

#endif  // LAYOUTD_TESTS_BENCH_OVERHEADS_H_
