#include "engine/jit/emit.h"

#include <algorithm>

#include "engine/jit/emit_elementary.h"

namespace layoutd {
namespace {

// Above this cost of its elementary functions, that of 64 exp, a loop calls one
// copy of each, so that a program of the largest size still fits a kernel.
constexpr int64_t kMaxInlinedCost = 1600;

int64_t CostOfElementary(const LoopPlan& loop) {
  int64_t cost = 0;
  for (const LoopBlock& block : loop.blocks) {
    for (const LoopOp& op : block.ops) {
      if (op.kind == LoopOp::Kind::kOperation && IsElementary(op.opcode)) {
        cost += Info(op.opcode).cost;
      }
    }
  }
  return cost;
}

// Returns whether `loop` has a pow of f32, which is computed in f64: in two
// vectors already.
bool HasPowOfF32(const LoopPlan& loop) {
  for (const LoopBlock& block : loop.blocks) {
    for (const LoopOp& op : block.ops) {
      if (op.kind == LoopOp::Kind::kOperation && op.opcode == Opcode::kPow &&
          op.type == ScalarType::kF32) {
        return true;
      }
    }
  }
  return false;
}

// A loop of at most so many ops puts more lanes side by side than one vector
// has, but not more than so many.
constexpr int64_t kMaxInterleavedOps = 24;
constexpr int kMaxInterleavedLanes = 32;

}  // namespace

int NumLanes(const LoopPlan& loop, int vector_bits) {
  int64_t widest = 4;  // more lanes than f32 has would only cost registers
  auto consider = [&](ScalarType type) {
    widest = std::max(widest, SizeBytes(type));
  };
  for (const LoopAccess& access : loop.accesses) consider(access.type);
  for (const LoopReduction& reduction : loop.reductions) {
    consider(reduction.type);
  }
  int64_t num_ops = 0;
  for (const LoopBlock& block : loop.blocks) {
    num_ops += static_cast<int64_t>(block.ops.size());
    for (const LoopOp& op : block.ops) {
      if (op.result != kNoValue) consider(op.type);
    }
  }
  if (widest > 8) return 1;
  const int width =
      std::max<int>(1, vector_bits / 8 / static_cast<int>(widest));
  // Down a column each level waits for the one before it, and an elementary
  // function is a chain nearly as long as the machine looks ahead: several
  // vectors side by side keep it busy meanwhile.
  const bool waits = loop.kind == LoopKind::kColumns ||
                     (loop.kind == LoopKind::kPoints &&
                      CostOfElementary(loop) > 0 && !HasPowOfF32(loop));
  if (!waits || num_ops > kMaxInterleavedOps) return width;
  return std::clamp(kMaxInterleavedLanes, width, 2 * width);
}

llvm::Function* EmitLoop(llvm::Module& module, const LoopPlan& loop,
                         int num_lanes, const MakeScope& make_scope,
                         const std::string& name) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* pointer = llvm::PointerType::get(context, 0);
  llvm::Type* i64 = llvm::Type::getInt64Ty(context);
  llvm::Function* function = llvm::Function::Create(
      llvm::FunctionType::get(llvm::Type::getVoidTy(context),
                              {pointer, i64, i64}, false),
      llvm::Function::ExternalLinkage, name, module);
  function->setDoesNotThrow();
  LaneBuilder lanes(function, num_lanes);
  if (CostOfElementary(loop) > kMaxInlinedCost) lanes.ShareFunctions();
  BodyEmitter body(lanes, loop, function->getArg(0));
  llvm::Value* begin = function->getArg(1);
  llvm::Value* end = function->getArg(2);
  const ThreadScope scope = make_scope(lanes);
  switch (loop.kind) {
    case LoopKind::kPoints:
      EmitPointLoop(body, scope, begin, end);
      break;
    case LoopKind::kColumns:
      EmitColumnLoop(body, scope, begin, end);
      break;
    case LoopKind::kReduction:
      EmitReductionLoop(body, scope, begin, end);
      break;
  }
  return function;
}

}  // namespace layoutd
