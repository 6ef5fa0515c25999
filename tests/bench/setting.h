#ifndef LAYOUTD_TESTS_BENCH_SETTING_H_
#define LAYOUTD_TESTS_BENCH_SETTING_H_

// Where one case runs: how large its fields are, of which type, on how many
// threads.

#include <cstdint>
#include <string>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "engine/base/scalar_type.h"
#include "engine/layout/shape.h"

namespace layoutd {

enum class FieldSize : uint8_t {
  k256KiB,  // one field in the L2 cache
  kNh5400,  // a climate model's grid: 43 MB in f64
  k512MiB,  // far beyond every cache
};
inline constexpr FieldSize kFieldSizes[] = {
    FieldSize::k256KiB, FieldSize::kNh5400, FieldSize::k512MiB};

inline const char* Name(FieldSize size) {
  switch (size) {
    case FieldSize::k256KiB:
      return "256KiB";
    case FieldSize::kNh5400:
      return "Nh5400";
    case FieldSize::k512MiB:
      return "512MiB";
  }
  return "";
}

// Returns the shape (63, 4, 4, Nh) of a field of scalars of `scalar_bytes`.
inline Shape ShapeOf(FieldSize size, int64_t scalar_bytes) {
  const int64_t element_bytes = 63 * 4 * 4 * scalar_bytes;
  int64_t nh = 5400;
  if (size == FieldSize::k256KiB) nh = (int64_t{256} << 10) / element_bytes;
  if (size == FieldSize::k512MiB) nh = (int64_t{512} << 20) / element_bytes;
  return {{63, 4, 4, nh}};
}

template <typename T>
constexpr ScalarType kScalarTypeOf =
    std::is_same_v<T, float> ? ScalarType::kF32 : ScalarType::kF64;

struct Setting {
  FieldSize size = FieldSize::k256KiB;
  ScalarType type = ScalarType::kF64;
  int num_threads = 1;

  // "f64/Nh5400/2t"
  std::string name() const {
    return absl::StrCat(type == ScalarType::kF32 ? "f32" : "f64", "/",
                        Name(size), "/", num_threads, "t");
  }
  friend bool operator==(const Setting&, const Setting&) = default;
};

}  // namespace layoutd

#endif  // LAYOUTD_TESTS_BENCH_SETTING_H_
