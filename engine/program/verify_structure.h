#ifndef LAYOUTD_ENGINE_PROGRAM_VERIFY_STRUCTURE_H_
#define LAYOUTD_ENGINE_PROGRAM_VERIFY_STRUCTURE_H_

// The first pass of the verifier: form without meaning. After it every index,
// count, enum value and name of a program is in range, so the later passes may
// follow operands freely, and their cost is bounded.

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "engine/program/graph.h"

namespace layoutd {

// Returns whether `text` is a NAME of the language: a letter or _, then
// letters, digits and _, at most 63 characters; and no reserved word.
bool IsProgramName(absl::string_view text);

// Checks that `count` is at most `limit`.
// Errors: InvalidArgument (PROGRAM_LIMIT) — names `what`, and both numbers.
absl::Status CheckLimit(absl::string_view what, int64_t count, int64_t limit);

// Checks the form of `program`.
// Errors: InvalidArgument (BAD_GRAPH) — an index, count, enum value or name
// that no program may have, a malformed mask; InvalidArgument (PROGRAM_LIMIT) —
// more than kProgramLimits allows. Both located.
absl::Status CheckStructure(const Program& program);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_PROGRAM_VERIFY_STRUCTURE_H_
