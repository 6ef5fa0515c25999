#include "tests/support/shrink_program.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "engine/program/parse.h"
#include "engine/program/print.h"

namespace layoutd {
namespace {

// The nodes below `root`, nearest to the leaves first.
std::vector<NodeIndex> Below(const Program& program, NodeIndex root) {
  std::vector<bool> seen(program.nodes.size(), false);
  std::vector<NodeIndex> pending = {root};
  while (!pending.empty()) {
    const NodeIndex index = pending.back();
    pending.pop_back();
    for (NodeIndex operand :
         program.nodes[static_cast<size_t>(index)].operands) {
      if (seen[static_cast<size_t>(operand)]) continue;
      seen[static_cast<size_t>(operand)] = true;
      pending.push_back(operand);
    }
  }
  std::vector<NodeIndex> below;
  for (NodeIndex k = 0; k < root; ++k) {
    if (seen[static_cast<size_t>(k)]) below.push_back(k);
  }
  return below;
}

Node LiteralOf(ScalarType type, int value) {
  Node node;
  node.op = Opcode::kLiteral;
  node.literal.type = type;
  if (type == ScalarType::kBool) {
    node.literal = {Literal::Kind::kBool, Uint128(value), 0, std::nullopt};
  } else if (IsFloat(type)) {
    node.literal.real = value;
  } else {
    node.literal.kind = Literal::Kind::kInteger;
    node.literal.integer = static_cast<Uint128>(value);
  }
  return node;
}

Scalar Number(ScalarType type, int value) {
  return Convert(Scalar::I64(value), type);
}

// The points of `field` whose index along the axis is below or, `from_end`, at
// least as far from the end as `extent` says.
CaseField Cut(const CaseField& field, Axis axis, int64_t extent,
              bool from_end) {
  const auto a = static_cast<size_t>(axis);
  const int64_t skipped = from_end ? field.shape.extents[a] - extent : 0;
  CaseField cut = field;
  cut.shape.extents[a] = extent;
  cut.leaves.clear();
  const auto num_leaves = static_cast<size_t>(field.type.num_leaves());
  const std::array<int64_t, 4>& old = field.shape.extents;
  for (int64_t point = 0; point < cut.shape.num_points(); ++point) {
    int64_t rest = point;
    int64_t from = 0;
    int64_t stride = 1;
    for (size_t d = 0; d < 4; ++d) {
      const int64_t index = rest % cut.shape.extents[d];
      rest /= cut.shape.extents[d];
      from += (index + (d == a ? skipped : 0)) * stride;
      stride *= old[d];
    }
    const auto first = static_cast<size_t>(from) * num_leaves;
    for (size_t l = 0; l < num_leaves; ++l) {
      cut.leaves.push_back(field.leaves[first + l]);
    }
  }
  return cut;
}

class Shrinker {
 public:
  Shrinker(ProgramCase failing, const StillFails& still_fails,
           const ShrinkLimits& limits)
      : best_(std::move(failing)),
        still_fails_(still_fails),
        attempts_left_(limits.max_attempts),
        deadline_(absl::Now() + limits.max_time) {}

  ProgramCase Run() {
    bool changed = true;
    while (changed && !IsSpent()) {
      changed = false;
      changed |= DropStatements();
      changed |= DropInputs();
      changed |= CutExtents();
      changed |= SimplifyNodes();
      changed |= DropStatements();
      changed |= SimplifyLayouts();
      changed |= SimplifyValues();
    }
    DropInputs();
    return best_;
  }

 private:
  bool IsSpent() const {
    return attempts_left_ <= 0 || absl::Now() > deadline_;
  }

  bool Try(ProgramCase candidate) {
    if (IsSpent()) return false;
    --attempts_left_;
    for (const CaseField& field : candidate.fields) {
      if (!DataLayout::Create(
               {field.kind, field.shape, field.type, field.base_type})
               .ok()) {
        return false;
      }
    }
    if (!still_fails_(candidate)) return false;
    best_ = std::move(candidate);
    return true;
  }

  bool TryProgram(const Program& program) {
    ProgramCase candidate = best_;
    candidate.text = PrintProgram(program);
    return candidate.text != best_.text && Try(std::move(candidate));
  }

