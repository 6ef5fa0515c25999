#ifndef LAYOUTD_TESTS_CASES_PROGRAM_CASE_H_
#define LAYOUTD_TESTS_CASES_PROGRAM_CASE_H_

// One case as a row of a table: fields, a program, and what it must give. A
// ProgramWorld runs it, so every row holds for each layout kind, for one thread
// and for several, and agrees with the oracle.

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/program_world.h"

namespace layoutd {

// The values of a result or field, exact: -0.0 is not 0.0; any NaN is NaN.
struct Want {
  std::string name;
  std::string type;
  std::vector<double> values;
  double within = 0;  // allowed difference
};

struct ProgramCase {
  std::string name;  // the report's number and what must hold
  std::function<void(ProgramWorld&)> fields;
  std::string program;
  std::vector<Want> wants;
  // When set, the program must fail with it and change nothing.
  std::string error_reason = "";
  std::vector<std::string> error_mentions = {};
};

void PrintTo(const ProgramCase& c, std::ostream* stream);
void RunCase(const ProgramCase& c);

class ProgramCaseTest : public testing::TestWithParam<ProgramCase> {};

// Instantiates the one test of a table; `suite` is a ProgramCaseTest.
#define LAYOUTD_PROGRAM_CASES(suite, cases)                        \
  TEST_P(suite, GivesTheRightValue) { RunCase(GetParam()); }       \
  INSTANTIATE_TEST_SUITE_P(Cases, suite, testing::ValuesIn(cases), \
                           [](const auto& row) { return row.param.name; })

}  // namespace layoutd

#endif  // LAYOUTD_TESTS_CASES_PROGRAM_CASE_H_
