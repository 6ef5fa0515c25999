#ifndef LAYOUTD_TESTS_BENCH_MEASURE_H_
#define LAYOUTD_TESTS_BENCH_MEASURE_H_

#include "benchmark/benchmark.h"
#include "tests/bench/cases.h"
#include "tests/bench/interleave.h"
#include "tests/bench/setting.h"

namespace layoutd {

// Checks that engine and hand loop agree, times them in turns, and reports.
// Fields of 256 KiB take less time than an Execute does around its loops, so
// there the loops alone are compared, and Execute is told beside.
template <typename T>
void Measure(benchmark::State& state, const Case<T>& c, const Setting& setting,
             const InterleaveOptions& options);

}  // namespace layoutd

#endif  // LAYOUTD_TESTS_BENCH_MEASURE_H_
