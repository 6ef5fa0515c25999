// Cases from public bug reports about mappings: padding, parts, spans.

#include <array>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/layout/mdspan/mdspan.h"
#include "gtest/gtest.h"

namespace layoutd {
namespace {

// NVIDIA/cccl#11520: the trailing extent was sliced and the part came back as
// a layout_right without the gaps, which reads the wrong elements.
TEST(MappingCasesTest, Cccl11520APartOfTheTrailingExtentKeepsTheRows) {
  std::array<int, 12> elements = {};
  for (size_t k = 0; k < elements.size(); ++k) {
    elements[k] = static_cast<int>(k);
  }
  const mdspan<int, dextents<int, 2>> source(elements.data(), 3, 4);

  const auto part = submdspan(source, full_extent, std::pair{1, 3});

  static_assert(std::is_same_v<std::remove_cvref_t<decltype(part)>::layout_type,
                               layout_right_padded<>>);
  EXPECT_EQ(part(0, 0), 1);
  EXPECT_EQ(part(1, 0), 5);
  EXPECT_EQ(part(2, 1), 10);
}

// Where an index of a layout_right lies between kept axes, the padding is of
// the trailing extents, not of the leading ones: parent(1, 1, 1, 0) is at 85.
TEST(MappingCasesTest, Kokkos28848dfAnIndexGapOfARightMappingPadsFromTheRight) {
  const layout_right::mapping<extents<int, 2, 3, 4, 5>> source;

  const auto part =
      submdspan_mapping(source, full_extent, full_extent, 1, full_extent);

  static_assert(
      std::is_same_v<decltype(part.mapping),
                     layout_right_padded<20>::mapping<extents<int, 2, 3, 5>>>);
  EXPECT_EQ(source(1, 1, 1, 0), 85);
  EXPECT_EQ(static_cast<size_t>(part.mapping(1, 1, 0)) + part.offset, 85u);
}

// kokkos/kokkos#8460, kokkos/mdspan#362: the span of empty or padded spaces was
// negative or counted the padding of the last row.
TEST(MappingCasesTest, Kokkos8460TheSpanOfAnEmptyOrPaddedSpaceIsWhatItNeeds) {
  using Left = layout_left_padded<4>::mapping<dextents<int, 2>>;
  using Right = layout_right_padded<4>::mapping<dextents<int, 2>>;

  EXPECT_EQ(Left(dextents<int, 2>(7, 0)).required_span_size(), 0);
  EXPECT_EQ(Right(dextents<int, 2>(0, 5)).required_span_size(), 0);
  EXPECT_EQ(Left(dextents<int, 2>(0, 5)).required_span_size(), 0);
  EXPECT_EQ(Left(dextents<int, 2>(7, 5)).required_span_size(), 39);
}

// kokkos/mdspan#448: the extent of a strided slice was the width of what is
// selected from; users took it
// for the number of indices, which it is here.
TEST(MappingCasesTest, Mdspan448TheExtentOfASliceCountsIndices) {
  const layout_left::mapping<extents<int, 10>> source;

  const auto counted = submdspan_mapping(source, extent_slice{1, 3, 3});
  const auto ranged = submdspan_mapping(source, range_slice{1, 10, 4});

  EXPECT_EQ(counted.mapping.extents().extent(0), 3);
  EXPECT_EQ(static_cast<size_t>(counted.mapping(2)) + counted.offset, 7u);
  EXPECT_EQ(ranged.mapping.extents().extent(0), 3);
  EXPECT_EQ(static_cast<size_t>(ranged.mapping(2)) + ranged.offset, 9u);
}

// NVIDIA/cccl#7110: a std::pair was refused as a slice.
TEST(MappingCasesTest, Cccl7110APairOfAnyIntegersIsASlice) {
  const layout_right::mapping<dextents<int, 2>> source(dextents<int, 2>(4, 6));

  const auto part = submdspan_mapping(source, std::pair{int64_t{1}, 3u},
                                      std::array<int8_t, 2>{2, 5});

  EXPECT_EQ(part.mapping.extents(), (dextents<int, 2>(2, 3)));
  EXPECT_EQ(part.offset, 8u);
}

}  // namespace
}  // namespace layoutd