  Program Parsed() const { return ParseProgram(best_.text).value(); }

  // Calls change(program) on a copy of the best program for each k until it
  // says that there is no such k, and keeps what still fails.
  template <typename Change>
  bool ForEachChange(const Change& change) {
    bool changed = false;
    for (size_t k = 0; !IsSpent();) {
      Program program = Parsed();
      if (!change(program, k)) break;
      if (TryProgram(program)) {
        changed = true;  // what was number k + 1 is now number k
      } else {
        ++k;
      }
    }
    return changed;
  }

  bool DropStatements() {
    bool changed = ForEachChange([](Program& program, size_t k) {
      if (k >= program.statements.size()) return false;
      // The last first: nothing depends on it.
      program.statements.erase(program.statements.end() - 1 -
                               static_cast<std::ptrdiff_t>(k));
      return true;
    });
    changed |= ForEachChange([](Program& program, size_t k) {
      for (Statement& statement : program.statements) {
        if (auto* loop = std::get_if<Foreach>(&statement)) {
          if (k < loop->body.size()) {
            loop->body.erase(loop->body.begin() +
                             static_cast<std::ptrdiff_t>(k));
            return true;
          }
          k -= loop->body.size();
        } else if (auto* reduce = std::get_if<Reduce>(&statement)) {
          if (k < reduce->results.size()) {
            reduce->results.erase(reduce->results.begin() +
                                  static_cast<std::ptrdiff_t>(k));
            return true;
          }
          k -= reduce->results.size();
        }
      }
      return false;
    });
    changed |= ForEachChange(InlineLet);
    changed |= ForEachChange(DropMask);
    changed |= ForEachChange([](Program& program, size_t k) {
      for (size_t s = 0; s < program.statements.size(); ++s) {
        const auto* loop = std::get_if<Foreach>(&program.statements[s]);
        if (loop == nullptr || k-- > 0) continue;
        const std::vector<Assignment> body = loop->body;
        const auto place = program.statements.erase(
            program.statements.begin() + static_cast<std::ptrdiff_t>(s));
        program.statements.insert(place, body.begin(), body.end());
        return true;
      }
      return false;
    });
    return changed;
  }

  static bool InlineLet(Program& program, size_t k) {
    const auto inlined = [&program](const Assignment& let) {
      const Node value = program.nodes[static_cast<size_t>(let.value)];
      for (size_t n = static_cast<size_t>(let.value); n < program.nodes.size();
           ++n) {
        Node& node = program.nodes[n];
        if (node.op == Opcode::kName && node.name == let.target) node = value;
      }
    };
    const auto is_kth_let = [&k](const Assignment& assignment) {
      return assignment.kind == Assignment::Kind::kLet && k-- == 0;
    };
    for (size_t s = 0; s < program.statements.size(); ++s) {
      if (auto* let = std::get_if<Assignment>(&program.statements[s])) {
        if (!is_kth_let(*let)) continue;
        inlined(*let);
        program.statements.erase(program.statements.begin() +
                                 static_cast<std::ptrdiff_t>(s));
        return true;
      }
      auto* loop = std::get_if<Foreach>(&program.statements[s]);
      if (loop == nullptr) continue;
      const auto let =
          std::find_if(loop->body.begin(), loop->body.end(), is_kth_let);
      if (let == loop->body.end()) continue;
      inlined(*let);
      loop->body.erase(let);
      return true;
    }
    return false;
  }

  // Change 2m drops the mask of the m-th statement that has one, 2m + 1 leaves
  // its first term.
  static bool DropMask(Program& program, size_t k) {
    for (Statement& statement : program.statements) {
      MaskExpression* mask = nullptr;
      if (auto* loop = std::get_if<Foreach>(&statement)) mask = &loop->mask;
      if (auto* reduce = std::get_if<Reduce>(&statement)) mask = &reduce->mask;
      if (mask == nullptr || mask->empty()) continue;
      if (k >= 2) {
        k -= 2;
        continue;
      }
      mask->resize(k);
      return true;
    }
    return false;
  }

