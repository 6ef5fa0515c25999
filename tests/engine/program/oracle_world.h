#ifndef LAYOUTD_TESTS_ENGINE_PROGRAM_ORACLE_WORLD_H_
#define LAYOUTD_TESTS_ENGINE_PROGRAM_ORACLE_WORLD_H_

// Fields, masks and results by name for tests of the evaluator: programs are
// given as text, values as plain numbers.

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/program/evaluate.h"
#include "engine/program/parse.h"
#include "engine/program/verify.h"
#include "gtest/gtest.h"

namespace layoutd {

class OracleWorld {
 public:
  // The value of a leaf at a point; every leaf of a struct takes its own.
  using Generator =
      std::function<double(int64_t v, int64_t i, int64_t j, int64_t h)>;

  void Add(const std::string& id, const std::string& type, const Shape& shape,
           const std::vector<Generator>& leaves) {
    OracleField field = {ValueType::Parse(type).value(), shape, {}};
    for (int64_t h = 0; h < shape.h(); ++h) {
      for (int64_t j = 0; j < shape.j(); ++j) {
        for (int64_t i = 0; i < shape.i(); ++i) {
          for (int64_t v = 0; v < shape.v(); ++v) {
            for (int l = 0; l < field.type.num_leaves(); ++l) {
              field.leaves.push_back(Convert(Scalar::F64(leaves[l](v, i, j, h)),
                                             field.type.leaves()[l].type));
            }
          }
        }
      }
    }
    AddField(id, std::move(field));
  }
  void Add(const std::string& id, const std::string& type, const Shape& shape,
           Generator leaf) {
    Add(id, type, shape, std::vector<Generator>{std::move(leaf)});
  }
  // A column (n, 1, 1, 1) or a line (1, 1, 1, n) of numbers.
  void AddColumn(const std::string& id, const std::string& type,
                 const std::vector<double>& values) {
    Add(id, type, {{static_cast<int64_t>(values.size()), 1, 1, 1}},
        [&](int64_t v, int64_t, int64_t, int64_t) { return values[v]; });
  }
  void AddLine(const std::string& id, const std::string& type,
               const std::vector<double>& values) {
    Add(id, type, {{1, 1, 1, static_cast<int64_t>(values.size())}},
        [&](int64_t, int64_t, int64_t, int64_t h) { return values[h]; });
  }
  void AddField(const std::string& id, OracleField field) {
    catalog_.fields.insert_or_assign(
        id,
        Catalog::FieldEntry{id, DataLayout::Create({LayoutKind::kVIJFH,
                                                    field.shape, field.type})
                                    .value()});
    state_.fields.insert_or_assign(id, std::move(field));
  }
  void AddMask(const std::string& id, const Shape& shape,
               const std::vector<uint8_t>& active) {
    catalog_.masks.insert_or_assign(id, shape);
    state_.masks.insert_or_assign(id, MakeColumnMap(shape, active));
  }

  absl::Status Run(const std::string& text) {
    absl::StatusOr<Program> program = ParseProgram(text);
    if (!program.ok()) return program.status();
    return Run(*std::move(program));
  }
  absl::Status Run(Program program) {
    const absl::StatusOr<VerifiedProgram> verified =
        VerifyProgram(std::move(program), catalog_);
    if (!verified.ok()) return verified.status();
    const absl::StatusOr<OracleResults> results =
        EvaluateProgram(*verified, state_);
    if (!results.ok()) return results.status();
    for (size_t k = 0; k < verified->results.size(); ++k) {
      results_[verified->results[k].name] = (*results)[k];
    }
    for (const FieldUse& use : verified->fields) {
      if (!use.created) continue;
      catalog_.fields.insert_or_assign(use.id,
                                       Catalog::FieldEntry{use.id, use.layout});
    }
    return absl::OkStatus();
  }

  const OracleField& Field(const std::string& id) const {
    return state_.fields.at(id);
  }
  bool HasField(const std::string& id) const {
    return state_.fields.count(id) > 0;
  }
  // All leaves of a field in logical order.
  std::vector<double> Values(const std::string& id) const {
    return Numbers(Field(id).leaves);
  }
  const Scalar& Result(const std::string& name) const {
    return results_.at(name)[0];
  }
  std::vector<double> Results(const std::string& name) const {
    return Numbers(results_.at(name));
  }
  double Number(const std::string& name) const { return Results(name)[0]; }

 private:
  static std::vector<double> Numbers(const std::vector<Scalar>& leaves) {
    std::vector<double> numbers;
    for (const Scalar& leaf : leaves) {
      numbers.push_back(Convert(leaf, ScalarType::kF64).As<double>());
    }
    return numbers;
  }

  Catalog catalog_;
  OracleState state_;
  std::map<std::string, std::vector<Scalar>> results_;
};

}  // namespace layoutd

#endif  // LAYOUTD_TESTS_ENGINE_PROGRAM_ORACLE_WORLD_H_
