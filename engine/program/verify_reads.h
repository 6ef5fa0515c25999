#ifndef LAYOUTD_ENGINE_PROGRAM_VERIFY_READS_H_
#define LAYOUTD_ENGINE_PROGRAM_VERIFY_READS_H_

// What an expression reads: which fields, and at which levels. Lets are looked
// through. Every node of the expression must be typed and resolved.

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "engine/program/graph.h"
#include "engine/program/verify.h"

namespace layoutd {

struct FieldRead {
  int32_t field = 0;        // index into VerifiedProgram::fields
  NodeIndex node = 0;       // the kName that reads it
  bool through_at = false;  // below an `at`: perhaps at another point
};

// Returns the reads of the expression `root`, left to right, each node at most
// once plainly and once through an `at`.
std::vector<FieldRead> FieldReads(const VerifiedProgram& program,
                                  NodeIndex root);

// Checks that the expression `root`, evaluated at levels [0, num_levels), reads
// every field only at levels that it has; folds and reductions in it run over
// all levels of their argument.
// Errors: InvalidArgument (EDGE_NOT_COVERED), located at the `at` to blame.
absl::Status CheckLevels(const VerifiedProgram& program, NodeIndex root,
                         int64_t num_levels);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_PROGRAM_VERIFY_READS_H_
