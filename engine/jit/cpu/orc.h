#ifndef LAYOUTD_ENGINE_JIT_CPU_ORC_H_
#define LAYOUTD_ENGINE_JIT_CPU_ORC_H_

// The CPU's compiler: LLVM ORC in this process. The only place where LLVM's
// errors become ours.

#include <memory>

#include "absl/status/statusor.h"
#include "engine/jit/compiler.h"

namespace layoutd::cpu {

// Errors: Unavailable (CPU_TOO_OLD) — names the missing features of x86-64-v3;
// InvalidArgument (BAD_OPTION) — a width that is not 128, 256 or 512, or wider
// than this CPU's.
absl::StatusOr<std::unique_ptr<Compiler>> OpenOrcCompiler(int vector_bits);

}  // namespace layoutd::cpu

#endif  // LAYOUTD_ENGINE_JIT_CPU_ORC_H_
