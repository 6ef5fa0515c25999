#include "engine/run/plan_needs.h"

#include <algorithm>
#include <cstddef>
#include <map>

#include "engine/run/launch.h"

namespace layoutd {
namespace {

// The bytes that the buffers which come from the run's own reservation need in
// step number `step`.
int64_t BufferBytes(const VerifiedProgram& program, const ExecutionPlan& plan,
                    int32_t step) {
  int64_t bytes = 0;
  for (size_t b = 0; b < plan.buffers.size(); ++b) {
    const PlanBuffer& buffer = plan.buffers[b];
    const bool of_the_store =
        buffer.start == PlanBuffer::Start::kPinned ||
        (IsFinal(plan, b) &&
         !program.fields[static_cast<size_t>(buffer.field)].created);
    if (!of_the_store && buffer.first_step <= step &&
        step <= buffer.last_step) {
      bytes = SaturatingAdd(bytes, LayoutOf(program, buffer).size_bytes());
    }
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
    const bool written = plan.final_buffers[f] >= 0;
    if (program.fields[f].created) {
      if (written) {
        needs.lasting_bytes = SaturatingAdd(
            needs.lasting_bytes, program.fields[f].layout.size_bytes());
      }
      continue;
    }
    const FieldNeeds field =
        fields.NeedsOf(program.fields[f].id, pinned[f], written);
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

PlanNeeds NeedsOf(const FieldStore& fields, const Inputs& inputs,
                  const VerifiedProgram& program, const ExecutionPlan& plan) {
  PlanNeeds needs;
  std::map<int32_t, MaskSize> masks;  // by statement
  for (size_t s = 0; s < plan.steps.size(); ++s) {
    const PlanStep& step = plan.steps[s];
    int64_t bytes =
        SaturatingAdd(BufferBytes(program, plan, static_cast<int32_t>(s)),
                      PartialBytes(step.loop));
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
    needs.step_bytes = std::max(needs.step_bytes, bytes);
  }
  AddContents(fields, program, plan, needs);
  return needs;
}

}  // namespace layoutd
