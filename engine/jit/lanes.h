#ifndef LAYOUTD_ENGINE_JIT_LANES_H_
#define LAYOUTD_ENGINE_JIT_LANES_H_

// LLVM IR over a fixed number of lanes: types, constants and control flow that
// every emitter shares. With one lane the values are plain scalars.

#include <cstdint>
#include <utility>

#include "engine/base/scalar_type.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace layoutd {

// Borrows the function it builds. One thread.
class LaneBuilder {
 public:
  LaneBuilder(llvm::Function* function, int num_lanes);

  llvm::IRBuilder<>& ir() { return ir_; }
  int num_lanes() const { return num_lanes_; }
  llvm::Function* function() { return function_; }
  // Whether long operations are called instead of written out at each use: for
  // loops with so many that their code would not fit a kernel.
  bool shares_functions() const { return shares_functions_; }
  void ShareFunctions() { shares_functions_ = true; }

  // Types. In registers a bool is i1, in memory i8.
  llvm::Type* Register(ScalarType type);
  llvm::Type* Memory(ScalarType type);
  llvm::Type* Integer(int64_t size_bytes);
  llvm::Type* Lanes(llvm::Type* scalar) { return Lanes(scalar, num_lanes_); }
  static llvm::Type* Lanes(llvm::Type* scalar, int num_lanes);
  // Returns `scalar` with as many lanes as `like`.
  static llvm::Type* WithLanesOf(llvm::Type* scalar, llvm::Value* like);

  // Constants and lane vectors.
  llvm::Value* I64(int64_t value) { return ir_.getInt64(Bits(value)); }
  llvm::Value* Splat(llvm::Value* scalar);
  llvm::Value* SplatI64(int64_t value) { return Splat(I64(value)); }
  // (0, 1, ..., lanes - 1).
  llvm::Value* Iota();

  // Loads word `index` of the structure at `pointer`.
  llvm::Value* LoadWord(llvm::Value* pointer, int64_t index);
  llvm::Value* LoadPointer(llvm::Value* pointer, int64_t index);
  // Returns pointer + offset_bytes (a scalar or lanes of i64).
  llvm::Value* Offset(llvm::Value* pointer, llvm::Value* offset_bytes);
  // Returns stack memory, set aside once per call of the function.
  llvm::AllocaInst* Stack(llvm::Type* type, int64_t count = 1);

  llvm::Value* MinI64(llvm::Value* a, llvm::Value* b);

  // for (i = begin; i < end; i += step) body(i). Signed.
  template <typename Body>
  void For(llvm::Value* begin, llvm::Value* end, llvm::Value* step,
           const Body& body) {
    llvm::BasicBlock* before = ir_.GetInsertBlock();
    llvm::BasicBlock* head = NewBlock("loop");
    llvm::BasicBlock* after = NewBlock("after");
    ir_.CreateCondBr(ir_.CreateICmpSLT(begin, end), head, after);
    ir_.SetInsertPoint(head);
    llvm::PHINode* i = ir_.CreatePHI(ir_.getInt64Ty(), 2);
    i->addIncoming(begin, before);
    body(static_cast<llvm::Value*>(i));
    llvm::Value* next = ir_.CreateAdd(i, step, "", true, true);
    i->addIncoming(next, ir_.GetInsertBlock());
    ir_.CreateCondBr(ir_.CreateICmpSLT(next, end), head, after);
    ir_.SetInsertPoint(after);
  }

  // if (condition) body().
  template <typename Body>
  void If(llvm::Value* condition, const Body& body) {
    llvm::BasicBlock* then = NewBlock("then");
    llvm::BasicBlock* after = NewBlock("after");
    ir_.CreateCondBr(condition, then, after);
    ir_.SetInsertPoint(then);
    body();
    ir_.CreateBr(after);
    ir_.SetInsertPoint(after);
  }

 private:
  static uint64_t Bits(int64_t value) { return static_cast<uint64_t>(value); }
  llvm::BasicBlock* NewBlock(const char* name);

  llvm::Function* const function_;
  const int num_lanes_;
  bool shares_functions_ = false;
  llvm::IRBuilder<> ir_;
};

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_JIT_LANES_H_
