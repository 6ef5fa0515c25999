#include "engine/run/launch.h"

#include <algorithm>
#include <cstring>

#include "absl/container/inlined_vector.h"
#include "engine/base/checked_math.h"
#include "engine/base/status_macros.h"
#include "engine/program/reduction_order.h"
#include "engine/run/reduce_points.h"

namespace layoutd {
namespace {

// Scalar operations between two looks at the stop word: 100 us or so, far below
// the 50 ms within which a cancel must idle, far above the cost of a range.
constexpr int64_t kOpsPerRange = 200000;

// A row is cut into blocks of at most this many points, so that workers share
// it; fewer when a point takes many operations.
constexpr int64_t kMaxBlockLength = 16384;
// Blocks are a multiple of every lane count.
constexpr int64_t kBlockStep = 64;

// Arguments, and the memory they point to: no more than the stack for a loop of
// a short program, whose whole time is a few microseconds.
struct BoundArguments {
  KernelArguments arguments = {};
  absl::InlinedVector<AccessArguments, 8> accesses;
  absl::InlinedVector<ParameterSlot, 8> parameters;
  absl::InlinedVector<int64_t, 8> level_counts;
};

void Bind(const LoopPlan& loop, const LoopBinding& binding,
          BoundArguments& bound) {
  for (const LoopAccess& access : loop.accesses) {
    AccessArguments a = {};
    if (access.buffer == kMaskBuffer) {
      a.base = const_cast<uint8_t*>(binding.mask->active.data());
    } else {
      a.base = binding.buffers[static_cast<size_t>(access.buffer)];
    }
    // An empty buffer has no address, and nothing of it is read.
    if (a.base != nullptr) a.base += access.base_bytes;
    std::copy(access.strides.begin(), access.strides.end(), a.strides);
    a.piece_stride = access.piece_stride;
    a.level_stride = access.level_stride;
    bound.accesses.push_back(a);
  }
  for (const LoopParameter& parameter : loop.parameters) {
    const Scalar& value =
        parameter.result < 0
            ? parameter.constant
            : (*binding.results)[static_cast<size_t>(parameter.result)]
                                [static_cast<size_t>(parameter.leaf)];
    ParameterSlot slot;
    std::memcpy(slot.bytes, value.bytes, sizeof(slot.bytes));
    bound.parameters.push_back(slot);
  }
  for (const LoopBlock& block : loop.blocks) {
    bound.level_counts.push_back(block.num_levels);
  }
  KernelArguments& arguments = bound.arguments;
  arguments.accesses = bound.accesses.data();
  arguments.parameters = bound.parameters.data();
  arguments.level_counts = bound.level_counts.data();
  std::copy(loop.extents.begin(), loop.extents.end(), arguments.extents);
  if (binding.mask != nullptr) {
    arguments.columns[0] = binding.mask->i.data();
    arguments.columns[1] = binding.mask->j.data();
    arguments.columns[2] = binding.mask->h.data();
  }
}

int64_t ItemsPerRange(int64_t ops_per_item) {
  return std::max<int64_t>(1,
                           kOpsPerRange / std::max<int64_t>(1, ops_per_item));
}

}  // namespace

int64_t PartialBytes(const LoopPlan& loop) {
  if (loop.kind != LoopKind::kReduction) return 0;
  return ReductionOrder(loop.shape).num_chunks() *
         static_cast<int64_t>(loop.reductions.size()) *
         static_cast<int64_t>(sizeof(ParameterSlot) + sizeof(int64_t) + 1);
}

absl::Status ForeachSlice(Device& device, const Kernel& kernel,
                          const LoopPlan& loop, const LoopBinding& binding,
                          const StopToken& stop) {
  BoundArguments bound;
  Bind(loop, binding, bound);
  KernelArguments& arguments = bound.arguments;
  const int64_t columns =
      loop.masked ? binding.mask->num_active() : loop.shape.num_columns();
  int64_t items = 0;
  arguments.stop = stop.word();
  int64_t ops_per_item = loop.ops_per_point();
  if (loop.kind == LoopKind::kColumns) {
    arguments.num_columns = columns;
    items = CeilDiv(columns, kernel.num_lanes());
    int64_t levels = 0;
    for (const LoopBlock& block : loop.blocks) levels += block.num_levels;
    ops_per_item *= levels * kernel.num_lanes();
  } else {
    const int64_t row = loop.extents[0];
    if (row == 0) return absl::OkStatus();
    int64_t rows = columns;
    if (!loop.masked) {
      rows = loop.extents[1] * loop.extents[2] * loop.extents[3];
    }
    const int64_t block =
        std::clamp(kOpsPerRange / ops_per_item / kBlockStep * kBlockStep,
                   kBlockStep, kMaxBlockLength);
    arguments.block_length = std::min(row, block);
    arguments.blocks_per_row = CeilDiv(row, arguments.block_length);
    items = rows * arguments.blocks_per_row;
    ops_per_item *= arguments.block_length;
  }
  return device.Launch(kernel.entry(), &arguments, items,
                       ItemsPerRange(ops_per_item), stop);
}

absl::StatusOr<std::vector<std::optional<ReductionTotal>>> ReducePoints(
    Device& device, const Kernel& kernel, const LoopPlan& loop,
    const LoopBinding& binding, const StopToken& stop) {
  BoundArguments bound;
  Bind(loop, binding, bound);
  const ReductionOrder order(loop.shape);
  const size_t chunks = static_cast<size_t>(order.num_chunks());
  const size_t slots = chunks * loop.reductions.size();
  std::vector<std::optional<ReductionTotal>> totals(loop.reductions.size());
  if (slots == 0) return totals;
  auto* partials = reinterpret_cast<ParameterSlot*>(binding.partials);
  auto* positions = reinterpret_cast<int64_t*>(partials + slots);
  auto* has_partial = reinterpret_cast<uint8_t*>(positions + slots);

  KernelArguments& arguments = bound.arguments;
  const bool small = order.points_per_element <= kReductionChunkPoints;
  arguments.num_points = order.points_per_element * order.num_elements;
  arguments.chunk_points =
      small ? order.elements_per_chunk() * order.points_per_element
            : kReductionChunkPoints;
  arguments.chunks_per_group = small ? 1 : order.pieces_per_element();
  arguments.group_points =
      small ? arguments.chunk_points : order.points_per_element;
  arguments.num_chunks = order.num_chunks();
  arguments.partials = partials;
  arguments.positions = positions;
  arguments.has_partial = has_partial;
  RETURN_IF_ERROR(device.Launch(
      kernel.entry(), &arguments, order.num_chunks(),
      ItemsPerRange(loop.ops_per_point() * arguments.chunk_points), stop));

  for (size_t k = 0; k < totals.size(); ++k) {
    totals[k] = CombinePartials(
        loop.reductions[k], {absl::MakeSpan(partials + k * chunks, chunks),
                             absl::MakeSpan(positions + k * chunks, chunks),
                             absl::MakeSpan(has_partial + k * chunks, chunks)});
  }
  return totals;
}

}  // namespace layoutd
