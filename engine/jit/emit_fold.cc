#include "engine/jit/emit_fold.h"

#include <algorithm>

#include "engine/jit/emit_operation.h"
#include "engine/jit/lane_total.h"
#include "engine/program/reduction_order.h"

namespace layoutd {
namespace {

using llvm::Value;

// The body of a FoldTile function; see there for its arguments.
class TileFolder {
 public:
  TileFolder(LaneBuilder& lanes, const LoopReduction& reduction, bool has_flags)
      : lanes_(lanes),
        ir_(lanes.ir()),
        reduction_(reduction),
        width_(lanes.num_lanes()),
        has_flags_(has_flags),

        totals_(lanes, reduction, Argument(0), Argument(1), Argument(2)),
        tile_(lanes, reduction.type, Argument(3)),
        has_tile_(lanes, ScalarType::kBool, Argument(4)),
        first_(Argument(5)),
        count_(Argument(6)) {}

  void Emit() {
    const int64_t vectors = kReductionLanes / width_;
    const int64_t in_flight = std::min(vectors, kVectorsInFlight);
    Value* group = lanes_.I64(in_flight * width_);
    Value* rounds =
        ir_.CreateAnd(count_, lanes_.I64(-kReductionLanes), "rounds");
    lanes_.For(ir_.CreateMul(Argument(7), group), lanes_.I64(kReductionLanes),
               ir_.CreateMul(Argument(8), group), [&](Value* lane) {
                 Value* rest = lanes_.I64(0);
                 if (!has_flags_ && !reduction_.with_position) {
                   lanes_.If(ir_.CreateICmpSGT(rounds, lanes_.I64(0)),
                             [&] { FoldRounds(lane, rounds, in_flight); });
                   rest = rounds;
                 }
                 lanes_.For(lane, ir_.CreateAdd(lane, group),
                            lanes_.I64(width_),
                            [&](Value* at) { FoldOneByOne(at, rest); });
               });
  }

 private:
  // Accumulators that are independent of each other, so that one addition need
  // not wait for the one before it.
  static constexpr int64_t kVectorsInFlight = 16;

  Value* Argument(unsigned index) { return lanes_.function()->getArg(index); }
  Value* Loaded(llvm::AllocaInst* memory) {
    return ir_.CreateLoad(memory->getAllocatedType(), memory);
  }

  // Folds points [0, rounds) into lanes [lane, lane + in_flight * width): every
  // lane has a point in every round, so nothing is asked.
  void FoldRounds(Value* lane, Value* rounds, int64_t in_flight) {
    llvm::Type* type = lanes_.Lanes(lanes_.Register(reduction_.type));
    std::vector<llvm::AllocaInst*> sums;
    std::vector<Value*> at;
    Value* started = Argument(9);
    for (int64_t k = 0; k < in_flight; ++k) {
      sums.push_back(lanes_.Stack(type));
      at.push_back(ir_.CreateAdd(lane, lanes_.I64(k * width_)));
      Value* before = totals_.Load(at.back(), width_).value;
      Value* point = tile_.Load(at.back(), width_);
      ir_.CreateStore(ir_.CreateSelect(started, before, point), sums.back());
    }
    Value* begin =
        ir_.CreateSelect(started, lanes_.I64(0), lanes_.I64(kReductionLanes));

    lanes_.For(begin, rounds, lanes_.I64(kReductionLanes), [&](Value* round) {
      for (size_t k = 0; k < sums.size(); ++k) {
        Value* value = tile_.Load(ir_.CreateAdd(round, at[k]), width_);
        ir_.CreateStore(EmitOperation(lanes_, reduction_.op, reduction_.type,
                                      Loaded(sums[k]), value, nullptr),
                        sums[k]);
      }
    });
    Value* all = llvm::ConstantInt::get(lanes_.Lanes(ir_.getInt1Ty()), 1);
    for (size_t k = 0; k < sums.size(); ++k) {
      totals_.Store({Loaded(sums[k]), all, nullptr}, at[k], width_);
    }
  }

