#include "engine/base/scalar_type.h"

namespace layoutd {
namespace {

constexpr absl::string_view kNames[kNumScalarTypes] = {
    "bool", "i8",  "i16", "i32",  "i64", "i128", "u8",
    "u16",  "u32", "u64", "u128", "f32", "f64"};

}  // namespace

absl::string_view Name(ScalarType type) {
  return kNames[static_cast<int>(type)];
}

std::optional<ScalarType> ParseScalarType(absl::string_view name) {
  for (int i = 0; i < kNumScalarTypes; ++i) {
    if (kNames[i] == name) return static_cast<ScalarType>(i);
  }
  return std::nullopt;
}

}  // namespace layoutd
