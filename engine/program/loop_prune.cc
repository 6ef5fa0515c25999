#include <algorithm>
#include <utility>
#include <vector>

#include "engine/program/loop_builder.h"

namespace layoutd {
namespace {

// Gives old indices new ones, in order of first use.
class Renumbering {
 public:
  explicit Renumbering(size_t count) : new_index_(count, -1) {}

  int32_t Use(int32_t old_index) {
    int32_t& index = new_index_[static_cast<size_t>(old_index)];
    if (index < 0) {
      index = static_cast<int32_t>(order_.size());
      order_.push_back(old_index);
    }
    return index;
  }

  // Returns the used elements of `all`, in their new order.
  template <typename T>
  std::vector<T> Apply(const std::vector<T>& all) const {
    std::vector<T> used;
    for (int32_t old_index : order_) {
      used.push_back(all[static_cast<size_t>(old_index)]);
    }
    return used;
  }

  size_t size() const { return order_.size(); }

 private:
  std::vector<int32_t> new_index_;
  std::vector<int32_t> order_;
};

size_t NumValues(const LoopPlan& loop) {
  size_t count = 0;
  for (const LoopBlock& block : loop.blocks) {
    for (const LoopOp& op : block.ops) {
      count = std::max(count, static_cast<size_t>(op.result + 1));
    }
  }
  return count;
}

// Values are defined before they are used, so one pass backwards finds all.
void DropUnused(LoopPlan& loop) {
  std::vector<bool> used(NumValues(loop), false);
  auto use = [&](ValueIndex value) {
    if (value != kNoValue) used[static_cast<size_t>(value)] = true;
  };
  for (const LoopReduction& reduction : loop.reductions) {
    use(reduction.value);
    use(reduction.has_value);
  }
  for (auto block = loop.blocks.rbegin(); block != loop.blocks.rend();
       ++block) {
    std::vector<LoopOp> kept;
    for (auto op = block->ops.rbegin(); op != block->ops.rend(); ++op) {
      if (op->kind != LoopOp::Kind::kStore &&
          !used[static_cast<size_t>(op->result)]) {
        continue;
      }
      use(op->a);
      use(op->b);
      use(op->c);
      kept.push_back(*op);
    }
    std::reverse(kept.begin(), kept.end());
    block->ops = std::move(kept);
  }
}

}  // namespace

void PruneLoop(LoopPlan& loop) {
  DropUnused(loop);
  std::erase_if(loop.blocks,
                [](const LoopBlock& block) { return block.ops.empty(); });

  Renumbering values(NumValues(loop));
  Renumbering accesses(loop.accesses.size());
  Renumbering parameters(loop.parameters.size());
  for (size_t k = 0; k < loop.accesses.size(); ++k) {
    if (loop.accesses[k].buffer == kMaskBuffer) {
      accesses.Use(static_cast<int32_t>(k));
    }
  }
  auto value = [&](ValueIndex index) {
    return index == kNoValue ? kNoValue : values.Use(index);
  };
  for (LoopBlock& block : loop.blocks) {
    for (LoopOp& op : block.ops) {
      op.a = value(op.a);
      op.b = value(op.b);
      op.c = value(op.c);
      op.result = value(op.result);
      if (op.kind == LoopOp::Kind::kLoad || op.kind == LoopOp::Kind::kStore) {
        op.index = accesses.Use(op.index);
      } else if (op.kind == LoopOp::Kind::kParameter) {
        op.index = parameters.Use(op.index);
      }
    }
  }
  for (LoopReduction& reduction : loop.reductions) {
    reduction.value = value(reduction.value);
    reduction.has_value = value(reduction.has_value);
  }
  loop.accesses = accesses.Apply(loop.accesses);
  loop.parameters = parameters.Apply(loop.parameters);
  loop.num_values = static_cast<int32_t>(values.size());
}

}  // namespace layoutd
