#ifndef LAYOUTD_ENGINE_JIT_EMIT_H_
#define LAYOUTD_ENGINE_JIT_EMIT_H_

// A planned loop to an LLVM function: the only generator, for every target. The
// scope that runs an item gives rank, size and barrier.

#include <string>

#include "engine/jit/emit_body.h"
#include "engine/program/plan.h"
#include "llvm/IR/Module.h"

namespace layoutd {

// Returns how many lanes `loop` gets on registers of `vector_bits`: as many as
// its widest value leaves room for, or twice as many, where one operation waits
// for another; one when 128-bit integers take part.
int NumLanes(const LoopPlan& loop, int vector_bits);

// Adds `void name(ptr arguments, i64 begin, i64 end)` to `module`: `arguments`
// is a KernelArguments, items are as that says. `make_scope` says who runs an
// item; it is called once, at the function's entry.
using MakeScope = std::function<ThreadScope(LaneBuilder&)>;
llvm::Function* EmitLoop(llvm::Module& module, const LoopPlan& loop,
                         int num_lanes, const MakeScope& make_scope,
                         const std::string& name);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_JIT_EMIT_H_
