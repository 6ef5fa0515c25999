#include "engine/layout/data_layout.h"

#include <limits>
#include <string>
#include <vector>

#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
constexpr auto kOutOfRange = absl::StatusCode::kOutOfRange;

ValueType F64s(int count) {
  return *ValueType::Tuple(std::vector<ValueType>(static_cast<size_t>(count),
                                                  ValueType(ScalarType::kF64)));
}

// Where slots lie is in the vectors of tests/vectors/layout_vectors.json.

TEST(DataLayoutTest, DataFHoldsOneValue) {
  ASSERT_OK_AND_ASSIGN(
      const DataLayout layout,
      DataLayout::Create({LayoutKind::kDataF, Shape{}, F64s(3)}));

  EXPECT_EQ(layout.buffer().num_axes, 1);
  EXPECT_EQ(layout.size_bytes(), 24);
  EXPECT_THAT(layout.WholeView().strides_bytes, ElementsAre(0, 0, 0, 0));
  EXPECT_EQ(layout.WholeView().slot_stride_bytes, 8);
}

TEST(DataLayoutTest, LeavesNarrowerAndWiderThanASlotAreAddressed) {
  ASSERT_OK_AND_ASSIGN(const ValueType type,
                       ValueType::Parse("(i32, i32, i128)"));
  ASSERT_OK_AND_ASSIGN(
      const DataLayout layout,
      DataLayout::Create(
          {LayoutKind::kVIJFH, Shape{{2, 1, 1, 3}}, type, ScalarType::kI64}));

  const LeafAddress second = AddressOf(layout.WholeView(), 1);
  const LeafAddress wide = AddressOf(layout.WholeView(), 2);

  EXPECT_EQ(layout.num_components(), 4);
  EXPECT_EQ(second.base_bytes, 4);
  EXPECT_EQ(second.num_pieces, 1);
  EXPECT_EQ(second.piece_bytes, 4);
  EXPECT_EQ(wide.type, ScalarType::kI128);
  EXPECT_EQ(wide.base_bytes, 2 * 2 * 8);
  EXPECT_EQ(wide.num_pieces, 2);
  EXPECT_EQ(wide.piece_bytes, 8);
}

TEST(DataLayoutTest, BaseTypeDefaultsToThatOfTheValue) {
  ASSERT_OK_AND_ASSIGN(
      const DataLayout layout,
      DataLayout::Create({LayoutKind::kVIJHF, Shape{{2, 2, 2, 2}},
                          *ValueType::Parse("(f64, f32)")}));

  EXPECT_EQ(layout.base_type(), ScalarType::kF32);
  EXPECT_EQ(layout.num_components(), 4);
}

TEST(DataLayoutTest, ExtentsMayBeZero) {
  for (const Shape& shape :
       {Shape{{0, 4, 4, 5}}, Shape{{3, 4, 4, 0}}, Shape{{3, 0, 0, 5}},
        Shape{{3, 0, 1, 5}}, Shape{{0, 0, 0, 0}}}) {
    ASSERT_OK_AND_ASSIGN(
        const DataLayout layout,
        DataLayout::Create({LayoutKind::kVIJFH, shape, ScalarType::kF64}));
    EXPECT_EQ(layout.size_bytes(), 0);
  }
}

TEST(DataLayoutTest, BadShapesAreRefused) {
  const ValueType type = ScalarType::kF64;

  EXPECT_THAT(
      DataLayout::Create({LayoutKind::kVIJFH, Shape{{2, 4, 3, 5}}, type}),
      IsError(kInvalid, "BAD_SHAPE",
              AllOf(HasSubstr("(2, 4, 3, 5)"), HasSubstr("along j"))));
  EXPECT_THAT(
      DataLayout::Create({LayoutKind::kVIJHF, Shape{{2, 4, 0, 5}}, type}),
      IsError(kInvalid, "BAD_SHAPE", HasSubstr("along j")));
  EXPECT_THAT(
      DataLayout::Create({LayoutKind::kDataF, Shape{{2, 1, 1, 1}}, type}),
      IsError(kInvalid, "BAD_SHAPE", HasSubstr("one value")));
  EXPECT_THAT(
      DataLayout::Create({LayoutKind::kVIJFH, Shape{{2, 4, 4, -5}}, type}),
      IsError(kInvalid, "BAD_EXTENT", HasSubstr("-5 along h")));
  EXPECT_THAT(
      DataLayout::Create({LayoutKind::kVIJFH,
                          Shape{{std::numeric_limits<int64_t>::min(), 1, 1, 1}},
                          type}),
      IsError(kInvalid, "BAD_EXTENT", HasSubstr("along v")));
  EXPECT_THAT(DataLayout::Create(
                  {LayoutKind::kVIJFH, Shape{}, type, ScalarType::kI128}),
              IsError(kInvalid, "BAD_BASE_TYPE", HasSubstr("i128")));
}

