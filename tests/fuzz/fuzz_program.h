#ifndef LAYOUTD_TESTS_FUZZ_FUZZ_PROGRAM_H_
#define LAYOUTD_TESTS_FUZZ_FUZZ_PROGRAM_H_

// What a fuzzer feeds bytes to. Any bytes must be refused with a typed error or
// run as on the oracle; each returns "" or what is wrong. Work is bounded:
// programs that are large once expanded are verified and planned only.

#include <string>

#include "absl/strings/string_view.h"

namespace layoutd {

// `bytes` are the text of a program over the fields of fuzz_inputs.h.
std::string FuzzText(absl::string_view bytes);

// `bytes` are the seed of a random program (2, little-endian; 0: an empty one)
// and changes to its graph, as mutate_graph.h reads them.
std::string FuzzGraph(absl::string_view bytes);

// `bytes` are a layoutd.v1.Graph as it comes off the wire.
std::string FuzzProto(absl::string_view bytes);

}  // namespace layoutd

#endif  // LAYOUTD_TESTS_FUZZ_FUZZ_PROGRAM_H_
