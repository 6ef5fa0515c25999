#include "engine/jit/lanes.h"

#include <vector>

namespace layoutd {

LaneBuilder::LaneBuilder(llvm::Function* function, int num_lanes)
    : function_(function),
      num_lanes_(num_lanes),
      ir_(llvm::BasicBlock::Create(function->getContext(), "entry", function)) {
}

llvm::Type* LaneBuilder::Integer(int64_t size_bytes) {
  return ir_.getIntNTy(static_cast<unsigned>(8 * size_bytes));
}

llvm::Type* LaneBuilder::Register(ScalarType type) {
  if (type == ScalarType::kBool) return ir_.getInt1Ty();
  return Memory(type);
}

llvm::Type* LaneBuilder::Memory(ScalarType type) {
  if (type == ScalarType::kF32) return ir_.getFloatTy();
  if (type == ScalarType::kF64) return ir_.getDoubleTy();
  return Integer(SizeBytes(type));
}

llvm::Type* LaneBuilder::Lanes(llvm::Type* scalar, int num_lanes) {
  if (num_lanes == 1) return scalar;
  return llvm::FixedVectorType::get(scalar, static_cast<unsigned>(num_lanes));
}

llvm::Type* LaneBuilder::WithLanesOf(llvm::Type* scalar, llvm::Value* like) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(like->getType());
  return vector == nullptr
             ? scalar
             : Lanes(scalar, static_cast<int>(vector->getNumElements()));
}

llvm::Value* LaneBuilder::Splat(llvm::Value* scalar) {
  if (num_lanes_ == 1) return scalar;
  return ir_.CreateVectorSplat(static_cast<unsigned>(num_lanes_), scalar);
}

llvm::Value* LaneBuilder::Iota() {
  if (num_lanes_ == 1) return I64(0);
  std::vector<llvm::Constant*> lanes;
  for (int lane = 0; lane < num_lanes_; ++lane) {
    lanes.push_back(ir_.getInt64(static_cast<uint64_t>(lane)));
  }
  return llvm::ConstantVector::get(lanes);
}

llvm::Value* LaneBuilder::LoadWord(llvm::Value* pointer, int64_t index) {
  return ir_.CreateLoad(
      ir_.getInt64Ty(),
      ir_.CreateConstInBoundsGEP1_64(ir_.getInt64Ty(), pointer, Bits(index)));
}

llvm::Value* LaneBuilder::LoadPointer(llvm::Value* pointer, int64_t index) {
  return ir_.CreateLoad(
      ir_.getPtrTy(),
      ir_.CreateConstInBoundsGEP1_64(ir_.getInt64Ty(), pointer, Bits(index)));
}

llvm::Value* LaneBuilder::Offset(llvm::Value* pointer,
                                 llvm::Value* offset_bytes) {
  return ir_.CreateGEP(ir_.getInt8Ty(), pointer, offset_bytes);
}

llvm::AllocaInst* LaneBuilder::Stack(llvm::Type* type, int64_t count) {
  llvm::BasicBlock& entry = function_->getEntryBlock();
  llvm::IRBuilder<> at_entry(&entry, entry.begin());
  llvm::AllocaInst* memory = at_entry.CreateAlloca(
      type, count == 1 ? nullptr : at_entry.getInt64(Bits(count)));
  memory->setAlignment(llvm::Align(64));
  return memory;
}

llvm::Value* LaneBuilder::MinI64(llvm::Value* a, llvm::Value* b) {
  return ir_.CreateSelect(ir_.CreateICmpSLT(a, b), a, b);
}

llvm::BasicBlock* LaneBuilder::NewBlock(const char* name) {
  return llvm::BasicBlock::Create(function_->getContext(), name, function_);
}

}  // namespace layoutd
