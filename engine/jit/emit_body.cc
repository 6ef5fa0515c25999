#include "engine/jit/emit_body.h"

#include <algorithm>

#include "engine/base/status_macros.h"
#include "engine/jit/emit_operation.h"

namespace layoutd {
namespace {

using llvm::Value;

llvm::Align AlignOf(int64_t bytes) {
  return llvm::Align(static_cast<uint64_t>(bytes));
}

// FoldIdentity as IR: what an exclusive scan begins with.
llvm::Constant* IdentityOf(Opcode op, llvm::Type* type) {
  if (op != Opcode::kMul && op != Opcode::kAnd) {
    return llvm::Constant::getNullValue(type);
  }
  return type->isFPOrFPVectorTy() ? llvm::ConstantFP::get(type, 1.0)
                                  : llvm::ConstantInt::get(type, 1);
}

}  // namespace

BodyEmitter::BodyEmitter(LaneBuilder& lanes, const LoopPlan& loop,
                         llvm::Value* arguments)
    : lanes_(lanes),
      loop_(loop),
      arguments_(arguments),
      values_(static_cast<size_t>(loop.num_values), nullptr),
      types_(static_cast<size_t>(loop.num_values), ScalarType::kF64),
      folds_(static_cast<size_t>(loop.num_values), nullptr) {
  llvm::IRBuilder<>& ir = lanes_.ir();
  llvm::Value* accesses = lanes_.LoadPointer(
      arguments, static_cast<int64_t>(ArgumentWord::kAccesses));
  for (size_t k = 0; k < loop.accesses.size(); ++k) {
    const int64_t word = static_cast<int64_t>(k) * kAccessWords;
    const LoopAccess& plan = loop.accesses[k];
    AccessIr access = {};
    access.base = lanes_.LoadPointer(accesses, word);
    for (int64_t d = 0; d < loop.num_dimensions; ++d) {
      access.strides[static_cast<size_t>(d)] =
          lanes_.LoadWord(accesses, word + 1 + d);
    }
    if (plan.num_pieces > 1) {
      access.piece_stride = lanes_.LoadWord(accesses, word + 5);
    }
    if (plan.dynamic_level) {
      access.level_stride = lanes_.LoadWord(accesses, word + 6);
    }
    accesses_.push_back(access);
  }
  llvm::Value* slots = lanes_.LoadPointer(
      arguments, static_cast<int64_t>(ArgumentWord::kParameters));
  for (size_t k = 0; k < loop.parameters.size(); ++k) {
    const ScalarType type = loop.parameters[k].type;
    Value* slot = lanes_.Offset(
        slots, lanes_.I64(static_cast<int64_t>(k * sizeof(ParameterSlot))));
    Value* scalar =
        ir.CreateAlignedLoad(lanes_.Memory(type), slot, llvm::Align(16));
    if (type == ScalarType::kBool) {
      scalar = ir.CreateICmpNE(scalar, ir.getInt8(0));
    }
    parameters_.push_back(lanes_.Splat(scalar));
  }
  for (const LoopBlock& block : loop.blocks) {
    for (const LoopOp& op : block.ops) {
      if (op.result != kNoValue) {
        types_[static_cast<size_t>(op.result)] = op.type;
      }
    }
  }
}

Value* BodyEmitter::Argument(ArgumentWord word, int64_t index) {
  return lanes_.LoadWord(arguments_, static_cast<int64_t>(word) + index);
}

Value* BodyEmitter::LoadPiece(llvm::Type* type, const LoopAccess& access,
                              const LaneAddress& address, Value* mask) {
  llvm::IRBuilder<>& ir = lanes_.ir();
  const llvm::Align align = AlignOf(access.piece_bytes);
  llvm::Type* vector = lanes_.Lanes(type);
  switch (address.lanes) {
    case LaneStride::kUniform:
      return lanes_.Splat(ir.CreateAlignedLoad(type, address.pointer, align));
    case LaneStride::kUnit:
      if (mask == nullptr || address.whole) {
        return ir.CreateAlignedLoad(vector, address.pointer, align);
      }
      return ir.CreateMaskedLoad(vector, address.pointer, align, mask,
                                 llvm::Constant::getNullValue(vector));
    case LaneStride::kStrided:
      break;
  }
  Value* pointers = lanes_.Offset(address.pointer, address.offsets);
  if (lanes_.num_lanes() == 1) {
    return ir.CreateAlignedLoad(type, pointers, align);
  }
  // Lanes beyond the end were given a valid address, so no mask is needed.
  return ir.CreateMaskedGather(vector, pointers, align);
}

void BodyEmitter::StorePiece(const LoopAccess& access,
                             const LaneAddress& address, Value* mask,
                             Value* value) {
  llvm::IRBuilder<>& ir = lanes_.ir();
  const llvm::Align align = AlignOf(access.piece_bytes);
  if (address.lanes == LaneStride::kUnit) {
    if (mask == nullptr || address.whole) {
      llvm::StoreInst* store =
          ir.CreateAlignedStore(value, address.pointer, align);
      if (access.streaming && loop_.kind == LoopKind::kPoints) {
        store->setAlignment(
            AlignOf(std::min(access.piece_bytes * lanes_.num_lanes(),
                             LoopAccess::kStreamingAlignment)));
        MarkStreamed(store);
      }
    } else {
      ir.CreateMaskedStore(value, address.pointer, align, mask);
    }
    return;
  }
  Value* pointers = address.lanes == LaneStride::kUniform
                        ? lanes_.Splat(address.pointer)
                        : lanes_.Offset(address.pointer, address.offsets);
  if (lanes_.num_lanes() == 1) {
    ir.CreateAlignedStore(value, pointers, align);
    return;
  }
  ir.CreateMaskedScatter(value, pointers, align, mask);
}

void BodyEmitter::MarkStreamed(llvm::StoreInst* store) {
  llvm::IRBuilder<>& ir = lanes_.ir();
  store->setMetadata(
      llvm::LLVMContext::MD_nontemporal,
      llvm::MDNode::get(ir.getContext(),
                        llvm::ConstantAsMetadata::get(ir.getInt32(1))));
}

void BodyEmitter::OrderStreamedStores() {
  for (const LoopAccess& access : loop_.accesses) {
    if (!access.streaming) continue;
    lanes_.ir().CreateFence(llvm::AtomicOrdering::SequentiallyConsistent);
    return;
  }
}

Value* BodyEmitter::Load(size_t index, const LaneAddress& address,
                         Value* mask) {
  llvm::IRBuilder<>& ir = lanes_.ir();
  const LoopAccess& access = loop_.accesses[index];
  if (access.num_pieces == 1) {
    Value* value = LoadPiece(lanes_.Memory(access.type), access, address, mask);
    if (access.type != ScalarType::kBool) return value;
    return ir.CreateICmpNE(value,
                           llvm::Constant::getNullValue(value->getType()));
  }
  llvm::Type* whole = lanes_.Lanes(lanes_.Integer(SizeBytes(access.type)));
  llvm::Type* piece_type = lanes_.Integer(access.piece_bytes);
  Value* bits = llvm::Constant::getNullValue(whole);
  LaneAddress piece = address;
  for (int k = 0; k < access.num_pieces; ++k) {
    Value* part =
        ir.CreateZExt(LoadPiece(piece_type, access, piece, mask), whole);
    const uint64_t shift = static_cast<uint64_t>(8 * access.piece_bytes * k);
    bits = ir.CreateOr(
        bits, ir.CreateShl(part, llvm::ConstantInt::get(whole, shift)));
    piece.pointer = lanes_.Offset(piece.pointer, accesses_[index].piece_stride);
  }
  return ir.CreateBitCast(bits, lanes_.Lanes(lanes_.Memory(access.type)));
}

void BodyEmitter::Store(size_t index, const LaneAddress& address, Value* mask,
                        Value* value) {
  llvm::IRBuilder<>& ir = lanes_.ir();
  const LoopAccess& access = loop_.accesses[index];
  if (access.type == ScalarType::kBool) {
    value = ir.CreateZExt(value, lanes_.Lanes(ir.getInt8Ty()));
  }
  if (access.num_pieces == 1) {
    StorePiece(access, address, mask, value);
    return;
  }
  llvm::Type* whole = lanes_.Lanes(lanes_.Integer(SizeBytes(access.type)));
  llvm::Type* piece_type = lanes_.Lanes(lanes_.Integer(access.piece_bytes));
  Value* bits = ir.CreateBitCast(value, whole);
  LaneAddress piece = address;
  for (int k = 0; k < access.num_pieces; ++k) {
    const uint64_t shift = static_cast<uint64_t>(8 * access.piece_bytes * k);
    Value* part = ir.CreateTrunc(
        ir.CreateLShr(bits, llvm::ConstantInt::get(whole, shift)), piece_type);
    StorePiece(access, piece, mask, part);
    piece.pointer = lanes_.Offset(piece.pointer, accesses_[index].piece_stride);
  }
}

LaneAddress BodyEmitter::AtLevel(size_t index, LaneAddress address,
                                 Value* level) {
  llvm::IRBuilder<>& ir = lanes_.ir();
  LAYOUTD_DCHECK(address.lanes != LaneStride::kUnit);
  Value* offset =
      ir.CreateMul(level, lanes_.Splat(accesses_[index].level_stride));
  if (address.lanes == LaneStride::kStrided) {
    offset = ir.CreateAdd(offset, address.offsets);
  }
  address.offsets = offset;
  address.lanes = LaneStride::kStrided;
  return address;
}

void BodyEmitter::Emit(const LoopBlock& block, const Position& position) {
  for (const LoopOp& op : block.ops) {
    const size_t index = static_cast<size_t>(op.index);
    Value* a = op.a == kNoValue ? nullptr : ValueOf(op.a);
    Value* b = op.b == kNoValue ? nullptr : ValueOf(op.b);
    Value* c = op.c == kNoValue ? nullptr : ValueOf(op.c);
    llvm::Value* result = nullptr;
    switch (op.kind) {
      case LoopOp::Kind::kParameter:
        result = parameters_[index];
        break;
      case LoopOp::Kind::kIndex:
        result = position.index[index];
        break;
      case LoopOp::Kind::kLoad: {
        LaneAddress address = position.addresses[index];
        if (loop_.accesses[index].dynamic_level) {
          address = AtLevel(index, address, a);
        }
        result = Load(index, address, position.mask);
        break;
      }
      case LoopOp::Kind::kStore:
        Store(index, position.addresses[index], position.mask, a);
        continue;
      case LoopOp::Kind::kOperation: {
        const ScalarType type =
            TypeOf(op.opcode == Opcode::kSelect ? op.b : op.a);
        result = EmitOperation(lanes_, op.opcode, type, a, b, c);
        break;
      }
      case LoopOp::Kind::kConvert:
        result = EmitConvert(lanes_, TypeOf(op.a), op.type, a);
        break;
      case LoopOp::Kind::kFold:
      case LoopOp::Kind::kScan: {
        llvm::AllocaInst* memory = folds_[static_cast<size_t>(op.result)];
        llvm::IRBuilder<>& ir = lanes_.ir();
        Value* total = ir.CreateLoad(memory->getAllocatedType(), memory);
        // Top down the new value comes first: acc = op(x, acc).
        Value* next =
            block.flip
                ? EmitOperation(lanes_, op.opcode, op.type, a, total, nullptr)
                : EmitOperation(lanes_, op.opcode, op.type, total, a, nullptr);
        if (b == nullptr) next = ir.CreateSelect(is_first_level_, a, next);
        ir.CreateStore(next, memory);
        if (op.kind == LoopOp::Kind::kFold) continue;
        result = op.index == 1 ? total : next;
        break;
      }
    }
    values_[static_cast<size_t>(op.result)] = result;
  }
}

void BodyEmitter::BeginFolds(const LoopBlock& block) {
  for (const LoopOp& op : block.ops) {
    if (op.kind != LoopOp::Kind::kFold && op.kind != LoopOp::Kind::kScan) {
      continue;
    }
    llvm::Type* type = lanes_.Lanes(lanes_.Register(op.type));
    llvm::AllocaInst* memory = lanes_.Stack(type);
    folds_[static_cast<size_t>(op.result)] = memory;
    lanes_.ir().CreateStore(
        op.b == kNoValue ? IdentityOf(op.opcode, type) : ValueOf(op.b), memory);
  }
}

void BodyEmitter::EndFolds(const LoopBlock& block) {
  for (const LoopOp& op : block.ops) {
    if (op.kind != LoopOp::Kind::kFold) continue;
    llvm::AllocaInst* memory = folds_[static_cast<size_t>(op.result)];
    values_[static_cast<size_t>(op.result)] =
        lanes_.ir().CreateLoad(memory->getAllocatedType(), memory);
  }
}

}  // namespace layoutd
