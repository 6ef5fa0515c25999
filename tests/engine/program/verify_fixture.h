#ifndef LAYOUTD_TESTS_ENGINE_PROGRAM_VERIFY_FIXTURE_H_
#define LAYOUTD_TESTS_ENGINE_PROGRAM_VERIFY_FIXTURE_H_

// A small catalog for the tests of the verifier: shape (8, 2, 2, 3) and its
// slices.

#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "engine/layout/data_layout.h"
#include "engine/program/parse.h"
#include "engine/program/verify.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"

namespace layoutd {

inline void AddField(Catalog& catalog, const std::string& id,
                     absl::string_view type, const Shape& shape,
                     LayoutKind kind = LayoutKind::kVIJFH) {
  catalog.fields.insert_or_assign(
      id, Catalog::FieldEntry{
              id, *DataLayout::Create({kind, shape, *ValueType::Parse(type)})});
}

inline Catalog MakeCatalog() {
  const Shape volume{{8, 2, 2, 3}};
  Catalog catalog;
  AddField(catalog, "temp", "f64", volume);
  AddField(catalog, "salt", "f64", volume, LayoutKind::kVIJHF);
  AddField(catalog, "cold", "f32", volume);
  AddField(catalog, "number", "i32", volume);
  AddField(catalog, "byte", "i8", volume);
  AddField(catalog, "wide", "u64", volume);
  AddField(catalog, "ok", "bool", volume);
  AddField(catalog, "wind", "{u: f64, v: f32}", volume);
  AddField(catalog, "pair", "(f64, f64)", volume);
  AddField(catalog, "face", "f64", volume.WithV(9));
  AddField(catalog, "area", "f64", volume.WithV(1));
  AddField(catalog, "other", "f64", {{8, 2, 2, 5}});
  AddField(catalog, "single", "f64", {{8, 1, 1, 3}});
  AddField(catalog, "gravity", "f64", {}, LayoutKind::kDataF);
  AddField(catalog, "empty", "f64", volume.WithV(0));
  catalog.masks.emplace("ocean", volume.WithV(1));
  catalog.masks.emplace("ice", volume.WithV(1));
  catalog.masks.emplace("lake", Shape{{1, 2, 2, 5}});
  return catalog;
}

inline absl::StatusOr<VerifiedProgram> VerifyText(absl::string_view text) {
  absl::StatusOr<Program> program = ParseProgram(text);
  if (!program.ok()) return program.status();
  return VerifyProgram(*std::move(program), MakeCatalog());
}

// Returns the info of the value of the first assignment of `program`.
inline const NodeInfo& FirstValue(const VerifiedProgram& program) {
  const Statement& statement = program.program.statements[0];
  const NodeIndex value = std::holds_alternative<Assignment>(statement)
                              ? std::get<Assignment>(statement).value
                              : std::get<Foreach>(statement).body[0].value;
  return program.nodes[static_cast<size_t>(value)];
}

// Rows of tables: a program and the type of its first value or result; a
// program and the reason it is refused for, or "OK".
struct TypeCase {
  const char* text;
  const char* type;
};
struct ErrorCase {
  const char* text;
  const char* reason;
};

// Returns the reason of `status`, "OK" when there is none.
inline std::string ReasonOf(const absl::Status& status) {
  return status.ok() ? "OK" : DetailOf(status).reason;
}

}  // namespace layoutd

#endif  // LAYOUTD_TESTS_ENGINE_PROGRAM_VERIFY_FIXTURE_H_
