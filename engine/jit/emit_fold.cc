#include "engine/jit/emit_fold.h"

#include <algorithm>

#include "engine/jit/emit_operation.h"
#include "engine/program/reduction_order.h"

namespace layoutd {
namespace {

using llvm::Value;

// Loads and stores lanes of one array; in memory a bool is a byte.
class LaneArray {
 public:
  LaneArray(LaneBuilder& lanes, ScalarType type, Value* memory)
      : lanes_(lanes), type_(type), memory_(memory) {}

  Value* Load(Value* index, int count) {
    llvm::IRBuilder<>& ir = lanes_.ir();
    Value* value = ir.CreateAlignedLoad(
        LaneBuilder::Lanes(lanes_.Memory(type_), count), At(index), Aligned());
    if (type_ != ScalarType::kBool) return value;
    return ir.CreateICmpNE(value,
                           llvm::Constant::getNullValue(value->getType()));
  }

  // Touches only the lanes of `mask`; the others are 0.
  Value* LoadMasked(Value* index, int count, Value* mask) {
    if (count == 1) return Load(index, count);
    llvm::IRBuilder<>& ir = lanes_.ir();
    llvm::Type* type = LaneBuilder::Lanes(lanes_.Memory(type_), count);
    llvm::Constant* zero = llvm::Constant::getNullValue(type);
    Value* value = ir.CreateMaskedLoad(type, At(index), Aligned(), mask, zero);
    return type_ == ScalarType::kBool ? ir.CreateICmpNE(value, zero) : value;
  }

  void Store(Value* value, Value* index, int count) {
    llvm::IRBuilder<>& ir = lanes_.ir();
    if (type_ == ScalarType::kBool) {
      value = ir.CreateZExt(value, LaneBuilder::Lanes(ir.getInt8Ty(), count));
    }
    ir.CreateAlignedStore(value, At(index), Aligned());
  }

  Value* At(Value* index) {
    return lanes_.ir().CreateGEP(lanes_.Memory(type_), memory_, index);
  }

 private:
  llvm::Align Aligned() const {
    return llvm::Align(static_cast<uint64_t>(SizeBytes(type_)));
  }

  LaneBuilder& lanes_;
  const ScalarType type_;
  Value* const memory_;
};

// The state of some lanes of a reduction.
struct LaneTotal {
  Value* value = nullptr;
  Value* has_value = nullptr;  // i1; null: every lane has one
  Value* position = nullptr;   // i64; null unless the reduction has positions
};

// The 64 lanes in memory.
class TotalLanes {
 public:
  TotalLanes(LaneBuilder& lanes, const LoopReduction& reduction, Value* totals,
             Value* has_totals, Value* positions)
      : with_position_(reduction.with_position),
        values_(lanes, reduction.type, totals),
        has_values_(lanes, ScalarType::kBool, has_totals),
        positions_(lanes, ScalarType::kI64, positions) {}

  LaneTotal Load(Value* lane, int count) {
    return {values_.Load(lane, count), has_values_.Load(lane, count),
            with_position_ ? positions_.Load(lane, count) : nullptr};
  }
  void Store(const LaneTotal& total, Value* lane, int count) {
    values_.Store(total.value, lane, count);
    has_values_.Store(total.has_value, lane, count);
    if (with_position_) positions_.Store(total.position, lane, count);
  }

 private:
  const bool with_position_;
  LaneArray values_;
  LaneArray has_values_;
  LaneArray positions_;
};

// Returns lanes where `a` and `b` have the same bits, any NaN equal to any NaN.
Value* SameBits(llvm::IRBuilder<>& ir, ScalarType type, Value* a, Value* b) {
  if (!IsFloat(type)) return ir.CreateICmpEQ(a, b);
  llvm::Type* bits = a->getType()->getWithNewType(
      ir.getIntNTy(static_cast<unsigned>(8 * SizeBytes(type))));
  Value* same =
      ir.CreateICmpEQ(ir.CreateBitCast(a, bits), ir.CreateBitCast(b, bits));
  Value* both_nan =
      ir.CreateAnd(ir.CreateFCmpUNO(a, a), ir.CreateFCmpUNO(b, b));
  return ir.CreateOr(same, both_nan);
}

// Returns the total of `a` and of `b`, which comes after it.
LaneTotal Combine(LaneBuilder& lanes, const LoopReduction& reduction,
                  const LaneTotal& a, const LaneTotal& b) {
  llvm::IRBuilder<>& ir = lanes.ir();
  LaneTotal total;
  const bool always = a.has_value == nullptr;
  if (!always) total.has_value = ir.CreateOr(a.has_value, b.has_value);
  Value* both = EmitOperation(lanes, reduction.op, reduction.type, a.value,
                              b.value, nullptr);
  if (a.position == nullptr) {
    if (always) {
      total.value = both;
      return total;
    }
    Value* next = ir.CreateSelect(a.has_value, both, b.value);
    total.value = ir.CreateSelect(b.has_value, next, a.value);
    return total;
  }
  // As TakesSecond.
  Value* second =
      ir.CreateOr(ir.CreateNot(SameBits(ir, reduction.type, both, a.value)),
                  ir.CreateAnd(SameBits(ir, reduction.type, both, b.value),
                               ir.CreateICmpSLT(b.position, a.position)));
  if (!always) {
    second = ir.CreateAnd(b.has_value,
                          ir.CreateOr(second, ir.CreateNot(a.has_value)));
  }
  total.value = ir.CreateSelect(second, b.value, a.value);
  total.position = ir.CreateSelect(second, b.position, a.position);
  return total;
}

// Combines the 64 lanes when each has a value: in registers, asking nothing.
void CombineAllLanes(LaneBuilder& lanes, const LoopReduction& reduction,
                     TotalLanes& totals) {
  llvm::IRBuilder<>& ir = lanes.ir();
  const int width = lanes.num_lanes();
  std::vector<LaneTotal> vectors;
  for (int64_t lane = 0; lane < kReductionLanes; lane += width) {
    vectors.push_back(totals.Load(lanes.I64(lane), width));
    vectors.back().has_value = nullptr;
  }
  while (vectors.size() > 1) {
    const size_t half = vectors.size() / 2;
    for (size_t k = 0; k < half; ++k) {
      vectors[k] = Combine(lanes, reduction, vectors[k], vectors[k + half]);
    }
    vectors.resize(half);
  }
  LaneTotal total = vectors[0];
  for (int half = width / 2; half >= 1; half /= 2) {
    auto part = [&](Value* vector, int first) -> Value* {
      if (vector == nullptr) return nullptr;
      std::vector<int> picked;
      for (int k = 0; k < half; ++k) picked.push_back(first + k);
      if (half == 1) return ir.CreateExtractElement(vector, first);
      return ir.CreateShuffleVector(vector, picked);
    };
    total =
        Combine(lanes, reduction,
                {part(total.value, 0), nullptr, part(total.position, 0)},
                {part(total.value, half), nullptr, part(total.position, half)});
  }
  total.has_value = ir.getTrue();
  totals.Store(total, lanes.I64(0), 1);
}

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
    lanes.If(mine, [&] { CombineAllLanes(lanes, reduction, totals); });
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

}  // namespace layoutd
