#ifndef LAYOUTD_ENGINE_LAYOUT_MDSPAN_SLICES_H_
#define LAYOUTD_ENGINE_LAYOUT_MDSPAN_SLICES_H_

// What may be selected along one axis: all of it, one index, a half-open
// range, or every n-th index of one. A number known at compile time (`cw<3>`,
// a std::integral_constant) stays known in the type of the result.
// Source: C++ working draft, [mdspan.sub.range.slices], [mdspan.sub.canonical].

#include <array>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "engine/base/host_device.h"
#include "engine/layout/mdspan/extents.h"

namespace layoutd {

// A number as a type; `cw<3>` is one.
template <auto number>
struct constant_wrapper {
  using value_type = decltype(number);
  using type = constant_wrapper;
  static constexpr value_type value = number;
  LAYOUTD_HOST_DEVICE constexpr operator value_type() const noexcept {
    return number;
  }
};
template <auto number>
inline constexpr constant_wrapper<number> cw{};

struct full_extent_t {
  explicit full_extent_t() = default;
};
inline constexpr full_extent_t full_extent{};

// `extent` indices: offset, offset + stride and so on. The extent counts what
// is selected, where the strided_slice of earlier drafts said the width of the
// range selected from.
template <typename Offset, typename Extent,
          typename Stride = constant_wrapper<1>>
struct extent_slice {
  using offset_type = Offset;
  using extent_type = Extent;
  using stride_type = Stride;
  [[no_unique_address]] offset_type offset{};
  [[no_unique_address]] extent_type extent{};
  [[no_unique_address]] stride_type stride{};
};
template <typename Offset, typename Extent>
extent_slice(Offset, Extent) -> extent_slice<Offset, Extent>;
template <typename Offset, typename Extent, typename Stride>
extent_slice(Offset, Extent, Stride) -> extent_slice<Offset, Extent, Stride>;

// Every `stride`-th index of [first, last), from the first one.
template <typename First, typename Last, typename Stride = constant_wrapper<1>>
struct range_slice {
  [[no_unique_address]] First first{};
  [[no_unique_address]] Last last{};
  [[no_unique_address]] Stride stride{};
};
template <typename First, typename Last>
range_slice(First, Last) -> range_slice<First, Last>;
template <typename First, typename Last, typename Stride>
range_slice(First, Last, Stride) -> range_slice<First, Last, Stride>;

// A number that its type tells.
template <typename T>
concept ConstantLike = requires {
  requires std::is_integral_v<std::remove_cvref_t<decltype(T::value)>>;
  requires !std::is_same_v<bool, std::remove_const_t<decltype(T::value)>>;
  requires std::convertible_to<T, decltype(T::value)>;
  typename std::bool_constant<(T() == T::value)>;
};

// What a slice does to the type of the result.
enum class SliceKind {
  kFull,   // keeps the axis as it is
  kRange,  // keeps consecutive indices
  kEach,   // keeps indices with, as far as the type tells, gaps
  kIndex,  // drops the axis
};

// Returns the number that the type tells, `otherwise` if it tells none.
template <typename T>
LAYOUTD_HOST_DEVICE constexpr size_t StaticOr(size_t otherwise) noexcept {
  if constexpr (ConstantLike<T>) {
    return static_cast<size_t>(T::value);
  } else {
    return otherwise;
  }
}

// The selection of one slice along an axis, with what its type tells.
template <typename IndexType, SliceKind slice_kind, size_t fixed_count>
struct Selection {
  static constexpr SliceKind kKind = slice_kind;
  // The extent of the result; dynamic_extent where the type tells none, or
  // where it is that of the axis.
  static constexpr size_t kStaticCount = fixed_count;
  IndexType lower = 0;
  IndexType count = 0;
  IndexType stride = 1;
};

// Each returns the selection of a slice along an axis of `extent` indices.
template <typename IndexType>
LAYOUTD_HOST_DEVICE constexpr auto Select(full_extent_t,
                                          IndexType extent) noexcept {
  return Selection<IndexType, SliceKind::kFull, dynamic_extent>{0, extent, 1};
}

template <typename IndexType, typename Index>
requires IndexLike<Index, IndexType> LAYOUTD_HOST_DEVICE constexpr auto Select(
    Index index, [[maybe_unused]] IndexType extent) noexcept {
  const IndexType lower = static_cast<IndexType>(index);
  assert(!(lower < 0) && lower < extent);
  return Selection<IndexType, SliceKind::kIndex, 1>{lower, 1, 1};
}

template <typename IndexType, typename Offset, typename Extent, typename Stride>
LAYOUTD_HOST_DEVICE constexpr auto Select(
    const extent_slice<Offset, Extent, Stride>& slice,
    [[maybe_unused]] IndexType extent) noexcept {
  constexpr SliceKind kKind =
      StaticOr<Stride>(0) == 1 ? SliceKind::kRange : SliceKind::kEach;
  const Selection<IndexType, kKind, StaticOr<Extent>(dynamic_extent)> selection{
      static_cast<IndexType>(slice.offset),
      static_cast<IndexType>(slice.extent),
      static_cast<IndexType>(slice.stride)};
  assert(!(selection.lower < 0) && selection.lower <= extent);
  assert(!(selection.count < 0));
  assert(selection.count < 2 || selection.stride > 0);
  // Divides, as the last index itself need not fit.
  assert(selection.count == 0 || selection.lower < extent);
  assert(selection.count < 2 ||
         (extent - 1 - selection.lower) / selection.stride >=
             selection.count - 1);
  return selection;
}

template <typename IndexType, typename First, typename Last, typename Stride>
LAYOUTD_HOST_DEVICE constexpr auto Select(
    const range_slice<First, Last, Stride>& slice, IndexType extent) noexcept {
  const IndexType first = static_cast<IndexType>(slice.first);
  const IndexType last = static_cast<IndexType>(slice.last);
  assert(!(first < 0) && first <= last && last <= extent);
  if constexpr (ConstantLike<First> && ConstantLike<Last>) {
    constexpr size_t kSpan =
        static_cast<size_t>(Last::value) - static_cast<size_t>(First::value);
    if constexpr (kSpan == 0) {
      return Select(extent_slice{slice.first, cw<size_t{0}>}, extent);
    } else if constexpr (ConstantLike<Stride>) {
      static_assert(Stride::value > 0, "a stride is at least 1");
      constexpr size_t kCount =
          1 + (kSpan - 1) / static_cast<size_t>(Stride::value);
      return Select(extent_slice{slice.first, cw<kCount>, slice.stride},
                    extent);
    } else {
      const IndexType stride = static_cast<IndexType>(slice.stride);
      assert(stride > 0);
      return Select(
          extent_slice{slice.first,
                       static_cast<IndexType>(
                           1 + (static_cast<IndexType>(kSpan) - 1) / stride),
                       stride},
          extent);
    }
  } else {
    const IndexType stride = static_cast<IndexType>(slice.stride);
    assert(first == last || stride > 0);
    const IndexType count =
        first == last ? IndexType{0}
                      : static_cast<IndexType>(1 + (last - first - 1) / stride);
    return Select(extent_slice{slice.first, count, slice.stride}, extent);
  }
}

// A pair of indices: the half-open range [first, second). Anything with a
// tuple_size of 2 is one.
template <typename IndexType, typename Pair>
requires(!IndexLike<Pair, IndexType> &&
         std::tuple_size<Pair>::value == 2) LAYOUTD_HOST_DEVICE
    constexpr auto Select(const Pair& pair, IndexType extent) noexcept {
  using std::get;
  return Select(range_slice{get<0>(pair), get<1>(pair)}, extent);
}

// The selection that a slice of type `Slice` gives.
template <typename IndexType, typename Slice>
using SelectionOf = decltype(Select(std::declval<const Slice&>(), IndexType()));

// What may be given as a slice of an axis with indices of type `IndexType`.
template <typename T, typename IndexType>
concept SliceLike = requires {
  typename SelectionOf<IndexType, T>;
};

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_LAYOUT_MDSPAN_SLICES_H_
