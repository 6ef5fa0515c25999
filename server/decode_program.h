#ifndef LAYOUTD_SERVER_DECODE_PROGRAM_H_
#define LAYOUTD_SERVER_DECODE_PROGRAM_H_

// A program sent as a graph to the engine's, node by node. Here only what
// cannot be expressed there is refused; whether the graph means something is
// the verifier's to say.

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "engine/engine.h"
#include "layoutd/v1/program.pb.h"

namespace layoutd {

// Requires CheckKnown(graph).
// Errors: InvalidArgument — BAD_GRAPH, BAD_TYPE, LITERAL_RANGE, PROGRAM_LIMIT
// (more nodes than a program may have); paths start with "program.graph".
absl::StatusOr<Program> DecodeGraph(const v1::Graph& graph);

// Returns the value of `digits`, decimal and below 2^128, without a sign.
// Errors: InvalidArgument — BAD_GRAPH (no digits), LITERAL_RANGE; at `path`.
absl::StatusOr<Uint128> DecodeInteger(absl::string_view digits,
                                      absl::string_view path);

}  // namespace layoutd

#endif  // LAYOUTD_SERVER_DECODE_PROGRAM_H_