  bool SimplifyNodes() {
    bool changed = false;
    for (size_t k = Parsed().nodes.size(); k-- > 0 && !IsSpent();) {
      const Program program = Parsed();
      if (k >= program.nodes.size()) continue;
      for (const Node& node : Simpler(program, static_cast<NodeIndex>(k))) {
        Program candidate = program;
        candidate.nodes[k] = node;
        if (!TryProgram(candidate)) continue;
        changed = true;
        break;
      }
    }
    return changed;
  }

  // What may stand in place of node `index`, the simplest first.
  std::vector<Node> Simpler(const Program& program, NodeIndex index) const {
    const Node& node = program.nodes[static_cast<size_t>(index)];
    std::vector<Node> simpler;
    if (node.op == Opcode::kLiteral) return simpler;
    const absl::StatusOr<VerifiedProgram> verified =
        VerifyProgram(program, CatalogOf(best_));
    if (verified.ok()) {
      const ValueType& type = verified->nodes[static_cast<size_t>(index)].type;
      if (type.is_scalar()) {
        simpler.push_back(LiteralOf(type.scalar(), 1));
        simpler.push_back(LiteralOf(type.scalar(), 0));
      }
    }
    for (NodeIndex below : Below(program, index)) {
      simpler.push_back(program.nodes[static_cast<size_t>(below)]);
    }
    AddPlainerSpecs(node, simpler);
    return simpler;
  }

  // The node without one of the things that it need not have.
  static void AddPlainerSpecs(const Node& node, std::vector<Node>& simpler) {
    const auto without_operand = [&node](size_t k) {
      Node plainer = node;
      plainer.operands.erase(plainer.operands.begin() +
                             static_cast<std::ptrdiff_t>(k));
      return plainer;
    };
    if (node.op == Opcode::kFold || node.op == Opcode::kScan) {
      if (node.fold.has_init) {
        simpler.push_back(without_operand(1));
        simpler.back().fold.has_init = false;
      }
      if (node.fold.flip) {
        simpler.push_back(node);
        simpler.back().fold.flip = false;
      }
      if (node.fold.exclusive) {
        simpler.push_back(node);
        simpler.back().fold.exclusive = false;
      }
    }
    if (node.op == Opcode::kReduce) {
      size_t operand = 1;
      for (bool ReduceSpec::*flag :
           {&ReduceSpec::has_weight, &ReduceSpec::has_where,
            &ReduceSpec::has_init}) {
        if (!(node.reduce.*flag)) continue;
        simpler.push_back(without_operand(operand++));
        simpler.back().reduce.*flag = false;
      }
    }
    if (node.op == Opcode::kAt) {
      if (node.at.edge == AtPosition::Edge::kValue) {
        simpler.push_back(without_operand(1));
        simpler.back().at.edge = AtPosition::Edge::kClamp;
      }
      if (std::abs(node.at.value) > 1) {
        simpler.push_back(node);
        simpler.back().at.value = node.at.value > 0 ? 1 : -1;
      }
    }
  }

  bool DropInputs() {
    const Program program = Parsed();
    const std::vector<std::string> fields = ReferencedFields(program);
    const std::vector<std::string> masks = ReferencedMasks(program);
    ProgramCase candidate = best_;
    const auto is_unused = [](const std::vector<std::string>& used) {
      return [&used](const auto& input) {
        return std::count(used.begin(), used.end(), input.id) == 0;
      };
    };
    const size_t dropped = std::erase_if(candidate.fields, is_unused(fields)) +
                           std::erase_if(candidate.masks, is_unused(masks));
    return dropped > 0 && Try(std::move(candidate));
  }

  // All inputs lose as many indices along an axis, those of fewer none: cells
  // and faces stay one apart. Elements are square, or one node wide along j.
  bool CutExtents() {
    bool changed = false;
    for (const std::vector<Axis>& axes : std::vector<std::vector<Axis>>{
             {Axis::kH}, {Axis::kV}, {Axis::kJ}, {Axis::kI, Axis::kJ}}) {
      int64_t widest = 0;
      for (const CaseField& field : best_.fields) {
        widest = std::max(widest, field.shape[axes[0]]);
      }
      for (int64_t less = widest - 1; less > 0 && !IsSpent();) {
        if (TryCut(axes, less, false) || TryCut(axes, less, true)) {
          changed = true;
          widest -= less;
          less = std::min(less, widest - 1);
        } else {
          less /= 2;
        }
      }
    }
    return changed;
  }

