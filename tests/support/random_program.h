#ifndef LAYOUTD_TESTS_SUPPORT_RANDOM_PROGRAM_H_
#define LAYOUTD_TESTS_SUPPORT_RANDOM_PROGRAM_H_

// Random programs with their inputs, for differential tests: a program that
// verifies, over a few of all scalar types and tuples of them, with every
// pointwise operation that the table of opcodes has; extents 0, 1, primes and
// around vector widths; values with NaN, infinities, -0.0, subnormals and
// extreme integers. A function of the seed alone.

#include <cstdint>

#include "tests/support/program_case.h"

namespace layoutd {

// Returns the program of `seed`. It runs without error: reductions that need an
// active point have one, or an init.
ProgramCase MakeRandomProgram(uint64_t seed);

}  // namespace layoutd

#endif  // LAYOUTD_TESTS_SUPPORT_RANDOM_PROGRAM_H_
