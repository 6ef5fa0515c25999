#include <algorithm>
#include <map>

#include "engine/jit/emit_fold.h"
#include "engine/jit/emit_rows.h"
#include "engine/program/reduction_order.h"

// Reduction loops: an item is a chunk (see program/reduction_order.h). A chunk
// is walked in tiles: each tile's values are written to memory in canonical
// order, then folded into the 64 lanes, whatever rows the layout gave them.

namespace layoutd {
namespace {

using llvm::Value;

// Points evaluated before they are folded: small enough to stay in the first
// level cache, a multiple of the lanes so that lane numbers carry over.
constexpr int64_t kTilePoints = 1024;

class ReductionEmitter {
 public:
  ReductionEmitter(BodyEmitter& body, const ThreadScope& scope)
      : body_(body),
        lanes_(body.lanes()),
        ir_(body.lanes().ir()),
        loop_(body.loop()),
        scope_(scope),
        width_(body.lanes().num_lanes()),
        fold_(body.lanes().function()->getParent(), body.lanes().num_lanes(),
              scope.barrier) {
    for (size_t k = 0; k < loop_.accesses.size(); ++k) {
      if (loop_.accesses[k].buffer == kMaskBuffer) mask_access_ = k;
    }
    for (const LoopReduction& reduction : loop_.reductions) {
      llvm::Type* type = lanes_.Memory(reduction.type);
      direct_.push_back(DirectAccess(reduction));
      tiles_.push_back(direct_.back() >= 0
                           ? nullptr
                           : lanes_.Stack(type, kTilePoints + width_));
      totals_.push_back(lanes_.Stack(type, kReductionLanes));
      has_totals_.push_back(lanes_.Stack(ir_.getInt8Ty(), kReductionLanes));
      positions_.push_back(
          reduction.with_position
              ? static_cast<Value*>(
                    lanes_.Stack(ir_.getInt64Ty(), kReductionLanes))
              : llvm::ConstantPointerNull::get(ir_.getPtrTy()));
      llvm::AllocaInst*& has = has_tiles_[reduction.has_value];
      if (has == nullptr && NeedsFlags(reduction)) {
        has = lanes_.Stack(ir_.getInt8Ty(), kTilePoints + width_);
      }
    }
  }

  void Emit(Value* begin, Value* end) {
    Value* num_points = body_.Argument(ArgumentWord::kNumPoints);
    Value* group_points = body_.Argument(ArgumentWord::kGroupPoints);
    Value* chunk_points = body_.Argument(ArgumentWord::kChunkPoints);
    Value* per_group = body_.Argument(ArgumentWord::kChunksPerGroup);
    lanes_.For(begin, end, lanes_.I64(1), [&](Value* chunk) {
      Value* group = ir_.CreateUDiv(chunk, per_group);
      Value* in_group = ir_.CreateSub(chunk, ir_.CreateMul(group, per_group));
      Value* group_begin = ir_.CreateMul(group, group_points);
      Value* first =
          ir_.CreateAdd(group_begin, ir_.CreateMul(in_group, chunk_points));
      Value* last = lanes_.MinI64(
          ir_.CreateAdd(first, chunk_points),
          lanes_.MinI64(ir_.CreateAdd(group_begin, group_points), num_points));
      if (!FoldsWholeChunks()) return EmitChunk(chunk, first, last);
      Value* whole = ir_.CreateICmpSGE(ir_.CreateSub(last, first),
                                       lanes_.I64(kReductionLanes));
      whole =
          ir_.CreateAnd(whole, ir_.CreateICmpEQ(scope_.size, lanes_.I64(1)));
      lanes_.If(whole, [&] { EmitWholeChunk(chunk, first, last); });
      lanes_.If(ir_.CreateNot(whole), [&] { EmitChunk(chunk, first, last); });
    });
    ir_.CreateRetVoid();
  }

 private:
  // Evaluates points [first, last) tile by tile and folds them.
  void EmitChunk(Value* chunk, Value* first, Value* last) {
    ClearTotals();
    scope_.barrier(lanes_);
    const int64_t tile_points = NeedsTiles() ? kTilePoints : kMaxChunkPoints;
    lanes_.For(first, last, lanes_.I64(tile_points), [&](Value* tile) {
      Value* tile_end =
          lanes_.MinI64(ir_.CreateAdd(tile, lanes_.I64(tile_points)), last);
      if (NeedsTiles()) {
        EvaluateTile(tile, tile_end);
        scope_.barrier(lanes_);
      }
      FoldTile(tile, ir_.CreateSub(tile_end, tile),
               ir_.CreateICmpNE(tile, first));
      scope_.barrier(lanes_);
    });
    CombineLanes(ir_.CreateICmpSGE(ir_.CreateSub(last, first),
                                   lanes_.I64(kReductionLanes)));
    StorePartials(chunk);
    scope_.barrier(lanes_);
  }

