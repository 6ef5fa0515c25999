#include "engine/program/column_values.h"

#include <algorithm>
#include <utility>

#include "engine/base/status_macros.h"

namespace layoutd {

ColumnValues::ColumnValues(const VerifiedProgram& program,
                           const OracleResults& results,
                           std::vector<FieldVersion> fields)
    : program_(program), results_(results) {
  const size_t num_nodes = program.nodes.size();
  states_.push_back(
      {std::move(fields), std::vector<std::vector<Memo>>(num_nodes), {}});
  let_states_.resize(num_nodes);
  bound_.resize(num_nodes);
  pointwise_.resize(num_nodes);
  column_offsets_.resize(program.fields.size());
  for (const FieldUse& field : program.fields) {
    max_levels_ = std::max(max_levels_, field.layout.shape().v());
  }
  for (size_t k = 0; k < num_nodes; ++k) {
    const NodeInfo& info = program.nodes[k];
    max_levels_ = std::max(max_levels_, info.shape.shape.v());
    num_leaves_.push_back(info.type.num_leaves());
    depends_on_level_.push_back(DependsOnLevel(static_cast<NodeIndex>(k)));
  }
}

bool ColumnValues::DependsOnLevel(NodeIndex index) const {
  const Node& node = program_.program.nodes[index];
  switch (node.op) {
    case Opcode::kLiteral:
    case Opcode::kFold:
      return false;
    case Opcode::kScan:
      return program_.nodes[index].shape.shape.v() != 1;
    case Opcode::kIndex:
      return node.axis == Axis::kV;
    case Opcode::kAt:
      return node.at.kind == AtPosition::Kind::kOffset;
    case Opcode::kName:
      return program_.nodes[index].name_kind != NodeInfo::NameKind::kResult;
    default:  // the operations
      return std::any_of(
          node.operands.begin(), node.operands.end(),
          [&](NodeIndex operand) { return depends_on_level_[operand]; });
  }
}

void ColumnValues::Bind(NodeIndex root) {
  std::vector<NodeIndex> pending = {root};
  while (!pending.empty()) {
    const NodeIndex index = pending.back();
    pending.pop_back();
    if (bound_[index]) continue;
    bound_[index] = true;
    const Node& node = program_.program.nodes[index];
    const NodeInfo& info = program_.nodes[index];
    if (info.name_kind == NodeInfo::NameKind::kLet) {
      const auto let = lets_.find({node.name, info.name_index});
      LAYOUTD_DCHECK(let != lets_.end());
      let_states_[index] = let->second;
    }
    pending.insert(pending.end(), node.operands.begin(), node.operands.end());
  }
}

void ColumnValues::DefineLet(const std::string& name, NodeIndex value) {
  lets_[{name, value}] = states_.size() - 1;
}

void ColumnValues::SetField(int32_t field, FieldVersion content) {
  State next = {states_.back().fields,
                std::vector<std::vector<Memo>>(program_.nodes.size()),
                {}};
  next.fields[field] = std::move(content);
  states_.push_back(std::move(next));
}

void ColumnValues::BeginColumn(int64_t i, int64_t j, int64_t h) {
  index_ = {0, i, j, h};
  ++stamp_;
  for (size_t k = 0; k < column_offsets_.size(); ++k) {
    const Shape& shape = program_.fields[k].layout.shape();
    const int64_t plane =
        BroadcastIndex(h, shape.h()) * shape.j() + BroadcastIndex(j, shape.j());
    const int64_t column = plane * shape.i() + BroadcastIndex(i, shape.i());
    column_offsets_[k] = column * shape.v();
  }
}

const Scalar* ColumnValues::Value(NodeIndex node, int64_t v, size_t state) {
  const NodeInfo& info = program_.nodes[node];
  if (info.constant.has_value()) return &*info.constant;
  switch (info.name_kind) {
    case NodeInfo::NameKind::kField:
      return FieldValue(info.name_index, v, state);
    case NodeInfo::NameKind::kResult:
      return results_[info.name_index].data();
    case NodeInfo::NameKind::kLet:
      return Value(info.name_index, v, let_states_[node]);
    case NodeInfo::NameKind::kNone:
      break;
  }
  Memo& memo = MemoOf(node, v, state);
  if (memo.stamp != stamp_) {
    memo.leaves.resize(num_leaves_[node]);
    Compute(node, v, state, memo.leaves.data());
    memo.stamp = stamp_;
  }
  return memo.leaves.data();
}

ColumnValues::Memo& ColumnValues::MemoOf(NodeIndex node, int64_t v,
                                         size_t state) {
  const int64_t num_levels = depends_on_level_[node] ? max_levels_ : 1;
  const int64_t level = depends_on_level_[node] ? v : 0;
  if (level < 0 || level >= num_levels) {
    return states_[state].beyond[{node, level}];
  }
  std::vector<Memo>& levels = states_[state].memos[node];
  if (levels.empty()) levels.resize(num_levels);
  return levels[level];
}

const Scalar* ColumnValues::FieldValue(int32_t field, int64_t v,
                                       size_t state) const {
  const DataLayout& layout = program_.fields[field].layout;
  const int64_t level = BroadcastIndex(v, layout.shape().v());
  LAYOUTD_DCHECK(level < layout.shape().v());
  return states_[state].fields[field]->data() +
         (column_offsets_[field] + level) * layout.type().num_leaves();
}

void ColumnValues::Spread(NodeIndex from, const Scalar* values, NodeIndex to,
                          Scalar* out) const {
  const ValueType& type = program_.nodes[to].type;
  const std::vector<Leaf>& leaves = type.leaves();
  if (num_leaves_[from] == num_leaves_[to]) {
    for (const Leaf& leaf : leaves) *out++ = Convert(*values++, leaf.type);
    return;
  }
  const std::vector<int> spread = SpreadLeaves(program_.nodes[from].type, type);
  for (size_t l = 0; l < leaves.size(); ++l) {
    *out++ = Convert(values[spread[l]], leaves[l].type);
  }
}

void ColumnValues::Compute(NodeIndex index, int64_t v, size_t state,
                           Scalar* out) {
  const Node& node = program_.program.nodes[index];
  switch (node.op) {
    case Opcode::kLiteral:
      *out = LiteralValue(node.literal, program_.nodes[index].type.scalar());
      return;
    case Opcode::kIndex:
      *out = Scalar::I64(
          node.axis == Axis::kV ? v : index_[static_cast<size_t>(node.axis)]);
      return;
    case Opcode::kAt:
      return ComputeAt(index, v, state, out);
    case Opcode::kFold:
      return ComputeFold(index, state, out);
    case Opcode::kScan:
      return ComputeScan(index, state);
    default:
      LAYOUTD_DCHECK(IsPointwise(node.op));
      return ComputePointwise(index, v, state, out);
  }
}

void ColumnValues::ComputePointwise(NodeIndex index, int64_t v, size_t state,
                                    Scalar* out) {
  const std::vector<NodeIndex>& operands =
      program_.program.nodes[index].operands;
  std::vector<PointwiseLeaf>& plan = pointwise_[index];
  if (plan.empty()) plan = PlanPointwise(program_, index);
  if (operands.size() > 3) {  // a tuple
    std::vector<const Scalar*> values;
    for (const NodeIndex operand : operands) {
      values.push_back(Value(operand, v, state));
    }
    for (const PointwiseLeaf& leaf : plan)
      *out++ = ApplyPointwise(leaf, values);
    return;
  }
  std::array<const Scalar*, 3> values = {};
  for (size_t k = 0; k < operands.size(); ++k) {
    values[k] = Value(operands[k], v, state);
  }
  for (const PointwiseLeaf& leaf : plan) *out++ = ApplyPointwise(leaf, values);
}

void ColumnValues::ComputeAt(NodeIndex index, int64_t v, size_t state,
                             Scalar* out) {
  const Node& node = program_.program.nodes[index];
  const int64_t extent = program_.nodes[node.operands[0]].shape.shape.v();
  int64_t level = node.at.value;
  if (node.at.kind == AtPosition::Kind::kLast) level = extent - 1;
  if (node.at.kind == AtPosition::Kind::kOffset) level += v;

  const bool inside = 0 <= level && level < extent;
  if (!inside && node.at.edge == AtPosition::Edge::kValue) {
    const NodeIndex beyond = node.operands[1];
    Spread(beyond, Value(beyond, v, state), index, out);
    return;
  }
  // Without an edge the verifier has seen that every field has the level read
  // in the end, even if the operand's own extent does not say so.
  if (!inside && node.at.edge == AtPosition::Edge::kClamp) {
    level = std::clamp<int64_t>(level, 0, std::max<int64_t>(extent - 1, 0));
  }
  Spread(node.operands[0], Value(node.operands[0], level, state), index, out);
}

// Adds level `v` of the argument to `total`, one per leaf.
void ColumnValues::FoldLevel(NodeIndex index, int64_t v, size_t state,
                             bool started, Scalar* total) {
  const Node& node = program_.program.nodes[index];
  const std::vector<Leaf>& leaves = program_.nodes[index].type.leaves();
  const Scalar* const values = Value(node.operands[0], v, state);
  for (int l = 0; l < num_leaves_[index]; ++l) {
    const Scalar x = Convert(values[l], leaves[l].type);
    const Scalar pair[2] = {node.fold.flip ? x : total[l],
                            node.fold.flip ? total[l] : x};
    total[l] = started ? Apply(node.fold.op, pair) : x;
  }
}

void ColumnValues::ComputeFold(NodeIndex index, size_t state, Scalar* out) {
  const Node& node = program_.program.nodes[index];
  const int64_t extent = program_.nodes[node.operands[0]].shape.shape.v();
  bool started = node.fold.has_init;
  if (node.fold.has_init) {
    Spread(node.operands[1], Value(node.operands[1], 0, state), index, out);
  }
  for (int64_t k = 0; k < extent; ++k) {
    FoldLevel(index, node.fold.flip ? extent - 1 - k : k, state, started, out);
    started = true;
  }
}

void ColumnValues::ComputeScan(NodeIndex index, size_t state) {
  const Node& node = program_.program.nodes[index];
  const std::vector<Leaf>& leaves = program_.nodes[index].type.leaves();
  const int64_t extent = program_.nodes[index].shape.shape.v();
  std::vector<Scalar> total;
  for (const Leaf& leaf : leaves) {
    total.push_back(FoldIdentity(node.fold.op, leaf.type));
  }
  bool started = node.fold.has_init;
  if (started) {
    Spread(node.operands[1], Value(node.operands[1], 0, state), index,
           total.data());
  }
  for (int64_t k = 0; k < extent; ++k) {
    const int64_t v = node.fold.flip ? extent - 1 - k : k;
    const std::vector<Scalar> before = total;
    FoldLevel(index, v, state, started, total.data());
    started = true;
    Memo& memo = MemoOf(index, v, state);
    memo.leaves = node.fold.exclusive ? before : total;
    memo.stamp = stamp_;
  }
}

}  // namespace layoutd
