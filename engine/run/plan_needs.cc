#include "engine/run/plan_needs.h"

#include <algorithm>
#include <cstddef>
#include <map>

#include "engine/program/compact_writes.h"
#include "engine/run/launch.h"

namespace layoutd {
namespace {

// The bytes that the buffers which come from the run's own reservation need in
// step number `step`.
int64_t BufferBytes(const VerifiedProgram& program, const ExecutionPlan& plan,
                    const PlanNeeds& needs, int32_t step) {
  int64_t bytes = 0;
  for (size_t b = 0; b < plan.buffers.size(); ++b) {
    const PlanBuffer& buffer = plan.buffers[b];
    if (buffer.start == PlanBuffer::Start::kPinned ||
        IsOfStore(program, plan, b) || step < buffer.first_step ||
        step > buffer.last_step) {
      continue;
    }
    const DataLayout& layout = LayoutOf(program, buffer);
    const auto writer = static_cast<size_t>(buffer.first_step);
    bytes = SaturatingAdd(
        bytes, buffer.start == PlanBuffer::Start::kCompact
                   ? CompactBytes(layout, needs.active_columns[writer])
                   : layout.size_bytes());
  }
  return bytes;
}

// Adds what the field store reserves: for fields that are read, and for those
// that get a new content.
void AddContents(const FieldStore& fields, const VerifiedProgram& program,
                 const ExecutionPlan& plan, PlanNeeds& needs) {
  std::vector<bool> pinned(program.fields.size(), false);
  for (const PlanBuffer& buffer : plan.buffers) {
    if (IsPinned(buffer)) pinned[static_cast<size_t>(buffer.field)] = true;
  }
  for (size_t f = 0; f < program.fields.size(); ++f) {
    const int32_t final_buffer = plan.final_buffers[f];
    const bool written = final_buffer >= 0;
    if (program.fields[f].created) {
      if (written) {
        needs.lasting_bytes = SaturatingAdd(
            needs.lasting_bytes, program.fields[f].layout.size_bytes());
      }
      continue;
    }
    const FieldNeeds field = fields.NeedsOf(
        program.fields[f].id, pinned[f],
        written && IsOfStore(program, plan, static_cast<size_t>(final_buffer)));
    needs.content_bytes =
        SaturatingAdd(needs.content_bytes, field.reserved_bytes);
    needs.lasting_bytes =
        SaturatingAdd(needs.lasting_bytes, field.lasting_bytes);
  }
}

}  // namespace

bool IsPinned(const PlanBuffer& buffer) {
  return buffer.start == PlanBuffer::Start::kPinned && buffer.last_step >= 0;
}

bool IsFinal(const ExecutionPlan& plan, size_t buffer) {
  const int32_t field = plan.buffers[buffer].field;
  return field != PlanBuffer::kTemporary &&
         plan.final_buffers[static_cast<size_t>(field)] ==
             static_cast<int32_t>(buffer);
}

bool IsOfStore(const VerifiedProgram& program, const ExecutionPlan& plan,
               size_t buffer) {
  const PlanBuffer& b = plan.buffers[buffer];
  return IsFinal(plan, buffer) && b.start != PlanBuffer::Start::kCompact &&
         !program.fields[static_cast<size_t>(b.field)].created;
}

PlanNeeds NeedsOf(const FieldStore& fields, const Inputs& inputs,
                  const VerifiedProgram& program, const ExecutionPlan& plan) {
  PlanNeeds needs;
  std::map<int32_t, MaskSize> masks;  // by statement
  for (size_t s = 0; s < plan.steps.size(); ++s) {
    const PlanStep& step = plan.steps[s];
    int64_t bytes = PartialBytes(step.loop);
    if (step.loop.masked) {
      const auto [entry, added] = masks.try_emplace(step.statement);
      if (added) {
        entry->second =
            MeasureMask(inputs, MaskOf(program.program, step.statement));
      }
      bytes = SaturatingAdd(bytes, entry->second.map_bytes);
      needs.active_columns.push_back(entry->second.num_active);
    } else {
      needs.active_columns.push_back(step.loop.shape.num_columns());
    }
    bytes = SaturatingAdd(
        bytes, BufferBytes(program, plan, needs, static_cast<int32_t>(s)));
    needs.step_bytes = std::max(needs.step_bytes, bytes);
  }
  AddContents(fields, program, plan, needs);
  return needs;
}

}  // namespace layoutd
