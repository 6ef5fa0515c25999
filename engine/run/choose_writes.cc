#include "engine/run/choose_writes.h"

#include "engine/base/checked_math.h"
#include "engine/program/compact_writes.h"

namespace layoutd {
namespace {

// What is put in place at most: tens of milliseconds.
constexpr int64_t kMaxPlacedBytes = int64_t{256} << 20;

}  // namespace

const PlannedProgram& ChooseWrites(const FieldStore& fields,
                                   const Inputs& inputs,
                                   const PlannedProgram& planned) {
  const PlannedProgram* const compact = planned.compact();
  if (compact == nullptr) return planned;
  const VerifiedProgram& program = compact->program();
  const ExecutionPlan& plan = compact->plan();
  int64_t placed_bytes = 0;
  for (const PlanBuffer& buffer : plan.buffers) {
    if (buffer.start != PlanBuffer::Start::kCompact) continue;
    const FieldUse& field = program.fields[static_cast<size_t>(buffer.field)];
    const MaskExpression& mask =
        MaskOf(program.program,
               plan.steps[static_cast<size_t>(buffer.first_step)].statement);
    // A combination would have to be kept until its columns are in place.
    if (mask.size() != 1 || fields.IsPinned(field.id)) return planned;
    const int64_t active = MeasureMask(inputs, mask).num_active;
    if (active > field.layout.shape().num_columns() / 2) return planned;
    placed_bytes =
        SaturatingAdd(placed_bytes, CompactBytes(field.layout, active));
  }
  return placed_bytes > kMaxPlacedBytes ? planned : *compact;
}

}  // namespace layoutd
