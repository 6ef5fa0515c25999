#include "engine/jit/lane_total.h"

#include <utility>

#include "engine/jit/emit_operation.h"

namespace layoutd {
namespace {

using llvm::Value;

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

}  // namespace

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

LaneTotal CombineAll(LaneBuilder& lanes, const LoopReduction& reduction,
                     std::vector<LaneTotal> vectors) {
  llvm::IRBuilder<>& ir = lanes.ir();
  while (vectors.size() > 1) {
    const size_t half = vectors.size() / 2;
    for (size_t k = 0; k < half; ++k) {
      vectors[k] = Combine(lanes, reduction, vectors[k], vectors[k + half]);
    }
    vectors.resize(half);
  }
  LaneTotal total = vectors[0];
  for (int half = lanes.num_lanes() / 2; half >= 1; half /= 2) {
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
  return total;
}

}  // namespace layoutd
