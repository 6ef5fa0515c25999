#include "tests/fuzz/fuzz_inputs.h"

#include <random>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/support/random_scalar.h"

namespace layoutd {
namespace {

constexpr Shape kCells{{3, 2, 2, 3}};
constexpr Shape kFaces{{4, 2, 2, 3}};
constexpr Shape kColumns{{1, 2, 2, 3}};
constexpr Shape kLevels{{3, 1, 1, 1}};

ProgramCase MakeInputs() {
  ProgramCase inputs;
  std::mt19937_64 random(1);
  const auto add = [&](const std::string& id, const char* type,
                       const Shape& shape, LayoutKind kind,
                       std::optional<ScalarType> base) {
    CaseField field{id, ValueType::Parse(type).value(), shape, kind, base, {}};
    for (int64_t point = 0; point < shape.num_points(); ++point) {
      for (const Leaf& leaf : field.type.leaves()) {
        field.leaves.push_back(
            RandomScalar(random, leaf.type, /*special_percent=*/10));
      }
    }
    inputs.fields.push_back(std::move(field));
  };
  const LayoutKind f4 = LayoutKind::kVIJFH;
  const LayoutKind f5 = LayoutKind::kVIJHF;
  for (int type = 0; type < kNumScalarTypes; ++type) {
    const std::string name(Name(static_cast<ScalarType>(type)));
    add(absl::StrCat("x_", name), name.c_str(), kCells, type % 2 ? f4 : f5,
        std::nullopt);
  }
  for (const char* id : {"temp", "x", "y"}) {
    add(id, "f64", kCells, f4, std::nullopt);
  }
  add("salt", "f32", kCells, f5, std::nullopt);
  for (const char* id : {"area", "d20", "flux"}) {
    add(id, "f64", kColumns, f4, std::nullopt);
  }
  add("depth", "f64", kLevels, f4, std::nullopt);
  add("dz", "f32", kLevels, f4, std::nullopt);
  add("w", "f64", kFaces, f4, ScalarType::kU8);
  add("k", "i32", kFaces, f5, std::nullopt);
  add("s", "f64", {}, LayoutKind::kDataF, std::nullopt);
  add("none", "f64", {{3, 2, 2, 0}}, f4, std::nullopt);
  add("u", "(f64, f64, f32)", kCells, f4, ScalarType::kF32);
  add("q0", "{a: f32, b: (i16, bool), c: i128}", kCells, f5, ScalarType::kU16);
  add("q1", "{rho: f64, u: (f32, i32)}", kColumns, f4, std::nullopt);
  add("sea/q2", "(u8,)", kCells, f4, std::nullopt);
  for (const char* id : {"ocean", "m", "wet", "sea/ice"}) {
    CaseMask mask{id, kColumns, {}};
    for (int64_t column = 0; column < kColumns.num_columns(); ++column) {
      mask.active.push_back(random() % 3 > 0 ? 1 : 0);
    }
    inputs.masks.push_back(std::move(mask));
  }
  return inputs;
}

}  // namespace

const ProgramCase& FuzzInputs() {
  static const auto* inputs = new ProgramCase(MakeInputs());
  return *inputs;
}

}  // namespace layoutd
