#include "absl/strings/str_cat.h"
#include "engine/base/error.h"
#include "engine/jit/compiler.h"
#include "engine/jit/cpu/orc.h"

namespace layoutd {

absl::StatusOr<std::unique_ptr<Compiler>> OpenCompiler(
    const CompilerOptions& options) {
  if (options.device == "cpu") return cpu::OpenOrcCompiler(options.vector_bits);
  return InvalidArgument(
      "UNKNOWN_DEVICE",
      absl::StrCat("no compiler for device \"", options.device, "\""));
}

}  // namespace layoutd
