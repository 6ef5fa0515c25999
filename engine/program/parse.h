#ifndef LAYOUTD_ENGINE_PROGRAM_PARSE_H_
#define LAYOUTD_ENGINE_PROGRAM_PARSE_H_

// The text form of a program to its graph. Syntax only: names and types are
// the verifier's.

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "engine/program/graph.h"
#include "engine/program/nearest_names.h"

namespace layoutd {

// Parses `text`. Bytes outside ASCII may stand in comments only.
// Errors: InvalidArgument (SYNTAX) — the message gives line, column, what was
// found and what was expected, then the source line and a caret under the
// column; metadata "line" and "column"; violation path "program.text:L:C".
// InvalidArgument (PROGRAM_LIMIT) — a bound of kProgramLimits, named; with
// position, but for the length of the text.
// InvalidArgument (UNKNOWN_FUNCTION) — with the nearest names, same form.
// Unimplemented (UNSUPPORTED) — language this version does not run, same form.
absl::StatusOr<Program> ParseProgram(absl::string_view text);

// Parses one expression (for `mask set --where`): a program with one `let`
// named "result".
absl::StatusOr<Program> ParseExpression(absl::string_view text);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_PROGRAM_PARSE_H_
