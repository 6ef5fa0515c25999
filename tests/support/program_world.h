#ifndef LAYOUTD_TESTS_SUPPORT_PROGRAM_WORLD_H_
#define LAYOUTD_TESTS_SUPPORT_PROGRAM_WORLD_H_

// Programs run twice: by the oracle, and by the runtime with its fields in each
// layout kind, on one thread and on several. Everything must agree bit for bit
// (any NaN equals any NaN): results, every field, and the errors of programs
// that fail. What a test then asks for are the oracle's values.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "engine/layout/shape.h"
#include "engine/program/evaluate.h"
#include "engine/program/scalar.h"

namespace layoutd {

class ProgramWorld {
 public:
  // The value at a point; every leaf of a struct takes it.
  using Generator =
      std::function<double(int64_t v, int64_t i, int64_t j, int64_t h)>;

  // Adds a field; `leaves` in canonical order, at each point its leaves.
  void AddField(const std::string& id, const std::string& type,
                const Shape& shape, std::vector<Scalar> leaves);
  void Add(const std::string& id, const std::string& type, const Shape& shape,
           const Generator& value);
  void AddConstant(const std::string& id, const std::string& type,
                   const Shape& shape, double value);
  // A line (1, 1, 1, n) and a column (n, 1, 1, 1), converted to `type`.
  void AddLine(const std::string& id, const std::string& type,
               const std::vector<double>& values);
  void AddColumn(const std::string& id, const std::string& type,
                 const std::vector<double>& values);
  // A line of integers that f64 may not hold; `type` is a scalar.
  void AddIntegers(const std::string& id, const std::string& type,
                   const std::vector<int64_t>& values);
  using ColumnTest = std::function<bool(int64_t i, int64_t j, int64_t h)>;
  void SetMask(const std::string& id, const Shape& shape,
               const ColumnTest& is_active);

  // Runs `text` and keeps what it stores for later runs. A failure of the test
  // is added for every disagreement.
  absl::Status Run(const std::string& text);

  const OracleField& Field(const std::string& id) const;
  // The type of a field or result.
  ValueType TypeOf(const std::string& name) const;
  // All leaves of a field or result, as numbers.
  std::vector<double> Values(const std::string& id) const;
  const std::vector<Scalar>& Leaves(const std::string& result) const;
  double Number(const std::string& name) const;

 private:
  OracleState state_;
  struct Result {
    ValueType type;
    std::vector<Scalar> leaves;
  };
  std::map<std::string, Result> results_;
};

// Returns `leaves` converted to f64.
std::vector<double> NumbersOf(const std::vector<Scalar>& leaves);

}  // namespace layoutd

#endif  // LAYOUTD_TESTS_SUPPORT_PROGRAM_WORLD_H_
