#ifndef LAYOUTD_ENGINE_RUN_PLAN_MEMORY_H_
#define LAYOUTD_ENGINE_RUN_PLAN_MEMORY_H_

// The memory one run works in: pinned revisions to read, private buffers to
// write, partials of reductions, combined masks. All of it is reserved before
// the first loop starts, or the run is refused (PlanNeeds says how much that
// is); everything comes and goes with the steps that use it.
//
// Compact buffers (program/compact_writes.h) are put in place in TakeContents,
// when the run can fail no more. The content they change is a published one, so
// it is taken out of the store first, which works while nobody else pins it.
// Nobody can: it was so when ChooseWrites took them, and whoever reads the
// field from then on waits, in the scheduler, for the end of this run. Should
// the field be pinned all the same, a copy is changed instead.

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
#include "engine/run/inputs.h"
#include "engine/run/plan_needs.h"

namespace layoutd {

class PlanMemory {
 public:
  // Pins what `plan` reads and reserves what it writes. Everything must outlive
  // the result.
  // Errors: ResourceExhausted (MEMORY_LIMIT), NotFound.
  static absl::StatusOr<std::unique_ptr<PlanMemory>> Reserve(
      Device* device, MemoryBudget* budget, FieldStore* fields,
      const Inputs& inputs, const VerifiedProgram& program,
      const ExecutionPlan& plan);

  // Makes ready what `step` needs: the buffers that first appear in it, its
  // partials and its mask.
  // Errors: ResourceExhausted (DEVICE_MEMORY), those of StopToken.
  absl::Status StartStep(int32_t step, const StopToken& stop);
  // Drops what no later step uses.
  void FinishStep(int32_t step);

  // The address of every buffer of the plan; null where it is not alive.
  absl::Span<uint8_t* const> addresses() const { return addresses_; }
  // Of the step that was started last: PartialBytes of its loop, and the
  // columns that its mask leaves; null where it needs none.
  uint8_t* partials() const { return partials_ ? partials_->data() : nullptr; }
  const ColumnMap* mask() const { return mask_.get(); }

  const PlanNeeds& needs() const { return needs_; }
  // The most bytes that were allocated at one time beyond what fields had
  // reserved before; at most needs().peak_bytes().
  int64_t peak_bytes() const { return peak_bytes_; }

  // Takes the new contents out, to be published: of existing fields, and of
  // created ones, each in order of fields. Call once, after the last step, and
  // publish: compact columns are in place then. Cannot be stopped.
  // Errors: ResourceExhausted — a content could be neither taken nor copied;
  // nothing was changed.
  absl::StatusOr<std::vector<PrivateBuffer>> TakeContents();
  std::vector<NewField> TakeCreated();

 private:
  PlanMemory(Device* device, FieldStore* fields, const Inputs& inputs,
             const VerifiedProgram& program, const ExecutionPlan& plan);

  int64_t SizeOf(const PlanBuffer& buffer) const;
  const PlanStep& StepAt(int32_t step) const;
  absl::StatusOr<std::unique_ptr<Buffer>> Allocate(int64_t bytes, bool zeroed);
  void Drop(std::unique_ptr<Buffer>& buffer);
  // Returns the content that the compact `buffer` is put into.
  absl::StatusOr<PrivateBuffer> TakeTarget(const PlanBuffer& buffer);
  // Counts bytes that came (or, negative, went).
  void Count(int64_t bytes);

  Device* const device_;
  FieldStore* const fields_;
  const Inputs& inputs_;
  const VerifiedProgram& program_;
  const ExecutionPlan& plan_;
  PlanNeeds needs_;
  int64_t live_bytes_ = 0;
  int64_t peak_bytes_ = 0;
  Reservation reservation_;          // of what is not a field's own
  std::vector<uint8_t*> addresses_;  // per buffer
  std::vector<PinnedField> pins_;
  std::vector<std::unique_ptr<Buffer>> owned_;  // per buffer; null: not ours
  std::vector<PrivateBuffer> contents_;
  std::unique_ptr<Buffer> partials_;
  // Shared with whoever set the mask, unless it was combined here.
  std::shared_ptr<const ColumnMap> mask_;
  int64_t mask_bytes_ = 0;  // of a combined one
};

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_RUN_PLAN_MEMORY_H_
