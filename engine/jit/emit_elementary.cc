#include "engine/jit/emit_elementary.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "engine/base/status_macros.h"
#include "engine/program/elementary.h"
#include "engine/program/power.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/MDBuilder.h"

namespace layoutd {
namespace {

using llvm::Value;

// Returns whether bool lanes hold in any lane.
Value* AnyLane(llvm::IRBuilder<>& ir, Value* lanes) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(lanes->getType());
  if (vector == nullptr) return lanes;
  Value* bits = ir.CreateBitCast(lanes, ir.getIntNTy(vector->getNumElements()));
  return ir.CreateICmpNE(bits, llvm::Constant::getNullValue(bits->getType()));
}

llvm::BasicBlock* AddBlock(llvm::IRBuilder<>& ir, const char* name) {
  return llvm::BasicBlock::Create(ir.getContext(), name,
                                  ir.GetInsertBlock()->getParent());
}

// The `Maths` of program/elementary.h over as many lanes of F as a value has.
template <typename F>
class LaneMaths {
 public:
  using Float = F;
  using V = Value*;
  using I = Value*;
  using B = Value*;

  LaneMaths(llvm::IRBuilder<>& ir, Value* like)
      : ir_(ir),
        float_(LaneBuilder::WithLanesOf(
            sizeof(F) == 8 ? ir.getDoubleTy() : ir.getFloatTy(), like)),
        integer_(LaneBuilder::WithLanesOf(ir.getIntNTy(8 * sizeof(F)), like)) {}

  V Num(double x) { return llvm::ConstantFP::get(float_, x); }
  I Int(int64_t x) {
    return llvm::ConstantInt::get(integer_, static_cast<uint64_t>(x));
  }
  V Add(V a, V b) { return ir_.CreateFAdd(a, b); }
  V Sub(V a, V b) { return ir_.CreateFSub(a, b); }
  V Mul(V a, V b) { return ir_.CreateFMul(a, b); }
  V Div(V a, V b) { return ir_.CreateFDiv(a, b); }
  V Fma(V a, V b, V c) {
    return ir_.CreateIntrinsic(llvm::Intrinsic::fma, {float_}, {a, b, c});
  }
  V Neg(V a) { return ir_.CreateFNeg(a); }
  V Abs(V a) { return ir_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, a); }
  B Less(V a, V b) { return ir_.CreateFCmpOLT(a, b); }
  B Equal(V a, V b) { return ir_.CreateFCmpOEQ(a, b); }
  B And(B a, B b) { return ir_.CreateAnd(a, b); }
  B Or(B a, B b) { return ir_.CreateOr(a, b); }
  B Not(B a) { return ir_.CreateNot(a); }
  V Select(B c, V a, V b) { return ir_.CreateSelect(c, a, b); }
  I Bits(V a) { return ir_.CreateBitCast(a, integer_); }
  V FromBits(I a) { return ir_.CreateBitCast(a, float_); }
  I AddI(I a, I b) { return ir_.CreateAdd(a, b); }
  I SubI(I a, I b) { return ir_.CreateSub(a, b); }
  I AndI(I a, I b) { return ir_.CreateAnd(a, b); }
  I OrI(I a, I b) { return ir_.CreateOr(a, b); }
  I ShiftLeft(I a, int n) { return ir_.CreateShl(a, Int(n)); }
  I ShiftRight(I a, int n) { return ir_.CreateLShr(a, Int(n)); }
  B LessI(I a, I b) { return ir_.CreateICmpSLT(a, b); }

  template <typename Fix>
  V IfAny(B rare, V x, const Fix& fix) {
    llvm::BasicBlock* then = AddBlock(ir_, "rare");
    llvm::BasicBlock* after = AddBlock(ir_, "usual");
    llvm::BasicBlock* before = ir_.GetInsertBlock();
    llvm::MDNode* unlikely =
        llvm::MDBuilder(ir_.getContext()).createBranchWeights(1, 1000);
    ir_.CreateCondBr(AnyLane(ir_, rare), then, after, unlikely);
    ir_.SetInsertPoint(then);
    Value* fixed = fix();
    llvm::BasicBlock* then_end = ir_.GetInsertBlock();
    ir_.CreateBr(after);
    ir_.SetInsertPoint(after);
    llvm::PHINode* result = ir_.CreatePHI(x->getType(), 2);
    result->addIncoming(x, before);
    result->addIncoming(fixed, then_end);
    return result;
  }

 private:
  llvm::IRBuilder<>& ir_;
  llvm::Type* const float_;
  llvm::Type* const integer_;
};

