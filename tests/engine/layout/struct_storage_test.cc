#include "engine/layout/struct_storage.h"

#include <string>
#include <vector>

#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// One struct of the reference table (sizes checked with a C compiler).
struct StructCase {
  const char* id;
  const char* type;
  int64_t size_bytes;
  int64_t align_bytes;
  ScalarType default_base;
  ScalarType base;  // of num_slots
  int64_t num_slots;
  std::vector<int64_t> member_offsets;
  std::vector<int64_t> padding;  // bytes that belong to no leaf
};

std::vector<StructCase> StructCases() {
  using enum ScalarType;
  return {
      {"S001", "(i64, f64, i128)", 32, 16, kF64, kI64, 4, {0, 8, 16}, {}},
      {"S003",
       "(i32, i32, i128)",
       32,
       16,
       kI32,
       kI64,
       4,
       {0, 4, 16},
       {8, 9, 10, 11, 12, 13, 14, 15}},
      {"S004", "(f64, f64, f64)", 24, 8, kF64, kI32, 6, {0, 8, 16}, {}},
      {"S005", "(f64, f64)", 16, 8, kF64, kF64, 2, {0, 8}, {}},
      {"S007", "{x: f32, y: f32}", 8, 4, kF32, kF32, 2, {0, 4}, {}},
      {"S009",
       "{x: f64, y: f32}",
       16,
       8,
       kF32,
       kF32,
       4,
       {0, 8},
       {12, 13, 14, 15}},
      {"S012", "i32", 4, 4, kI32, kI8, 4, {}, {}},
      {"S014", "f64", 8, 8, kF64, kF32, 2, {}, {}},
      {"S016",
       "{a: ((f64, f32), (f64, f32)), b: (f64, f32)}",
       48,
       8,
       kF32,
       kF32,
       12,
       {0, 32},
       {12, 13, 14, 15, 28, 29, 30, 31, 44, 45, 46, 47}},
      {"S022", "(i16, u8)", 4, 2, kU8, kF32, 1, {0, 2}, {3}},
      {"S023", "(i32, u8)", 8, 4, kU8, kF64, 1, {0, 4}, {5, 6, 7}},
      {"S024",
       "((i16, u8), u64)",
       16,
       8,
       kU8,
       kF32,
       4,
       {0, 8},
       {3, 4, 5, 6, 7}},
      {"S026", "(f64, (f64, f64))", 24, 8, kF64, kF64, 3, {0, 8}, {}},
      {"S027", "(i64, f64)", 16, 8, kF64, kF64, 2, {0, 8}, {}},
      {"S028", "({re: f64, im: f64}, f64)", 24, 8, kF64, kF64, 3, {0, 16}, {}},
      {"S032", "f64", 8, 8, kF64, kF64, 1, {}, {}},
      {"S033", "bool", 1, 1, kBool, kBool, 1, {}, {}},
      {"S039", "(i8, i64)", 16, 8, kI8, kI8, 16, {0, 8}, {1, 2, 3, 4, 5, 6, 7}},
      {"S040", "(i8, i16, i8)", 6, 2, kI8, kI8, 6, {0, 2, 4}, {1, 5}},
      {"S041", "(i16, u8, bool)", 4, 2, kU8, kU8, 4, {0, 2, 3}, {}},
      {"S042", "(bool, bool)", 2, 1, kU8, kU8, 2, {0, 1}, {}},
      {"S044", "((f32,), (f32,))", 8, 4, kF32, kF32, 2, {0, 4}, {}},
      {"S046",
       "(f32, f64, i8)",
       24,
       8,
       kI8,
       kI8,
       24,
       {0, 8, 16},
       {4, 5, 6, 7, 17, 18, 19, 20, 21, 22, 23}},
      {"S047",
       "{rho: f64, uh: (f64, f64), flag: bool}",
       32,
       8,
       kU8,
       kU8,
       32,
       {0, 8, 24},
       {25, 26, 27, 28, 29, 30, 31}},
      {"S049",
       "(u128, u8)",
       32,
       16,
       kU8,
       kU8,
       32,
       {0, 16},
       {17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31}},
      {"S050", "(i128, i128)", 32, 16, kI128, kI128, 2, {0, 16}, {}},
      {"S053",
       "({re: f32, im: f32}, {re: f64, im: f64})",
       24,
       8,
       kF32,
       kF32,
       6,
       {0, 8},
       {}},
      {"S054", "(i32, (i32, i32), i32)", 16, 4, kI32, kI64, 2, {0, 4, 12}, {}},
      {"S055", "(f32, f32, f32, f32)", 16, 4, kF32, kF64, 2, {0, 4, 8, 12}, {}},
      {"S057",
       "(i8, (i16, i8), i32, (i64, i8))",
       32,
       8,
       kI8,
       kI8,
       32,
       {0, 2, 8, 16},
       {1, 5, 6, 7, 12, 13, 14, 15, 25, 26, 27, 28, 29, 30, 31}},
      {"S058",
       "(i8, (i16, i8), i32, (i64, i8))",
       32,
       8,
       kI8,
       kI16,
       16,
       {0, 2, 8, 16},
       {1, 5, 6, 7, 12, 13, 14, 15, 25, 26, 27, 28, 29, 30, 31}},
      {"S059",
       "(((f64, f32), i8), f32)",
       32,
       8,
       kI8,
       kI8,
       32,
       {0, 24},
       {12, 13, 14, 15, 17, 18, 19, 20, 21, 22, 23, 28, 29, 30, 31}},
      {"S061",
       "(f32, f32, f32, f32, f32, f32, f32, f32, f32)",
       36,
       4,
       kF32,
       kF32,
       9,
       {0, 4, 8, 12, 16, 20, 24, 28, 32},
       {}},
      {"S064", "(u8, u16, u32, u64)", 16, 8, kU8, kU8, 16, {0, 2, 4, 8}, {1}},
      {"S066",
       "{instant: {periods: {value: i64}}}",
       8,
       8,
       kI64,
       kI64,
       1,
       {0},
       {}},
  };
}
std::vector<int64_t> PaddingOf(const ValueType& type) {
  std::vector<int64_t> padding;
  int64_t end = 0;
  for (const Leaf& leaf : type.leaves()) {
    for (; end < leaf.offset_bytes; ++end) padding.push_back(end);
    end = leaf.offset_bytes + SizeBytes(leaf.type);
  }
  for (; end < type.size_bytes(); ++end) padding.push_back(end);
  return padding;
}