  // Folds points `rest` + lane, + 64 ... into lanes [lane, lane + width).
  void FoldOneByOne(Value* lane, Value* rest) {
    llvm::Type* i64 = ir_.getInt64Ty();
    llvm::AllocaInst* value =
        lanes_.Stack(lanes_.Lanes(lanes_.Register(reduction_.type)));
    llvm::AllocaInst* has_value = lanes_.Stack(lanes_.Lanes(ir_.getInt1Ty()));
    llvm::AllocaInst* position = lanes_.Stack(lanes_.Lanes(i64));
    auto store = [&](const LaneTotal& total) {
      ir_.CreateStore(total.value, value);
      ir_.CreateStore(total.has_value, has_value);
      if (total.position != nullptr) ir_.CreateStore(total.position, position);
    };
    auto load = [&] {
      return LaneTotal{Loaded(value), Loaded(has_value),
                       reduction_.with_position ? Loaded(position) : nullptr};
    };
    Value* begin = ir_.CreateAdd(lane, rest);
    lanes_.If(ir_.CreateICmpSLT(begin, count_), [&] {
      store(totals_.Load(lane, width_));
      lanes_.For(begin, count_, lanes_.I64(kReductionLanes), [&](Value* at) {
        Value* point = ir_.CreateAdd(lanes_.Splat(at), lanes_.Iota());
        LaneTotal next;
        next.has_value = ir_.CreateICmpSLT(point, lanes_.Splat(count_));
        next.value = tile_.LoadMasked(at, width_, next.has_value);
        if (has_flags_) {
          next.has_value =
              ir_.CreateAnd(next.has_value, has_tile_.Load(at, width_));
        }
        if (reduction_.with_position) {
          next.position = ir_.CreateAdd(lanes_.Splat(first_), point);
        }
        store(Combine(lanes_, reduction_, load(), next));
      });
      totals_.Store(load(), lane, width_);
    });
  }

  LaneBuilder& lanes_;
  llvm::IRBuilder<>& ir_;
  const LoopReduction& reduction_;
  const int width_;
  const bool has_flags_;

