#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/program/loop_builder.h"
#include "engine/program/plan.h"

namespace layoutd {
namespace {

bool UsesIndex(const LoopPlan& loop, Axis axis) {
  for (const LoopBlock& block : loop.blocks) {
    for (const LoopOp& op : block.ops) {
      if (op.kind == LoopOp::Kind::kIndex &&
          op.index == static_cast<int32_t>(axis)) {
        return true;
      }
    }
  }
  return false;
}

LaneStride StrideOf(int64_t stride, int64_t piece_bytes) {
  if (stride == 0) return LaneStride::kUniform;
  return stride == piece_bytes ? LaneStride::kUnit : LaneStride::kStrided;
}

// Keeps v, i, j, h as they are.
void KeepDimensions(LoopPlan& loop) {
  loop.num_dimensions = 4;
  loop.extents = loop.shape.extents;
  loop.dimension_of_axis = {0, 1, 2, 3};
}

// Merges i, j and h of a column loop when every access goes from column to
// column in even steps: a column's place is then one product.
void MergeColumns(LoopPlan& loop) {
  const std::array<int64_t, 4>& extents = loop.shape.extents;
  for (const Axis axis : {Axis::kI, Axis::kJ, Axis::kH}) {
    if (UsesIndex(loop, axis)) return;
  }
  std::vector<int64_t> steps;
  for (const LoopAccess& access : loop.accesses) {
    int64_t step = 0;
    int64_t columns = 1;  // that `step` covers
    for (size_t axis = 1; axis < 4; ++axis) {
      if (extents[axis] == 1) continue;
      if (columns == 1) step = access.strides[axis];
      if (access.strides[axis] != step * columns) return;
      columns *= extents[axis];
    }
    steps.push_back(step);
  }
  loop.num_dimensions = 2;
  loop.extents = {extents[0], loop.shape.num_columns(), 1, 1};
  loop.dimension_of_axis = {0, -1, -1, -1};
  for (size_t k = 0; k < steps.size(); ++k) {
    loop.accesses[k].strides = {loop.accesses[k].strides[0], steps[k], 0, 0};
  }
}

// Drops axes of extent 1 and merges an axis into the one before it when every
// access goes on from the last step of that one without a jump, so that the
// inner loop is as long as memory allows. Order is kept: v fastest.
void MergeDimensions(LoopPlan& loop) {
  std::vector<std::array<int64_t, 4>> strides(loop.accesses.size());
  int dimensions = 0;
  bool last_is_indexed = false;
  for (int axis = 0; axis < 4; ++axis) {
    const size_t a = static_cast<size_t>(axis);
    const int64_t extent = loop.shape.extents[a];
    if (extent == 1) continue;
    const bool indexed = UsesIndex(loop, static_cast<Axis>(axis));
    bool merges = dimensions > 0 && !indexed && !last_is_indexed;
    const size_t last = static_cast<size_t>(std::max(dimensions - 1, 0));
    for (size_t k = 0; merges && k < loop.accesses.size(); ++k) {
      merges =
          loop.accesses[k].strides[a] == strides[k][last] * loop.extents[last];
    }
    if (merges) {
      loop.extents[last] *= extent;
      continue;
    }
    const size_t next = static_cast<size_t>(dimensions);
    loop.extents[next] = extent;
    loop.dimension_of_axis[a] = static_cast<int8_t>(dimensions);
    for (size_t k = 0; k < loop.accesses.size(); ++k) {
      strides[k][next] = loop.accesses[k].strides[a];
    }
    last_is_indexed = indexed;
    ++dimensions;
  }
  loop.num_dimensions = std::max(dimensions, 1);
  for (size_t k = 0; k < loop.accesses.size(); ++k) {
    loop.accesses[k].strides = strides[k];
  }
}

// From here on what a loop stores would only push other data out of the caches;
// the last-level cache of the machines this is for.
constexpr int64_t kStreamingBytes = int64_t{32} << 20;

// Marks the accesses that are stored past the cache. Only one long row keeps
// its vectors aligned.
void MarkStreaming(LoopPlan& loop) {
  const bool columns = loop.kind == LoopKind::kColumns;
  if (loop.masked || loop.kind == LoopKind::kReduction ||
      loop.num_dimensions != (columns ? 2 : 1)) {
    return;
  }
  const auto dense = [&](const LoopAccess& access) {
    return columns ? access.along_levels : access.lanes == LaneStride::kUnit;
  };
  int64_t bytes = 0;
  std::set<int32_t> read;
  for (const LoopAccess& access : loop.accesses) {
    if (!dense(access)) continue;
    bytes += loop.extents[0] * loop.extents[1] * access.piece_bytes;
  }
  for (const LoopBlock& block : loop.blocks) {
    for (const LoopOp& op : block.ops) {
      if (op.kind == LoopOp::Kind::kLoad) {
        read.insert(loop.accesses[static_cast<size_t>(op.index)].buffer);
      }
    }
  }
  for (LoopAccess& access : loop.accesses) {
    access.streaming =
        bytes > kStreamingBytes && dense(access) && access.num_pieces == 1 &&
        access.base_bytes % LoopAccess::kStreamingAlignment == 0 &&
        read.count(access.buffer) == 0;
  }
}

template <typename T>
void Append(std::string& key, T value) {
  absl::StrAppend(&key, static_cast<int64_t>(value), ",");
}

}  // namespace

void ShapeLoop(LoopPlan& loop) {
  if (loop.kind == LoopKind::kColumns ||
      (loop.kind == LoopKind::kPoints && loop.masked)) {
    KeepDimensions(loop);
    if (loop.kind == LoopKind::kColumns && !loop.masked) MergeColumns(loop);
  } else {
    MergeDimensions(loop);
  }
  for (LoopAccess& access : loop.accesses) {
    if (loop.kind == LoopKind::kColumns) {
      // Lanes are columns, which a mask may choose freely.
      const bool uniform = access.strides[1] == 0 && access.strides[2] == 0 &&
                           access.strides[3] == 0;
      access.lanes = uniform ? LaneStride::kUniform : LaneStride::kStrided;
      access.along_levels = !uniform && !access.dynamic_level &&
                            access.num_pieces == 1 &&
                            access.strides[0] == access.piece_bytes;
    } else {
      access.lanes = StrideOf(access.strides[0], access.piece_bytes);
    }
  }
  MarkStreaming(loop);
}

std::string LoopPlan::Key() const {
  std::string key;
  Append(key, kind);
  Append(key, masked);
  Append(key, num_dimensions);
  for (int8_t dimension : dimension_of_axis) Append(key, dimension);
  absl::StrAppend(&key, "A");
  for (const LoopAccess& access : accesses) {
    Append(key, access.type);
    Append(key, access.num_pieces);
    Append(key, access.piece_bytes);
    Append(key, access.lanes);
    Append(key, access.dynamic_level);
    Append(key, access.along_levels);
    Append(key, access.streaming);
    Append(key, access.compact);
    Append(key, access.buffer == kMaskBuffer);
  }
  absl::StrAppend(&key, "P");
  for (const LoopParameter& parameter : parameters) {
    Append(key, parameter.type);
  }
  for (const LoopBlock& block : blocks) {
    absl::StrAppend(&key, "B");
    Append(key, block.levels);
    Append(key, block.flip);
    for (const LoopOp& op : block.ops) {
      Append(key, op.kind);
      Append(key, op.type);
      Append(key, op.opcode);
      Append(key, op.index);
      Append(key, op.a);
      Append(key, op.b);
      Append(key, op.c);
      Append(key, op.result);
    }
  }
  absl::StrAppend(&key, "R");
  for (const LoopReduction& reduction : reductions) {
    Append(key, reduction.op);
    Append(key, reduction.type);
    Append(key, reduction.value);
    Append(key, reduction.has_value);
    Append(key, reduction.with_position);
  }
  return key;
}

int64_t LoopPlan::ops_per_point() const {
  int64_t ops = static_cast<int64_t>(reductions.size());
  for (const LoopBlock& block : blocks) {
    for (const LoopOp& op : block.ops) {
      ops += op.kind == LoopOp::Kind::kOperation ? Info(op.opcode).cost : 1;
    }
  }
  return std::max<int64_t>(ops, 1);
}

}  // namespace layoutd
