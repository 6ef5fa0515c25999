#include "engine/run/loop_work.h"
#include "engine/program/compact_writes.h"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "engine/base/checked_math.h"

namespace layoutd {
namespace {

// How one access of a loop is used.
struct AccessUse {
  bool read = false;
  bool written = false;
  int64_t levels = 1;  // kColumns: of the longest pass that uses it
};

int64_t LevelsOf(const LoopBlock& block) {
  return block.levels ? block.num_levels : 1;
}

bool IsOperation(LoopOp::Kind kind) {
  switch (kind) {
    case LoopOp::Kind::kOperation:
    case LoopOp::Kind::kConvert:
    case LoopOp::Kind::kFold:
    case LoopOp::Kind::kScan:
      return true;
    case LoopOp::Kind::kParameter:
    case LoopOp::Kind::kIndex:
    case LoopOp::Kind::kLoad:
    case LoopOp::Kind::kStore:
      return false;
  }
  return false;
}

std::vector<AccessUse> UsesOf(const LoopPlan& loop) {
  std::vector<AccessUse> uses(loop.accesses.size());
  for (const LoopBlock& block : loop.blocks) {
    for (const LoopOp& op : block.ops) {
      const bool load = op.kind == LoopOp::Kind::kLoad;
      if (!load && op.kind != LoopOp::Kind::kStore) continue;
      AccessUse& use = uses[static_cast<size_t>(op.index)];
      (load ? use.read : use.written) = true;
      use.levels = std::max(use.levels, LevelsOf(block));
    }
  }
  return uses;
}

// Returns at how many places `access` lies, over the whole loop.
int64_t PlacesOf(const LoopPlan& loop, const LoopAccess& access,
                 const AccessUse& use, int64_t active_columns) {
  const int v = loop.dimension_of_axis[0];  // -1: one level
  int64_t levels = 1;
  int64_t columns = 1;
  for (int d = 0; d < loop.num_dimensions; ++d) {
    const auto k = static_cast<size_t>(d);
    if (d == v) {
      const bool moves = access.strides[k] != 0 ||
                         (access.dynamic_level && access.level_stride != 0);
      const bool by_pass = loop.kind == LoopKind::kColumns;
      if (moves) levels = by_pass ? use.levels : loop.extents[k];
    } else if (access.strides[k] != 0 || access.compact) {
      columns = SaturatingProduct(columns, loop.extents[k]);
    }
  }
  if (loop.masked) columns = std::min(columns, active_columns);
  return SaturatingProduct(levels, columns);
}

// Adds the bytes of fields that `loop` touches.
void AddBytes(const VerifiedProgram& program, const ExecutionPlan& plan,
              const LoopPlan& loop, int64_t active_columns, LoopWork& work) {
  const std::vector<AccessUse> uses = UsesOf(loop);
  struct Bytes {
    int64_t read = 0;
    int64_t written = 0;
  };
  std::map<int32_t, Bytes> by_buffer;
  for (size_t k = 0; k < loop.accesses.size(); ++k) {
    const LoopAccess& access = loop.accesses[k];
    if (access.buffer == kMaskBuffer) continue;
    const int64_t bytes =
        SaturatingProduct(PlacesOf(loop, access, uses[k], active_columns),
                          SizeBytes(access.type));
    Bytes& sum = by_buffer[access.buffer];
    if (uses[k].read) sum.read = SaturatingAdd(sum.read, bytes);
    if (uses[k].written) sum.written = SaturatingAdd(sum.written, bytes);
  }
  for (const auto& [buffer, bytes] : by_buffer) {
    const int64_t size =
        LayoutOf(program, plan.buffers[static_cast<size_t>(buffer)])
            .size_bytes();
    work.read_bytes =
        SaturatingAdd(work.read_bytes, std::min(bytes.read, size));
    work.written_bytes =
        SaturatingAdd(work.written_bytes, std::min(bytes.written, size));
  }
}

}  // namespace

LoopWork WorkOf(const VerifiedProgram& program, const ExecutionPlan& plan,
                const PlanNeeds& needs, size_t step, absl::string_view scope) {
  const LoopPlan& loop = plan.steps[step].loop;
  const int64_t columns = needs.active_columns[step];
  LoopWork work;
  work.kind = loop.kind;
  work.masked = loop.masked;
  work.scope = std::string(scope);
  const bool by_pass = loop.kind == LoopKind::kColumns;
  int64_t levels = by_pass ? 1 : loop.shape.v();
  auto ops_per_column = static_cast<int64_t>(loop.reductions.size()) * levels;
  for (const LoopBlock& block : loop.blocks) {
    if (by_pass) levels = std::max(levels, LevelsOf(block));
    const int64_t ops =
        std::count_if(block.ops.begin(), block.ops.end(),
                      [](const LoopOp& op) { return IsOperation(op.kind); });
    ops_per_column = SaturatingAdd(
        ops_per_column,
        SaturatingProduct(ops, by_pass ? LevelsOf(block) : levels));
  }
  work.points = SaturatingProduct(columns, levels);
  work.operations = SaturatingProduct(columns, ops_per_column);
  if (work.points > 0) AddBytes(program, plan, loop, columns, work);
  return work;
}

int64_t CopiedBytes(const VerifiedProgram& program, const ExecutionPlan& plan,
                    const PlanNeeds& needs) {
  int64_t bytes = 0;
  for (const PlanBuffer& buffer : plan.buffers) {
    if (buffer.start == PlanBuffer::Start::kCompact) {
      const int64_t columns =
          needs.active_columns[static_cast<size_t>(buffer.first_step)];
      bytes = SaturatingAdd(bytes,
                            CompactBytes(LayoutOf(program, buffer), columns));
    }
    if (buffer.start != PlanBuffer::Start::kCopy || buffer.last_step < 0) {
      continue;
    }
    bytes = SaturatingAdd(bytes, LayoutOf(program, buffer).size_bytes());
  }
  return bytes;
}

}  // namespace layoutd