TEST(DataLayoutTest, SizesThatDoNotFitAreRefused) {
  constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();
  for (const Shape& shape :
       {Shape{{kHuge, 1, 1, 1}}, Shape{{kHuge, kHuge, kHuge, kHuge}},
        Shape{{1, 1, 1, kHuge / 8 + 1}}, Shape{{1LL << 31, 4, 4, 1LL << 31}},
        // Empty, but some of its axes alone are past 63 bits.
        Shape{{0, 1LL << 32, 1LL << 32, 1}}, Shape{{kHuge, 4, 4, 0}}}) {
    for (LayoutKind kind : {LayoutKind::kVIJFH, LayoutKind::kVIJHF}) {
      EXPECT_THAT(DataLayout::Create({kind, shape, ScalarType::kF64}),
                  IsError(kOutOfRange, "SIZE_OVERFLOW", HasSubstr("63 bits")))
          << ToString(shape);
    }
  }
}

TEST(DataLayoutTest, LayoutsCompareByValue) {
  const Shape shape{{2, 3, 3, 4}};
  const auto a = DataLayout::Create({LayoutKind::kVIJFH, shape, F64s(2)});
  const auto b = DataLayout::Create({LayoutKind::kVIJFH, shape, F64s(2)});
  const auto c = DataLayout::Create({LayoutKind::kVIJHF, shape, F64s(2)});
  const auto d = DataLayout::Create(
      {LayoutKind::kVIJFH, shape, F64s(2), ScalarType::kF32});

  EXPECT_EQ(*a, *b);
  EXPECT_NE(*a, *c);
  EXPECT_NE(*a, *d);
}

TEST(DataLayoutTest, ASimilarLayoutKeepsTheBaseTypeWhereItCan) {
  ASSERT_OK_AND_ASSIGN(const DataLayout layout,
                       DataLayout::Create({.kind = LayoutKind::kVFIJH,
                                           .shape = {{3, 2, 2, 5}},
                                           .type = F64s(2),
                                           .halo = {.low = {1, 0, 0, 0}},
                                           .align_bytes = 64}));

  ASSERT_OK_AND_ASSIGN(const DataLayout wider, layout.Similar(F64s(3)));
  ASSERT_OK_AND_ASSIGN(const DataLayout narrow,
                       layout.Similar(ScalarType::kF32));

  EXPECT_EQ(wider.base_type(), ScalarType::kF64);
  EXPECT_EQ(wider.num_components(), 3);
  EXPECT_EQ(narrow.base_type(), ScalarType::kF32);
  EXPECT_EQ(narrow.kind(), layout.kind());
  EXPECT_EQ(narrow.halo(), layout.halo());
  EXPECT_EQ(narrow.align_bytes(), 64);
}

TEST(DataLayoutTest, ReinterpretedValuesFillTheSameSlots) {
  ASSERT_OK_AND_ASSIGN(
      const DataLayout layout,
      DataLayout::Create({.shape = {{3, 2, 2, 5}},
                          .type = *ValueType::Parse("(i64, f64)"),
                          .base_type = ScalarType::kI64}));

  ASSERT_OK_AND_ASSIGN(const DataLayout pairs, layout.Reinterpreted(F64s(2)));

  EXPECT_EQ(pairs.buffer(), layout.buffer());
  EXPECT_THAT(layout.Reinterpreted(F64s(3)),
              IsError(kInvalid, "TYPE_MISMATCH", HasSubstr("16 bytes")));
}

TEST(DataLayoutTest, AnotherBaseTypeReplacesItInTheValuesToo) {
  ASSERT_OK_AND_ASSIGN(
      const DataLayout layout,
      DataLayout::Create({.shape = {{3, 2, 2, 5}},
                          .type = *ValueType::Parse("{a: f64, b: (f64, i64)}"),
                          .base_type = ScalarType::kF64}));

  ASSERT_OK_AND_ASSIGN(const DataLayout halved,
                       layout.WithBaseType(ScalarType::kF32));

  EXPECT_EQ(halved.type().ToString(), "{a: f32, b: (f32, i64)}");
  EXPECT_EQ(halved.base_type(), ScalarType::kF32);
  EXPECT_EQ(halved.num_components(), 6);
}

}  // namespace
}  // namespace layoutd
