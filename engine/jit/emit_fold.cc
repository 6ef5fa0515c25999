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

llvm::Function* FoldFunctions::FoldTile(Opcode op, ScalarType type,
                                        bool has_flags) {
  llvm::Function*& function = fold_tile_[{op, type, has_flags}];
  if (function != nullptr) return function;
  llvm::Type* pointer = llvm::PointerType::get(module_->getContext(), 0);
  llvm::Type* i64 = llvm::Type::getInt64Ty(module_->getContext());
  function = NewFunction({pointer, pointer, pointer, pointer, i64, i64, i64});

  LaneBuilder lanes(function, num_lanes_);
  llvm::IRBuilder<>& ir = lanes.ir();
  LaneArray totals(lanes, type, function->getArg(0));
  LaneArray has_totals(lanes, ScalarType::kBool, function->getArg(1));
  LaneArray tile(lanes, type, function->getArg(2));
  LaneArray has_tile(lanes, ScalarType::kBool, function->getArg(3));
  Value* count = function->getArg(4);
  Value* width = lanes.I64(num_lanes_);
  Value* start = ir.CreateMul(function->getArg(5), width);
  Value* step = ir.CreateMul(function->getArg(6), width);
  llvm::AllocaInst* total = lanes.Stack(lanes.Lanes(lanes.Register(type)));
  llvm::AllocaInst* has_total = lanes.Stack(lanes.Lanes(ir.getInt1Ty()));
  auto loaded = [&](llvm::AllocaInst* memory) {
    return ir.CreateLoad(memory->getAllocatedType(), memory);
  };

  lanes.For(start, lanes.I64(kReductionLanes), step, [&](Value* lane) {
    ir.CreateStore(totals.Load(lane, num_lanes_), total);
    ir.CreateStore(has_totals.Load(lane, num_lanes_), has_total);
    lanes.For(lane, count, lanes.I64(kReductionLanes), [&](Value* at) {
      Value* value = tile.Load(at, num_lanes_);
      Value* point = ir.CreateAdd(lanes.Splat(at), lanes.Iota());
      Value* has = ir.CreateICmpSLT(point, lanes.Splat(count));
      if (has_flags) has = ir.CreateAnd(has, has_tile.Load(at, num_lanes_));
      Value* sum = loaded(total);
      Value* has_sum = loaded(has_total);
      Value* combined = EmitOperation(lanes, op, type, sum, value, nullptr);
      Value* next = ir.CreateSelect(has_sum, combined, value);
      ir.CreateStore(ir.CreateSelect(has, next, sum), total);
      ir.CreateStore(ir.CreateOr(has_sum, has), has_total);
    });
    totals.Store(loaded(total), lane, num_lanes_);
    has_totals.Store(loaded(has_total), lane, num_lanes_);
  });
  ir.CreateRetVoid();
  return function;
}

llvm::Function* FoldFunctions::CombineLanes(Opcode op, ScalarType type) {
  llvm::Function*& function = combine_lanes_[{op, type}];
  if (function != nullptr) return function;
  llvm::Type* pointer = llvm::PointerType::get(module_->getContext(), 0);
  llvm::Type* i64 = llvm::Type::getInt64Ty(module_->getContext());
  function = NewFunction({pointer, pointer, i64, i64});

  LaneBuilder lanes(function, num_lanes_);
  llvm::IRBuilder<>& ir = lanes.ir();
  LaneArray totals(lanes, type, function->getArg(0));
  LaneArray has_totals(lanes, ScalarType::kBool, function->getArg(1));
  for (int64_t half = kReductionLanes / 2; half >= 1; half /= 2) {
    const int count = std::min(static_cast<int>(half), num_lanes_);
    Value* start = ir.CreateMul(function->getArg(2), lanes.I64(count));
    Value* step = ir.CreateMul(function->getArg(3), lanes.I64(count));
    lanes.For(start, lanes.I64(half), step, [&](Value* lane) {
      Value* other = ir.CreateAdd(lane, lanes.I64(half));
      Value* a = totals.Load(lane, count);
      Value* b = totals.Load(other, count);
      Value* has_a = has_totals.Load(lane, count);
      Value* has_b = has_totals.Load(other, count);
      Value* both = EmitOperation(lanes, op, type, a, b, nullptr);
      Value* one = ir.CreateSelect(has_a, a, b);
      totals.Store(ir.CreateSelect(ir.CreateAnd(has_a, has_b), both, one), lane,
                   count);
      has_totals.Store(ir.CreateOr(has_a, has_b), lane, count);
    });
    barrier_(lanes);
  }
  ir.CreateRetVoid();
  return function;
}

}  // namespace layoutd
