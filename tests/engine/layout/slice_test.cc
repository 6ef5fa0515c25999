#include "engine/layout/slice.h"

#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

using ::testing::HasSubstr;

constexpr auto kOutOfRange = absl::StatusCode::kOutOfRange;

View MakeView(LayoutKind kind, const Shape& shape, absl::string_view type,
              std::optional<ScalarType> base = std::nullopt) {
  return DataLayout::Create({kind, shape, *ValueType::Parse(type), base})
      ->WholeView();
}

TEST(SliceTest, LevelKeepsStridesAndMovesTheStart) {
  const View view =
      MakeView(LayoutKind::kVIJFH, {{10, 5, 5, 20}}, "(f64, f64)");

  ASSERT_OK_AND_ASSIGN(const View level, Level(view, 9));

  EXPECT_EQ(level.shape, (Shape{{1, 5, 5, 20}}));
  EXPECT_EQ(level.offset_bytes, 9 * 8);
  EXPECT_EQ(level.strides_bytes, view.strides_bytes);
  EXPECT_EQ(level.slot_stride_bytes, view.slot_stride_bytes);
}

TEST(SliceTest, SlabColumnAndPointFixTheirAxes) {
  const View view = MakeView(LayoutKind::kVIJHF, {{10, 5, 5, 20}}, "f64");

  ASSERT_OK_AND_ASSIGN(const View slab, Slab(view, 1, 19));
  ASSERT_OK_AND_ASSIGN(const View column, Column(view, 2, 1, 19));
  ASSERT_OK_AND_ASSIGN(const View point, Point(view, 1, 2, 1, 19));

  EXPECT_EQ(slab.shape, (Shape{{1, 5, 5, 1}}));
  EXPECT_EQ(slab.offset_bytes, (1 + 19 * 250) * 8);
  EXPECT_EQ(column.shape, (Shape{{10, 1, 1, 1}}));
  EXPECT_EQ(column.offset_bytes, (20 + 50 + 19 * 250) * 8);
  EXPECT_EQ(point.shape, Shape());
  EXPECT_EQ(point.offset_bytes, 4821 * 8);
}

TEST(SliceTest, SliceOfASliceIsWithinIt) {
  const View view = MakeView(LayoutKind::kVIJFH, {{10, 5, 5, 20}}, "f64");

  ASSERT_OK_AND_ASSIGN(const View column, Column(view, 2, 1, 19));
  ASSERT_OK_AND_ASSIGN(const View point, Level(column, 1));

  EXPECT_EQ(point.offset_bytes, 4821 * 8);
  EXPECT_THAT(Column(column, 2, 0, 0),
              IsError(kOutOfRange, "INDEX_OUT_OF_RANGE",
                      HasSubstr("slice axis i: index 2 outside [0, 1)")));
}

TEST(SliceTest, IndicesOutsideAreRefusedByAxis) {
  const View view = MakeView(LayoutKind::kVIJFH, {{63, 4, 4, 5}}, "f64");

  EXPECT_THAT(Level(view, 63),
              IsError(kOutOfRange, "INDEX_OUT_OF_RANGE",
                      HasSubstr("slice axis v: index 63 outside [0, 63)")));
  EXPECT_THAT(Slab(view, 0, -1), IsError(kOutOfRange, "INDEX_OUT_OF_RANGE",
                                         HasSubstr("axis h: index -1")));
  EXPECT_THAT(Column(view, 0, 4, 0), IsError(kOutOfRange, "INDEX_OUT_OF_RANGE",
                                             HasSubstr("axis j: index 4")));
  EXPECT_THAT(Point(view, 0, INT64_MIN, 0, 0),
              IsError(kOutOfRange, "INDEX_OUT_OF_RANGE", HasSubstr("axis i")));
  EXPECT_THAT(Level(MakeView(LayoutKind::kVIJFH, {{0, 4, 4, 5}}, "f64"), 0),
              IsError(kOutOfRange, "INDEX_OUT_OF_RANGE", HasSubstr("[0, 0)")));
}

