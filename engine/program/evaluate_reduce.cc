#include "engine/program/evaluate_reduce.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/base/error.h"
#include "engine/program/finish_reduction.h"
#include "engine/program/pointwise.h"
#include "engine/program/reduction_order.h"

namespace layoutd {
namespace {

// The total over some points, one per leaf of the argument; without a point it
// has no value.
struct Partial {
  bool has_value = false;
  std::vector<ReductionTotal> totals;
};

Scalar Combine(Opcode op, const Scalar& a, const Scalar& b) {
  const Scalar pair[2] = {a, b};
  return Apply(op, pair);
}

// One kReduce node: its operands by role and the types of its leaves.
class Reducer {
 public:
  Reducer(const VerifiedProgram& program, NodeIndex node,
          const ActiveColumns& columns, ColumnValues& values)
      : program_(program),
        spec_(program.program.nodes[node].reduce),
        type_(program.nodes[node].type),
        leaves_(type_.leaves()),
        columns_(columns),
        values_(values) {
    const std::vector<NodeIndex>& operands =
        program.program.nodes[node].operands;
    size_t next = 0;
    argument_ = operands[next++];
    if (spec_.has_weight) weight_ = operands[next++];
    if (spec_.has_where) where_ = operands[next++];
    if (spec_.has_init) init_ = operands[next++];
    num_totals_ =
        static_cast<size_t>(program.nodes[argument_].type.num_leaves());
  }

  // Returns the total over every chunk, before init.
  Partial Total() {
    const Shape& shape = program_.nodes[argument_].shape.shape;
    const ReductionOrder order(shape);
    std::vector<Partial> partials;
    for (int64_t chunk = 0; chunk < order.num_chunks(); ++chunk) {
      partials.push_back(ChunkTotal(shape, order.chunk(chunk)));
    }
    while (partials.size() > 1) {
      std::vector<Partial> paired;
      for (size_t m = 0; m < partials.size(); m += 2) {
        if (m + 1 < partials.size()) Merge(partials[m], partials[m + 1]);
        paired.push_back(std::move(partials[m]));
      }
      partials = std::move(paired);
    }
    return partials.empty() ? Partial{} : std::move(partials[0]);
  }

  // Returns the leaves of the reduction with this total, or nothing where they
  // are undefined.
  std::optional<std::vector<Scalar>> Finish(const Partial& total) {
    std::vector<ScalarType> types;
    for (const Leaf& leaf : leaves_) types.push_back(leaf.type);
    std::vector<std::optional<ReductionTotal>> totals(num_totals_);
    if (total.has_value) {
      std::copy(total.totals.begin(), total.totals.end(), totals.begin());
    }
    std::vector<Scalar> init;
    if (init_ >= 0) {
      for (int leaf : SpreadLeaves(program_.nodes[init_].type, type_)) {
        init.push_back(values_.Value(init_, 0)[leaf]);
      }
    }
    return FinishReduction(spec_.reduction,
                           program_.nodes[argument_].shape.shape, types, totals,
                           init);
  }

 private:
  Partial ChunkTotal(const Shape& shape, const ChunkRange& range) {
    std::vector<Partial> lanes(kReductionLanes);
    for (int64_t point = range.begin; point < range.end; ++point) {
      const int64_t v = point % shape.v();
      const int64_t column = point / shape.v();
      const int64_t i = column % shape.i();
      const int64_t j = column / shape.i() % shape.j();
      const int64_t h = column / shape.i() / shape.j();
      if (!columns_.IsActive(i, j, h)) continue;
      if (v == 0 || point == range.begin) values_.BeginColumn(i, j, h);
      if (where_ >= 0 && !values_.Value(where_, v)->IsTrue()) continue;
      const int64_t lane = (point - range.begin) % kReductionLanes;
      Merge(lanes[lane], Term(point, v));
    }
    for (int64_t half = kReductionLanes / 2; half > 0; half /= 2) {
      for (int64_t l = 0; l < half; ++l) Merge(lanes[l], lanes[l + half]);
    }
    return std::move(lanes[0]);
  }

  // What canonical point `point`, at level `v` of the current column,
  // contributes.
  const Partial& Term(int64_t point, int64_t v) {
    term_.has_value = true;
    term_.totals.resize(num_totals_);
    const Scalar* const argument = values_.Value(argument_, v);
    for (size_t l = 0; l < num_totals_; ++l) {
      const ScalarType type = leaves_[l].type;
      ReductionTotal& total = term_.totals[l];
      total.value = Convert(argument[l], type);
      total.position = point;
      Scalar weight = Scalar::I64(1);
      if (weight_ >= 0) {
        weight = Convert(*values_.Value(weight_, v), type);
        total.value = Combine(Opcode::kMul, weight, total.value);
      }
      total.second = spec_.reduction == Reduction::kMean ? weight : total.value;
    }
    return term_;
  }

  // Adds `term`, which comes after it, to `total`.
  void Merge(Partial& total, const Partial& term) const {
    if (!term.has_value) return;
    if (!total.has_value) {
      total = term;
      return;
    }
    const Reduction reduction = spec_.reduction;
    const Opcode op = CombineOp(reduction, 0);
    for (size_t l = 0; l < num_totals_; ++l) {
      ReductionTotal& a = total.totals[l];
      const ReductionTotal& b = term.totals[l];
      if (HasPosition(reduction)) {
        if (TakesSecond(op, a.value, a.position, b.value, b.position)) a = b;
        continue;
      }
      a.value = Combine(op, a.value, b.value);
      if (HasSecondPart(reduction)) {
        a.second = Combine(CombineOp(reduction, 1), a.second, b.second);
      }
    }
  }

  const VerifiedProgram& program_;
  const ReduceSpec& spec_;
  const ValueType& type_;
  const std::vector<Leaf>& leaves_;
  const ActiveColumns& columns_;
  ColumnValues& values_;
  NodeIndex argument_ = 0;
  NodeIndex weight_ = -1;  // -1: the reduction has none
  NodeIndex where_ = -1;
  NodeIndex init_ = -1;
  size_t num_totals_ = 0;  // leaves of the argument
  Partial term_;           // reused from point to point
};

}  // namespace

bool ActiveColumns::IsActive(int64_t i, int64_t j, int64_t h) const {
  if (active.empty()) return true;
  const int64_t plane =
      BroadcastIndex(h, shape.h()) * shape.j() + BroadcastIndex(j, shape.j());
  return active[plane * shape.i() + BroadcastIndex(i, shape.i())] != 0;
}

absl::StatusOr<std::vector<Scalar>> EvaluateReduction(
    const VerifiedProgram& program, NodeIndex node, absl::string_view result,
    const ActiveColumns& columns, ColumnValues& values) {
  Reducer reducer(program, node, columns, values);
  const Partial total = reducer.Total();
  // init is one value, read like any field at its only column.
  values.BeginColumn(0, 0, 0);
  std::optional<std::vector<Scalar>> leaves = reducer.Finish(total);
  if (!leaves.has_value()) {
    const absl::string_view name =
        Name(program.program.nodes[node].reduce.reduction);
    return FailedPrecondition("NO_ACTIVE_POINT",
                              absl::StrCat("result \"", result, "\": ", name,
                                           " over no active point, no init"))
        .With("result", result);
  }
  return *std::move(leaves);
}

}  // namespace layoutd
