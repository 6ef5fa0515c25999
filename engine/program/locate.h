#ifndef LAYOUTD_ENGINE_PROGRAM_LOCATE_H_
#define LAYOUTD_ENGINE_PROGRAM_LOCATE_H_

// Gives an error of a program its place: line and column when the program came
// as text, the path of the node or statement when it came as a graph.

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "engine/program/graph.h"

namespace layoutd {

// Returns `status` (an error) with its place: for text the message starts with
// "line L, column C: " and the violation path is `program.text:L:C`; for a
// graph the path is `program.nodes[17]`. Code, reason and metadata are kept.
absl::Status LocateNode(const absl::Status& status, const Program& program,
                        NodeIndex node);

// The same for something at `position` of statement `index`; the path of a
// graph is `program.statements[2]`.
absl::Status LocateStatement(const absl::Status& status,
                             const SourcePosition& position, size_t index);

// Returns how a message names something at `position` of statement `index`:
// "line 3, column 5" or "statement 2".
std::string DescribePlace(const SourcePosition& position, size_t index);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_PROGRAM_LOCATE_H_
