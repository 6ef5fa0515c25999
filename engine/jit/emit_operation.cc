#include "engine/jit/emit_operation.h"

#include "engine/base/status_macros.h"
#include "engine/jit/emit_elementary.h"
#include "llvm/IR/Intrinsics.h"

namespace layoutd {
namespace {

using llvm::Value;

// NaN propagates and -0 < +0: an equal pair is combined bit by bit (the signs
// of zeros), an unordered one by an addition, which gives NaN.
Value* EmitFloatMinMax(llvm::IRBuilder<>& ir, bool is_min, Value* a, Value* b) {
  llvm::Type* bits = LaneBuilder::WithLanesOf(
      ir.getIntNTy(a->getType()->getScalarSizeInBits()), a);
  Value* a_bits = ir.CreateBitCast(a, bits);
  Value* b_bits = ir.CreateBitCast(b, bits);
  Value* both =
      is_min ? ir.CreateOr(a_bits, b_bits) : ir.CreateAnd(a_bits, b_bits);
  Value* equal = ir.CreateBitCast(both, a->getType());
  Value* ordered = ir.CreateSelect(
      is_min ? ir.CreateFCmpOLT(a, b) : ir.CreateFCmpOGT(a, b), a, b);
  Value* number = ir.CreateSelect(ir.CreateFCmpOEQ(a, b), equal, ordered);
  return ir.CreateSelect(ir.CreateFCmpUNO(a, b), ir.CreateFAdd(a, b), number);
}

Value* EmitIntegerMinMax(llvm::IRBuilder<>& ir, bool is_min, bool is_signed,
                         Value* a, Value* b) {
  Value* less = is_signed ? ir.CreateICmpSLT(a, b) : ir.CreateICmpULT(a, b);
  return is_min ? ir.CreateSelect(less, a, b) : ir.CreateSelect(less, b, a);
}

Value* EmitCompare(llvm::IRBuilder<>& ir, Opcode op, ScalarType type, Value* a,
                   Value* b) {
  using llvm::CmpInst;
  const bool is_signed = IsSignedInteger(type);
  CmpInst::Predicate real = CmpInst::FCMP_OEQ;
  CmpInst::Predicate integer = CmpInst::ICMP_EQ;
  switch (op) {
    case Opcode::kEqual:
      break;
    case Opcode::kNotEqual:
      real = CmpInst::FCMP_UNE;
      integer = CmpInst::ICMP_NE;
      break;
    case Opcode::kLess:
      real = CmpInst::FCMP_OLT;
      integer = is_signed ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT;
      break;
    case Opcode::kLessEqual:
      real = CmpInst::FCMP_OLE;
      integer = is_signed ? CmpInst::ICMP_SLE : CmpInst::ICMP_ULE;
      break;
    case Opcode::kGreater:
      real = CmpInst::FCMP_OGT;
      integer = is_signed ? CmpInst::ICMP_SGT : CmpInst::ICMP_UGT;
      break;
    default:
      LAYOUTD_DCHECK(op == Opcode::kGreaterEqual);
      real = CmpInst::FCMP_OGE;
      integer = is_signed ? CmpInst::ICMP_SGE : CmpInst::ICMP_UGE;
  }
  return IsFloat(type) ? ir.CreateFCmp(real, a, b)
                       : ir.CreateICmp(integer, a, b);
}

Value* EmitAbs(llvm::IRBuilder<>& ir, ScalarType type, Value* a) {
  if (IsFloat(type)) return ir.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, a);
  if (!IsSignedInteger(type)) return a;
  Value* zero = llvm::Constant::getNullValue(a->getType());
  return ir.CreateSelect(ir.CreateICmpSLT(a, zero), ir.CreateSub(zero, a), a);
}

Value* EmitFloatTest(llvm::IRBuilder<>& ir, Opcode op, ScalarType type,
                     Value* a) {
  llvm::Type* result = LaneBuilder::WithLanesOf(ir.getInt1Ty(), a);
  if (!IsFloat(type)) {
    return llvm::ConstantInt::get(result, op == Opcode::kIsFinite ? 1 : 0);
  }
  if (op == Opcode::kIsNan) return ir.CreateFCmpUNO(a, a);
  Value* magnitude = ir.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, a);
  return ir.CreateFCmpOLT(magnitude,
                          llvm::ConstantFP::getInfinity(a->getType()));
}

}  // namespace

