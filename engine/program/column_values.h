#ifndef LAYOUTD_ENGINE_PROGRAM_COLUMN_VALUES_H_
#define LAYOUTD_ENGINE_PROGRAM_COLUMN_VALUES_H_

// The evaluator's values of expressions, one column of points at a time:
// nothing in a program reads across columns, and within one every node is
// computed at most once per level, on demand. Used by one thread, for one run
// of a program.

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/program/evaluate.h"
#include "engine/program/pointwise.h"
#include "engine/program/scalar.h"
#include "engine/program/verify.h"

namespace layoutd {

// The content of a field between two stores into it; never changes, so that a
// `let` keeps what it saw.
using FieldVersion = std::shared_ptr<const std::vector<Scalar>>;

// Returns `index` on an axis of `extent`: an extent of 1 is read at 0.
constexpr int64_t BroadcastIndex(int64_t index, int64_t extent) {
  return extent == 1 ? 0 : index;
}

class ColumnValues {
 public:
  // `fields`: the initial contents, parallel to program.fields; zeros for those
  // that the program creates. `program` and `results` must outlive this;
  // results of reductions are looked up when they are read.
  ColumnValues(const VerifiedProgram& program, const OracleResults& results,
               std::vector<FieldVersion> fields);

  // Binds the let names that the expression `root` uses to the lets seen so
  // far. To be called as each statement begins.
  void Bind(NodeIndex root);
  // From here on the let `name` stands for `value` over the fields as they are
  // now.
  void DefineLet(const std::string& name, NodeIndex value);
  // Replaces the content of a field.
  void SetField(int32_t field, FieldVersion content);
  // Returns the current content of a field.
  const FieldVersion& field(int32_t field) const {
    return states_.back().fields[static_cast<size_t>(field)];
  }

  // Moves to the column (i, j, h).
  void BeginColumn(int64_t i, int64_t j, int64_t h);
  // Returns the leaves of `node` at level `v` of the column, over the fields as
  // they are now; a weak node has its exact constant (i128 or f64).
  // Owner: valid until the next change of column or field.
  const Scalar* Value(NodeIndex node, int64_t v) {
    return Value(node, v, states_.size() - 1);
  }

 private:
  // Values of one node at one level of the column whose stamp it has.
  struct Memo {
    int64_t stamp = 0;
    std::vector<Scalar> leaves;
  };
  // The fields between two stores, and what was computed from them.
  struct State {
    std::vector<FieldVersion> fields;
    // Per node, from level 0 up. at(at(x, v + 1), v - 1) passes through levels
    // that no field has; these few lie in `beyond`.
    std::vector<std::vector<Memo>> memos;
    std::map<std::pair<NodeIndex, int64_t>, Memo> beyond;
  };

  const Scalar* Value(NodeIndex node, int64_t v, size_t state);
  Memo& MemoOf(NodeIndex node, int64_t v, size_t state);
  const Scalar* FieldValue(int32_t field, int64_t v, size_t state) const;
  // Converts the leaves `values` of node `from` to those of node `to`.
  void Spread(NodeIndex from, const Scalar* values, NodeIndex to,
              Scalar* out) const;
  void Compute(NodeIndex node, int64_t v, size_t state, Scalar* out);
  void ComputePointwise(NodeIndex node, int64_t v, size_t state, Scalar* out);
  void ComputeAt(NodeIndex node, int64_t v, size_t state, Scalar* out);
  void FoldLevel(NodeIndex node, int64_t v, size_t state, bool started,
                 Scalar* total);
  void ComputeFold(NodeIndex node, size_t state, Scalar* out);
  // Computes all levels of a scan at once.
  void ComputeScan(NodeIndex node, size_t state);
  bool DependsOnLevel(NodeIndex node) const;

  const VerifiedProgram& program_;
  const OracleResults& results_;
  std::vector<State> states_;  // one more after every store
  // The state at each let, by its name and value: those of different scopes may
  // share a name.
  std::map<std::pair<std::string, NodeIndex>, size_t> lets_;
  std::vector<size_t> let_states_;      // per kName node of a let
  std::vector<bool> bound_;             // per node: seen by Bind
  std::vector<bool> depends_on_level_;  // per node
  std::vector<int> num_leaves_;         // per node
  std::vector<std::vector<PointwiseLeaf>> pointwise_;  // per node, once used
  int64_t max_levels_ = 1;
  std::array<int64_t, 4> index_ = {};    // of the column; v unused
  std::vector<int64_t> column_offsets_;  // per field: its first point there
  int64_t stamp_ = 0;
};

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_PROGRAM_COLUMN_VALUES_H_