  // One thread adds up points [first, last) straight from memory.
  void EmitWholeChunk(Value* chunk, Value* first, Value* last) {
    for (size_t k = 0; k < loop_.reductions.size(); ++k) {
      const LoopReduction& reduction = loop_.reductions[k];
      ir_.CreateCall(
          fold_.FoldChunk(reduction),
          {Points(k, first), ir_.CreateSub(last, first), PartialAt(k, chunk)});
      ir_.CreateStore(ir_.getInt8(1), FlagAt(k, chunk));
    }
  }

  bool NeedsFlags(const LoopReduction& reduction) const {
    return reduction.has_value != kNoValue || loop_.masked;
  }
  // Returns the access whose memory is a tile as it lies there: the value is
  // loaded and nothing else, and canonical points follow each other. -1: none.
  int32_t DirectAccess(const LoopReduction& reduction) const {
    if (loop_.num_dimensions != 1) return -1;
    for (const LoopOp& op : loop_.blocks[0].ops) {
      if (op.kind != LoopOp::Kind::kLoad || op.result != reduction.value) {
        continue;
      }
      const LoopAccess& access = loop_.accesses[static_cast<size_t>(op.index)];
      const bool plain = access.lanes == LaneStride::kUnit &&
                         access.num_pieces == 1 && !access.dynamic_level;
      return plain ? op.index : -1;
    }
    return -1;
  }
  // Whether memory has every reduction's values, and none has positions.
  bool FoldsWholeChunks() const {
    return !NeedsTiles() &&
           std::none_of(loop_.reductions.begin(), loop_.reductions.end(),
                        [](const LoopReduction& r) { return r.with_position; });
  }
  bool NeedsTiles() const {
    return std::any_of(direct_.begin(), direct_.end(),
                       [](int32_t access) { return access < 0; }) ||
           std::any_of(has_tiles_.begin(), has_tiles_.end(),
                       [](const auto& has) { return has.second != nullptr; });
  }
  llvm::Type* VectorOf(llvm::Type* type, int64_t count) const {
    return LaneBuilder::Lanes(type, static_cast<int>(count));
  }
  Value* ElementAt(llvm::AllocaInst* memory, Value* index) {
    return ir_.CreateGEP(memory->getAllocatedType(), memory, index);
  }
  llvm::Align AlignOf(llvm::AllocaInst* memory) const {
    return llvm::Align(std::max<uint64_t>(
        1, memory->getAllocatedType()->getPrimitiveSizeInBits() / 8));
  }
  Value* LoadLanes(llvm::AllocaInst* memory, Value* index, int64_t count) {
    return ir_.CreateAlignedLoad(VectorOf(memory->getAllocatedType(), count),
                                 ElementAt(memory, index), AlignOf(memory));
  }
  void StoreLanes(Value* value, llvm::AllocaInst* memory, Value* index) {
    ir_.CreateAlignedStore(value, ElementAt(memory, index), AlignOf(memory));
  }
  Value* ToByte(Value* flags, int64_t count) {
    return ir_.CreateZExt(flags, VectorOf(ir_.getInt8Ty(), count));
  }
  // In memory a bool is a byte.
  Value* ToMemory(const LoopReduction& reduction, Value* value, int64_t count) {
    return reduction.type == ScalarType::kBool ? ToByte(value, count) : value;
  }

  void ClearTotals() {
    for (llvm::AllocaInst* has : has_totals_) {
      for (int64_t lane = 0; lane < kReductionLanes; lane += width_) {
        StoreLanes(
            llvm::Constant::getNullValue(VectorOf(ir_.getInt8Ty(), width_)),
            has, lanes_.I64(lane));
      }
    }
  }

