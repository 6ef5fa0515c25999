#ifndef LAYOUTD_ENGINE_PROGRAM_PLAN_H_
#define LAYOUTD_ENGINE_PROGRAM_PLAN_H_

// A verified program as loops over scalars: struct values are taken apart,
// names become buffers, adjacent pointwise statements share one pass, and every
// field that is written gets private buffers to write into. The generator turns
// each LoopPlan into a kernel; run/execute walks the steps. Memory is only
// described.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/base/scalar_type.h"
#include "engine/layout/data_layout.h"
#include "engine/layout/shape.h"
#include "engine/program/graph.h"
#include "engine/program/scalar.h"
#include "engine/program/verify.h"

namespace layoutd {

// One content of a field that the plan reads or writes.
struct PlanBuffer {
  // Index into VerifiedProgram::fields; kTemporary: a value that must wait in
  // memory for another pass.
  int32_t field = 0;
  static constexpr int32_t kTemporary = -1;
  std::optional<DataLayout> temporary;
  enum class Start : uint8_t {
    kPinned,     // the field's published revision; never written
    kUndefined,  // private; the plan overwrites all of it
    kZero,       // private; starts as zeros
    kCopy,       // private; starts as a copy of `copy_of`
    // Private; active columns only, to be put in place of those of `copy_of`:
    // see compact_writes.h.
    kCompact,
  };
  Start start = Start::kPinned;
  int32_t copy_of = -1;
  // The steps that use it: it is allocated before the first and may go after
  // the last. A field's final content lives on.
  int32_t first_step = 0;
  int32_t last_step = 0;
};

// Returns the layout that `buffer` of a plan of `program` has.
const DataLayout& LayoutOf(const VerifiedProgram& program,
                           const PlanBuffer& buffer);

// How lanes of a vector lie in memory.
enum class LaneStride : uint8_t {
  kUniform,  // all lanes at one address
  kUnit,     // lane after lane without gap
  kStrided,  // anything else
};

// One scalar leaf of one buffer, as one loop reads or writes it.
struct LoopAccess {
  ScalarType type = ScalarType::kF64;
  int num_pieces = 1;  // see LeafPlace
  int64_t piece_bytes = 8;
  LaneStride lanes = LaneStride::kStrided;
  // The level comes from a value of the loop (an `at` whose offset may leave
  // the column) instead of from the loop's own v.
  bool dynamic_level = false;
  // kColumns: the levels of a column follow each other without gap.
  bool along_levels = false;
  // Stored past the cache (in whole columns by a column loop): the loop moves
  // more than a cache holds, reads none of this buffer, and its rows begin at
  // multiples of kStreamingAlignment bytes.
  bool streaming = false;
  static constexpr int64_t kStreamingAlignment = 64;  // of the widest vectors
  // The columns are those of a compact buffer: the n-th active column of the
  // loop's mask is n * strides[3] bytes from the first.
  bool compact = false;
  // Arguments of the kernel, not part of its structure. Bytes.
  int32_t buffer = 0;      // index into ExecutionPlan::buffers; kMaskBuffer
  int64_t base_bytes = 0;  // from the start of the buffer
  std::array<int64_t, 4> strides = {};  // per dimension of the loop
  int64_t piece_stride = 0;
  int64_t level_stride = 0;  // along v when dynamic_level
};

// LoopAccess::buffer of the mask's active bytes.
inline constexpr int32_t kMaskBuffer = -1;

using ValueIndex = int32_t;
inline constexpr ValueIndex kNoValue = -1;

// One step of a loop's body; each defines the value of its index, except
// kStore.
struct LoopOp {
  enum class Kind : uint8_t {
    kParameter,  // index: into LoopPlan::parameters
    kIndex,      // index: the Axis; i64
    kLoad,       // index: into accesses; a: the level when dynamic_level
    kStore,      // index: into accesses; a: the value
    kOperation,  // opcode on a, b, c, all of one operand type
    kConvert,    // a to `type`
    kFold,  // a folded over the levels of its block with `opcode`; b: init,
            // or kNoValue; usable after the block
    kScan,  // as kFold, but the running total at each level, usable at once;
            // index: 1 when exclusive
  };
  Kind kind = Kind::kParameter;
  ScalarType type = ScalarType::kF64;  // of the value
  Opcode opcode = Opcode::kLiteral;
  int32_t index = 0;
  ValueIndex a = kNoValue;
  ValueIndex b = kNoValue;
  ValueIndex c = kNoValue;
  ValueIndex result = kNoValue;
};

// A straight run of ops. In a column loop, blocks run one after another; those
// with `levels` run once per level, the others once per column.
struct LoopBlock {
  bool levels = false;
  int64_t num_levels = 1;  // an argument
  bool flip = false;       // from the last level to the first
  std::vector<LoopOp> ops;
};

// One scalar reduction of a reduction loop.
struct LoopReduction {
  Opcode op = Opcode::kAdd;  // kAdd kMin kMax kAnd kOr
  ScalarType type = ScalarType::kF64;
  ValueIndex value = kNoValue;
  ValueIndex has_value = kNoValue;  // bool; kNoValue: every point counts
  // kMin, kMax: the partial also says where its value lies; among equal ones
  // the first point counts.
  bool with_position = false;
  // What it is the partial of: node (a kReduce), leaf of its argument, and
  // which part (see CombineOp).
  NodeIndex node = 0;
  int32_t leaf = 0;
  int32_t part = 0;
};

// A scalar that the loop is given: a constant, or a leaf of an earlier result.
struct LoopParameter {
  ScalarType type = ScalarType::kF64;
  Scalar constant;
  int32_t result = -1;  // index into VerifiedProgram::results; -1: constant
  int32_t leaf = 0;
};

enum class LoopKind : uint8_t {
  kPoints,     // lanes along the first dimension
  kColumns,    // lanes across columns, levels in order
  kReduction,  // chunks of points to partials
};

struct LoopPlan {
  LoopKind kind = LoopKind::kPoints;
  // kPoints, kColumns: visit only the columns of the step's mask.
  bool masked = false;
  // The dimensions that are walked, fastest first. kColumns and masked loops
  // keep v, i, j, h; elsewhere axes of extent 1 are dropped and axes that every
  // access crosses without a gap are merged.
  int num_dimensions = 0;
  std::array<int64_t, 4> extents = {1, 1, 1, 1};
  // Per axis: the dimension whose index it is; -1: always 0, or merged (then
  // nothing asks for it).
  std::array<int8_t, 4> dimension_of_axis = {-1, -1, -1, -1};
  Shape shape;  // logical
  std::vector<LoopAccess> accesses;
  std::vector<LoopParameter> parameters;
  std::vector<LoopBlock> blocks;  // one, except in kColumns
  std::vector<LoopReduction> reductions;
  int32_t num_values = 0;

  // Returns everything that shapes the code, and nothing else, as bytes: equal
  // keys may share a kernel.
  std::string Key() const;
  // Units: scalar operations at one point, at least 1.
  int64_t ops_per_point() const;
};

// One loop, and what happens around it.
struct PlanStep {
  LoopPlan loop;
  int32_t statement = 0;  // whose mask it uses
  // Results whose value is known once this step has run, in order.
  std::vector<int32_t> results;
};

struct ExecutionPlan {
  std::vector<PlanBuffer> buffers;
  std::vector<PlanStep> steps;
  // Per field of the program: the buffer with its new content; -1: not written.
  std::vector<int32_t> final_buffers;
};

// Plans `program`.
// Errors: InvalidArgument (PROGRAM_LIMIT) — a loop has more scalar operations,
// each use of a shared expression counted, than one kernel may.
absl::StatusOr<ExecutionPlan> PlanProgram(const VerifiedProgram& program);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_PROGRAM_PLAN_H_
