#ifndef LAYOUTD_TESTS_FUZZ_FUZZ_INPUTS_H_
#define LAYOUTD_TESTS_FUZZ_FUZZ_INPUTS_H_

// The fields and masks that fuzzed programs find.

#include "tests/support/program_case.h"

namespace layoutd {

// Returns small inputs (at most 48 points each) of all scalar types, shapes and
// layouts, under the names of the examples and of random programs; no text.
const ProgramCase& FuzzInputs();

}  // namespace layoutd

#endif  // LAYOUTD_TESTS_FUZZ_FUZZ_INPUTS_H_
