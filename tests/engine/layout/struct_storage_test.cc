#include "engine/layout/struct_storage.h"

#include <string>
#include <vector>

#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// The sizes, offsets, padding and slots of whole types are in the vectors of
// tests/vectors/struct_vectors.json.

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

TEST(BaseTypeTest, ABaseTypeThatIsNotValidGivesWayToTheDefaultOne) {
  const ValueType pair = *ValueType::Parse("(f32, i16)");
  EXPECT_EQ(CheckedValidBaseType(ScalarType::kF32, pair), ScalarType::kF32);
  EXPECT_EQ(CheckedValidBaseType(ScalarType::kI128, pair), ScalarType::kI16);
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
