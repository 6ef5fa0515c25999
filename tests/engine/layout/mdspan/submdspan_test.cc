// Parts of mappings: `sub(i) + offset == source(j)` for random slices of random
// mappings of every kind and rank.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <tuple>
#include <type_traits>
#include <utility>

#include "engine/layout/mdspan/mdspan.h"
#include "gtest/gtest.h"

namespace layoutd {
namespace {

constexpr uint32_t kSeed = 20260401;
constexpr size_t kNumSliceTypes = 4;

// Calls `visit` with every index of the extents, as an array.
template <typename Extents, typename Visit>
void ForEachIndex(const Extents& shape, const Visit& visit) {
  constexpr size_t kRank = Extents::rank();
  std::array<int, kRank> index = {};
  if (NumIndices(shape) == 0) return;
  while (true) {
    visit(index);
    size_t axis = 0;
    for (; axis < kRank; ++axis) {
      if (++index[axis] < shape.extent(axis)) break;
      index[axis] = 0;
    }
    if (axis == kRank) return;
  }
}

template <typename Mapping, size_t rank>
int OffsetAt(const Mapping& mapping, const std::array<int, rank>& index) {
  return [&]<size_t... axes>(std::index_sequence<axes...>) {
    return static_cast<int>(mapping(index[axes]...));
  }
  (std::make_index_sequence<rank>());
}

class Draw {
 public:
  explicit Draw(uint32_t seed) : random_(seed) {}
  // Returns a number of [low, high].
  int Between(int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random_);
  }

 private:
  std::mt19937 random_;
};

// What a slice selects along its axis, told without the code under test.
struct Chosen {
  int first;
  int step;
  bool is_dropped;
};

// Draws a slice of the type; `extent` > 0 where it is an index.
template <size_t slice_type>
auto DrawSlice(Draw& draw, int extent, Chosen& chosen) {
  if constexpr (slice_type == 0) {
    chosen = {0, 1, false};
    return full_extent;
  } else if constexpr (slice_type == 1) {
    chosen = {draw.Between(0, extent - 1), 1, true};
    return chosen.first;
  } else if constexpr (slice_type == 2) {
    const int first = draw.Between(0, extent);
    chosen = {first, 1, false};
    return std::pair{first, draw.Between(first, extent)};
  } else {
    const int first = draw.Between(0, extent);
    const int last = draw.Between(first, extent);
    chosen = {first, draw.Between(1, 3), false};
    return range_slice{first, last, chosen.step};
  }
}

template <typename Mapping, typename... Slices>
void ExpectPartOf(
    const Mapping& source,
    const std::array<Chosen, Mapping::extents_type::rank()>& chosen,
    const Slices&... slices) {
  constexpr size_t kRank = Mapping::extents_type::rank();
  const auto part = submdspan_mapping(source, slices...);
  EXPECT_EQ(part.mapping.extents(), subextents(source.extents(), slices...));
  EXPECT_LE(part.offset, static_cast<size_t>(source.required_span_size()));
  ForEachIndex(part.mapping.extents(), [&](const auto& sub_index) {
    std::array<int, kRank> index = {};
    size_t kept = 0;
    for (size_t axis = 0; axis < kRank; ++axis) {
      index[axis] = chosen[axis].first;
      if (!chosen[axis].is_dropped) {
        index[axis] += sub_index[kept++] * chosen[axis].step;
      }
    }
    ASSERT_EQ(
        static_cast<size_t>(OffsetAt(part.mapping, sub_index)) + part.offset,
        static_cast<size_t>(OffsetAt(source, index)));
  });
}

template <size_t code, typename Mapping>
void ExpectPartOfCode(const Mapping& source, Draw& draw) {
  constexpr size_t kRank = Mapping::extents_type::rank();
  constexpr auto type_of = [](size_t axis) {
    size_t rest = code;
    for (; axis > 0; --axis) rest /= kNumSliceTypes;
    return rest % kNumSliceTypes;
  };
  [&]<size_t... axes>(std::index_sequence<axes...>) {
    if (((type_of(axes) == 1 && source.extents().extent(axes) == 0) || ...)) {
      return;  // no index to choose
    }
    std::array<Chosen, kRank> chosen = {};
    // Names the types, as a tuple would take one pair apart; braces, as they
    // draw in order.
    [[maybe_unused]] const std::tuple<decltype(DrawSlice<type_of(axes)>(
        draw, 0, chosen[axes]))...>
        slices{DrawSlice<type_of(axes)>(draw, source.extents().extent(axes),
                                        chosen[axes])...};
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << ", slices " << code);
    ExpectPartOf(source, chosen, std::get<axes>(slices)...);
  }
  (std::make_index_sequence<kRank>());
}

constexpr size_t NumCodes(size_t rank) {
  size_t count = 1;
  for (; rank > 0; --rank) count *= kNumSliceTypes;
  return count;
}

// Every combination of slice types; of rank 4, every eleventh, which has each
// type on each axis.
template <typename Mapping>
void ExpectParts(const Mapping& source, Draw& draw) {
  constexpr size_t kRank = Mapping::extents_type::rank();
  constexpr size_t kStep = kRank == 4 ? 11 : 1;
  [&]<size_t... steps>(std::index_sequence<steps...>) {
    (ExpectPartOfCode<steps * kStep>(source, draw), ...);
  }
  (std::make_index_sequence<(NumCodes(kRank) + kStep - 1) / kStep>());
}

