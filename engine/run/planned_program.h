#ifndef LAYOUTD_ENGINE_RUN_PLANNED_PROGRAM_H_
#define LAYOUTD_ENGINE_RUN_PLANNED_PROGRAM_H_

// A program that is ready to run, again and again and by several runs at once:
// verified, planned and, after its first run, with its kernels.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "engine/jit/compiler.h"
#include "engine/program/plan.h"
#include "engine/program/verify.h"

namespace layoutd {

// Immutable, but that it remembers its kernels. Threads: safe.
class PlannedProgram {
 public:
  // Plans `program`. The result is shared by a cache and the runs in progress.
  // Errors: those of PlanProgram.
  static absl::StatusOr<std::shared_ptr<const PlannedProgram>> Create(
      VerifiedProgram program);

  const VerifiedProgram& program() const { return program_; }
  const ExecutionPlan& plan() const { return plan_; }
  // The same program with its masked writes made compact; null: there are none.
  const PlannedProgram* compact() const { return compact_.get(); }

  // Returns the kernel of step number `step`, whose loop is not empty: from
  // `cache` the first time, then as remembered, so that the loop need not be
  // described again. All calls pass the same cache.
  // Errors: those of KernelCache::Get.
  absl::StatusOr<std::shared_ptr<const Kernel>> KernelOf(
      size_t step, KernelCache& cache) const;
  // Returns whether KernelOf would find it ready.
  bool HasKernel(size_t step, const KernelCache& cache) const;

  // About how much memory it takes, kernels left out.
  int64_t size_bytes() const;

 private:
  PlannedProgram(VerifiedProgram program, ExecutionPlan plan);

  const VerifiedProgram program_;
  const ExecutionPlan plan_;
  std::unique_ptr<const PlannedProgram> compact_;
  mutable absl::Mutex mutex_;
  // Per step; null until known, then fixed. Shared with the cache and with
  // other programs that have the same loop.
  mutable std::vector<std::shared_ptr<const Kernel>> kernels_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_RUN_PLANNED_PROGRAM_H_
