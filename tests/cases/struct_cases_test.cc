// Cases from public bug reports: struct values in arrays of lower rank.

#include <cstring>
#include <vector>

#include "engine/layout/struct_access.h"
#include "engine/layout/struct_storage.h"
#include "engine/layout/struct_view.h"
#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

template <typename T>
absl::Span<const uint8_t> BytesOf(const T& value) {
  return {reinterpret_cast<const uint8_t*>(&value), sizeof(value)};
}

template <typename T>
absl::Span<uint8_t> MutableBytesOf(T& value) {
  return {reinterpret_cast<uint8_t*>(&value), sizeof(value)};
}

// Axes (I, F, H): no V and no J, so that the slot axis is the second. Component
// b is written after a, alone, and neither moves the other.
TEST(StructCasesTest, K29AMemberIsWrittenToItsSlotsInALayoutOfLowerRank) {
  const ValueType type = ValueType::Parse("{a: f64, b: f64}").value();
  for (const ScalarType base :
       {ScalarType::kF64, ScalarType::kF32, ScalarType::kI8}) {
    SCOPED_TRACE(Name(base));
    const int64_t num_slots = NumSlots(base, type);
    const std::vector<int64_t> extents = {4, num_slots, 3};
    const SlotAxes axes{extents, 1};
    std::vector<uint8_t> memory(12 * 16);
    const auto place_of = [&](int64_t i, int64_t h) -> StructPlace {
      const std::vector<int64_t> point = {i, h};
      return {base, ViewStruct(axes, num_slots, point).value(), type};
    };

    for (int64_t h = 0; h < 3; ++h) {
      for (int64_t i = 0; i < 4; ++i) {
        const double a = static_cast<double>(i + 10 * h);
        const double b = 100 + a;
        ASSERT_OK(SetStructField(place_of(i, h), "a", BytesOf(a),
                                 absl::MakeSpan(memory)));
        ASSERT_OK(SetStructField(place_of(i, h), "b", BytesOf(b),
                                 absl::MakeSpan(memory)));
      }
    }

    double sum_a = 0;
    double sum_b = 0;
    double last[2] = {};
    for (int64_t h = 0; h < 3; ++h) {
      for (int64_t i = 0; i < 4; ++i) {
        ASSERT_OK(GetStruct(place_of(i, h), memory, MutableBytesOf(last)));
        sum_a += last[0];
        sum_b += last[1];
      }
    }
    EXPECT_EQ(sum_a, 138);
    EXPECT_EQ(sum_b, 1338);
    EXPECT_EQ(last[1], 123);
  }
}

// An aligned record of NumPy, dtype i4, i8: four unnamed bytes lie between.
TEST(StructCasesTest, K29PaddingCountsInOffsetsAndNeverInValues) {
  const ValueType type = ValueType::Parse("(i32, i64)").value();
  ASSERT_OK_AND_ASSIGN(const StructView view, ViewStruct(4, 4));
  const StructPlace place{ScalarType::kI32, view, type};
  std::vector<uint8_t> memory(16, 0xee);
  std::vector<uint8_t> value(16, 0xdd);
  const int32_t first = 7;
  const int64_t second = -9;
  std::memcpy(value.data(), &first, sizeof(first));
  std::memcpy(value.data() + 8, &second, sizeof(second));

  ASSERT_OK(SetStruct(place, value, absl::MakeSpan(memory)));
  std::memset(memory.data() + 4, 0xcc, 4);
  std::vector<uint8_t> back(16);
  ASSERT_OK(GetStruct(place, memory, absl::MakeSpan(back)));

  std::memset(value.data() + 4, 0, 4);
  EXPECT_EQ(back, value);
}

}  // namespace
}  // namespace layoutd
