#include "engine/layout/struct_access.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/layout/struct_storage.h"
#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Bytes = std::vector<uint8_t>;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
constexpr uint8_t kStale = 0xaa;

constexpr const char* kTypes[] = {
    "i128",
    "(i32, i32, i128)",
    "(f64, f32)",
    "(i32, (i32, i32), i32)",
    "{a: i16, b: {c: u8, d: (bool, u128)}, e: f32}",
    "(u128, (i8, (i64, i16)), f32)",
    "((f64, f64, f64), f64)",
};

ValueType Parse(const char* text) { return ValueType::Parse(text).value(); }

// Which bytes of a value belong to a leaf.
std::vector<bool> LeafBytes(const ValueType& type) {
  std::vector<bool> is_leaf(static_cast<size_t>(type.size_bytes()));
  for (const Leaf& leaf : type.leaves()) {
    for (int64_t k = 0; k < SizeBytes(leaf.type); ++k) {
      is_leaf[static_cast<size_t>(leaf.offset_bytes + k)] = true;
    }
  }
  return is_leaf;
}

// Every byte different from zero and from kStale, padding included.
Bytes NoisyValue(const ValueType& type) {
  Bytes value;
  for (int64_t k = 0; k < type.size_bytes(); ++k) {
    value.push_back(static_cast<uint8_t>(1 + k % 150));
  }
  return value;
}

// Slots of one value in the middle of a larger array, apart from each other.
struct Array {
  StructPlace place;
  Bytes memory;

  Array(ScalarType base, const ValueType& type)
      : place{base, {2, 3, NumSlots(base, type)}, type},
        memory(static_cast<size_t>((place.view.num_slots * 3 + 5) *
                                   SizeBytes(base)),
               kStale) {}
  // Returns the byte of the array that holds byte `k` of the value.
  size_t AddressOf(int64_t k) const {
    const int64_t slot_bytes = SizeBytes(place.base);
    return static_cast<size_t>(
        place.view.ElementOf(k / slot_bytes) * slot_bytes + k % slot_bytes);
  }
};

std::vector<Array> AllArrays() {
  std::vector<Array> arrays;
  for (const char* text : kTypes) {
    const ValueType type = Parse(text);
    for (int base = 0; base < kNumScalarTypes; ++base) {
      const auto base_type = static_cast<ScalarType>(base);
      if (IsValidBaseType(base_type, type))
        arrays.emplace_back(base_type, type);
    }
  }
  return arrays;
}

std::string NameOf(const Array& array) {
  return absl::StrCat(array.place.type.ToString(), " over ",
                      Name(array.place.base));
}

TEST(SetStructTest, RoundTripsBitForBitOverEveryValidBaseType) {
  for (Array& array : AllArrays()) {
    SCOPED_TRACE(NameOf(array));
    const ValueType& type = array.place.type;
    const Bytes value = NoisyValue(type);
    const std::vector<bool> is_leaf = LeafBytes(type);
    Bytes stored = value;  // padding is stored as zeros
    Bytes want(array.memory.size(), kStale);
    for (size_t k = 0; k < value.size(); ++k) {
      if (!is_leaf[k]) stored[k] = 0;
      want[array.AddressOf(static_cast<int64_t>(k))] = stored[k];
    }

    ASSERT_OK(SetStruct(array.place, value, absl::MakeSpan(array.memory)));

    EXPECT_EQ(array.memory, want);
    for (size_t k = 0; k < value.size(); ++k) {
      if (!is_leaf[k]) {
        array.memory[array.AddressOf(static_cast<int64_t>(k))] = kStale;
      }
    }
    Bytes back(value.size(), kStale);
    ASSERT_OK(GetStruct(array.place, array.memory, absl::MakeSpan(back)));
    EXPECT_EQ(back, stored);
  }
}

TEST(SetStructFieldTest, WritingOneComponentLeavesTheBytesOfTheOthers) {
  for (const Array& array : AllArrays()) {
    const ValueType& type = array.place.type;
    std::vector<std::string> paths;
    for (const Leaf& leaf : type.leaves()) paths.push_back(leaf.path);
    for (int m = 0; m < type.num_members(); ++m) {
      paths.push_back(type.is_named() ? std::string(type.member_name(m))
                                      : absl::StrCat(m));
    }
    for (const std::string& path : paths) {
      SCOPED_TRACE(absl::StrCat(NameOf(array), " component ", path));
      ASSERT_OK_AND_ASSIGN(const Component part, FindComponent(type, path));
      const Bytes value = NoisyValue(part.type);
      const std::vector<bool> is_leaf = LeafBytes(part.type);
      Bytes want = array.memory;
      Bytes stored = value;
      for (size_t k = 0; k < value.size(); ++k) {
        if (!is_leaf[k]) stored[k] = 0;
        want[array.AddressOf(part.offset_bytes + static_cast<int64_t>(k))] =
            stored[k];
      }
      Bytes memory = array.memory;

      ASSERT_OK(
          SetStructField(array.place, path, value, absl::MakeSpan(memory)));

      EXPECT_EQ(memory, want);
      Bytes back(value.size());
      ASSERT_OK(
          GetStructField(array.place, path, memory, absl::MakeSpan(back)));
      EXPECT_EQ(back, stored);
    }
  }
}