Value* EmitOperation(LaneBuilder& lanes, Opcode op, ScalarType type, Value* a,
                     Value* b, Value* c) {
  llvm::IRBuilder<>& ir = lanes.ir();
  const bool is_float = IsFloat(type);
  switch (op) {
    case Opcode::kAdd:
      return is_float ? ir.CreateFAdd(a, b) : ir.CreateAdd(a, b);
    case Opcode::kSub:
      return is_float ? ir.CreateFSub(a, b) : ir.CreateSub(a, b);
    case Opcode::kMul:
      return is_float ? ir.CreateFMul(a, b) : ir.CreateMul(a, b);
    case Opcode::kDiv:
      return ir.CreateFDiv(a, b);
    case Opcode::kNeg:
      return is_float ? ir.CreateFNeg(a) : ir.CreateNeg(a);
    case Opcode::kAbs:
      return EmitAbs(ir, type, a);
    case Opcode::kSqrt:
      return ir.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, a);
    case Opcode::kExp:
    case Opcode::kLog:
    case Opcode::kPow:
      return EmitElementary(lanes, op, type, a, b);
    case Opcode::kFma:
      return ir.CreateIntrinsic(llvm::Intrinsic::fma, {a->getType()},
                                {a, b, c});
    case Opcode::kMin:
    case Opcode::kMax:
      return is_float ? EmitFloatMinMax(ir, op == Opcode::kMin, a, b)
                      : EmitIntegerMinMax(ir, op == Opcode::kMin,
                                          IsSignedInteger(type), a, b);
    case Opcode::kEqual:
    case Opcode::kNotEqual:
    case Opcode::kLess:
    case Opcode::kLessEqual:
    case Opcode::kGreater:
    case Opcode::kGreaterEqual:
      return EmitCompare(ir, op, type, a, b);
    case Opcode::kAnd:
      return ir.CreateAnd(a, b);
    case Opcode::kOr:
      return ir.CreateOr(a, b);
    case Opcode::kNot:
      return ir.CreateNot(a);
    case Opcode::kIsFinite:
    case Opcode::kIsNan:
      return EmitFloatTest(ir, op, type, a);
    case Opcode::kSelect:
      return ir.CreateSelect(a, b, c);
    case Opcode::kLiteral:
    case Opcode::kName:
    case Opcode::kIndex:
    case Opcode::kTuple:
    case Opcode::kMember:
    case Opcode::kConvert:
    case Opcode::kAt:
    case Opcode::kFold:
    case Opcode::kScan:
    case Opcode::kReduce:
      break;
  }
  LAYOUTD_DCHECK(false);
  return nullptr;
}

Value* EmitConvert(LaneBuilder& lanes, ScalarType from, ScalarType to,
                   Value* value) {
  llvm::IRBuilder<>& ir = lanes.ir();
  if (from == to) return value;
  llvm::Type* target = LaneBuilder::WithLanesOf(lanes.Register(to), value);
  Value* zero = llvm::Constant::getNullValue(value->getType());
  if (to == ScalarType::kBool) {
    return IsFloat(from) ? ir.CreateFCmpUNE(value, zero)
                         : ir.CreateICmpNE(value, zero);
  }
  if (IsFloat(from)) {
    if (IsFloat(to)) return ir.CreateFPCast(value, target);
    const auto saturating = IsSignedInteger(to) ? llvm::Intrinsic::fptosi_sat
                                                : llvm::Intrinsic::fptoui_sat;
    return ir.CreateIntrinsic(saturating, {target, value->getType()}, {value});
  }
  const bool is_signed = IsSignedInteger(from);
  if (IsFloat(to)) {
    return is_signed ? ir.CreateSIToFP(value, target)
                     : ir.CreateUIToFP(value, target);
  }
  return is_signed ? ir.CreateSExtOrTrunc(value, target)
                   : ir.CreateZExtOrTrunc(value, target);
}

}  // namespace layoutd
