#include "tests/support/program_world.h"

#include <memory>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "engine/program/parse.h"
#include "engine/program/verify.h"
#include "gtest/gtest.h"
#include "tests/support/runtime_world.h"
#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

// More threads than the items of the smallest loops, and no power of two.
constexpr int kManyThreads = 3;

std::string Describe(const Scalar& value) {
  return absl::StrCat(std::string(Name(value.type)), " 0x",
                      absl::BytesToHexString(absl::string_view(
                          reinterpret_cast<const char*>(value.bytes),
                          static_cast<size_t>(SizeBytes(value.type)))));
}

void ExpectSameLeaves(const std::vector<Scalar>& got,
                      const std::vector<Scalar>& want,
                      const std::string& what) {
  ASSERT_EQ(got.size(), want.size()) << what;
  for (size_t k = 0; k < got.size(); ++k) {
    ASSERT_TRUE(SameBits(got[k], want[k]))
        << what << ", leaf " << k << ": got " << Describe(got[k]) << ", want "
        << Describe(want[k]);
  }
}

Catalog CatalogOf(const OracleState& state, LayoutKind kind) {
  Catalog catalog;
  for (const auto& [id, field] : state.fields) {
    catalog.fields.emplace(
        id,
        Catalog::FieldEntry{
            id, DataLayout::Create({kind, field.shape, field.type}).value()});
  }
  for (const auto& [id, mask] : state.masks) {
    catalog.masks.emplace(id, mask.shape);
  }
  return catalog;
}

// Runs `text` on `state` with all fields of `kind`, and compares what comes out
// with the oracle's outcome: `want`, named as in `program`, and `after`.
void ExpectRuntimeGives(const std::string& text, const OracleState& state,
                        LayoutKind kind, int num_threads,
                        const absl::Status& want_status,
                        const OracleResults& want, const OracleState& after) {
  SCOPED_TRACE(absl::StrCat(std::string(Name(kind)), ", ", num_threads,
                            " threads\n", text));
  ASSERT_OK_AND_ASSIGN(const std::unique_ptr<RuntimeWorld> world,
                       RuntimeWorld::Open({.num_threads = num_threads}));
  for (const auto& [id, field] : state.fields) {
    ASSERT_OK(world->AddField(
        id, DataLayout::Create({kind, field.shape, field.type}).value(),
        field.leaves));
  }
  for (const auto& [id, mask] : state.masks) {
    ASSERT_OK(world->AddMask(id, mask.shape, mask.active));
  }
  const absl::StatusOr<ExecuteReply> reply = world->Run(text);
  EXPECT_EQ(reply.status().code(), want_status.code()) << reply.status();
  EXPECT_EQ(DetailOf(reply.status()).reason, DetailOf(want_status).reason);
  if (reply.ok()) {
    ASSERT_EQ(reply->results.size(), want.size());
    for (size_t r = 0; r < want.size(); ++r) {
      ExpectSameLeaves(reply->results[r].leaves, want[r],
                       absl::StrCat("result ", reply->results[r].name));
    }
  }
  for (const auto& [id, field] : after.fields) {
    ASSERT_OK_AND_ASSIGN(const OracleField got, world->ReadField(id));
    EXPECT_EQ(got.shape, field.shape) << id;
    EXPECT_EQ(got.type, field.type) << id;
    ExpectSameLeaves(got.leaves, field.leaves, absl::StrCat("field ", id));
  }
}

}  // namespace

void ProgramWorld::AddField(const std::string& id, const std::string& type,
                            const Shape& shape, std::vector<Scalar> leaves) {
  OracleField field = {ValueType::Parse(type).value(), shape,
                       std::move(leaves)};
  ASSERT_EQ(static_cast<int64_t>(field.leaves.size()),
            shape.num_points() * field.type.num_leaves());
  state_.fields.insert_or_assign(id, std::move(field));
}

void ProgramWorld::Add(const std::string& id, const std::string& type,
                       const Shape& shape, const Generator& value) {
  const ValueType parsed = ValueType::Parse(type).value();
  std::vector<Scalar> leaves;
  for (int64_t h = 0; h < shape.h(); ++h) {
    for (int64_t j = 0; j < shape.j(); ++j) {
      for (int64_t i = 0; i < shape.i(); ++i) {
        for (int64_t v = 0; v < shape.v(); ++v) {
          for (const Leaf& leaf : parsed.leaves()) {
            leaves.push_back(
                Convert(Scalar::F64(value(v, i, j, h)), leaf.type));
          }
        }
      }
    }
  }
  AddField(id, type, shape, std::move(leaves));
}