class StructStorageTest : public testing::TestWithParam<StructCase> {};

TEST_P(StructStorageTest, TypeHasTheReferenceLayout) {
  const StructCase& want = GetParam();

  ASSERT_OK_AND_ASSIGN(const ValueType type, ValueType::Parse(want.type));

  std::vector<int64_t> offsets;
  for (int m = 0; m < type.num_members(); ++m) {
    offsets.push_back(type.member_offset_bytes(m));
  }
  EXPECT_EQ(type.size_bytes(), want.size_bytes);
  EXPECT_EQ(type.align_bytes(), want.align_bytes);
  EXPECT_EQ(offsets, want.member_offsets);
  EXPECT_EQ(PaddingOf(type), want.padding);
  EXPECT_EQ(DefaultBaseType(type), want.default_base);
  EXPECT_OK(CheckBaseType(want.base, type));
  EXPECT_EQ(NumSlots(want.base, type), want.num_slots);
}

INSTANTIATE_TEST_SUITE_P(Reference, StructStorageTest,
                         testing::ValuesIn(StructCases()),
                         [](const auto& row) { return row.param.id; });

TEST(BaseTypeTest, LoneBoolKeepsItsTypeAndABoolInATupleCountsAsU8) {
  EXPECT_EQ(DefaultBaseType(ScalarType::kBool), ScalarType::kBool);
  EXPECT_EQ(DefaultBaseType(*ValueType::Parse("(bool, f64)")), ScalarType::kU8);
  EXPECT_EQ(DefaultBaseType(*ValueType::Parse("(bool, i8)")), ScalarType::kI8);
}

struct BaseFault {
  ScalarType base;
  const char* type;
  const char* offender;  // as the message names it
};

TEST(BaseTypeTest, InnermostMemberThatDoesNotDivideIsNamed) {
  const std::vector<BaseFault> faults = {
      {ScalarType::kF64, "f32", "does not divide f32 (4 bytes)"},
      {ScalarType::kI64, "(i32, i32, i32)", "i32 (4 bytes) of member \"0\""},
      {ScalarType::kI64, "(i32, (i32, i32))", "i32 (4 bytes) of member \"0\""},
      {ScalarType::kI128, "(i64, i64, i64)", "i64 (8 bytes) of member \"0\""},
      {ScalarType::kF32, "(i8, i8, i16, i16)", "i8 (1 bytes) of member \"0\""},
      {ScalarType::kF64, "bool", "does not divide bool (1 bytes)"},
      {ScalarType::kF32, "{a: (i16, i16), b: ((i16, i16), {c: i16})}",
       "i16 (2 bytes) of member \"b.1.c\""},
  };
  for (const BaseFault& fault : faults) {
    ASSERT_OK_AND_ASSIGN(const ValueType type, ValueType::Parse(fault.type));
    EXPECT_THAT(CheckBaseType(fault.base, type),
                IsError(absl::StatusCode::kInvalidArgument, "BAD_BASE_TYPE",
                        AllOf(HasSubstr(fault.offender),
                              HasSubstr(std::string(Name(fault.base))))));
  }
}

TEST(LeafPlaceTest, NarrowLeafLiesInsideOneSlot) {
  const LeafPlace place = PlaceLeaf(12, 4, 8);

  EXPECT_EQ(place.slot, 1);
  EXPECT_EQ(place.offset_in_slot, 4);
  EXPECT_EQ(place.num_pieces, 1);
  EXPECT_EQ(place.piece_bytes, 4);
}

TEST(LeafPlaceTest, WideLeafIsCutIntoSlots) {
  const LeafPlace place = PlaceLeaf(16, 16, 4);

  EXPECT_EQ(place.slot, 4);
  EXPECT_EQ(place.offset_in_slot, 0);
  EXPECT_EQ(place.num_pieces, 4);
  EXPECT_EQ(place.piece_bytes, 4);
}

TEST(LeafPlaceTest, LeafOfSlotSizeIsOneSlot) {
  const LeafPlace place = PlaceLeaf(24, 8, 8);

  EXPECT_EQ(place.slot, 3);
  EXPECT_EQ(place.offset_in_slot, 0);
  EXPECT_EQ(place.num_pieces, 1);
  EXPECT_EQ(place.piece_bytes, 8);
}

}  // namespace
}  // namespace layoutd