  bool TryCut(const std::vector<Axis>& axes, int64_t less, bool from_end) {
    const auto cut = [&](CaseField field) {
      for (Axis axis : axes) {
        const int64_t extent = field.shape[axis];
        if (extent > less) field = Cut(field, axis, extent - less, from_end);
      }
      return field;
    };
    ProgramCase candidate = best_;
    for (CaseField& field : candidate.fields) field = cut(field);
    for (CaseMask& mask : candidate.masks) {
      CaseField columns{"", ScalarType::kU8, mask.shape, {}, {}, {}};
      for (uint8_t active : mask.active) {
        columns.leaves.push_back(Scalar::Of(ScalarType::kU8, active));
      }
      columns = cut(columns);
      mask.shape = columns.shape;
      mask.active.clear();
      for (const Scalar& active : columns.leaves) {
        mask.active.push_back(active.bytes[0]);
      }
    }
    return Try(std::move(candidate));
  }

  bool SimplifyLayouts() {
    bool changed = false;
    for (size_t f = 0; f < best_.fields.size(); ++f) {
      if (best_.fields[f].base_type.has_value()) {
        ProgramCase candidate = best_;
        candidate.fields[f].base_type.reset();
        changed |= Try(std::move(candidate));
      }
      if (best_.fields[f].kind != LayoutKind::kVIJFH) {
        ProgramCase candidate = best_;
        candidate.fields[f].kind = LayoutKind::kVIJFH;
        changed |= Try(std::move(candidate));
      }
    }
    return changed;
  }

  bool SimplifyValues() {
    bool changed = false;
    for (size_t f = 0; f < best_.fields.size(); ++f) {
      for (int value : {0, 1}) {
        changed |= SetLeaves(f, 0, best_.fields[f].leaves.size(), value);
      }
    }
    for (size_t m = 0; m < best_.masks.size(); ++m) {
      ProgramCase candidate = best_;
      std::vector<uint8_t>& active = candidate.masks[m].active;
      if (std::count(active.begin(), active.end(), 0) == 0) continue;
      std::fill(active.begin(), active.end(), uint8_t{1});
      changed |= Try(std::move(candidate));
    }
    return changed;
  }

  // Sets as many of the leaves [begin, end) to `value` as can be; those that
  // are 0 or 1 stay.
  bool SetLeaves(size_t field, size_t begin, size_t end, int value) {
    if (begin == end || IsSpent()) return false;
    ProgramCase candidate = best_;
    bool is_new = false;
    for (size_t k = begin; k < end; ++k) {
      Scalar& leaf = candidate.fields[field].leaves[k];
      if (SameBits(leaf, Number(leaf.type, 0)) ||
          SameBits(leaf, Number(leaf.type, 1))) {
        continue;
      }
      leaf = Number(leaf.type, value);
      is_new = true;
    }
    if (!is_new) return false;
    if (Try(std::move(candidate))) return true;
    if (end - begin == 1) return false;
    const size_t middle = begin + (end - begin) / 2;
    const bool first = SetLeaves(field, begin, middle, value);
    return SetLeaves(field, middle, end, value) || first;
  }

  ProgramCase best_;
  const StillFails& still_fails_;
  int attempts_left_;
  const absl::Time deadline_;
};

}  // namespace

ProgramCase ShrinkProgram(ProgramCase failing, const StillFails& still_fails,
                          const ShrinkLimits& limits) {
  return Shrinker(std::move(failing), still_fails, limits).Run();
}

std::string ReportDifference(const ProgramCase& program,
                             const WorldOptions& options,
                             absl::string_view name) {
  RuntimeWorld& world = SharedWorld(options);
  const ProgramCase smallest =
      ShrinkProgram(program, [&world](const ProgramCase& candidate) {
        const absl::StatusOr<std::string> difference =
            CompareWithOracle(candidate, world);
        return difference.ok() && !difference->empty();
      });
  const absl::StatusOr<std::string> difference =
      CompareWithOracle(smallest, world);
  return absl::StrCat(
      "the smallest case: ",
      difference.ok() ? *difference : difference.status().ToString(), "\n\n",
      TestSource(smallest, name, options.num_threads, options.vector_bits));
}

}  // namespace layoutd
