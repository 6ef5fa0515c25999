#include "engine/program/plan.h"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/base/error.h"
#include "engine/base/status_macros.h"
#include "engine/program/loop_builder.h"

namespace layoutd {
namespace {

// A mask leaves so few levels to a column below this many that lanes are put
// across columns instead of along v.
constexpr int64_t kMinLaneLevels = 4;

// Each scalar reduction keeps a tile of values on the kernel's stack; a result
// with more leaves is spread over several loops.
constexpr int32_t kLeavesPerLoop = 32;

class Planner {
 public:
  explicit Planner(const VerifiedProgram& program)
      : program_(program),
        node_buffers_(program.nodes.size(), -1),
        current_(program.fields.size(), -1),
        pinned_(program.fields.size(), -1),
        held_by_let_(program.fields.size(), false) {}

  absl::StatusOr<ExecutionPlan> Plan() {
    for (size_t s = 0; s < program_.program.statements.size(); ++s) {
      const Statement& statement = program_.program.statements[s];
      statement_ = static_cast<int32_t>(s);
      if (const auto* assignment = std::get_if<Assignment>(&statement)) {
        PlanAssignment(*assignment, program_.statements[s].assignments[0]);
      } else if (const auto* foreach = std::get_if<Foreach>(&statement)) {
        Flush();
        PlanForeach(*foreach, program_.statements[s]);
      } else {
        Flush();
        PlanReduce(std::get<Reduce>(statement), program_.statements[s]);
      }
    }
    Flush();
    RETURN_IF_ERROR(status_);
    plan_.final_buffers.assign(program_.fields.size(), -1);
    for (size_t f = 0; f < current_.size(); ++f) {
      if (program_.fields[f].written) plan_.final_buffers[f] = current_[f];
    }
    FindLifetimes();
    return std::move(plan_);
  }

 private:
  const Node& NodeAt(NodeIndex index) const {
    return program_.program.nodes[static_cast<size_t>(index)];
  }
  const NodeInfo& InfoAt(NodeIndex index) const {
    return program_.nodes[static_cast<size_t>(index)];
  }
  bool IsField(NodeIndex index) const {
    return NodeAt(index).op == Opcode::kName &&
           InfoAt(index).name_kind == NodeInfo::NameKind::kField;
  }

  // Calls visit(node, here) for every node below `root`, through lets; `here`
  // says whether it is read at the loop's own point.
  template <typename Visit>
  void Walk(NodeIndex root, bool here, const Visit& visit) const {
    visit(root, here);
    if (NodeAt(root).op == Opcode::kName) {
      if (InfoAt(root).name_kind == NodeInfo::NameKind::kLet) {
        Walk(InfoAt(root).name_index, here, visit);
      }
      return;
    }
    const bool below = here && NodeAt(root).op != Opcode::kAt;
    for (NodeIndex operand : NodeAt(root).operands) {
      Walk(operand, below, visit);
    }
  }

  int32_t AddBuffer(PlanBuffer buffer) {
    plan_.buffers.push_back(buffer);
    return static_cast<int32_t>(plan_.buffers.size()) - 1;
  }

  // The buffer that holds the field's content now.
  int32_t CurrentBuffer(size_t field) {
    if (current_[field] < 0) {
      if (pinned_[field] < 0) {
        PlanBuffer pinned;
        pinned.field = static_cast<int32_t>(field);
        pinned_[field] = AddBuffer(pinned);
      }
      current_[field] = pinned_[field];
    }
    return current_[field];
  }

  // Fixes what the fields below `root` (not through lets: those were fixed at
  // their own statement) stand for at this point of the program.
  void FixReads(NodeIndex root) {
    if (IsField(root)) {
      int32_t& buffer = node_buffers_[static_cast<size_t>(root)];
      if (buffer < 0) {
        buffer = CurrentBuffer(static_cast<size_t>(InfoAt(root).name_index));
      }
    }
    if (NodeAt(root).op == Opcode::kName) return;
    for (NodeIndex operand : NodeAt(root).operands) FixReads(operand);
  }

