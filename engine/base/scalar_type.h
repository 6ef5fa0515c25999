#ifndef LAYOUTD_ENGINE_BASE_SCALAR_TYPE_H_
#define LAYOUTD_ENGINE_BASE_SCALAR_TYPE_H_

// The scalar types of values: what a single number in a field can be. Every
// other module names scalars through this enum; `Int128` and `Uint128` are the
// only C++ spellings of the 128-bit types.

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"

namespace layoutd {

// `using` cannot carry __extension__.
// NOLINTBEGIN(modernize-use-using)
__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 Uint128;
// NOLINTEND(modernize-use-using)

enum class ScalarType : uint8_t {
  kBool,  // one byte, 0 or 1
  kI8,
  kI16,
  kI32,
  kI64,
  kI128,
  kU8,
  kU16,
  kU32,
  kU64,
  kU128,
  kF32,
  kF64,
};

inline constexpr int kNumScalarTypes = 13;

// Returns the size of `type`. Units: bytes; also its alignment.
constexpr int64_t SizeBytes(ScalarType type) {
  constexpr int64_t kSizes[kNumScalarTypes] = {1, 1, 2, 4,  8, 16, 1,
                                               2, 4, 8, 16, 4, 8};
  return kSizes[static_cast<int>(type)];
}

constexpr bool IsFloat(ScalarType type) {
  return type == ScalarType::kF32 || type == ScalarType::kF64;
}
constexpr bool IsSignedInteger(ScalarType type) {
  return type >= ScalarType::kI8 && type <= ScalarType::kI128;
}
constexpr bool IsUnsignedInteger(ScalarType type) {
  return type >= ScalarType::kU8 && type <= ScalarType::kU128;
}
// Returns whether `type` is an integer; bool is not one.
constexpr bool IsInteger(ScalarType type) {
  return IsSignedInteger(type) || IsUnsignedInteger(type);
}

// Returns the text form: "bool", "i8", ..., "u128", "f32", "f64".
absl::string_view Name(ScalarType type);

// Returns the scalar type that `name` spells, or nothing.
std::optional<ScalarType> ParseScalarType(absl::string_view name);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_BASE_SCALAR_TYPE_H_
