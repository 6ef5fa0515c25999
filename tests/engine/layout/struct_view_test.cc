#include "engine/layout/struct_view.h"

#include <limits>
#include <vector>

#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr auto kOutOfRange = absl::StatusCode::kOutOfRange;
constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

static_assert(TryViewStruct(12, 4, 1, 3)->ElementOf(3) == 10);
static_assert(!TryViewStruct(12, 4, 3, 3));
static_assert(TryStructFieldView(8, 16, 8) == SlotRange{2, 1});
static_assert(!TryStructFieldView(8, 4, 8));

TEST(ViewStructTest, TheFourAddressModesAgree) {
  const std::vector<int64_t> extents = {3, 4};
  const SlotAxes array{extents, 1};
  const std::vector<int64_t> point = {1};

  const StructView want{1, 3, 4};
  EXPECT_EQ(*ViewStruct(array, 4, point), want);
  EXPECT_EQ(*ViewStruct(array, 4, 1), want);
  EXPECT_EQ(*ViewStruct(12, 4, 1, 3), want);
  EXPECT_EQ(*ViewStruct(4, 4), (StructView{0, 1, 4}));
}

TEST(ViewStructTest, WithoutASlotAxisAValueIsOneSlot) {
  const std::vector<int64_t> extents = {3, 4};
  const SlotAxes array{extents, std::nullopt};
  const std::vector<int64_t> point = {2, 3};

  EXPECT_EQ(*ViewStruct(array, 1, point), (StructView{11, 1, 1}));
  EXPECT_EQ(*ViewStruct(array, 1, 11), (StructView{11, 1, 1}));
  EXPECT_THAT(ViewStruct(array, 2, point),
              IsError(kInvalid, "BAD_SHAPE", HasSubstr("2 slots")));
}

TEST(ViewStructTest, SlotsPastTheSlotAxisAreOutOfRange) {
  const std::vector<int64_t> extents = {4, 2};
  const SlotAxes array{extents, 0};
  const std::vector<int64_t> point = {0};

  EXPECT_OK(ViewStruct(array, 2, 2));
  EXPECT_THAT(
      ViewStruct(array, 2, 3),
      IsError(kOutOfRange, "INDEX_OUT_OF_RANGE",
              AllOf(HasSubstr("2 slots from element 3"), HasSubstr("(4, 2)"))));
  EXPECT_THAT(ViewStruct(array, 5, point),
              IsError(kOutOfRange, "INDEX_OUT_OF_RANGE",
                      HasSubstr("5 slots on a slot axis of 4")));
}

TEST(ViewStructTest, BadArraysAndIndicesAreTypedErrors) {
  const std::vector<int64_t> extents = {4, 2};
  const std::vector<int64_t> huge = {kMax, 1, 3};
  const std::vector<int64_t> negative = {4, -2};
  const std::vector<int64_t> none = {0, 0, 2};
  const std::vector<int64_t> pair = {0, 0};
  const std::vector<int64_t> past = {2};

  EXPECT_THAT(ViewStruct(SlotAxes{extents, 2}, 1, 0),
              IsError(kInvalid, "BAD_SHAPE", HasSubstr("no slot axis 2")));
  EXPECT_THAT(ViewStruct(SlotAxes{huge, 1}, 1, 0),
              IsError(kInvalid, "BAD_SHAPE", HasSubstr("int64")));
  EXPECT_THAT(ViewStruct(SlotAxes{negative, 0}, 1, 0),
              IsError(kInvalid, "BAD_SHAPE", HasSubstr("negative")));
  EXPECT_THAT(ViewStruct(SlotAxes{none, 2}, 2, 0),
              IsError(kOutOfRange, "INDEX_OUT_OF_RANGE", HasSubstr("2 slots")));
  EXPECT_THAT(ViewStruct(SlotAxes{extents, 0}, 4, pair),
              IsError(kInvalid, "BAD_SHAPE", HasSubstr("2 indices for 1")));
  EXPECT_THAT(
      ViewStruct(SlotAxes{extents, 0}, 4, past),
      IsError(kOutOfRange, "INDEX_OUT_OF_RANGE", HasSubstr("axis 1: index 2")));
  EXPECT_THAT(ViewStruct(8, 2, 0, 0),
              IsError(kInvalid, "BAD_STRIDE", HasSubstr("0 < 1")));
}