  // Writes the values of canonical points [begin, end) to the tiles.
  void EvaluateTile(Value* begin, Value* end) {
    Value* extent = body_.Argument(ArgumentWord::kExtents);
    Value* row_first = ir_.CreateUDiv(begin, extent);
    Value* row_last = ir_.CreateUDiv(ir_.CreateSub(end, lanes_.I64(1)), extent);
    lanes_.For(
        row_first, ir_.CreateAdd(row_last, lanes_.I64(1)), lanes_.I64(1),
        [&](Value* row_index) {
          Value* row_begin = ir_.CreateMul(row_index, extent);
          Value* from = ir_.CreateSub(MaxI64(begin, row_begin), row_begin);
          Value* to = ir_.CreateSub(
              lanes_.MinI64(end, ir_.CreateAdd(row_begin, extent)), row_begin);
          // Where x = 0 of this row would lie in the tile.
          Value* tile_offset = ir_.CreateSub(row_begin, begin);
          const RowIr row = EmitRow(body_, row_index);
          EvaluateRow(row, from, to, tile_offset);
        });
  }

  Value* MaxI64(Value* a, Value* b) {
    return ir_.CreateSelect(ir_.CreateICmpSGT(a, b), a, b);
  }

  void EvaluateRow(const RowIr& row, Value* from, Value* to,
                   Value* tile_offset) {
    Value* skip = nullptr;
    if (loop_.masked &&
        loop_.accesses[mask_access_].lanes == LaneStride::kUniform) {
      // A whole row of a column that the mask leaves out costs nothing more.
      Value* byte = ir_.CreateLoad(ir_.getInt8Ty(), row.pointers[mask_access_]);
      skip = ir_.CreateICmpEQ(byte, ir_.getInt8(0));
      lanes_.If(skip, [&] { ClearFlags(from, to, tile_offset); });
    }
    auto walk = [&] {
      Value* step = ir_.CreateMul(scope_.size, lanes_.I64(width_));
      Value* start =
          ir_.CreateAdd(from, ir_.CreateMul(scope_.rank, lanes_.I64(width_)));
      Value* count = ir_.CreateSub(to, from);
      Value* whole =
          ir_.CreateAdd(from, ir_.CreateAnd(count, lanes_.I64(-width_)));
      lanes_.For(start, whole, step, [&](Value* x) {
        EvaluateLanes(row, x, nullptr, tile_offset);
      });
      if (width_ == 1) return;
      Value* mine = ir_.CreateICmpEQ(scope_.rank, lanes_.I64(0));
      lanes_.If(ir_.CreateAnd(mine, ir_.CreateICmpSLT(whole, to)), [&] {
        Value* left = ir_.CreateSub(to, whole);
        Value* mask = ir_.CreateICmpULT(lanes_.Iota(), lanes_.Splat(left));
        EvaluateLanes(row, whole, mask, tile_offset);
      });
    };
    if (skip == nullptr) {
      walk();
    } else {
      lanes_.If(ir_.CreateNot(skip), walk);
    }
  }

  void ClearFlags(Value* from, Value* to, Value* tile_offset) {
    Value* zero =
        llvm::Constant::getNullValue(VectorOf(ir_.getInt8Ty(), width_));
    lanes_.For(from, to, lanes_.I64(width_), [&](Value* x) {
      for (auto& [value, has] : has_tiles_) {
        if (has != nullptr) {
          StoreLanes(zero, has, ir_.CreateAdd(tile_offset, x));
        }
      }
    });
  }

  // Lanes past the end of a row write garbage that the next row, or nobody,
  // reads: rows fill a tile in order. (Where several threads share a chunk they
  // have one lane each, so no lane is past the end.)
  void EvaluateLanes(const RowIr& row, Value* x, Value* mask,
                     Value* tile_offset) {
    const BodyEmitter::Position position = PositionInRow(body_, row, x, mask);
    for (const LoopBlock& block : loop_.blocks) body_.Emit(block, position);
    Value* active = nullptr;
    if (loop_.masked &&
        loop_.accesses[mask_access_].lanes != LaneStride::kUniform) {
      active = body_.Load(mask_access_, position.addresses[mask_access_], mask);
    }
    Value* at = ir_.CreateAdd(tile_offset, x);
    for (size_t k = 0; k < loop_.reductions.size(); ++k) {
      const LoopReduction& reduction = loop_.reductions[k];
      if (direct_[k] >= 0) continue;
      StoreLanes(ToMemory(reduction, body_.ValueOf(reduction.value), width_),
                 tiles_[k], at);
    }
    Value* always =
        llvm::ConstantInt::get(VectorOf(ir_.getInt1Ty(), width_), 1);
    for (auto& [value, has] : has_tiles_) {
      if (has == nullptr) continue;
      Value* flags = value == kNoValue ? always : body_.ValueOf(value);
      if (active != nullptr) flags = ir_.CreateAnd(flags, active);
      StoreLanes(ToByte(flags, width_), has, at);
    }
  }