  // Returns the buffer that a store writes: the one this loop already writes
  // when `in_place`, else a new one.
  int32_t Destination(const AssignmentInfo& info, bool masked, bool in_place,
                      LoopBuilder& loop) {
    const size_t field = static_cast<size_t>(info.field);
    const int32_t old = current_[field];
    const bool from_this_loop = old >= 0 && written_here_.count(old) > 0;
    if (from_this_loop && in_place) return old;

    const FieldUse& use = program_.fields[field];
    const bool whole = info.num_leaves == use.layout.type().num_leaves();
    PlanBuffer buffer;
    buffer.field = info.field;
    if (from_this_loop) {
      // The columns a mask leaves out look as they did before the loop.
      buffer.start = plan_.buffers[static_cast<size_t>(old)].start;
      buffer.copy_of = plan_.buffers[static_cast<size_t>(old)].copy_of;
    } else if (old < 0 && use.created) {
      buffer.start = masked || !whole || !use.layout.LeavesFillBuffer()
                         ? PlanBuffer::Start::kZero
                         : PlanBuffer::Start::kUndefined;
    } else if (masked || !whole || use.layout.has_halo()) {
      // What the loop does not write stays, ghost points among it.
      buffer.start = PlanBuffer::Start::kCopy;
      buffer.copy_of = CurrentBuffer(field);
    } else {
      buffer.start = !use.layout.LeavesFillBuffer()
                         ? PlanBuffer::Start::kZero
                         : PlanBuffer::Start::kUndefined;
    }
    const int32_t added = AddBuffer(buffer);
    if (from_this_loop && !whole) {
      loop.CopyOtherLeaves(old, added, info.first_leaf, info.num_leaves);
    }
    current_[field] = added;
    written_here_.insert(added);
    return added;
  }

  // Top-level assignments: neighbours share a loop.

  void PlanAssignment(const Assignment& assignment,
                      const AssignmentInfo& info) {
    FixReads(assignment.value);
    if (assignment.kind == Assignment::Kind::kLet) {
      Walk(assignment.value, true, [&](NodeIndex node, bool) {
        if (IsField(node)) {
          held_by_let_[static_cast<size_t>(InfoAt(node).name_index)] = true;
        }
      });
      return;
    }
    if (open_ != nullptr &&
        (!(open_shape_ == info.shape) || ReadsAcross(assignment.value))) {
      Flush();
      // What the closed loop wrote is complete now: nothing to fix again.
    }
    if (open_ == nullptr) {
      open_ = NewLoop(LoopKind::kPoints, info.shape, false);
      open_shape_ = info.shape;
    }
    const bool in_place = !held_by_let_[static_cast<size_t>(info.field)];
    Store(assignment, info, false, in_place, *open_);
  }

  void Store(const Assignment& assignment, const AssignmentInfo& info,
             bool masked, bool in_place, LoopBuilder& loop) {
    // The value is evaluated before the destination is chosen, but its reads
    // were fixed earlier, so the order of these two does not matter.
    const int32_t buffer = Destination(info, masked, in_place, loop);
    loop.Store(buffer, info.first_leaf, assignment.value);
  }

  // Whether `value` reads, anywhere but at the point itself, what the open loop
  // writes.
  bool ReadsAcross(NodeIndex value) const {
    bool across = false;
    Walk(value, true, [&](NodeIndex node, bool here) {
      if (!IsField(node)) return;
      const int32_t buffer = node_buffers_[static_cast<size_t>(node)];
      if (written_here_.count(buffer) == 0) return;
      const auto field = static_cast<size_t>(InfoAt(node).name_index);
      across = across || !here ||
               !(program_.fields[field].layout.shape() == open_shape_);
    });
    return across;
  }

