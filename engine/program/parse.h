#ifndef LAYOUTD_ENGINE_PROGRAM_PARSE_H_
#define LAYOUTD_ENGINE_PROGRAM_PARSE_H_

// The text form of a program to its graph. Syntax only: names and types are
// the verifier's.

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "engine/program/graph.h"

namespace layoutd {

// Parses `text`.
// Errors: InvalidArgument (SYNTAX) — the message gives line, column, what was
// found and what was expected, then the source line and a caret under the
// column; metadata "line" and "column"; violation path "program.text:L:C".
// InvalidArgument (PROGRAM_LIMIT) — a bound of kProgramLimits, named.
// Unimplemented (UNSUPPORTED) — language this version does not run, same form.
absl::StatusOr<Program> ParseProgram(absl::string_view text);

// Parses one expression (for `mask set --where`): a program with one `let`
// named "result".
absl::StatusOr<Program> ParseExpression(absl::string_view text);

// Returns up to three of `candidates` that `name` may have meant, nearest
// first, by edit distance (at most a third of the length, at least 1).
std::vector<std::string> NearestNames(absl::string_view name,
                                      absl::Span<const std::string> candidates);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_PROGRAM_PARSE_H_