  // Folds the first `count` tile points, canonical points from `first` on, into
  // the lanes; `started`: they are not the first of their chunk.
  void FoldTile(Value* first, Value* count, Value* started) {
    for (size_t k = 0; k < loop_.reductions.size(); ++k) {
      const LoopReduction& reduction = loop_.reductions[k];
      llvm::AllocaInst* has_tile = has_tiles_[reduction.has_value];
      Value* flags = has_tile;
      if (has_tile == nullptr) {
        flags = llvm::ConstantPointerNull::get(ir_.getPtrTy());
      }
      Value* tile = tiles_[k];
      if (direct_[k] >= 0) tile = Points(k, first);
      ir_.CreateCall(fold_.FoldTile(reduction, has_tile != nullptr),
                     {totals_[k], has_totals_[k], positions_[k], tile, flags,
                      first, count, scope_.rank, scope_.size, started});
    }
  }

  // `full`: the chunk has a point for every lane.
  void CombineLanes(Value* full) {
    for (size_t k = 0; k < loop_.reductions.size(); ++k) {
      const LoopReduction& reduction = loop_.reductions[k];
      ir_.CreateCall(
          fold_.CombineLanes(reduction),
          {totals_[k], has_totals_[k], positions_[k], scope_.rank, scope_.size,
           NeedsFlags(reduction) ? ir_.getFalse() : full});
    }
  }

  // Returns where the values of direct reduction `k` lie from point `first` on.
  Value* Points(size_t k, Value* first) {
    return ir_.CreateGEP(lanes_.Memory(loop_.reductions[k].type),
                         body_.Base(static_cast<size_t>(direct_[k])), first);
  }

  void StorePartials(Value* chunk) {
    lanes_.If(ir_.CreateICmpEQ(scope_.rank, lanes_.I64(0)), [&] {
      for (size_t k = 0; k < loop_.reductions.size(); ++k) {
        ir_.CreateAlignedStore(LoadLanes(totals_[k], lanes_.I64(0), 1),
                               PartialAt(k, chunk), llvm::Align(16));
        ir_.CreateStore(LoadLanes(has_totals_[k], lanes_.I64(0), 1),
                        FlagAt(k, chunk));
        if (loop_.reductions[k].with_position) {
          ir_.CreateStore(
              ir_.CreateLoad(ir_.getInt64Ty(), positions_[k]),
              Entry(ArgumentWord::kPositions, ir_.getInt64Ty(), k, chunk));
        }
      }
    });
  }

  Value* PartialAt(size_t k, Value* chunk) {
    return Entry(ArgumentWord::kPartials,
                 llvm::ArrayType::get(ir_.getInt8Ty(), sizeof(ParameterSlot)),
                 k, chunk);
  }
  Value* FlagAt(size_t k, Value* chunk) {
    return Entry(ArgumentWord::kHasPartial, ir_.getInt8Ty(), k, chunk);
  }
  // Returns where `array` has the entry of `chunk` for reduction `k`.
  Value* Entry(ArgumentWord array, llvm::Type* type, size_t k, Value* chunk) {
    Value* row = ir_.CreateMul(body_.Argument(ArgumentWord::kNumChunks),
                               lanes_.I64(static_cast<int64_t>(k)));
    return ir_.CreateGEP(
        type, ir_.CreateIntToPtr(body_.Argument(array), ir_.getPtrTy()),
        ir_.CreateAdd(row, chunk));
  }

  BodyEmitter& body_;
  LaneBuilder& lanes_;
  llvm::IRBuilder<>& ir_;
  const LoopPlan& loop_;
  const ThreadScope& scope_;
  const int64_t width_;
  FoldFunctions fold_;
  size_t mask_access_ = 0;
  std::vector<int32_t> direct_;            // per reduction; see DirectAccess
  std::vector<llvm::AllocaInst*> tiles_;   // per reduction; null: direct
  std::vector<llvm::AllocaInst*> totals_;  // per reduction, 64 lanes
  std::vector<llvm::AllocaInst*> has_totals_;  // per reduction, 64 bytes
  std::vector<Value*> positions_;  // per reduction, 64 i64; null: it has none
  // Per distinct flag value; null where every point counts.
  std::map<ValueIndex, llvm::AllocaInst*> has_tiles_;
};

}  // namespace

void EmitReductionLoop(BodyEmitter& body, const ThreadScope& scope,
                       Value* begin, Value* end) {
  ReductionEmitter(body, scope).Emit(begin, end);
}

}  // namespace layoutd