  std::unique_ptr<LoopBuilder> NewLoop(LoopKind kind, const Shape& shape,
                                       bool masked) {
    written_here_.clear();
    return std::make_unique<LoopBuilder>(program_, node_buffers_, plan_.buffers,
                                         kind, shape, masked);
  }

  void Close(LoopBuilder& loop) {
    if (loop.too_large() && status_.ok()) {
      status_ = InvalidArgument(
          "PROGRAM_LIMIT",
          absl::StrCat("a loop of the program has more than ", kMaxLoopOps,
                       " scalar operations, each use of a shared or shifted "
                       "expression counted; store it in a field first"));
    }
    if (status_.ok()) status_ = loop.status();
    PlanStep step;
    step.loop = loop.Finish();
    step.statement = statement_;
    plan_.steps.push_back(std::move(step));
    written_here_.clear();
  }

  void Flush() {
    if (open_ == nullptr) return;
    Close(*open_);
    open_ = nullptr;
  }

  // Whether the loop must run column by column: it folds, it reads at other
  // points what an earlier statement of it stored, or its destinations differ
  // in levels.
  bool NeedsColumns(const Foreach& loop, const StatementInfo& info) const {
    std::set<int32_t> stored;
    std::optional<Shape> shape;
    for (size_t k = 0; k < loop.body.size(); ++k) {
      bool needs = false;
      Walk(loop.body[k].value, true, [&](NodeIndex node, bool here) {
        needs = needs || NodeAt(node).op == Opcode::kFold ||
                NodeAt(node).op == Opcode::kScan;
        if (!IsField(node)) return;
        const int32_t field = InfoAt(node).name_index;
        if (stored.count(field) == 0) return;
        needs = needs || !here ||
                !(program_.fields[static_cast<size_t>(field)].layout.shape() ==
                  *shape);
      });
      const AssignmentInfo& assignment = info.assignments[k];
      if (assignment.field >= 0) {
        needs = needs || (shape.has_value() && !(*shape == assignment.shape));
        shape = assignment.shape;
        stored.insert(assignment.field);
      }
      if (needs) return true;
    }
    const bool masked = !loop.mask.empty();
    return masked && shape.has_value() && shape->v() < kMinLaneLevels;
  }

  void PlanForeach(const Foreach& foreach, const StatementInfo& info) {
    const auto first =
        std::find_if(info.assignments.begin(), info.assignments.end(),
                     [](const AssignmentInfo& a) { return a.field >= 0; });
    if (first == info.assignments.end()) return;
    const bool masked = !foreach.mask.empty();
    const bool columns = NeedsColumns(foreach, info);
    const std::unique_ptr<LoopBuilder> loop = NewLoop(
        columns ? LoopKind::kColumns : LoopKind::kPoints, first->shape, masked);
    for (size_t k = 0; k < foreach.body.size(); ++k) {
      FixReads(foreach.body[k].value);
      if (foreach.body[k].kind == Assignment::Kind::kLet) {
        loop->Evaluate(foreach.body[k].value);
      } else {
        Store(foreach.body[k], info.assignments[k], masked, !columns, *loop);
      }
    }
    Close(*loop);
  }

