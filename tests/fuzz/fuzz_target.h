#ifndef LAYOUTD_TESTS_FUZZ_FUZZ_TARGET_H_
#define LAYOUTD_TESTS_FUZZ_FUZZ_TARGET_H_

// What the libFuzzer programs have in common.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "absl/strings/string_view.h"

namespace layoutd {

// Ends the process where `fuzz` says that something is wrong.
inline int RunTarget(std::string (*fuzz)(absl::string_view),
                     const uint8_t* data, size_t size) {
  const std::string wrong =
      fuzz(absl::string_view(reinterpret_cast<const char*>(data), size));
  if (wrong.empty()) return 0;
  std::fprintf(stderr, "%s\n", wrong.c_str());
  std::abort();
}

}  // namespace layoutd

#endif  // LAYOUTD_TESTS_FUZZ_FUZZ_TARGET_H_
