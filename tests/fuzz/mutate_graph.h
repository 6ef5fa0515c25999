#ifndef LAYOUTD_TESTS_FUZZ_MUTATE_GRAPH_H_
#define LAYOUTD_TESTS_FUZZ_MUTATE_GRAPH_H_

// Bytes as changes to a program's graph, invalid ones included.

#include "absl/strings/string_view.h"
#include "engine/program/graph.h"

namespace layoutd {

// Changes `program` as `bytes` say, at most 64 times: other opcodes, operands
// (earlier nodes, or any number), literals, types and names; more nodes; and
// statements added, removed and changed. All bytes mean something, so that a
// fuzzer wastes none.
void MutateGraph(absl::string_view bytes, Program& program);

}  // namespace layoutd

#endif  // LAYOUTD_TESTS_FUZZ_MUTATE_GRAPH_H_