template <typename F>
Value* EmitFloat(llvm::IRBuilder<>& ir, Opcode op, Value* a, Value* b) {
  LaneMaths<F> maths(ir, a);
  if (op == Opcode::kExp) return Exp(maths, a);
  if (op == Opcode::kLog) return Log(maths, a);
  LAYOUTD_DCHECK(op == Opcode::kPow);
  if constexpr (sizeof(F) == 8) return Pow(maths, a, b);
  llvm::Type* wide = LaneBuilder::WithLanesOf(ir.getDoubleTy(), a);
  LaneMaths<double> wide_maths(ir, a);
  Value* power =
      PowOfSingle(wide_maths, ir.CreateFPExt(a, wide), ir.CreateFPExt(b, wide));
  return ir.CreateFPTrunc(power, a->getType());
}

// By squaring, until no lane has a bit of its exponent left.
Value* EmitIntegerPow(llvm::IRBuilder<>& ir, bool is_signed, Value* a,
                      Value* b) {
  llvm::Type* type = a->getType();
  Value* zero = llvm::ConstantInt::get(type, 0);
  Value* one = llvm::ConstantInt::get(type, 1);
  const auto is_odd = [&](Value* x) {
    return ir.CreateICmpNE(ir.CreateAnd(x, one), zero);
  };
  Value* is_negative = is_signed
                           ? ir.CreateICmpSLT(b, zero)
                           : llvm::ConstantInt::getFalse(
                                 LaneBuilder::WithLanesOf(ir.getInt1Ty(), a));
  Value* first_exponent = ir.CreateSelect(is_negative, zero, b);

  llvm::BasicBlock* before = ir.GetInsertBlock();
  llvm::BasicBlock* head = AddBlock(ir, "power");
  llvm::BasicBlock* body = AddBlock(ir, "square");
  llvm::BasicBlock* after = AddBlock(ir, "after");
  ir.CreateBr(head);
  ir.SetInsertPoint(head);
  llvm::PHINode* power = ir.CreatePHI(type, 2);
  llvm::PHINode* square = ir.CreatePHI(type, 2);
  llvm::PHINode* exponent = ir.CreatePHI(type, 2);
  ir.CreateCondBr(AnyLane(ir, ir.CreateICmpNE(exponent, zero)), body, after);
  ir.SetInsertPoint(body);
  Value* next_power =
      ir.CreateSelect(is_odd(exponent), ir.CreateMul(power, square), power);
  power->addIncoming(one, before);
  power->addIncoming(next_power, body);
  square->addIncoming(a, before);
  square->addIncoming(ir.CreateMul(square, square), body);
  exponent->addIncoming(first_exponent, before);
  exponent->addIncoming(ir.CreateLShr(exponent, one), body);
  ir.CreateBr(head);
  ir.SetInsertPoint(after);
  if (!is_signed) return power;

  // A negative power: of 1 and -1 that of its last bit, of others 0.
  Value* minus_one = llvm::Constant::getAllOnesValue(type);
  Value* is_one = ir.CreateOr(
      ir.CreateICmpEQ(a, one),
      ir.CreateAnd(ir.CreateICmpEQ(a, minus_one), ir.CreateNot(is_odd(b))));
  Value* inverse = ir.CreateSelect(
      is_one, one,
      ir.CreateSelect(ir.CreateICmpEQ(a, minus_one), minus_one, zero));
  return ir.CreateSelect(is_negative, inverse, power);
}

Value* EmitHere(llvm::IRBuilder<>& ir, Opcode op, ScalarType type, Value* a,
                Value* b) {
  if (type == ScalarType::kF64) return EmitFloat<double>(ir, op, a, b);
  if (type == ScalarType::kF32) return EmitFloat<float>(ir, op, a, b);
  LAYOUTD_DCHECK(op == Opcode::kPow);
  return EmitIntegerPow(ir, IsSignedInteger(type), a, b);
}

}  // namespace

bool IsElementary(Opcode op) {
  return op == Opcode::kExp || op == Opcode::kLog || op == Opcode::kPow;
}

Value* EmitElementary(LaneBuilder& lanes, Opcode op, ScalarType type, Value* a,
                      Value* b) {
  if (!lanes.shares_functions()) return EmitHere(lanes.ir(), op, type, a, b);
  llvm::SmallVector<Value*, 2> operands = {a};
  if (b != nullptr) operands.push_back(b);
  llvm::Module* module = lanes.function()->getParent();
  const absl::string_view type_name = Name(type);
  const std::string name = absl::StrCat(Info(op).name, ".", type_name);
  llvm::Function* function = module->getFunction(name);
  if (function == nullptr) {
    const llvm::SmallVector<llvm::Type*, 2> types(operands.size(),
                                                  a->getType());
    function = llvm::Function::Create(
        llvm::FunctionType::get(a->getType(), types, false),
        llvm::Function::InternalLinkage, name, *module);
    function->setDoesNotThrow();
    llvm::IRBuilder<> ir(
        llvm::BasicBlock::Create(module->getContext(), "entry", function));
    ir.CreateRet(EmitHere(ir, op, type, function->getArg(0),
                          b == nullptr ? nullptr : function->getArg(1)));
  }
  return lanes.ir().CreateCall(function, operands);
}

}  // namespace layoutd
