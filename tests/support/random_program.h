#ifndef LAYOUTD_TESTS_SUPPORT_RANDOM_PROGRAM_H_
#define LAYOUTD_TESTS_SUPPORT_RANDOM_PROGRAM_H_

// Random programs with their inputs, for differential tests: a program that
// verifies, over f32, f64, i32, i64, bool and tuples; extents 0, 1, primes and
// around vector widths; values with NaN, infinities, -0.0, subnormals and
// extreme integers. A function of the seed alone.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/layout/data_layout.h"
#include "engine/program/evaluate.h"
#include "engine/program/scalar.h"
#include "engine/program/verify.h"

namespace layoutd {

struct RandomField {
  std::string id;
  ValueType type = ScalarType::kF64;
  Shape shape;
  LayoutKind kind = LayoutKind::kVIJFH;
  std::optional<ScalarType> base_type;
  // In logical order (v fastest, then i, j, h), at each point its leaves.
  std::vector<Scalar> leaves;
};

struct RandomMask {
  std::string id;
  Shape shape;                  // (1, Ni, Nj, Nh)
  std::vector<uint8_t> active;  // 0 or 1 per column, i fastest
};

struct RandomProgram {
  std::string text;
  std::vector<RandomField> fields;
  std::vector<RandomMask> masks;
};

// Returns the program of `seed`. It runs without error: reductions that need an
// active point have one, or an init.
RandomProgram MakeRandomProgram(uint64_t seed);

// Returns what the verifier and the evaluator need to run `program`.
Catalog CatalogOf(const RandomProgram& program);
OracleState StateOf(const RandomProgram& program);

}  // namespace layoutd

#endif  // LAYOUTD_TESTS_SUPPORT_RANDOM_PROGRAM_H_
