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

TEST(LayoutKindTest, NamesRoundTrip) {
  for (LayoutKind kind :
       {LayoutKind::kDataF, LayoutKind::kVIJFH, LayoutKind::kVIJHF}) {
    ASSERT_OK_AND_ASSIGN(const LayoutKind parsed, ParseLayoutKind(Name(kind)));
    EXPECT_EQ(parsed, kind);
  }
}

TEST(LayoutKindTest, UnknownNamesListTheKnownOnes) {
  for (const char* name : {"", "vijfh", "VIJFHX", "\xff"}) {
    EXPECT_THAT(ParseLayoutKind(name),
                IsError(kInvalid, "UNKNOWN_LAYOUT",
                        HasSubstr("known are DataF, VIJFH, VIJHF")));
  }
}

struct Probe {
  int64_t v, i, j, h;
  std::vector<int64_t> elements;  // of slot 0, 1, ... in the buffer
};

struct LayoutCase {
  const char* name;
  LayoutKind kind;
  Shape shape;
  int num_slots;
  std::vector<int64_t> parent;  // extents, first axis fastest
  std::vector<int64_t> strides_vijh;
  int64_t slot_stride;
  std::vector<Probe> probes;
};

// Rows of the reference table, 0-based.
std::vector<LayoutCase> LayoutCases() {
  return {
      {"FourSlotsVIJFH",
       LayoutKind::kVIJFH,
       {{10, 5, 5, 20}},
       4,
       {10, 5, 5, 4, 20},
       {1, 10, 50, 1000},
       250,
       {{0, 0, 0, 0, {0, 250, 500, 750}},
        {9, 0, 0, 0, {9, 259, 509, 759}},
        {0, 4, 4, 0, {240, 490, 740, 990}},
        {1, 2, 1, 19, {19071, 19321, 19571, 19821}}}},
      {"OneSlotVIJFH",
       LayoutKind::kVIJFH,
       {{10, 5, 5, 20}},
       1,
       {10, 5, 5, 1, 20},
       {1, 10, 50, 250},
       250,
       {{0, 0, 0, 0, {0}},
        {9, 0, 0, 0, {9}},
        {0, 4, 4, 0, {240}},
        {1, 2, 1, 19, {4821}}}},
      {"OneSlotVIJHF",
       LayoutKind::kVIJHF,
       {{10, 5, 5, 20}},
       1,
       {10, 5, 5, 20, 1},
       {1, 10, 50, 250},
       5000,
       {{0, 0, 0, 0, {0}},
        {9, 0, 0, 0, {9}},
        {0, 4, 4, 0, {240}},
        {1, 2, 1, 19, {4821}}}},
      {"FourSlotsVIJHF",
       LayoutKind::kVIJHF,
       {{10, 5, 5, 20}},
       4,
       {10, 5, 5, 20, 4},
       {1, 10, 50, 250},
       5000,
       {{0, 0, 0, 0, {0, 5000, 10000, 15000}},
        {9, 0, 0, 0, {9, 5009, 10009, 15009}},
        {0, 4, 4, 0, {240, 5240, 10240, 15240}},
        {1, 2, 1, 19, {4821, 9821, 14821, 19821}}}},
      {"OneElement",
       LayoutKind::kVIJFH,
       {{3, 4, 4, 1}},
       3,
       {3, 4, 4, 3, 1},
       {1, 3, 12, 144},
       48,
       {{2, 0, 0, 0, {2, 50, 98}},
        {0, 3, 3, 0, {45, 93, 141}},
        {1, 2, 1, 0, {19, 67, 115}}}},
      {"SlabOfOneJ",
       LayoutKind::kVIJFH,
       {{63, 4, 1, 7}},
       2,
       {63, 4, 1, 2, 7},
       {1, 63, 252, 504},
       252,
       {{62, 0, 0, 0, {62, 314}},
        {0, 3, 0, 0, {189, 441}},
        {1, 2, 0, 6, {3151, 3403}}}},
  };
}

class DataLayoutReferenceTest : public testing::TestWithParam<LayoutCase> {};