// Offsets are distinct and end where required_span_size says.
template <typename Mapping>
void ExpectSpan(const Mapping& mapping) {
  std::set<int> offsets;
  ForEachIndex(mapping.extents(), [&](const auto& index) {
    const int offset = OffsetAt(mapping, index);
    EXPECT_GE(offset, 0);
    EXPECT_TRUE(offsets.insert(offset).second);
  });

  EXPECT_EQ(mapping.required_span_size(),
            offsets.empty() ? 0 : *offsets.rbegin() + 1);
  // Only one way: a padded mapping says no by its strides, even where no second
  // row follows the padding.
  if (mapping.is_exhaustive()) {
    EXPECT_EQ(mapping.required_span_size(), static_cast<int>(offsets.size()));
  }
  if (Mapping::is_always_exhaustive()) {
    EXPECT_TRUE(mapping.is_exhaustive());
  }
}

template <size_t rank>
dextents<int, rank> DrawExtents(Draw& draw) {
  std::array<int, rank> shape = {};
  // Few empty axes, as one makes the whole space empty.
  for (int& extent : shape) {
    extent = draw.Between(0, 9) == 0 ? 0 : draw.Between(1, 5);
  }
  return dextents<int, rank>(shape);
}

// Returns strides of a random order of the axes, with gaps.
template <size_t rank>
layout_stride::mapping<dextents<int, rank>> DrawStrided(Draw& draw) {
  const dextents<int, rank> shape = DrawExtents<rank>(draw);
  std::array<size_t, rank> order = {};
  for (size_t k = 0; k < rank; ++k) order[k] = k;
  for (size_t k = rank; k > 1; --k) {
    std::swap(
        order[k - 1],
        order[static_cast<size_t>(draw.Between(0, static_cast<int>(k) - 1))]);
  }
  std::array<int, rank> strides = {};
  int stride = 1;
  for (const size_t axis : order) {
    stride += draw.Between(0, 2);
    strides[axis] = stride;
    stride *= std::max(1, static_cast<int>(shape.extent(axis)));
  }
  return {shape, strides};
}

template <typename Layout, size_t rank>
auto DrawMapping(Draw& draw) {
  using Mapping = typename Layout::template mapping<dextents<int, rank>>;
  if constexpr (std::is_same_v<Layout, layout_stride>) {
    return DrawStrided<rank>(draw);
  } else if constexpr (std::is_same_v<Layout, layout_left_padded<>> ||
                       std::is_same_v<Layout, layout_right_padded<>>) {
    return Mapping(DrawExtents<rank>(draw), draw.Between(1, 7));
  } else {
    return Mapping(DrawExtents<rank>(draw));
  }
}

template <typename Layout>
class SubmdspanTest : public testing::Test {
 protected:
  template <size_t rank, typename Check>
  static void Repeat(int times, const Check& check) {
    Draw draw(kSeed + rank);
    for (int k = 0; k < times; ++k) {
      check(DrawMapping<Layout, rank>(draw), draw);
    }
  }
};

using Layouts = testing::Types<layout_left, layout_right, layout_left_padded<>,
                               layout_right_padded<>, layout_left_padded<4>,
                               layout_right_padded<4>, layout_left_padded<0>,
                               layout_stride>;
TYPED_TEST_SUITE(SubmdspanTest, Layouts);

TYPED_TEST(SubmdspanTest, PartsAddressTheElementsThatTheSlicesSelect) {
  const auto parts = [](const auto& mapping, Draw& draw) {
    ExpectParts(mapping, draw);
  };
  this->template Repeat<0>(1, parts);
  this->template Repeat<1>(40, parts);
  this->template Repeat<2>(40, parts);
  this->template Repeat<3>(20, parts);
  this->template Repeat<4>(10, parts);
}

TYPED_TEST(SubmdspanTest, OffsetsAreDistinctAndEndAtTheSpan) {
  const auto span = [](const auto& mapping, Draw&) { ExpectSpan(mapping); };
  this->template Repeat<0>(1, span);
  this->template Repeat<1>(20, span);
  this->template Repeat<2>(60, span);
  this->template Repeat<3>(60, span);
  this->template Repeat<4>(60, span);
}

TYPED_TEST(SubmdspanTest, AMappingIsEqualToItsStridedForm) {
  const auto equal = [](const auto& mapping, Draw&) {
    using Extents = std::remove_cvref_t<decltype(mapping.extents())>;
    const layout_stride::mapping<Extents> strided = mapping;
    EXPECT_TRUE(strided == mapping);
    EXPECT_TRUE(mapping == strided);
    EXPECT_TRUE(mapping == mapping);
    using Mapping = typename TypeParam::template mapping<Extents>;
    EXPECT_EQ(Mapping(strided), mapping);
  };
  this->template Repeat<1>(20, equal);
  this->template Repeat<2>(20, equal);
  this->template Repeat<4>(20, equal);
}

}  // namespace
}  // namespace layoutd
