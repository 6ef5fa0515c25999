#ifndef LAYOUTD_ENGINE_JIT_EMIT_ELEMENTARY_H_
#define LAYOUTD_ENGINE_JIT_EMIT_ELEMENTARY_H_

// exp, log and pow as IR over any number of lanes: the templates of
// program/elementary.h and program/power.h, instantiated with LLVM values.

#include "engine/base/scalar_type.h"
#include "engine/jit/lanes.h"
#include "engine/program/opcode.h"

namespace layoutd {

// Returns whether EmitElementary emits `op`.
bool IsElementary(Opcode op);

// Returns `op` applied to operands of type `type`, an integer in kPow only; b
// is null but for kPow. Written out at the builder's place, or called there as
// one copy in the module (LaneBuilder::shares_functions). Adds blocks: the
// builder goes on in another one.
llvm::Value* EmitElementary(LaneBuilder& lanes, Opcode op, ScalarType type,
                            llvm::Value* a, llvm::Value* b);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_JIT_EMIT_ELEMENTARY_H_
