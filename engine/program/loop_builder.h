#ifndef LAYOUTD_ENGINE_PROGRAM_LOOP_BUILDER_H_
#define LAYOUTD_ENGINE_PROGRAM_LOOP_BUILDER_H_

// Turns expressions of a verified program into the scalar ops of one loop. The
// planner owns it while the loop is open; Finish gives the LoopPlan.
//
// In a column loop ops are sorted into stages: what needs a fold's result, or a
// neighbour that an earlier statement stored, must wait until that pass over
// the levels is complete. Stage s runs its per-column ops first, then its
// passes.

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "engine/program/plan.h"
#include "engine/program/promotion.h"
#include "engine/program/verify.h"

namespace layoutd {

// The level at which an expression is evaluated.
struct LevelPosition {
  enum class Kind : uint8_t {
    kLoop,   // the loop's own level plus `number`
    kFixed,  // level `number`
    kValue,  // the level in `value`
  };
  Kind kind = Kind::kLoop;
  int64_t number = 0;
  ValueIndex value = kNoValue;

  auto operator<=>(const LevelPosition&) const = default;
};

inline LevelPosition LoopLevel(int64_t offset) {
  return {LevelPosition::Kind::kLoop, offset, kNoValue};
}
inline LevelPosition FixedLevel(int64_t level) {
  return {LevelPosition::Kind::kFixed, level, kNoValue};
}
inline LevelPosition ValueLevel(ValueIndex value) {
  return {LevelPosition::Kind::kValue, 0, value};
}
// Returns whether `at` is the level the loop stands at.
inline bool IsOwnLevel(const LevelPosition& at) {
  return at == LevelPosition{};
}

// The most ops of one loop: uses of a shared or shifted expression are written
// out one by one, so a short program can ask for very many.
inline constexpr int64_t kMaxLoopOps = 32768;

class LoopBuilder {
 public:
  // `node_buffers` gives, per kName node that stands for a field, the buffer it
  // reads; it may grow while the loop is open. Temporaries are added to
  // `buffers`. All references outlive this.
  LoopBuilder(const VerifiedProgram& program,
              const std::vector<int32_t>& node_buffers,
              std::vector<PlanBuffer>& buffers, LoopKind kind,
              const Shape& shape, bool masked);

  // Evaluates `node` now, so that later stores do not change what it reads.
  void Evaluate(NodeIndex node);

  // Stores `value` into leaves [first_leaf, ...) of `buffer`, one per leaf of
  // the value's type, converted to the leaf's type.
  void Store(int32_t buffer, int32_t first_leaf, NodeIndex value);

  // Copies every leaf outside [first_leaf, first_leaf + num_leaves) from buffer
  // `from` to `to`, point by point: both hold the same field.
  void CopyOtherLeaves(int32_t from, int32_t to, int32_t first_leaf,
                       int32_t num_leaves);

  // Makes a reduction loop skip the columns that the step's mask leaves out.
  void UseMask();

  // Adds the partial reductions (one a leaf, or two; see HasSecondPart) of
  // leaves [first_leaf, first_leaf + num_leaves) of the argument of kReduce
  // node `node`.
  void AddReductions(NodeIndex node, int32_t first_leaf, int32_t num_leaves);
  int64_t num_reductions() const {
    return static_cast<int64_t>(loop_.reductions.size());
  }

  // Whether the loop grew past kMaxLoopOps; what it holds then is useless.
  bool too_large() const { return num_ops_ > kMaxLoopOps; }
  // Why the loop cannot be made for another reason, or OK.
  const absl::Status& status() const { return status_; }

  LoopPlan Finish();

 private:
  using Leaves = std::vector<ValueIndex>;

  // A pass over the levels of a column.
  struct Pass {
    int64_t num_levels = 1;
    bool flip = false;

    auto operator<=>(const Pass&) const = default;
  };
  // Where an op goes: the per-column ops of a stage, or one of its passes.
  struct Place {
    int32_t stage = 0;
    bool levels = false;
    Pass pass;

    auto operator<=>(const Place&) const = default;
  };
  // An operand about to be promoted: a node, or values already at hand.
  struct Operand {
    ValueType type = ScalarType::kF64;
    Leaves leaves;
    const NodeInfo* weak = nullptr;  // set when the node is weak
  };
  // A value stored in this loop, for reads at the same point.
  struct Stored {
    Place place;
    ValueIndex value;
  };

