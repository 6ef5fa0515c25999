#include "engine/run/plan_memory.h"

#include <algorithm>
#include <utility>

#include "engine/base/status_macros.h"
#include "engine/device/copy_bytes.h"
#include "engine/run/launch.h"

namespace layoutd {
PlanMemory::PlanMemory(Device* device, const VerifiedProgram& program,
                       const ExecutionPlan& plan)
    : device_(device),
      program_(program),
      plan_(plan),
      addresses_(plan.buffers.size(), nullptr),
      owned_(plan.buffers.size()) {}

int64_t PlanMemory::SizeOf(const PlanBuffer& buffer) const {
  return LayoutOf(program_, buffer).size_bytes();
}

bool PlanMemory::IsFinal(size_t buffer) const {
  const int32_t field = plan_.buffers[buffer].field;
  return field != PlanBuffer::kTemporary &&
         plan_.final_buffers[static_cast<size_t>(field)] ==
             static_cast<int32_t>(buffer);
}

int64_t PlanMemory::PeakBytes() const {
  int64_t peak = 0;
  for (size_t step = 0; step < plan_.steps.size(); ++step) {
    int64_t bytes = PartialBytes(plan_.steps[step].loop);
    for (size_t b = 0; b < plan_.buffers.size(); ++b) {
      const PlanBuffer& buffer = plan_.buffers[b];
      const bool own_reservation =
          buffer.start == PlanBuffer::Start::kPinned ||
          (IsFinal(b) &&
           !program_.fields[static_cast<size_t>(buffer.field)].created);
      const auto s = static_cast<int32_t>(step);
      if (!own_reservation && buffer.first_step <= s && s <= buffer.last_step) {
        bytes += SizeOf(buffer);
      }
    }
    peak = std::max(peak, bytes);
  }
  return peak;
}

absl::StatusOr<std::unique_ptr<PlanMemory>> PlanMemory::Reserve(
    Device* device, MemoryBudget* budget, FieldStore* fields,
    const VerifiedProgram& program, const ExecutionPlan& plan) {
  std::unique_ptr<PlanMemory> memory(new PlanMemory(device, program, plan));
  for (size_t b = 0; b < plan.buffers.size(); ++b) {
    const PlanBuffer& buffer = plan.buffers[b];
    if (buffer.start != PlanBuffer::Start::kPinned || buffer.last_step < 0) {
      continue;
    }
    const FieldUse& field = program.fields[static_cast<size_t>(buffer.field)];
    ASSIGN_OR_RETURN(PinnedField pin,
                     fields->Pin(field.id, /*materialise=*/true));
    memory->addresses_[b] = pin.revision->buffer->data();
    memory->pins_.push_back(std::move(pin));
  }
  ASSIGN_OR_RETURN(
      memory->reservation_,
      budget->Reserve(memory->PeakBytes(), "the program's private buffers"));
  for (size_t f = 0; f < program.fields.size(); ++f) {
    const int32_t final_buffer = plan.final_buffers[f];
    if (final_buffer < 0 || program.fields[f].created) continue;
    const size_t b = static_cast<size_t>(final_buffer);
    const bool zeroed = plan.buffers[b].start == PlanBuffer::Start::kZero;
    ASSIGN_OR_RETURN(PrivateBuffer content,
                     fields->Prepare(program.fields[f].id, zeroed));
    memory->addresses_[b] = content.revision->buffer->data();
    memory->contents_.push_back(std::move(content));
  }
  return memory;
}

absl::Status PlanMemory::StartStep(int32_t step, const StopToken& stop) {
  for (size_t b = 0; b < plan_.buffers.size(); ++b) {
    const PlanBuffer& buffer = plan_.buffers[b];
    if (buffer.first_step != step ||
        buffer.start == PlanBuffer::Start::kPinned) {
      continue;
    }
    if (addresses_[b] == nullptr) {
      ASSIGN_OR_RETURN(
          owned_[b],
          device_->Allocate(SizeOf(buffer),
                            buffer.start == PlanBuffer::Start::kZero));
      addresses_[b] = owned_[b]->data();
    }
    if (buffer.start == PlanBuffer::Start::kCopy) {
      RETURN_IF_ERROR(CopyBytes(*device_,
                                addresses_[static_cast<size_t>(buffer.copy_of)],
                                addresses_[b], SizeOf(buffer), stop));
    }
  }
  return absl::OkStatus();
}

void PlanMemory::FinishStep(int32_t step) {
  for (size_t b = 0; b < plan_.buffers.size(); ++b) {
    if (plan_.buffers[b].last_step == step && owned_[b] != nullptr) {
      owned_[b] = nullptr;
      addresses_[b] = nullptr;
    }
  }
}

std::vector<PrivateBuffer> PlanMemory::TakeContents() {
  return std::move(contents_);
}

std::vector<NewField> PlanMemory::TakeCreated() {
  std::vector<NewField> created;
  for (size_t f = 0; f < program_.fields.size(); ++f) {
    const FieldUse& field = program_.fields[f];
    const int32_t final_buffer = plan_.final_buffers[f];
    if (final_buffer < 0 || !field.created) continue;
    auto revision = std::make_unique<Revision>();
    revision->reservation = reservation_.Take(field.layout.size_bytes());
    revision->buffer = std::move(owned_[static_cast<size_t>(final_buffer)]);
    created.push_back(
        {{field.id, field.layout, 0, "", "", {}, {}}, std::move(revision)});
  }
  return created;
}

}  // namespace layoutd
