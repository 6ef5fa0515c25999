#ifndef LAYOUTD_TESTS_SUPPORT_RUNTIME_WORLD_H_
#define LAYOUTD_TESTS_SUPPORT_RUNTIME_WORLD_H_

// A whole runtime (device, stores, kernels) for tests that run programs, with
// fields given and read as scalars in logical order.

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/layout/data_layout.h"
#include "engine/program/evaluate.h"
#include "engine/run/compile.h"
#include "engine/run/execute.h"
#include "tests/support/metered_device.h"

namespace layoutd {

struct WorldOptions {
  int num_threads = 1;
  int vector_bits = 0;
  int64_t memory_limit_bytes = int64_t{1} << 30;
};

class RuntimeWorld {
 public:
  static absl::StatusOr<std::unique_ptr<RuntimeWorld>> Open(
      const WorldOptions& options = {});

  // Creates a field with `leaves` in logical order (v fastest, then i, j, h),
  // at each point its leaves in order.
  absl::Status AddField(const std::string& id, const DataLayout& layout,
                        const std::vector<Scalar>& leaves);
  absl::Status AddMask(const std::string& id, const Shape& shape,
                       const std::vector<uint8_t>& active);
  absl::StatusOr<OracleField> ReadField(const std::string& id);

  // Parses and runs `text`.
  absl::StatusOr<ExecuteReply> Run(const std::string& text,
                                   const StopToken& stop = StopToken());
  absl::StatusOr<ExecuteReply> Run(Program program,
                                   const StopToken& stop = StopToken());

  // The same with a profile.
  absl::StatusOr<ExecuteReply> RunProfiled(const std::string& text);
  // Parses `text` and says what it would cost.
  absl::StatusOr<CompileReply> Compile(const std::string& text);

  // Forgets all fields and masks; threads and kernels stay.
  void Clear();

  const Runtime& runtime() const { return runtime_; }
  MemoryBudget& budget() { return *budget_; }
  MeteredDevice& device() { return *device_; }

 private:
  explicit RuntimeWorld(const WorldOptions& options) : options_(options) {}

  const WorldOptions options_;
  std::unique_ptr<MeteredDevice> device_;
  std::unique_ptr<MemoryBudget> budget_;
  std::unique_ptr<KernelCache> kernels_;
  PlanCache plans_;
  std::unique_ptr<FieldStore> fields_;
  std::unique_ptr<MaskStore> masks_;
  Runtime runtime_ = {};
};

}  // namespace layoutd

#endif  // LAYOUTD_TESTS_SUPPORT_RUNTIME_WORLD_H_
