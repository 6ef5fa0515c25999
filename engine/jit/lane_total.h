#ifndef LAYOUTD_ENGINE_JIT_LANE_TOTAL_H_
#define LAYOUTD_ENGINE_JIT_LANE_TOTAL_H_

// The state of lanes of a reduction, in registers and in memory, and how two
// states become one.

#include <vector>

#include "engine/base/scalar_type.h"
#include "engine/jit/lanes.h"
#include "engine/program/plan.h"

namespace layoutd {

// The state of some lanes of a reduction.
struct LaneTotal {
  llvm::Value* value = nullptr;
  llvm::Value* has_value = nullptr;  // i1; null: every lane has one
  llvm::Value* position =
      nullptr;  // i64; null unless the reduction has positions
};

// Returns the total of `a` and of `b`, which comes after it.
LaneTotal Combine(LaneBuilder& lanes, const LoopReduction& reduction,
                  const LaneTotal& a, const LaneTotal& b);

// Returns the total of the 64 lanes, one lane wide: combines lane l with
// l + 32, + 16 ... + 1. `vectors`: the lanes in order, each with a value.
LaneTotal CombineAll(LaneBuilder& lanes, const LoopReduction& reduction,
                     std::vector<LaneTotal> vectors);

// Loads and stores lanes of one array; in memory a bool is a byte.
class LaneArray {
 public:
  LaneArray(LaneBuilder& lanes, ScalarType type, llvm::Value* memory)
      : lanes_(lanes), type_(type), memory_(memory) {}

  llvm::Value* Load(llvm::Value* index, int count) {
    llvm::IRBuilder<>& ir = lanes_.ir();
    llvm::Value* value = ir.CreateAlignedLoad(
        LaneBuilder::Lanes(lanes_.Memory(type_), count), At(index), Aligned());
    if (type_ != ScalarType::kBool) return value;
    return ir.CreateICmpNE(value,
                           llvm::Constant::getNullValue(value->getType()));
  }

  // Touches only the lanes of `mask`; the others are 0.
  llvm::Value* LoadMasked(llvm::Value* index, int count, llvm::Value* mask) {
    if (count == 1) return Load(index, count);
    llvm::IRBuilder<>& ir = lanes_.ir();
    llvm::Type* type = LaneBuilder::Lanes(lanes_.Memory(type_), count);
    llvm::Constant* zero = llvm::Constant::getNullValue(type);
    llvm::Value* value =
        ir.CreateMaskedLoad(type, At(index), Aligned(), mask, zero);
    return type_ == ScalarType::kBool ? ir.CreateICmpNE(value, zero) : value;
  }

  void Store(llvm::Value* value, llvm::Value* index, int count) {
    llvm::IRBuilder<>& ir = lanes_.ir();
    if (type_ == ScalarType::kBool) {
      value = ir.CreateZExt(value, LaneBuilder::Lanes(ir.getInt8Ty(), count));
    }
    ir.CreateAlignedStore(value, At(index), Aligned());
  }

  llvm::Value* At(llvm::Value* index) {
    return lanes_.ir().CreateGEP(lanes_.Memory(type_), memory_, index);
  }

 private:
  llvm::Align Aligned() const {
    return llvm::Align(static_cast<uint64_t>(SizeBytes(type_)));
  }

  LaneBuilder& lanes_;
  const ScalarType type_;
  llvm::Value* const memory_;
};

// The 64 lanes in memory.
class TotalLanes {
 public:
  TotalLanes(LaneBuilder& lanes, const LoopReduction& reduction,
             llvm::Value* totals, llvm::Value* has_totals,
             llvm::Value* positions)
      : with_position_(reduction.with_position),
        values_(lanes, reduction.type, totals),
        has_values_(lanes, ScalarType::kBool, has_totals),
        positions_(lanes, ScalarType::kI64, positions) {}

  LaneTotal Load(llvm::Value* lane, int count) {
    return {values_.Load(lane, count), has_values_.Load(lane, count),
            with_position_ ? positions_.Load(lane, count) : nullptr};
  }
  void Store(const LaneTotal& total, llvm::Value* lane, int count) {
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

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_JIT_LANE_TOTAL_H_
