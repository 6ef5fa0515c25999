#ifndef LAYOUTD_ENGINE_RUN_PLAN_MEMORY_H_
#define LAYOUTD_ENGINE_RUN_PLAN_MEMORY_H_

// The memory one run works in: pinned revisions to read, private buffers to
// write. All of it is reserved before the first loop starts, or the run is
// refused; buffers come and go with the steps that use them.

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "engine/base/stop_token.h"
#include "engine/device/device.h"
#include "engine/program/plan.h"
#include "engine/program/verify.h"
#include "engine/run/budget.h"
#include "engine/run/field_store.h"

namespace layoutd {

class PlanMemory {
 public:
  // Pins what `plan` reads and reserves what it writes. Everything must outlive
  // the result.
  // Errors: ResourceExhausted (MEMORY_LIMIT), NotFound.
  static absl::StatusOr<std::unique_ptr<PlanMemory>> Reserve(
      Device* device, MemoryBudget* budget, FieldStore* fields,
      const VerifiedProgram& program, const ExecutionPlan& plan);

  // Makes the buffers that first appear in `step` ready.
  // Errors: ResourceExhausted (DEVICE_MEMORY), those of StopToken.
  absl::Status StartStep(int32_t step, const StopToken& stop);
  // Drops the buffers that no later step uses.
  void FinishStep(int32_t step);

  // The address of every buffer of the plan; null where it is not alive.
  absl::Span<uint8_t* const> addresses() const { return addresses_; }

  // Takes the new contents out, to be published: of existing fields, and of
  // created ones, each in order of fields. Call once, after the last step.
  std::vector<PrivateBuffer> TakeContents();
  std::vector<NewField> TakeCreated();

 private:
  PlanMemory(Device* device, const VerifiedProgram& program,
             const ExecutionPlan& plan);

  int64_t SizeOf(const PlanBuffer& buffer) const;
  bool IsFinal(size_t buffer) const;
  // The most bytes that intermediate and created buffers and partials need at
  // one time.
  int64_t PeakBytes() const;

  Device* const device_;
  const VerifiedProgram& program_;
  const ExecutionPlan& plan_;
  Reservation reservation_;          // of what is not a field's own
  std::vector<uint8_t*> addresses_;  // per buffer
  std::vector<PinnedField> pins_;
  std::vector<std::unique_ptr<Buffer>> owned_;  // per buffer; null: not ours
  std::vector<PrivateBuffer> contents_;
};

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_RUN_PLAN_MEMORY_H_
