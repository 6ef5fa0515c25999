#include "engine/program/compact_writes.h"

#include <algorithm>
#include <cstddef>
#include <set>

#include "engine/base/status_macros.h"

namespace layoutd {
namespace {

bool Accesses(const LoopPlan& loop, int32_t buffer) {
  return std::any_of(
      loop.accesses.begin(), loop.accesses.end(),
      [buffer](const LoopAccess& access) { return access.buffer == buffer; });
}

bool Loads(const LoopPlan& loop, int32_t buffer) {
  for (const LoopBlock& block : loop.blocks) {
    for (const LoopOp& op : block.ops) {
      if (op.kind == LoopOp::Kind::kLoad &&
          loop.accesses[static_cast<size_t>(op.index)].buffer == buffer) {
        return true;
      }
    }
  }
  return false;
}

// Whether another buffer, or a step after its writer, needs what is in buffer
// number `index`.
bool IsReadLater(const ExecutionPlan& plan, int32_t index) {
  const PlanBuffer& buffer = plan.buffers[static_cast<size_t>(index)];
  const auto writer = static_cast<size_t>(buffer.first_step);
  return std::any_of(plan.buffers.begin(), plan.buffers.end(),
                     [index](const PlanBuffer& other) {
                       return other.copy_of == index;
                     }) ||
         std::any_of(plan.steps.begin() + buffer.first_step + 1,
                     plan.steps.end(),
                     [index](const PlanStep& step) {
                       return Accesses(step.loop, index);
                     }) ||
         Loads(plan.steps[writer].loop, index);
}

bool IsCompactable(const ExecutionPlan& plan, int32_t index,
                   const DataLayout& layout) {
  const PlanBuffer& buffer = plan.buffers[static_cast<size_t>(index)];
  if (buffer.start != PlanBuffer::Start::kCopy ||
      plan.buffers[static_cast<size_t>(buffer.copy_of)].start !=
          PlanBuffer::Start::kPinned ||
      layout.WholeView().strides_bytes[0] != SizeBytes(layout.base_type()) ||
      IsReadLater(plan, index)) {
    return false;
  }
  const LoopPlan& loop =
      plan.steps[static_cast<size_t>(buffer.first_step)].loop;
  if (!loop.masked || loop.kind != LoopKind::kPoints) return false;
  std::set<int64_t> stored;  // a leaf each
  for (const LoopAccess& access : loop.accesses) {
    if (access.buffer == index) stored.insert(access.base_bytes);
  }
  return stored.size() == static_cast<size_t>(layout.type().num_leaves());
}

void MakeCompact(const DataLayout& field, int32_t index, ExecutionPlan& plan) {
  PlanBuffer& buffer = plan.buffers[static_cast<size_t>(index)];
  buffer.start = PlanBuffer::Start::kCompact;
  buffer.last_step = static_cast<int32_t>(plan.steps.size());
  const View from = field.WholeView();
  const View to = CompactView(field, 1);
  LoopPlan& loop = plan.steps[static_cast<size_t>(buffer.first_step)].loop;
  for (LoopAccess& access : loop.accesses) {
    if (access.buffer != index) continue;
    int32_t leaf = 0;
    while (AddressOf(from, leaf).base_bytes != access.base_bytes) ++leaf;
    access.compact = true;
    access.base_bytes = AddressOf(to, leaf).base_bytes;
    access.piece_stride = to.slot_stride_bytes;
    // The stride along v, and with it how lanes lie, stays.
    access.strides[1] = 0;
    access.strides[2] = 0;
    access.strides[3] = to.strides_bytes[3];
  }
}

}  // namespace

std::optional<ExecutionPlan> CompactPlan(const VerifiedProgram& program,
                                         const ExecutionPlan& plan) {
  std::optional<ExecutionPlan> compact;
  for (size_t f = 0; f < program.fields.size(); ++f) {
    if (program.fields[f].created) return std::nullopt;
    const int32_t buffer = plan.final_buffers[f];
    const DataLayout& layout = program.fields[f].layout;
    if (buffer < 0 || !IsCompactable(plan, buffer, layout)) continue;
    if (!compact) compact = plan;
    MakeCompact(layout, buffer, *compact);
  }
  return compact;
}

View CompactView(const DataLayout& field, int64_t num_columns) {
  View view = field.WholeView();
  const int64_t base_bytes = SizeBytes(field.base_type());
  view.offset_bytes = 0;
  view.shape = {{field.shape().v(), 1, 1, num_columns}};
  view.slot_stride_bytes = field.shape().v() * base_bytes;
  view.strides_bytes = {base_bytes, 0, 0,
                        view.slot_stride_bytes * field.num_components()};
  return view;
}

int64_t CompactBytes(const DataLayout& field, int64_t num_columns) {
  return CompactView(field, num_columns).strides_bytes[3] * num_columns;
}

}  // namespace layoutd