// Whatever the numbers, the answer is that of arithmetic in 128 bits.
TEST(ViewStructTest, AddressesNeverOverflow) {
  const std::vector<int64_t> numbers = {std::numeric_limits<int64_t>::min(),
                                        -1,
                                        0,
                                        1,
                                        2,
                                        3,
                                        7,
                                        kMax / 2,
                                        kMax / 2 + 1,
                                        kMax - 1,
                                        kMax};
  for (const int64_t elements : numbers) {
    for (const int64_t slots : numbers) {
      for (const int64_t first : numbers) {
        for (const int64_t stride : numbers) {
          if (elements < 0 || slots < 1) continue;
          const Int128 last = static_cast<Int128>(first) +
                              static_cast<Int128>(slots - 1) * stride;
          const bool inside = first >= 0 && stride > 0 && last < elements;
          EXPECT_EQ(TryViewStruct(elements, slots, first, stride).has_value(),
                    inside)
              << elements << " " << slots << " " << first << " " << stride;
        }
      }
    }
  }
}

// Every linear and Cartesian index of small arrays, with each axis as the slot
// axis: what is granted lies inside, and points do not share elements.
TEST(ViewStructTest, EveryIndexOfASmallArrayStaysInside) {
  const std::vector<int64_t> extents = {3, 2, 4};
  for (size_t slot_axis = 0; slot_axis < 3; ++slot_axis) {
    const SlotAxes array{extents, slot_axis};
    const int64_t num_slots = extents[slot_axis];
    std::vector<int> owners(24, 0);
    for (int64_t a = -1; a <= 4; ++a) {
      for (int64_t b = -1; b <= 4; ++b) {
        const std::vector<int64_t> point = {a, b};
        const int64_t extent_a = extents[slot_axis == 0 ? 1 : 0];
        const int64_t extent_b = extents[slot_axis == 2 ? 1 : 2];
        const absl::StatusOr<StructView> view =
            ViewStruct(array, num_slots, point);
        ASSERT_EQ(view.ok(), a >= 0 && a < extent_a && b >= 0 && b < extent_b);
        if (!view.ok()) continue;
        EXPECT_EQ(*ViewStruct(array, num_slots, view->first), *view);
        for (int64_t k = 0; k < num_slots; ++k) {
          ++owners.at(static_cast<size_t>(view->ElementOf(k)));
        }
      }
    }
    EXPECT_EQ(owners, std::vector<int>(24, 1)) << "slot axis " << slot_axis;
    int64_t stride = 1;
    for (size_t axis = 0; axis < slot_axis; ++axis) stride *= extents[axis];
    for (int64_t first = -2; first < 27; ++first) {
      const bool inside = first >= 0 && first < 24 &&
                          first / stride % num_slots + 1 < num_slots;
      EXPECT_EQ(ViewStruct(array, 2, first).ok(), inside) << first;
    }
  }
}

TEST(StructFieldViewTest, NestedComponentHasItsSlots) {
  ASSERT_OK_AND_ASSIGN(const ValueType type,
                       ValueType::Parse("{a: f64, b: (i128, {c: u128})}"));

  EXPECT_EQ(*StructFieldView(ScalarType::kF64, type, ""), (SlotRange{0, 6}));
  EXPECT_EQ(*StructFieldView(ScalarType::kF64, type, "b.1.c"),
            (SlotRange{4, 2}));
  EXPECT_EQ(PartOf({5, 7, 6}, {4, 2}), (StructView{33, 7, 2}));
}

TEST(StructFieldViewTest, ComponentThatSharesASlotIsNamed) {
  ASSERT_OK_AND_ASSIGN(const ValueType type,
                       ValueType::Parse("(i32, (i32, i32), i32)"));

  EXPECT_THAT(StructFieldView(ScalarType::kI64, type, "1"),
              IsError(kInvalid, "SHARED_SLOT",
                      AllOf(HasSubstr("component \"1\" (8 bytes at byte 4"),
                            HasSubstr("base type i64"))));
  EXPECT_THAT(StructFieldView(ScalarType::kI64, type, "4"),
              IsError(absl::StatusCode::kNotFound, "UNKNOWN_COMPONENT",
                      HasSubstr("4")));
}

}  // namespace
}  // namespace layoutd
