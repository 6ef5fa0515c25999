#ifndef LAYOUTD_ENGINE_JIT_EMIT_ROWS_H_
#define LAYOUTD_ENGINE_JIT_EMIT_ROWS_H_

// A row of points along the first dimension of a loop, which point loops and
// reduction loops both walk.

#include <array>
#include <vector>

#include "engine/jit/emit_body.h"

namespace layoutd {

struct RowIr {
  std::array<llvm::Value*, 4> index = {};  // of dimensions 1, 2, 3; i64
  std::vector<llvm::Value*> pointers;      // per access, at the row's start
};

// Returns row number `row` (dimension 1 fastest; of the active columns in a
// masked point loop).
RowIr EmitRow(BodyEmitter& body, llvm::Value* row);

// Returns where lanes stand that begin at `x` of the row. Lanes outside `mask`
// (null: none are) stand where the first one does.
BodyEmitter::Position PositionInRow(BodyEmitter& body, const RowIr& row,
                                    llvm::Value* x, llvm::Value* mask);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_JIT_EMIT_ROWS_H_