void ProgramWorld::AddConstant(const std::string& id, const std::string& type,
                               const Shape& shape, double value) {
  Add(id, type, shape,
      [value](int64_t, int64_t, int64_t, int64_t) { return value; });
}

void ProgramWorld::AddLine(const std::string& id, const std::string& type,
                           const std::vector<double>& values) {
  Add(id, type, {{1, 1, 1, static_cast<int64_t>(values.size())}},
      [&](int64_t, int64_t, int64_t, int64_t h) {
        return values[static_cast<size_t>(h)];
      });
}

void ProgramWorld::AddColumn(const std::string& id, const std::string& type,
                             const std::vector<double>& values) {
  Add(id, type, {{static_cast<int64_t>(values.size()), 1, 1, 1}},
      [&](int64_t v, int64_t, int64_t, int64_t) {
        return values[static_cast<size_t>(v)];
      });
}

void ProgramWorld::AddIntegers(const std::string& id, const std::string& type,
                               const std::vector<int64_t>& values) {
  std::vector<Scalar> leaves;
  for (int64_t value : values) {
    leaves.push_back(Convert(Scalar::I64(value), *ParseScalarType(type)));
  }
  AddField(id, type, {{1, 1, 1, static_cast<int64_t>(values.size())}},
           std::move(leaves));
}

void ProgramWorld::SetMask(const std::string& id, const Shape& shape,
                           const ColumnTest& is_active) {
  std::vector<uint8_t> active;
  for (int64_t h = 0; h < shape.h(); ++h) {
    for (int64_t j = 0; j < shape.j(); ++j) {
      for (int64_t i = 0; i < shape.i(); ++i) {
        active.push_back(is_active(i, j, h) ? 1 : 0);
      }
    }
  }
  state_.masks.insert_or_assign(id, MakeColumnMap(shape, active));
}

absl::Status ProgramWorld::Run(const std::string& text) {
  const OracleState before = state_;
  absl::Status status;
  OracleResults results;
  absl::StatusOr<Program> program = ParseProgram(text);
  status.Update(program.status());
  if (program.ok()) {
    const absl::StatusOr<VerifiedProgram> verified = VerifyProgram(
        *std::move(program), CatalogOf(before, LayoutKind::kVIJFH));
    status.Update(verified.status());
    if (verified.ok()) {
      absl::StatusOr<OracleResults> evaluated =
          EvaluateProgram(*verified, state_);
      status.Update(evaluated.status());
      if (evaluated.ok()) results = *std::move(evaluated);
      for (size_t k = 0; k < results.size(); ++k) {
        results_.insert_or_assign(
            verified->results[k].name,
            Result{verified->results[k].type, results[k]});
      }
    }
  }
  for (const LayoutKind kind : {LayoutKind::kVIJFH, LayoutKind::kVIJHF}) {
    for (const int num_threads : {1, kManyThreads}) {
      ExpectRuntimeGives(text, before, kind, num_threads, status, results,
                         state_);
    }
  }
  return status;
}

const OracleField& ProgramWorld::Field(const std::string& id) const {
  return state_.fields.at(id);
}

ValueType ProgramWorld::TypeOf(const std::string& name) const {
  const auto field = state_.fields.find(name);
  return field != state_.fields.end() ? field->second.type
                                      : results_.at(name).type;
}

std::vector<double> ProgramWorld::Values(const std::string& id) const {
  const auto field = state_.fields.find(id);
  return NumbersOf(field != state_.fields.end() ? field->second.leaves
                                                : Leaves(id));
}

const std::vector<Scalar>& ProgramWorld::Leaves(
    const std::string& result) const {
  return results_.at(result).leaves;
}

double ProgramWorld::Number(const std::string& name) const {
  return Convert(Leaves(name)[0], ScalarType::kF64).As<double>();
}

std::vector<double> NumbersOf(const std::vector<Scalar>& leaves) {
  std::vector<double> numbers;
  for (const Scalar& leaf : leaves) {
    numbers.push_back(Convert(leaf, ScalarType::kF64).As<double>());
  }
  return numbers;
}

}  // namespace layoutd
