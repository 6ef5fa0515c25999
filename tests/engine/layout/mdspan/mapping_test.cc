// What the mappings are as types: what converts to what, how, and what does not
// compile.

#include <array>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "engine/layout/mdspan/mdspan.h"
#include "gtest/gtest.h"

namespace layoutd {
namespace {

using Dynamic = dextents<int, 2>;
using Fixed = extents<int, 8, 5>;
using Left = layout_left::mapping<Dynamic>;
using Right = layout_right::mapping<Dynamic>;
using Strided = layout_stride::mapping<Dynamic>;
template <size_t PaddingValue, typename Extents = Dynamic>
using LeftPadded =
    typename layout_left_padded<PaddingValue>::template mapping<Extents>;
template <size_t PaddingValue, typename Extents = Dynamic>
using RightPadded =
    typename layout_right_padded<PaddingValue>::template mapping<Extents>;
constexpr size_t kAny = dynamic_extent;

template <typename From, typename To>
constexpr bool kImplicit = std::is_convertible_v<From, To>;
template <typename From, typename To>
constexpr bool kExplicit =
    std::is_constructible_v<To, From> && !std::is_convertible_v<From, To>;
template <typename From, typename To>
constexpr bool kNone = !std::is_constructible_v<To, From>;
template <typename A, typename B>
constexpr bool kComparable = requires(const A& a, const B& b) {
  a == b;
};

static_assert(kImplicit<Fixed, Dynamic> && kExplicit<Dynamic, Fixed>);
static_assert(kImplicit<dextents<int8_t, 2>, Dynamic>);
static_assert(kExplicit<dextents<int64_t, 2>, Dynamic>);
static_assert(kNone<extents<int, 8, 6>, Fixed>);
static_assert(kNone<dextents<int, 3>, Dynamic>);

static_assert(kImplicit<Left, LeftPadded<4>> && kNone<Right, LeftPadded<4>>);
static_assert(kImplicit<Right, RightPadded<4>>);
static_assert(kNone<Left, RightPadded<4>>);
static_assert(kNone<Left, Right> && kNone<LeftPadded<4>, RightPadded<4>>);
static_assert(kExplicit<Strided, LeftPadded<4>>);
static_assert(kExplicit<Strided, Left> && kExplicit<Strided, Right>);
static_assert(kImplicit<LeftPadded<4>, LeftPadded<kAny>>);
static_assert(kExplicit<LeftPadded<kAny>, LeftPadded<4>>);
static_assert(kExplicit<LeftPadded<4, Fixed>, LeftPadded<4>>);
static_assert(kExplicit<LeftPadded<kAny, Fixed>, LeftPadded<kAny>>);
static_assert(kImplicit<LeftPadded<4>, Left>);
static_assert(kExplicit<LeftPadded<4>, layout_left::mapping<Fixed>>);
static_assert(kImplicit<LeftPadded<4>, Strided> && kImplicit<Left, Strided>);
static_assert(kExplicit<Left, layout_stride::mapping<Fixed>>);

// One axis has no sides, but a padded right one has no way to layout_left.
using Line = dextents<int, 1>;
static_assert(
    kImplicit<layout_right::mapping<Line>, layout_left::mapping<Line>>);
static_assert(kImplicit<layout_right::mapping<Line>, LeftPadded<4, Line>>);
static_assert(kImplicit<RightPadded<8, Line>, LeftPadded<4, Line>>);
static_assert(kNone<RightPadded<4, Line>, layout_left::mapping<Line>>);
static_assert(kImplicit<layout_stride::mapping<extents<int>>,
                        layout_left::mapping<extents<int>>>);

static_assert(kComparable<LeftPadded<4>, LeftPadded<8, Fixed>>);
static_assert(!kComparable<LeftPadded<4>, Left>);
static_assert(!kComparable<LeftPadded<4>, RightPadded<4>>);
static_assert(!kComparable<Left, Right>);
static_assert(!kComparable<Left, layout_left::mapping<Line>>);
static_assert(kComparable<Strided, RightPadded<4>>);

// What the type tells takes no room.
static_assert(sizeof(LeftPadded<4, Fixed>) == 1);
static_assert(sizeof(LeftPadded<kAny, Fixed>) == sizeof(int));
static_assert(std::is_empty_v<layout_left::mapping<Fixed>>);
static_assert(std::is_trivially_copyable_v<Strided> &&
              std::is_trivially_copyable_v<LeftPadded<kAny>>);

template <typename Mapping, typename... Slices>
concept Sliceable = requires(const Mapping& mapping, Slices... slices) {
  submdspan_mapping(mapping, slices...);
};
static_assert(Sliceable<Left, full_extent_t, int>);
static_assert(!Sliceable<Left, full_extent_t>);
static_assert(!Sliceable<Left, full_extent_t, const char*>);
static_assert(!std::is_invocable_v<Left, int>);
static_assert(!std::is_invocable_v<Left, int, const char*>);

TEST(MappingTest, PaddingIsAMultipleNotAStride) {
  EXPECT_EQ(LeftPadded<kAny>(Dynamic(5, 3), 4).stride(1), 8);
  EXPECT_EQ(LeftPadded<kAny>(Dynamic(5, 3), 13).stride(1), 13);
  EXPECT_EQ(LeftPadded<kAny>(Dynamic(5, 3), 1).stride(1), 5);
  EXPECT_EQ(LeftPadded<kAny>(Dynamic(5, 3)).stride(1), 5);
  EXPECT_EQ(LeftPadded<0>(Dynamic(5, 3)).stride(1), 5);
  EXPECT_EQ(RightPadded<4>(Dynamic(3, 5)).stride(0), 8);
}

TEST(MappingTest, ConversionsKeepTheStrides) {
  const LeftPadded<4> padded(Dynamic(5, 3));
  const LeftPadded<kAny> any = padded;
  const Strided strided = padded;

  EXPECT_EQ(any.stride(1), 8);
  EXPECT_EQ(strided.strides(), (std::array<int, 2>{1, 8}));
  EXPECT_EQ(LeftPadded<4>(strided), padded);
  EXPECT_EQ(Left(LeftPadded<4>(Dynamic(8, 3))), Left(Dynamic(8, 3)));
}

TEST(MappingTest, ExtentsTakeAllOrTheDynamicOnes) {
  using Mixed = extents<int, kAny, 3, kAny>;

  EXPECT_EQ(Mixed(2, 4), Mixed(2, 3, 4));
  EXPECT_EQ(Mixed(std::array{2, 4}), (dextents<int64_t, 3>(2, 3, 4)));
  EXPECT_EQ(Mixed().extent(1), 3);
  EXPECT_EQ(Mixed().extent(2), 0);
}

TEST(MappingTest, ConstantSlicesStayConstant) {
  constexpr LeftPadded<16, extents<int, 6, 7, 8>> kSource;
  constexpr auto kPart = submdspan_mapping(kSource, std::pair{cw<1>, cw<5>},
                                           std::integral_constant<int, 2>(),
                                           range_slice{cw<0>, cw<7>, cw<1>});

  static_assert(std::is_same_v<decltype(kPart.mapping),
                               LeftPadded<112, extents<int, 4, 7>>>);
  static_assert(kPart.offset == 1 + 2 * 16);
  EXPECT_EQ(kPart.mapping.stride(1), 112);
}

TEST(MappingTest, AStrideBetweenFewerThanTwoIndicesIsNotUsed) {
  // 11 * 100 fits no int8_t.
  const layout_left::mapping<extents<int8_t, 11, 11>> source;

  const auto part = submdspan_mapping(
      source, full_extent, extent_slice{int8_t{3}, int8_t{1}, int8_t{100}});

  EXPECT_EQ(part.mapping.stride(1), 11);
  EXPECT_EQ(part.offset, 33u);
}

TEST(MappingTest, ViewsReachTheElementsOfTheirParts) {
  std::array<int, 30> elements = {};
  for (size_t k = 0; k < elements.size(); ++k) {
    elements[k] = static_cast<int>(k);
  }
  const mdspan<int, Dynamic, layout_left_padded<>> view(
      elements.data(), LeftPadded<kAny>(Dynamic(5, 3), 8));

  const auto part = submdspan(view, extent_slice{1, 2, 2}, std::pair{1, 3});

  EXPECT_EQ(view(4, 2), 20);
  EXPECT_EQ((view[std::array{4, 2}]), 20);
  EXPECT_EQ(part(0, 0), 9);
  EXPECT_EQ(part(1, 1), 19);
  EXPECT_EQ(submdspan(view, 2, full_extent)(1), 10);
}

}  // namespace
}  // namespace layoutd
