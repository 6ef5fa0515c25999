#ifndef LAYOUTD_TESTS_SUPPORT_COMPARE_WITH_ORACLE_H_
#define LAYOUTD_TESTS_SUPPORT_COMPARE_WITH_ORACLE_H_

// Runs a program on a runtime and on the oracle, and says where they differ.

#include <string>

#include "absl/status/statusor.h"
#include "engine/program/graph.h"
#include "tests/support/program_case.h"
#include "tests/support/runtime_world.h"

namespace layoutd {

// Runs `program` on the fields and masks of `inputs` (whose text is not looked
// at), in `world`, which is cleared first. Compared bit for bit, any NaN equal
// to any NaN: every result, every leaf of every field whether written or not,
// and the memory accounted for. Returns "" where all is the same, else the
// first difference.
// Errors: of VerifyProgram; PROGRAM_LIMIT, of what is too large to compile.
absl::StatusOr<std::string> CompareWithOracle(Program program,
                                              const ProgramCase& inputs,
                                              RuntimeWorld& world);

// The same of the text of `program`. Errors: of ParseProgram too.
absl::StatusOr<std::string> CompareWithOracle(const ProgramCase& program,
                                              RuntimeWorld& world);

// Returns a world of these options that lasts as long as the process. A vector
// width beyond this CPU's is the widest that it has.
RuntimeWorld& SharedWorld(const WorldOptions& options);

// Fails the current test unless `program` runs, and as on the oracle.
void ExpectSameAsOracle(const ProgramCase& program,
                        const WorldOptions& options);

}  // namespace layoutd

#endif  // LAYOUTD_TESTS_SUPPORT_COMPARE_WITH_ORACLE_H_
