#include "engine/engine.h"

#include <cstdint>
#include <random>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/base/error.h"
#include "engine/base/status_macros.h"
#include "engine/jit/compiler.h"
#include "engine/run/scheduler.h"

namespace layoutd {
namespace {

constexpr int kMaxOperationThreads = 256;

Error BadOption(absl::string_view option, absl::string_view message) {
  return InvalidArgument("BAD_OPTION", absl::StrCat(option, " ", message))
      .With("option", option);
}

absl::Status CheckOptions(const EngineOptions& options) {
  if (options.memory_limit_bytes <= 0) {
    return BadOption(
        "memory_limit_bytes",
        absl::StrCat(options.memory_limit_bytes, " is not positive"));
  }
  if (options.num_operation_threads < 1 ||
      options.num_operation_threads > kMaxOperationThreads) {
    return BadOption("num_operation_threads",
                     absl::StrCat(options.num_operation_threads,
                                  " outside [1, ", kMaxOperationThreads, "]"));
  }
  return absl::OkStatus();
}

// Returns 128 random bits, so that a client sees when it talks to another
// process than before.
std::string MakeInstanceId() {
  std::random_device random;
  std::string id;
  for (int i = 0; i < 4; ++i) {
    absl::StrAppend(&id, absl::Hex(random(), absl::kZeroPad8));
  }
  return id;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Engine>> Engine::Create(
    const EngineOptions& options) {
  RETURN_IF_ERROR(CheckOptions(options));
  std::unique_ptr<Engine> engine(new Engine(options));
  RETURN_IF_ERROR(engine->Open());
  return engine;
}

Engine::Engine(const EngineOptions& options)
    : options_(options),
      instance_id_(MakeInstanceId()),
      budget_(options.memory_limit_bytes) {}

absl::Status Engine::Open() {
  ASSIGN_OR_RETURN(device_, OpenDevice({.name = options_.device,
                                        .num_threads = options_.num_threads}));
  ASSIGN_OR_RETURN(std::unique_ptr<Compiler> compiler,
                   OpenCompiler({.device = options_.device,
                                 .vector_bits = options_.vector_bits}));
  kernels_ = std::make_unique<KernelCache>(std::move(compiler));
  fields_ = std::make_unique<FieldStore>(device_.get(), &budget_);
  masks_ = std::make_unique<MaskStore>(&budget_);
  scheduler_ = std::make_unique<Scheduler>(options_.num_operation_threads);
  return absl::OkStatus();
}

Engine::~Engine() = default;

Runtime Engine::runtime() {
  return {.device = device_.get(),
          .budget = &budget_,
          .fields = fields_.get(),
          .masks = masks_.get(),
          .kernels = kernels_.get(),
          .plans = &plans_};
}

EngineInfo Engine::Info() const {
  return {.version = LAYOUTD_VERSION,
          .instance_id = instance_id_,
          .device = std::string(device_->name()),
          .cpu = kernels_->compiler().target(),
          .vector_bits = kernels_->compiler().vector_bits(),
          .num_threads = device_->num_threads(),
          .memory_limit_bytes = budget_.limit_bytes(),
          .memory_used_bytes = budget_.used_bytes(),
          .device_memory = device_->memory(),
          .num_fields = fields_->num_fields(),
          .num_kernels = kernels_->size(),
          .limits = kProgramLimits};
}

void Engine::Drain() { scheduler_->Drain(); }

}  // namespace layoutd