  // What the node's value depends on; see the .cc.
  bool DependsOnLevel(NodeIndex node);
  int32_t StageOf(NodeIndex node, const LevelPosition& at, const Pass& pass);
  int32_t StageOfRead(int32_t buffer, const LevelPosition& at,
                      const Pass& pass) const;
  Pass PassOf(NodeIndex fold) const;
  std::optional<bool> ScanDirection(NodeIndex node) const;
  Place PlaceFor(NodeIndex node, int64_t num_levels);
  // The per-column ops of the stage of `place`.
  static Place PerColumn(const Place& place);

  Leaves Emit(NodeIndex node, LevelPosition at, Place place);
  Leaves EmitUncached(NodeIndex node, const LevelPosition& at,
                      const Place& place);
  Leaves EmitName(NodeIndex node, const LevelPosition& at, const Place& place);
  Leaves EmitAt(const Node& node, const LevelPosition& at, const Place& place);
  Leaves EmitFold(NodeIndex index);
  Leaves EmitScan(NodeIndex index, const LevelPosition& at, const Place& place);
  Leaves EmitOneLevelScan(NodeIndex index, const Place& place);
  // Adds the ops that fold or scan the argument of `index` in `place`.
  Leaves AddFolds(NodeIndex index, const Place& place);
  ValueIndex EmitIndex(Axis axis, const LevelPosition& at, const Place& place);
  Leaves EmitPointwise(const Node& node, const ValueType& result,
                       const LevelPosition& at, const Place& place);

  Operand OperandOf(NodeIndex node, const LevelPosition& at,
                    const Place& place);
  // Returns the operand's values, one per leaf of `result` (scalars repeat).
  Leaves Spread(const Operand& operand, const ValueType& result);
  // Applies `op` leaf by leaf after promotion.
  Leaves Apply(Opcode op, const std::vector<Operand>& operands,
               const ValueType& result, const Place& place);
  ValueIndex Converted(const Operand& operand, ValueIndex leaf, ScalarType type,
                       const Place& place);

  ValueIndex Read(int32_t buffer, int32_t leaf, const LevelPosition& at,
                  const Place& place);
  void StoreLeaf(int32_t buffer, int32_t leaf, ValueIndex value,
                 const Place& place);

  ValueIndex Add(const Place& place, LoopOp op);
  ValueIndex Operation(const Place& place, Opcode opcode, ScalarType type,
                       ValueIndex a, ValueIndex b = kNoValue,
                       ValueIndex c = kNoValue);
  // A constant of the program: an argument of its own, whatever its value, so
  // that programs that differ in literals alone share a kernel.
  ValueIndex Constant(const Scalar& value, const Place& place);
  ValueIndex Level(int64_t level, const Place& place);
  ValueIndex ParameterValue(const LoopParameter& parameter, const Place& place);
  LoopAccess AccessTo(int32_t buffer, int32_t leaf);
  int32_t FindAccess(const LoopAccess& access);
  const View& ViewOf(int32_t buffer);

  const VerifiedProgram& program_;
  const std::vector<int32_t>& node_buffers_;
  std::vector<PlanBuffer>& buffers_;
  LoopPlan loop_;
  std::map<Place, LoopBlock> blocks_;
  std::vector<ScalarType> value_types_;
  std::map<std::tuple<NodeIndex, LevelPosition, Place>, Leaves> emitted_;
  std::map<NodeIndex, Leaves> folds_;
  std::map<NodeIndex, int32_t> stored_scans_;  // the temporaries they are in
  std::map<std::pair<int32_t, int32_t>, Stored> stored_;  // (buffer, leaf)
  // Loads at hand, by (buffer, leaf), position and place; a store forgets them.
  std::map<std::tuple<int32_t, int32_t, LevelPosition, Place>, ValueIndex>
      loaded_;
  std::map<std::pair<int64_t, Place>, ValueIndex> levels_;  // constants
  std::map<int32_t, View> views_;                           // by buffer
  int64_t num_ops_ = 0;
  absl::Status status_;
  std::vector<int8_t> depends_on_level_;  // -1: not known yet
};

// Drops ops that nothing uses, then numbers values, accesses and parameters in
// order of use, so that loops of one structure have one key.
void PruneLoop(LoopPlan& loop);

// Works out dimensions, lane strides and dimension strides of `loop`, whose
// accesses have logical strides (v, i, j, h) so far.
void ShapeLoop(LoopPlan& loop);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_PROGRAM_LOOP_BUILDER_H_
