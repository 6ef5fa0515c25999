#ifndef LAYOUTD_TESTS_SUPPORT_PROGRAM_CASE_H_
#define LAYOUTD_TESTS_SUPPORT_PROGRAM_CASE_H_

// A program with all it runs on: what differential tests compare, shrink and
// print as a test.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "engine/layout/data_layout.h"
#include "engine/program/evaluate.h"
#include "engine/program/scalar.h"
#include "engine/program/verify.h"

namespace layoutd {

struct CaseField {
  std::string id;
  ValueType type = ScalarType::kF64;
  Shape shape;
  LayoutKind kind = LayoutKind::kVIJFH;
  std::optional<ScalarType> base_type;
  // In logical order (v fastest, then i, j, h), at each point its leaves.
  std::vector<Scalar> leaves;
};

struct CaseMask {
  std::string id;
  Shape shape;                  // (1, Ni, Nj, Nh)
  std::vector<uint8_t> active;  // 0 or 1 per column, i fastest
};

struct ProgramCase {
  std::string text;
  std::vector<CaseField> fields;
  std::vector<CaseMask> masks;
};

// Returns what the verifier and the evaluator need to run the program.
Catalog CatalogOf(const ProgramCase& program);
OracleState StateOf(const ProgramCase& program);

// Returns the layout of `field`, which must have one.
DataLayout LayoutOf(const CaseField& field);

// Scalars as words ("true", "-3", "0x1.8p+1", "nan"), exact but for NaN's
// payload.
std::string ScalarText(const Scalar& value);
Scalar ParseScalarText(ScalarType type, absl::string_view text);

// Returns the leaves of points of `type`, written as words with blanks between;
// a word may be followed by "*N": N times. `type` is the text form of a type.
std::vector<Scalar> Leaves(absl::string_view type, absl::string_view words);

// Returns C++ source: a TEST named `name` that builds this very case and
// expects it to run as on the oracle (tests/support/compare_with_oracle.h).
// Needs nothing but that header.
std::string TestSource(const ProgramCase& program, absl::string_view name,
                       int num_threads, int vector_bits);

}  // namespace layoutd

#endif  // LAYOUTD_TESTS_SUPPORT_PROGRAM_CASE_H_
