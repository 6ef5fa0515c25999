#ifndef LAYOUTD_TESTS_SUPPORT_SHRINK_PROGRAM_H_
#define LAYOUTD_TESTS_SUPPORT_SHRINK_PROGRAM_H_

// Makes a failing program small, so that a person can see what is wrong.

#include <cstddef>
#include <functional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "tests/support/compare_with_oracle.h"
#include "tests/support/program_case.h"

namespace layoutd {

struct ShrinkLimits {
  int max_attempts = 5000;
  absl::Duration max_time = absl::Seconds(60);
};

// Returns whether a case still fails. Gets cases that do not even parse.
using StillFails = std::function<bool(const ProgramCase&)>;

// Returns a smaller case that fails too: fewer statements, masks and operations
// (one in place of the operations above it, a literal in place of a value),
// smaller extents, fewer distinct values, plainer layouts and no unused inputs.
// No single such step would leave a smaller one that fails, unless a limit was
// met first. Requires still_fails(failing).
ProgramCase ShrinkProgram(ProgramCase failing, const StillFails& still_fails,
                          const ShrinkLimits& limits = {});

// Returns what to print when `program` differs from the oracle in a world of
// `options`: the smallest case, what differs in it, and its source as a test of
// `name`.
std::string ReportDifference(const ProgramCase& program,
                             const WorldOptions& options,
                             absl::string_view name);

}  // namespace layoutd

#endif  // LAYOUTD_TESTS_SUPPORT_SHRINK_PROGRAM_H_
