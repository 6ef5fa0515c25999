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

  void Store(Value* value, Value* index, int count) {
    llvm::IRBuilder<>& ir = lanes_.ir();
    if (type_ == ScalarType::kBool) {
      value = ir.CreateZExt(value, LaneBuilder::Lanes(ir.getInt8Ty(), count));
    }
    ir.CreateAlignedStore(value, At(index), Aligned());
  }

 private:
  Value* At(Value* index) {
    return lanes_.ir().CreateGEP(lanes_.Memory(type_), memory_, index);
  }
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
  Value* has_value = nullptr;  // i1
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
  total.has_value = ir.CreateOr(a.has_value, b.has_value);
  Value* both = EmitOperation(lanes, reduction.op, reduction.type, a.value,
                              b.value, nullptr);
  if (a.position == nullptr) {
    Value* next = ir.CreateSelect(a.has_value, both, b.value);
    total.value = ir.CreateSelect(b.has_value, next, a.value);
    return total;
  }
  // As TakesSecond.
  Value* second =
      ir.CreateOr(ir.CreateNot(SameBits(ir, reduction.type, both, a.value)),
                  ir.CreateAnd(SameBits(ir, reduction.type, both, b.value),
                               ir.CreateICmpSLT(b.position, a.position)));
  second =
      ir.CreateAnd(b.has_value, ir.CreateOr(second, ir.CreateNot(a.has_value)));
  total.value = ir.CreateSelect(second, b.value, a.value);
  total.position = ir.CreateSelect(second, b.position, a.position);
  return total;
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
  const ScalarType type = reduction.type;
  llvm::Function*& function =
      fold_tile_[{reduction.op, type, reduction.with_position, has_flags}];
  if (function != nullptr) return function;
  llvm::Type* pointer = llvm::PointerType::get(module_->getContext(), 0);
  llvm::Type* i64 = llvm::Type::getInt64Ty(module_->getContext());
  function = NewFunction(
      {pointer, pointer, pointer, pointer, pointer, i64, i64, i64, i64});

  LaneBuilder lanes(function, num_lanes_);
  llvm::IRBuilder<>& ir = lanes.ir();
  TotalLanes totals(lanes, reduction, function->getArg(0), function->getArg(1),
                    function->getArg(2));
  LaneArray tile(lanes, type, function->getArg(3));
  LaneArray has_tile(lanes, ScalarType::kBool, function->getArg(4));
  Value* first = function->getArg(5);
  Value* count = function->getArg(6);
  Value* width = lanes.I64(num_lanes_);
  Value* start = ir.CreateMul(function->getArg(7), width);
  Value* step = ir.CreateMul(function->getArg(8), width);
  llvm::AllocaInst* value = lanes.Stack(lanes.Lanes(lanes.Register(type)));
  llvm::AllocaInst* has_value = lanes.Stack(lanes.Lanes(ir.getInt1Ty()));
  llvm::AllocaInst* position = lanes.Stack(lanes.Lanes(i64));
  auto loaded = [&](llvm::AllocaInst* memory) {
    return ir.CreateLoad(memory->getAllocatedType(), memory);
  };
  auto store = [&](const LaneTotal& total) {
    ir.CreateStore(total.value, value);
    ir.CreateStore(total.has_value, has_value);
    if (total.position != nullptr) ir.CreateStore(total.position, position);
  };
  auto load = [&] {
    return LaneTotal{loaded(value), loaded(has_value),
                     reduction.with_position ? loaded(position) : nullptr};
  };

  lanes.For(start, lanes.I64(kReductionLanes), step, [&](Value* lane) {
    store(totals.Load(lane, num_lanes_));
    lanes.For(lane, count, lanes.I64(kReductionLanes), [&](Value* at) {
      Value* point = ir.CreateAdd(lanes.Splat(at), lanes.Iota());
      LaneTotal next;
      next.value = tile.Load(at, num_lanes_);
      next.has_value = ir.CreateICmpSLT(point, lanes.Splat(count));
      if (has_flags) {
        next.has_value =
            ir.CreateAnd(next.has_value, has_tile.Load(at, num_lanes_));
      }
      if (reduction.with_position) {
        next.position = ir.CreateAdd(lanes.Splat(first), point);
      }
      store(Combine(lanes, reduction, load(), next));
    });
    totals.Store(load(), lane, num_lanes_);
  });
  ir.CreateRetVoid();
  return function;
}

llvm::Function* FoldFunctions::CombineLanes(const LoopReduction& reduction) {
  llvm::Function*& function =
      combine_lanes_[{reduction.op, reduction.type, reduction.with_position}];
  if (function != nullptr) return function;
  llvm::Type* pointer = llvm::PointerType::get(module_->getContext(), 0);
  llvm::Type* i64 = llvm::Type::getInt64Ty(module_->getContext());
  function = NewFunction({pointer, pointer, pointer, i64, i64});

  LaneBuilder lanes(function, num_lanes_);
  llvm::IRBuilder<>& ir = lanes.ir();
  TotalLanes totals(lanes, reduction, function->getArg(0), function->getArg(1),
                    function->getArg(2));
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
