#include "tests/bench/measure.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/base/status_macros.h"
#include "tests/bench/planned_loops.h"
#include "tests/bench/report.h"

namespace layoutd {
namespace {

using Run = std::function<void()>;

double ToDouble(const Scalar& value) {
  return Convert(value, ScalarType::kF64).As<double>();
}

// Runs both once, from the same content, and compares what they leave.
template <typename T>
absl::Status CheckOnce(const Case<T>& c, BenchWorld<T>& world) {
  if (c.output == "w") {
    RETURN_IF_ERROR(world.engine().Clear("w"));
    world.data().w.Clear();
  }
  ASSIGN_OR_RETURN(const ExecuteReply reply, world.engine().Execute(c.program));
  const double result = c.hand(world);
  if (c.output.empty()) {
    const double got = ToDouble(reply.results[0].leaves[0]);
    if (Near(got, result, c.tolerance)) return absl::OkStatus();
    return absl::InternalError(
        absl::StrFormat("%s is %.17g where the hand loop has %.17g",
                        reply.results[0].name, got, result));
  }
  const Array<T>& expected = c.output == "w" ? world.data().w : world.data().s;
  return world.engine().Check(c.output, expected.span(), c.tolerance);
}

// A refusal would make the measurement worthless, and cannot come: the same
// program ran before.
void MustRun(const absl::Status& status) {
  if (!status.ok()) absl::FPrintF(stderr, "%s\n", status.ToString());
}

template <typename T>
Run Executing(BenchWorld<T>& world, const std::string& program) {
  return
      [&world, program] { MustRun(world.engine().Execute(program).status()); };
}

template <typename T>
absl::StatusOr<Run> LoopsOf(BenchWorld<T>& world, const std::string& program) {
  ASSIGN_OR_RETURN(const Runtime* runtime, world.runtime());
  ASSIGN_OR_RETURN(std::unique_ptr<PlannedLoops> planned,
                   PlannedLoops::Plan(*runtime, program));
  // Shared because a std::function is copied.
  return [loops = std::shared_ptr<PlannedLoops>(std::move(planned))] {
    MustRun(loops->Run());
  };
}

// The engine's side of a comparison at this size.
template <typename T>
absl::StatusOr<Run> EngineSide(BenchWorld<T>& world,
                               const std::string& program) {
  if (world.setting().size == FieldSize::k256KiB) {
    return LoopsOf(world, program);
  }
  return Executing(world, program);
}

template <typename T>
Run HandSide(BenchWorld<T>& world,
             const std::function<double(BenchWorld<T>&)>& hand) {
  return [&world, hand] {
    double result = hand(world);
    benchmark::DoNotOptimize(result);
  };
}

template <typename T>
absl::Status MeasureIn(benchmark::State& state, const Case<T>& c,
                       BenchWorld<T>& world, const InterleaveOptions& options) {
  RETURN_IF_ERROR(CheckOnce(c, world));
  const bool small = world.setting().size == FieldSize::k256KiB;
  std::vector<Run> contenders;
  ASSIGN_OR_RETURN(Run engine, EngineSide(world, c.program));
  contenders.push_back(std::move(engine));
  contenders.push_back(HandSide(world, c.hand));
  if (c.other.has_value()) {
    if (c.other->hand != nullptr) {
      contenders.push_back(HandSide(world, c.other->hand));
    } else {
      ASSIGN_OR_RETURN(Run other, EngineSide(world, c.other->program));
      contenders.push_back(std::move(other));
    }
  }
  if (small) contenders.push_back(Executing(world, c.program));

  const std::vector<std::vector<double>> seconds =
      Interleave(contenders, options);
  const double engine_seconds = Median(seconds[0]);
  Row row;
  row.name = absl::StrCat(c.name, "/", world.setting().name());
  row.measure = "hand / engine time";
  row.value = MedianRatio(seconds[1], seconds[0]);
  row.engine_seconds = engine_seconds;
  row.other_seconds = Median(seconds[1]);
  row.bytes = c.values_per_point * sizeof(T) *
              static_cast<double>(world.shape().num_points());
  if (c.has_hand_goal) {
    row.goal = Goal{c.hand_goal.value_or(small ? 0.90 : 0.95), true};
  }
  if (small) {
    const double execute = Median(seconds.back());
    row.note = absl::StrFormat("Execute %.1f us", execute * 1e6);
    state.counters["execute_seconds"] = execute;
  }
  state.SetIterationTime(engine_seconds);
  state.counters["rounds"] = static_cast<double>(seconds[0].size());
  state.counters["hand_seconds"] = row.other_seconds;
  state.counters["gbps"] = row.bytes / engine_seconds * 1e-9;
  state.counters["hand_gbps"] = row.bytes / row.other_seconds * 1e-9;
  TheReport().Add(state, "ratio", row);
  if (c.other.has_value()) {
    row.measure = c.other->measure;
    row.value = c.other->engine_over_other
                    ? MedianRatio(seconds[0], seconds[2])
                    : MedianRatio(seconds[2], seconds[0]);
    row.goal = c.other->goal;
    row.other_seconds = Median(seconds[2]);
    row.note = "";
    TheReport().Add(state, c.other->counter, row);
  }
  return absl::OkStatus();
}

}  // namespace

template <typename T>
void Measure(benchmark::State& state, const Case<T>& c, const Setting& setting,
             const InterleaveOptions& options) {
  absl::Status status;
  for ([[maybe_unused]] auto _ : state) {
    const absl::StatusOr<BenchWorld<T>*> world = WorldOf<T>(setting);
    status =
        world.ok() ? MeasureIn(state, c, **world, options) : world.status();
    if (!status.ok()) {
      TheReport().Stop(state, absl::StrCat(c.name, "/", setting.name()),
                       status);
      break;
    }
  }
}

template void Measure<float>(benchmark::State&, const Case<float>&,
                             const Setting&, const InterleaveOptions&);
template void Measure<double>(benchmark::State&, const Case<double>&,
                              const Setting&, const InterleaveOptions&);

}  // namespace layoutd