  TotalLanes totals_;
  LaneArray tile_;
  LaneArray has_tile_;
  Value* const first_;
  Value* const count_;
};

// Emits the body of a FoldChunk function.
void EmitFoldChunk(LaneBuilder& lanes, const LoopReduction& reduction) {
  llvm::IRBuilder<>& ir = lanes.ir();
  const int width = lanes.num_lanes();
  LaneArray tile(lanes, reduction.type, lanes.function()->getArg(0));
  Value* count = lanes.function()->getArg(1);
  auto loaded = [&](llvm::AllocaInst* sum) -> Value* {
    return ir.CreateLoad(sum->getAllocatedType(), sum);
  };
  auto combined = [&](Value* sum, Value* point) {
    return EmitOperation(lanes, reduction.op, reduction.type, sum, point,
                         nullptr);
  };
  std::vector<llvm::AllocaInst*> sums;
  for (int64_t lane = 0; lane < kReductionLanes; lane += width) {
    sums.push_back(lanes.Stack(lanes.Lanes(lanes.Register(reduction.type))));
    ir.CreateStore(tile.Load(lanes.I64(lane), width), sums.back());
  }
  auto lane_of = [&](size_t k) {
    return lanes.I64(static_cast<int64_t>(k) * width);
  };
  Value* rounds = ir.CreateAnd(count, lanes.I64(-kReductionLanes));
  lanes.For(lanes.I64(kReductionLanes), rounds, lanes.I64(kReductionLanes),
            [&](Value* round) {
              for (size_t k = 0; k < sums.size(); ++k) {
                Value* at = ir.CreateAdd(round, lane_of(k));
                ir.CreateStore(combined(loaded(sums[k]), tile.Load(at, width)),
                               sums[k]);
              }
            });
  // What is left goes through memory: in registers it would need some that the
  // loop above has none of to spare.
  LaneArray lane_sums(
      lanes, reduction.type,
      lanes.Stack(lanes.Memory(reduction.type), kReductionLanes));
  lanes.If(ir.CreateICmpSLT(rounds, count), [&] {
    for (size_t k = 0; k < sums.size(); ++k) {
      lane_sums.Store(loaded(sums[k]), lane_of(k), width);
    }
    lanes.For(rounds, count, lanes.I64(width), [&](Value* at) {
      Value* lane = ir.CreateSub(at, rounds);
      Value* mask =
          ir.CreateICmpSLT(lanes.Iota(), lanes.Splat(ir.CreateSub(count, at)));
      Value* sum = lane_sums.Load(lane, width);
      Value* next = combined(sum, tile.LoadMasked(at, width, mask));
      lane_sums.Store(ir.CreateSelect(mask, next, sum), lane, width);
    });
    for (size_t k = 0; k < sums.size(); ++k) {
      ir.CreateStore(lane_sums.Load(lane_of(k), width), sums[k]);
    }
  });
  std::vector<LaneTotal> vectors;
  for (llvm::AllocaInst* sum : sums) {
    vectors.push_back({loaded(sum)});
  }
  LaneArray(lanes, reduction.type, lanes.function()->getArg(2))
      .Store(CombineAll(lanes, reduction, vectors).value, lanes.I64(0), 1);
}

}  // namespace

llvm::Function* FoldFunctions::NewFunction(
    llvm::ArrayRef<llvm::Type*> parameters) {
  llvm::Function* function = llvm::Function::Create(
      llvm::FunctionType::get(llvm::Type::getVoidTy(module_->getContext()),
                              parameters, false),
      llvm::Function::InternalLinkage, "fold", *module_);
  function->setDoesNotThrow();
  return function;
}

llvm::Function* FoldFunctions::FoldTile(const LoopReduction& reduction,
                                        bool has_flags) {
  llvm::Function*& function = fold_tile_[{reduction.op, reduction.type,
                                          reduction.with_position, has_flags}];
  if (function != nullptr) return function;
  llvm::Type* pointer = llvm::PointerType::get(module_->getContext(), 0);
  llvm::Type* i64 = llvm::Type::getInt64Ty(module_->getContext());
  llvm::Type* i1 = llvm::Type::getInt1Ty(module_->getContext());
  function = NewFunction(
      {pointer, pointer, pointer, pointer, pointer, i64, i64, i64, i64, i1});
  LaneBuilder lanes(function, num_lanes_);
  TileFolder(lanes, reduction, has_flags).Emit();
  lanes.ir().CreateRetVoid();
  return function;
}

llvm::Function* FoldFunctions::CombineLanes(const LoopReduction& reduction) {
  llvm::Function*& function =
      combine_lanes_[{reduction.op, reduction.type, reduction.with_position}];
  if (function != nullptr) return function;
  llvm::Type* pointer = llvm::PointerType::get(module_->getContext(), 0);
  llvm::Type* i64 = llvm::Type::getInt64Ty(module_->getContext());
  function = NewFunction({pointer, pointer, pointer, i64, i64,
                          llvm::Type::getInt1Ty(module_->getContext())});

  LaneBuilder lanes(function, num_lanes_);
  llvm::IRBuilder<>& ir = lanes.ir();
  TotalLanes totals(lanes, reduction, function->getArg(0), function->getArg(1),
                    function->getArg(2));
  Value* all = function->getArg(5);
  lanes.If(all, [&] {
    Value* mine = ir.CreateICmpEQ(function->getArg(3), lanes.I64(0));
    lanes.If(mine, [&] {
      std::vector<LaneTotal> vectors;
      for (int64_t lane = 0; lane < kReductionLanes; lane += num_lanes_) {
        vectors.push_back(totals.Load(lanes.I64(lane), num_lanes_));
        vectors.back().has_value = nullptr;
      }
      LaneTotal total = CombineAll(lanes, reduction, vectors);
      total.has_value = ir.getTrue();
      totals.Store(total, lanes.I64(0), 1);
    });
    ir.CreateRetVoid();
    // What follows the return is never reached, but every block has an end.
    ir.SetInsertPoint(
        llvm::BasicBlock::Create(module_->getContext(), "never", function));
  });
  for (int64_t half = kReductionLanes / 2; half >= 1; half /= 2) {
    const int count = std::min(static_cast<int>(half), num_lanes_);
    Value* start = ir.CreateMul(function->getArg(3), lanes.I64(count));
    Value* step = ir.CreateMul(function->getArg(4), lanes.I64(count));
    lanes.For(start, lanes.I64(half), step, [&](Value* lane) {
      Value* other = ir.CreateAdd(lane, lanes.I64(half));
      totals.Store(Combine(lanes, reduction, totals.Load(lane, count),
                           totals.Load(other, count)),
                   lane, count);
    });
    barrier_(lanes);
  }
  ir.CreateRetVoid();
  return function;
}

llvm::Function* FoldFunctions::FoldChunk(const LoopReduction& reduction) {
  llvm::Function*& function = fold_chunk_[{reduction.op, reduction.type}];
  if (function != nullptr) return function;
  llvm::LLVMContext& context = module_->getContext();
  llvm::Type* pointer = llvm::PointerType::get(context, 0);
  function = NewFunction({pointer, llvm::Type::getInt64Ty(context), pointer});
  LaneBuilder lanes(function, num_lanes_);
  EmitFoldChunk(lanes, reduction);
  lanes.ir().CreateRetVoid();
  return function;
}

}  // namespace layoutd