TEST_P(DataLayoutReferenceTest, SlotsLieWhereTheReferencePutsThem) {
  const LayoutCase& c = GetParam();
  ASSERT_OK_AND_ASSIGN(const DataLayout layout,
                       DataLayout::Create(c.kind, c.shape, F64s(c.num_slots)));

  const View view = layout.WholeView();

  EXPECT_EQ(layout.num_components(), c.num_slots);
  EXPECT_EQ(layout.size_bytes(), c.shape.num_points() * c.num_slots * 8);
  for (size_t axis = 0; axis < c.parent.size(); ++axis) {
    EXPECT_EQ(layout.buffer().shape[axis], c.parent[axis]);
  }
  for (size_t axis = 0; axis < 4; ++axis) {
    EXPECT_EQ(view.strides_bytes[axis], 8 * c.strides_vijh[axis]);
  }
  EXPECT_EQ(view.slot_stride_bytes, 8 * c.slot_stride);
  for (const Probe& p : c.probes) {
    for (size_t k = 0; k < p.elements.size(); ++k) {
      const LeafAddress leaf = AddressOf(view, static_cast<int>(k));
      EXPECT_EQ(leaf.base_bytes + p.v * view.strides_bytes[0] +
                    p.i * view.strides_bytes[1] + p.j * view.strides_bytes[2] +
                    p.h * view.strides_bytes[3],
                8 * p.elements[k]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Reference, DataLayoutReferenceTest,
                         testing::ValuesIn(LayoutCases()),
                         [](const auto& row) { return row.param.name; });

TEST(DataLayoutTest, DataFHoldsOneValue) {
  ASSERT_OK_AND_ASSIGN(
      const DataLayout layout,
      DataLayout::Create(LayoutKind::kDataF, Shape{}, F64s(3)));

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
      DataLayout::Create(LayoutKind::kVIJFH, Shape{{2, 1, 1, 3}}, type,
                         ScalarType::kI64));

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
      DataLayout::Create(LayoutKind::kVIJHF, Shape{{2, 2, 2, 2}},
                         *ValueType::Parse("(f64, f32)")));

  EXPECT_EQ(layout.base_type(), ScalarType::kF32);
  EXPECT_EQ(layout.num_components(), 4);
}

TEST(DataLayoutTest, ExtentsMayBeZero) {
  for (const Shape& shape :
       {Shape{{0, 4, 4, 5}}, Shape{{3, 4, 4, 0}}, Shape{{3, 0, 0, 5}},
        Shape{{3, 0, 1, 5}}, Shape{{0, 0, 0, 0}}}) {
    ASSERT_OK_AND_ASSIGN(
        const DataLayout layout,
        DataLayout::Create(LayoutKind::kVIJFH, shape, ScalarType::kF64));
    EXPECT_EQ(layout.size_bytes(), 0);
  }
}

TEST(DataLayoutTest, BadShapesAreRefused) {
  const ValueType type = ScalarType::kF64;

  EXPECT_THAT(DataLayout::Create(LayoutKind::kVIJFH, Shape{{2, 4, 3, 5}}, type),
              IsError(kInvalid, "BAD_SHAPE",
                      AllOf(HasSubstr("(2, 4, 3, 5)"), HasSubstr("along j"))));
  EXPECT_THAT(DataLayout::Create(LayoutKind::kVIJHF, Shape{{2, 4, 0, 5}}, type),
              IsError(kInvalid, "BAD_SHAPE", HasSubstr("along j")));
  EXPECT_THAT(DataLayout::Create(LayoutKind::kDataF, Shape{{2, 1, 1, 1}}, type),
              IsError(kInvalid, "BAD_SHAPE", HasSubstr("one value")));
  EXPECT_THAT(
      DataLayout::Create(LayoutKind::kVIJFH, Shape{{2, 4, 4, -5}}, type),
      IsError(kInvalid, "BAD_EXTENT", HasSubstr("-5 along h")));
  EXPECT_THAT(DataLayout::Create(
                  LayoutKind::kVIJFH,
                  Shape{{std::numeric_limits<int64_t>::min(), 1, 1, 1}}, type),
              IsError(kInvalid, "BAD_EXTENT", HasSubstr("along v")));
  EXPECT_THAT(
      DataLayout::Create(LayoutKind::kVIJFH, Shape{}, type, ScalarType::kI128),
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
      EXPECT_THAT(DataLayout::Create(kind, shape, ScalarType::kF64),
                  IsError(kOutOfRange, "SIZE_OVERFLOW", HasSubstr("63 bits")))
          << ToString(shape);
    }
  }
}

TEST(DataLayoutTest, LayoutsCompareByValue) {
  const Shape shape{{2, 3, 3, 4}};
  const auto a = DataLayout::Create(LayoutKind::kVIJFH, shape, F64s(2));
  const auto b = DataLayout::Create(LayoutKind::kVIJFH, shape, F64s(2));
  const auto c = DataLayout::Create(LayoutKind::kVIJHF, shape, F64s(2));
  const auto d =
      DataLayout::Create(LayoutKind::kVIJFH, shape, F64s(2), ScalarType::kF32);

  EXPECT_EQ(*a, *b);
  EXPECT_NE(*a, *c);
  EXPECT_NE(*a, *d);
}

}  // namespace
}  // namespace layoutd
