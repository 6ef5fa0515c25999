#include "tests/fuzz/fuzz_program.h"
#include "tests/fuzz/fuzz_target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return layoutd::RunTarget(layoutd::FuzzGraph, data, size);
}