TEST(PropertyViewTest, ComponentsOffsetsAddAlongThePath) {
  const View view = MakeView(LayoutKind::kVIJFH, {{3, 2, 2, 2}},
                             "{rho: f64, u: (f64, f64, f64)}");

  ASSERT_OK_AND_ASSIGN(const View wind, PropertyView(view, "u"));
  ASSERT_OK_AND_ASSIGN(const View last, PropertyView(wind, "2"));
  ASSERT_OK_AND_ASSIGN(const View same, PropertyView(view, "u.2"));

  EXPECT_EQ(wind.type.ToString(), "(f64, f64, f64)");
  EXPECT_EQ(wind.shape, view.shape);
  EXPECT_EQ(last.type, ValueType(ScalarType::kF64));
  EXPECT_EQ(AddressOf(last, 0).base_bytes, 3 * 12 * 8);
  EXPECT_EQ(AddressOf(same, 0).base_bytes, AddressOf(last, 0).base_bytes);
}

TEST(PropertyViewTest, ReferenceElementsOfAPropertyViewAreFound) {
  // Linear point index 12 (1-based) of slot 1 is element 24, 13 is 49.
  const View view =
      MakeView(LayoutKind::kVIJFH, {{3, 2, 2, 2}}, "(f64, f64, f64)");

  ASSERT_OK_AND_ASSIGN(const View middle, PropertyView(view, "1"));
  ASSERT_OK_AND_ASSIGN(const View twelfth, Point(middle, 2, 1, 1, 0));
  ASSERT_OK_AND_ASSIGN(const View next, Point(middle, 0, 0, 0, 1));

  EXPECT_EQ(AddressOf(middle, 0).base_bytes, (13 - 1) * 8);
  EXPECT_EQ(AddressOf(twelfth, 0).base_bytes, (24 - 1) * 8);
  EXPECT_EQ(AddressOf(next, 0).base_bytes, (49 - 1) * 8);
}

TEST(PropertyViewTest, ComponentInsideASlotIsAddressedByByte) {
  const View view = MakeView(LayoutKind::kVIJHF, {{2, 1, 1, 2}},
                             "(i32, (i32, i32), i32)", ScalarType::kI64);

  ASSERT_OK_AND_ASSIGN(const View pair, PropertyView(view, "1"));

  EXPECT_EQ(AddressOf(pair, 0).base_bytes, 4);
  EXPECT_EQ(AddressOf(pair, 1).base_bytes, 4 * 8);
}

TEST(PropertyViewTest, ComponentSaysWhetherItHasSlotsOfItsOwn) {
  const View view = MakeView(LayoutKind::kVIJHF, {{2, 1, 1, 2}},
                             "(i32, (i32, i32), i32, i128)", ScalarType::kI64);

  ASSERT_OK_AND_ASSIGN(const View pair, PropertyView(view, "1"));
  ASSERT_OK_AND_ASSIGN(const View second, PropertyView(pair, "1"));
  ASSERT_OK_AND_ASSIGN(const View wide, PropertyView(view, "3"));

  EXPECT_EQ(DirectSlots(view), (SlotRange{0, 4}));
  EXPECT_EQ(DirectSlots(pair), std::nullopt);
  EXPECT_EQ(DirectSlots(second), std::nullopt);
  EXPECT_EQ(DirectSlots(wide), (SlotRange{2, 2}));
}

TEST(PropertyViewTest, UnknownComponentIsNotFound) {
  const View view = MakeView(LayoutKind::kVIJFH, {{3, 2, 2, 2}}, "{rho: f64}");

  EXPECT_THAT(PropertyView(view, "u"),
              IsError(absl::StatusCode::kNotFound, "UNKNOWN_COMPONENT",
                      HasSubstr("rho")));
}

}  // namespace
}  // namespace layoutd
