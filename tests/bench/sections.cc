// Where the time of a small Execute goes: each part of its life as a benchmark
// of its own, on the same program and fields.

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/synchronization/notification.h"
#include "engine/access.h"
#include "engine/base/status_macros.h"
#include "engine/program/parse.h"
#include "engine/program/plan.h"
#include "engine/program/verify.h"
#include "engine/run/inputs.h"
#include "engine/run/plan_memory.h"
#include "engine/run/scheduler.h"
#include "tests/bench/overheads.h"
#include "tests/bench/planned_loops.h"
#include "tests/support/runtime_world.h"

namespace layoutd {
namespace {

constexpr char kText[] = "w = x * y + z";
constexpr Shape kShape = {{100, 4, 4, 8}};

// A runtime and every stage of the program in it.
struct Stages {
  static absl::StatusOr<std::unique_ptr<Stages>> Open();

  std::unique_ptr<RuntimeWorld> world;
  Program program;
  Inputs inputs;
  VerifiedProgram verified;
  ExecutionPlan plan;
  std::unique_ptr<PlannedLoops> loops;
};

absl::StatusOr<std::unique_ptr<Stages>> Stages::Open() {
  auto stages = std::make_unique<Stages>();
  ASSIGN_OR_RETURN(stages->world, RuntimeWorld::Open());
  ASSIGN_OR_RETURN(
      const DataLayout layout,
      DataLayout::Create({LayoutKind::kVIJFH, kShape, ScalarType::kF64}));
  const std::vector<Scalar> ones(static_cast<size_t>(kShape.num_points()),
                                 Scalar::F64(1));
  for (const char* id : {"x", "y", "z", "w"}) {
    RETURN_IF_ERROR(stages->world->AddField(id, layout, ones));
  }
  const Runtime& runtime = stages->world->runtime();
  ASSIGN_OR_RETURN(stages->program, ParseProgram(kText));
  ASSIGN_OR_RETURN(stages->inputs, GatherInputs(*runtime.fields, *runtime.masks,
                                                stages->program, {}));
  ASSIGN_OR_RETURN(stages->verified,
                   VerifyProgram(stages->program, stages->inputs.catalog));
  ASSIGN_OR_RETURN(stages->plan, PlanProgram(stages->verified));
  ASSIGN_OR_RETURN(stages->loops, PlannedLoops::Plan(runtime, kText));
  return stages;
}

using Section = std::function<absl::Status(Stages&)>;

void Register(const std::string& name, Section section) {
  benchmark::RegisterBenchmark(
      ("execute_section/" + name).c_str(),
      [section = std::move(section)](benchmark::State& state) {
        const absl::StatusOr<std::unique_ptr<Stages>> stages = Stages::Open();
        absl::Status status = stages.status();
        for ([[maybe_unused]] auto _ : state) {
          if (status.ok()) status = section(**stages);
          if (!status.ok()) {
            state.SkipWithError(status.ToString().c_str());
            break;
          }
        }
      })
      ->UseRealTime()
      ->Unit(benchmark::kMicrosecond)
      ->MinTime(0.1);
}

}  // namespace

void RegisterSections() {
  // Shared by all iterations: threads of operations, as the engine has them.
  const auto scheduler = std::make_shared<Scheduler>(4);
  Register("1_parse", [](Stages&) { return ParseProgram(kText).status(); });
  Register("2_access", [](Stages& stages) {
    benchmark::DoNotOptimize(AccessOf(stages.program, {}));
    return absl::OkStatus();
  });
  Register("3_to_thread_and_back", [scheduler](Stages& stages) {
    absl::Notification done;
    scheduler->Submit(AccessOf(stages.program, {}),
                      [&](const Scheduler::Pinned&) { done.Notify(); });
    done.WaitForNotification();
    return absl::OkStatus();
  });
  Register("4_gather", [](Stages& stages) {
    const Runtime& runtime = stages.world->runtime();
    return GatherInputs(*runtime.fields, *runtime.masks, stages.program, {})
        .status();
  });
  Register("5_verify", [](Stages& stages) {
    return VerifyProgram(stages.program, stages.inputs.catalog).status();
  });
  Register("6_plan", [](Stages& stages) {
    return PlanProgram(stages.verified).status();
  });
  Register("7_reserve", [](Stages& stages) {
    const Runtime& runtime = stages.world->runtime();
    return PlanMemory::Reserve(runtime.device, runtime.budget, runtime.fields,
                               stages.inputs, stages.verified, stages.plan)
        .status();
  });
  Register("8_find_kernel", [](Stages& stages) {
    return stages.world->runtime()
        .kernels->Get(stages.plan.steps[0].loop)
        .status();
  });
  Register("9_loop", [](Stages& stages) { return stages.loops->Run(); });
  Register("10_reserve_and_publish", [](Stages& stages) {
    const Runtime& runtime = stages.world->runtime();
    ASSIGN_OR_RETURN(
        const std::unique_ptr<PlanMemory> memory,
        PlanMemory::Reserve(runtime.device, runtime.budget, runtime.fields,
                            stages.inputs, stages.verified, stages.plan));
    ASSIGN_OR_RETURN(std::vector<PrivateBuffer> contents,
                     memory->TakeContents());
    return runtime.fields->Publish(std::move(contents), {}).status();
  });
  // What stands for 5, 6 and 8 when the program ran before.
  Register("11_find_planned", [](Stages& stages) {
    return stages.world->runtime()
        .plans->Get(stages.program, stages.inputs.catalog)
        .status();
  });
  Register("12_all_on_one_thread",
           [](Stages& stages) { return stages.world->Run(kText).status(); });
}

}  // namespace layoutd
