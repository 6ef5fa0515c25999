#include "engine/run/plan_memory.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "engine/base/status_macros.h"
#include "engine/device/copy_bytes.h"
#include "engine/kernels/scatter_columns.h"
#include "engine/program/compact_writes.h"
#include "engine/run/launch.h"

namespace layoutd {

PlanMemory::PlanMemory(Device* device, FieldStore* fields, const Inputs& inputs,
                       const VerifiedProgram& program,
                       const ExecutionPlan& plan)
    : device_(device),
      fields_(fields),
      inputs_(inputs),
      program_(program),
      plan_(plan),
      addresses_(plan.buffers.size(), nullptr),
      owned_(plan.buffers.size()) {}

int64_t PlanMemory::SizeOf(const PlanBuffer& buffer) const {
  const DataLayout& layout = LayoutOf(program_, buffer);
  if (buffer.start != PlanBuffer::Start::kCompact) return layout.size_bytes();
  const auto writer = static_cast<size_t>(buffer.first_step);
  return CompactBytes(layout, needs_.active_columns[writer]);
}

const PlanStep& PlanMemory::StepAt(int32_t step) const {
  return plan_.steps[static_cast<size_t>(step)];
}

void PlanMemory::Count(int64_t bytes) {
  live_bytes_ += bytes;
  peak_bytes_ = std::max(peak_bytes_, live_bytes_);
}

absl::StatusOr<std::unique_ptr<Buffer>> PlanMemory::Allocate(int64_t bytes,
                                                             bool zeroed) {
  ASSIGN_OR_RETURN(std::unique_ptr<Buffer> buffer,
                   device_->Allocate(bytes, zeroed));
  Count(buffer->size_bytes());
  return buffer;
}

void PlanMemory::Drop(std::unique_ptr<Buffer>& buffer) {
  if (buffer == nullptr) return;
  Count(-buffer->size_bytes());
  buffer = nullptr;
}

absl::StatusOr<std::unique_ptr<PlanMemory>> PlanMemory::Reserve(
    Device* device, MemoryBudget* budget, FieldStore* fields,
    const Inputs& inputs, const VerifiedProgram& program,
    const ExecutionPlan& plan) {
  std::unique_ptr<PlanMemory> memory(
      new PlanMemory(device, fields, inputs, program, plan));
  memory->needs_ = NeedsOf(*fields, inputs, program, plan);
  for (size_t b = 0; b < plan.buffers.size(); ++b) {
    const PlanBuffer& buffer = plan.buffers[b];
    if (!IsPinned(buffer)) continue;
    const FieldUse& field = program.fields[static_cast<size_t>(buffer.field)];
    ASSIGN_OR_RETURN(PinnedField pin,
                     fields->Pin(field.id, /*materialise=*/true));
    memory->Count(pin.reserved_bytes);
    memory->addresses_[b] = pin.revision->buffer->data();
    memory->pins_.push_back(std::move(pin));
  }
  ASSIGN_OR_RETURN(
      memory->reservation_,
      budget->Reserve(memory->needs_.step_bytes, "the program's own memory"));
  for (size_t f = 0; f < program.fields.size(); ++f) {
    const int32_t final_buffer = plan.final_buffers[f];
    const size_t b = static_cast<size_t>(final_buffer);
    if (final_buffer < 0 || !IsOfStore(program, plan, b)) continue;
    const bool zeroed = plan.buffers[b].start == PlanBuffer::Start::kZero;
    ASSIGN_OR_RETURN(PrivateBuffer content,
                     fields->Prepare(program.fields[f].id, zeroed));
    memory->Count(content.reserved_bytes);
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
      // Compact columns are put in place as whole values, padding included.
      const bool zeroed = buffer.start == PlanBuffer::Start::kZero ||
                          (buffer.start == PlanBuffer::Start::kCompact &&
                           !LayoutOf(program_, buffer).LeavesFillBuffer());
      ASSIGN_OR_RETURN(owned_[b], Allocate(SizeOf(buffer), zeroed));
      addresses_[b] = owned_[b]->data();
    }
    if (buffer.start == PlanBuffer::Start::kCopy) {
      RETURN_IF_ERROR(CopyBytes(*device_,
                                addresses_[static_cast<size_t>(buffer.copy_of)],
                                addresses_[b], SizeOf(buffer), stop));
    }
  }
  const PlanStep& started = StepAt(step);
  const int64_t partial_bytes = PartialBytes(started.loop);
  if (partial_bytes > 0) {
    ASSIGN_OR_RETURN(partials_, Allocate(partial_bytes, /*zeroed=*/false));
  }
  if (started.loop.masked && mask_ == nullptr) {
    const MaskExpression& mask = MaskOf(program_.program, started.statement);
    mask_ = ResolveMask(inputs_, mask);
    const bool combined = mask.size() > 1;
    mask_bytes_ = combined ? mask_->size_bytes() : 0;
    Count(mask_bytes_);
  }
  return absl::OkStatus();
}

