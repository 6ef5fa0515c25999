#ifndef LAYOUTD_ENGINE_JIT_EMIT_OPERATION_H_
#define LAYOUTD_ENGINE_JIT_EMIT_OPERATION_H_

// Single operations of the language as IR over any number of lanes. Bit for bit
// what program/scalar.h computes.

#include "engine/base/scalar_type.h"
#include "engine/jit/lanes.h"
#include "engine/program/opcode.h"

namespace layoutd {

// Returns `op` applied to operands of type `type` (kSelect: b and c have it, a
// is bool); unused operands are null. The lanes may be fewer than the
// builder's.
llvm::Value* EmitOperation(LaneBuilder& lanes, Opcode op, ScalarType type,
                           llvm::Value* a, llvm::Value* b, llvm::Value* c);

// Returns `value` converted from `from` to `to`.
llvm::Value* EmitConvert(LaneBuilder& lanes, ScalarType from, ScalarType to,
                         llvm::Value* value);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_JIT_EMIT_OPERATION_H_