TEST(SetStructTest, NothingIsWrittenWhereOneSlotIsOutside) {
  const ValueType type = Parse("(f64, f64, f64)");
  Bytes memory(8 * 8, kStale);
  const Bytes untouched = memory;
  const Bytes value(24, 1);
  Bytes out(24, kStale);
  const StructPlace past{ScalarType::kF64, {2, 3, 3}, type};

  EXPECT_THAT(SetStruct(past, value, absl::MakeSpan(memory)),
              IsError(absl::StatusCode::kOutOfRange, "INDEX_OUT_OF_RANGE",
                      HasSubstr("3 slots from element 2, stride 3")));
  EXPECT_THAT(
      GetStruct(past, memory, absl::MakeSpan(out)),
      IsError(absl::StatusCode::kOutOfRange, "INDEX_OUT_OF_RANGE", testing::_));
  EXPECT_EQ(memory, untouched);
  EXPECT_EQ(out, Bytes(24, kStale));
}

TEST(SetStructTest, PlacesAndValuesOfAnotherSizeAreRefused) {
  const ValueType type = Parse("(f64, f64, f64)");
  Bytes memory(8 * 8, kStale);
  const Bytes value(24, 1);
  const StructPlace good{ScalarType::kF64, {0, 1, 3}, type};
  const StructPlace few{ScalarType::kF64, {0, 1, 2}, type};
  const StructPlace base{ScalarType::kI128, {0, 1, 1}, type};

  EXPECT_THAT(SetStruct(few, value, absl::MakeSpan(memory)),
              IsError(kInvalid, "BAD_SIZE", HasSubstr("2 slots")));
  EXPECT_THAT(
      SetStruct(good, absl::MakeSpan(value).first(16), absl::MakeSpan(memory)),
      IsError(kInvalid, "BAD_SIZE", HasSubstr("value has 16 bytes")));
  EXPECT_THAT(SetStruct(base, value, absl::MakeSpan(memory)),
              IsError(kInvalid, "BAD_BASE_TYPE", HasSubstr("member \"0\"")));
  EXPECT_THAT(SetStructField(good, "3", value, absl::MakeSpan(memory)),
              IsError(absl::StatusCode::kNotFound, "UNKNOWN_COMPONENT",
                      HasSubstr("3")));
  EXPECT_EQ(memory, Bytes(8 * 8, kStale));
}

TEST(BitcastStructTest, PaddingIsBytesAsAllOthers) {
  // Eight bytes of padding lie before the i128: four words are its size.
  const ValueType words = Parse("(i64, i64, i64, i64)");
  const ValueType padded = Parse("(i32, i128)");
  const Bytes value = NoisyValue(words);
  Bytes cast(32);

  ASSERT_OK(BitcastStruct(words, value, padded, absl::MakeSpan(cast)));

  EXPECT_EQ(cast, value);
}

TEST(BitcastStructTest, TypesOfDifferentSizesAreRefused) {
  const Bytes value(24, 1);
  Bytes cast(32, kStale);

  EXPECT_THAT(BitcastStruct(Parse("(i64, i64, i64)"), value,
                            Parse("(i32, i32, i128)"), absl::MakeSpan(cast)),
              IsError(kInvalid, "BAD_SIZE",
                      AllOf(HasSubstr("24 bytes"), HasSubstr("32"))));
  EXPECT_EQ(cast, Bytes(32, kStale));
}

TEST(BitcastStructTest, AByteThatIsNoBoolIsKept) {
  const Bytes three = {3};
  Bytes as_bool(1);
  Bytes back(1);

  ASSERT_OK(BitcastStruct(ScalarType::kU8, three, ScalarType::kBool,
                          absl::MakeSpan(as_bool)));
  ASSERT_OK(BitcastStruct(ScalarType::kBool, as_bool, ScalarType::kU8,
                          absl::MakeSpan(back)));

  EXPECT_EQ(back, three);
}

}  // namespace
}  // namespace layoutd