void PlanMemory::FinishStep(int32_t step) {
  for (size_t b = 0; b < plan_.buffers.size(); ++b) {
    if (plan_.buffers[b].last_step == step && owned_[b] != nullptr) {
      Drop(owned_[b]);
      addresses_[b] = nullptr;
    }
  }
  Drop(partials_);
  // The loops of one statement share its mask.
  const bool last = static_cast<size_t>(step) + 1 == plan_.steps.size();
  if (mask_ != nullptr &&
      (last || !StepAt(step + 1).loop.masked ||
       StepAt(step + 1).statement != StepAt(step).statement)) {
    mask_ = nullptr;
    Count(-std::exchange(mask_bytes_, 0));
  }
}

absl::StatusOr<PrivateBuffer> PlanMemory::TakeTarget(const PlanBuffer& buffer) {
  const std::string& id = program_.fields[static_cast<size_t>(buffer.field)].id;
  const auto pin = std::find_if(
      pins_.begin(), pins_.end(),
      [&id](const PinnedField& each) { return each.info.id == id; });
  std::optional<PrivateBuffer> current = fields_->TakeCurrent(*pin);
  if (current.has_value()) return *std::move(current);
  ASSIGN_OR_RETURN(PrivateBuffer copy, fields_->Prepare(id, /*zeroed=*/false));
  RETURN_IF_ERROR(CopyBytes(
      *device_, addresses_[static_cast<size_t>(buffer.copy_of)],
      copy.revision->buffer->data(), copy.layout.size_bytes(), StopToken()));
  return copy;
}

absl::StatusOr<std::vector<PrivateBuffer>> PlanMemory::TakeContents() {
  std::vector<PrivateBuffer> contents;
  std::vector<const PlanBuffer*> compact;  // per content; null: it is not
  size_t next = 0;
  for (size_t f = 0; f < program_.fields.size(); ++f) {
    if (plan_.final_buffers[f] < 0 || program_.fields[f].created) continue;
    const auto b = static_cast<size_t>(plan_.final_buffers[f]);
    if (IsOfStore(program_, plan_, b)) {
      contents.push_back(std::move(contents_[next++]));
      compact.push_back(nullptr);
    } else {
      ASSIGN_OR_RETURN(PrivateBuffer target, TakeTarget(plan_.buffers[b]));
      contents.push_back(std::move(target));
      compact.push_back(&plan_.buffers[b]);
    }
  }
  // From here on nothing can fail: published contents change.
  for (size_t k = 0; k < contents.size(); ++k) {
    if (compact[k] == nullptr) continue;
    const auto b = static_cast<size_t>(compact[k] - plan_.buffers.data());
    const std::shared_ptr<const ColumnMap> columns = ResolveMask(
        inputs_,
        MaskOf(program_.program, StepAt(compact[k]->first_step).statement));
    const DataLayout& layout = contents[k].layout;
    ScatterColumns(*device_, CompactView(layout, columns->num_active()),
                   addresses_[b], *columns, layout.WholeView(),
                   contents[k].revision->buffer->data());
  }
  return contents;
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