  void PlanReduce(const Reduce& reduce, const StatementInfo& info) {
    const bool masked = info.mask_shape.has_value();
    // Loops over different shapes that are open at once, and the results that
    // wait for them.
    std::map<std::array<int64_t, 4>, std::unique_ptr<LoopBuilder>> loops;
    std::vector<int32_t> waiting;
    std::set<NodeIndex> planned;
    auto finish = [&] {
      if (loops.empty() && !waiting.empty()) {
        plan_.steps.push_back({});  // results of results alone
      }
      for (auto& [shape, loop] : loops) Close(*loop);
      if (!waiting.empty()) plan_.steps.back().results = waiting;
      loops.clear();
      waiting.clear();
    };
    for (const Reduce::Result& result : reduce.results) {
      FixReads(result.value);
      std::vector<NodeIndex> reductions;
      Walk(result.value, true, [&](NodeIndex node, bool) {
        // A graph may use one reduction in many places.
        if (NodeAt(node).op == Opcode::kReduce && planned.insert(node).second) {
          reductions.push_back(node);
        }
      });
      // A reduction of something that an earlier result of this statement is
      // part of needs a pass of its own, after that result is known.
      bool uses_waiting = false;
      for (NodeIndex reduction : reductions) {
        Walk(reduction, true, [&](NodeIndex node, bool) {
          if (NodeAt(node).op == Opcode::kName &&
              InfoAt(node).name_kind == NodeInfo::NameKind::kResult) {
            uses_waiting =
                uses_waiting || std::count(waiting.begin(), waiting.end(),
                                           InfoAt(node).name_index) > 0;
          }
        });
      }
      if (uses_waiting) finish();
      for (NodeIndex node : reductions) {
        const NodeInfo& argument = InfoAt(NodeAt(node).operands[0]);
        const Shape& shape = argument.shape.shape;
        std::unique_ptr<LoopBuilder>& loop = loops[shape.extents];
        const int32_t num_leaves = argument.type.num_leaves();
        for (int32_t leaf = 0; leaf < num_leaves; leaf += kLeavesPerLoop) {
          if (loop != nullptr && loop->num_reductions() >= kLeavesPerLoop) {
            Close(*loop);
            loop = nullptr;
          }
          if (loop == nullptr) {
            loop = NewLoop(LoopKind::kReduction, shape, false);
            if (masked) loop->UseMask();
          }
          loop->AddReductions(node, leaf,
                              std::min(kLeavesPerLoop, num_leaves - leaf));
        }
      }
      waiting.push_back(next_result_++);
    }
    finish();
  }

  void FindLifetimes() {
    std::vector<PlanBuffer>& buffers = plan_.buffers;
    for (PlanBuffer& buffer : buffers) {
      buffer.first_step = std::numeric_limits<int32_t>::max();
      buffer.last_step = -1;
    }
    auto touch = [&](int32_t buffer, int32_t step) {
      if (buffer < 0) return;
      PlanBuffer& b = buffers[static_cast<size_t>(buffer)];
      b.first_step = std::min(b.first_step, step);
      b.last_step = std::max(b.last_step, step);
    };
    for (size_t s = 0; s < plan_.steps.size(); ++s) {
      for (const LoopAccess& access : plan_.steps[s].loop.accesses) {
        touch(access.buffer, static_cast<int32_t>(s));
      }
    }
    // A copy is made when the destination is first used.
    for (const PlanBuffer& buffer : buffers) {
      if (buffer.last_step >= 0) touch(buffer.copy_of, buffer.first_step);
    }
    for (int32_t buffer : plan_.final_buffers) {
      if (buffer >= 0) {
        buffers[static_cast<size_t>(buffer)].last_step =
            static_cast<int32_t>(plan_.steps.size());
      }
    }
  }

  const VerifiedProgram& program_;
  ExecutionPlan plan_;
  std::vector<int32_t> node_buffers_;  // per kName node of a field
  std::vector<int32_t> current_;       // per field; -1: not used yet
  std::vector<int32_t> pinned_;        // per field
  // Per field: a top-level let reads it, so its contents must not be replaced
  // in place.
  std::vector<bool> held_by_let_;
  std::set<int32_t> written_here_;  // buffers the loop being built writes
  std::unique_ptr<LoopBuilder> open_;
  Shape open_shape_;
  int32_t statement_ = 0;
  int32_t next_result_ = 0;
  absl::Status status_;
};

}  // namespace

const DataLayout& LayoutOf(const VerifiedProgram& program,
                           const PlanBuffer& buffer) {
  if (buffer.field == PlanBuffer::kTemporary) return *buffer.temporary;
  return program.fields[static_cast<size_t>(buffer.field)].layout;
}

absl::StatusOr<ExecutionPlan> PlanProgram(const VerifiedProgram& program) {
  return Planner(program).Plan();
}

}  // namespace layoutd
