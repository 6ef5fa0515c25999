#ifndef LAYOUTD_ENGINE_PROGRAM_PRINT_H_
#define LAYOUTD_ENGINE_PROGRAM_PRINT_H_

// A graph back to the text form.

#include <cstddef>
#include <string>

#include "engine/program/graph.h"

namespace layoutd {

// Returns the canonical text: one statement a line, two spaces of indent in a
// block, only the parentheses that are needed. PrintProgram(ParseProgram(x)) is
// a fixed point, and parses to an equal program. A node used by several parents
// is printed at each use; past kMaxPrintedBytes, which only a program with
// shared nodes can reach, the text ends in "...". `program` is one that was
// parsed or verified.
inline constexpr size_t kMaxPrintedBytes = 4 * 1024 * 1024;
std::string PrintProgram(const Program& program);

// Returns the text of the expression rooted at `node`.
std::string PrintExpression(const Program& program, NodeIndex node);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_PROGRAM_PRINT_H_
