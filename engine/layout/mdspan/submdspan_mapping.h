#ifndef LAYOUTD_ENGINE_LAYOUT_MDSPAN_SUBMDSPAN_MAPPING_H_
#define LAYOUTD_ENGINE_LAYOUT_MDSPAN_SUBMDSPAN_MAPPING_H_

// The mapping of a part of an index space: with one slice an axis, `sub(i...)
// + offset` is where the source puts the index that `i...` selects. The result
// is of the strictest layout that the types of source and slices tell, found
// once for both sides by counting axes from the fastest one.
// Source: C++ working draft, [mdspan.sub.map], [mdspan.sub.extents].

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "engine/base/host_device.h"
#include "engine/layout/mdspan/extents.h"
#include "engine/layout/mdspan/layout_left_right.h"
#include "engine/layout/mdspan/layout_padded.h"
#include "engine/layout/mdspan/layout_stride.h"
#include "engine/layout/mdspan/slices.h"

namespace layoutd {

template <typename Mapping>
struct submdspan_mapping_result {
  [[no_unique_address]] Mapping mapping{};
  size_t offset = 0;  // elements
};

// What the types of `Slices` do to the axes of `Extents`.
template <typename Extents, typename... Slices>
struct SliceShape {
  using Index = typename Extents::index_type;
  static constexpr size_t kRank = Extents::rank();
  // One more than there are, as an array of none is no C++.
  static constexpr SliceKind kKinds[kRank + 1] = {
      SelectionOf<Index, Slices>::kKind..., SliceKind::kIndex};
  static constexpr size_t kStaticCounts[kRank + 1] = {
      SelectionOf<Index, Slices>::kStaticCount..., 0};

  static constexpr size_t kSubRank =
      (size_t{0} + ... +
       size_t{SelectionOf<Index, Slices>::kKind != SliceKind::kIndex});

  // The axis of the source that each axis of the result is.
  struct Axes {
    size_t source[kSubRank + 1];
  };
  static constexpr Axes kAxes = [] {
    Axes axes = {};
    size_t kept = 0;
    for (size_t axis = 0; axis < kRank; ++axis) {
      if (kKinds[axis] != SliceKind::kIndex) axes.source[kept++] = axis;
    }
    return axes;
  }();

  static constexpr size_t StaticExtent(size_t sub_axis) noexcept {
    const size_t axis = kAxes.source[sub_axis];
    return kKinds[axis] == SliceKind::kFull ? Extents::static_extent(axis)
                                            : kStaticCounts[axis];
  }

  template <typename Axes>
  struct SubExtents;
  template <size_t... sub_axes>
  struct SubExtents<std::index_sequence<sub_axes...>> {
    using type = extents<Index, StaticExtent(sub_axes)...>;
  };
  using Sub = typename SubExtents<std::make_index_sequence<kSubRank>>::type;
};

// The selections of one call, by axis of the source.
template <typename IndexType, size_t rank>
struct Selected {
  IndexType lower[rank + 1];
  IndexType count[rank + 1];
  IndexType stride[rank + 1];

  template <typename S>
  LAYOUTD_HOST_DEVICE constexpr void Set(size_t axis,
                                         const S& selection) noexcept {
    lower[axis] = selection.lower;
    count[axis] = selection.count;
    stride[axis] = selection.stride;
  }
};

template <typename Extents, typename... Slices>
LAYOUTD_HOST_DEVICE constexpr auto SelectAll(const Extents& shape,
                                             const Slices&... slices) noexcept {
  Selected<typename Extents::index_type, Extents::rank()> selected = {};
  size_t axis = 0;
  [[maybe_unused]] const auto set = [&](const auto& slice) {
    selected.Set(axis, Select(slice, shape.extent(axis)));
    ++axis;
  };
  (set(slices), ...);
  return selected;
}

template <typename Shape, typename Selected>
LAYOUTD_HOST_DEVICE constexpr typename Shape::Sub SubExtentsOf(
    const Selected& selected) noexcept {
  return [&]<size_t... axes>(std::index_sequence<axes...>) {
    if constexpr (sizeof...(axes) == 0) {
      static_cast<void>(selected);
      return typename Shape::Sub();
    } else {
      return typename Shape::Sub(selected.count[Shape::kAxes.source[axes]]...);
    }
  }
  (std::make_index_sequence<Shape::kSubRank>());
}

// Returns the extents of the part.
template <typename IndexType, size_t... Extents, typename... Slices>
requires(sizeof...(Slices) == sizeof...(Extents) &&
         (SliceLike<Slices, IndexType> && ...)) LAYOUTD_HOST_DEVICE
    constexpr auto subextents(const extents<IndexType, Extents...>& source,
                              Slices... slices) noexcept {
  return SubExtentsOf<SliceShape<extents<IndexType, Extents...>, Slices...>>(
      SelectAll(source, slices...));
}

// The layouts a part of a mapping with a fastest side can have.
enum class PartLayout {
  kDense,
  kPadded,
  kStride,
};

struct PartPlan {
  PartLayout layout;
  // Padded: how many axes between the fastest and the next kept one an index
  // drops.
  size_t gap;
};

// Returns the layout of the part. With axes from the fastest one, and F for
// all, R for a range, I for an index:
//   F* [FR] I*            of a dense source is dense,
//   [FR] I*, I*           of a padded source is dense,
//   [FR] I{gap} F* [FR] I*  of either is padded;
// whatever else is strided. A padded source of one axis is no exception, though
// the draft's words make even every other index of one dense.
template <FastestSide side, bool padded, typename Shape>
constexpr PartPlan PlanPart() {
  constexpr size_t kRank = Shape::kRank;
  constexpr size_t kSubRank = Shape::kSubRank;
  constexpr auto kind = [](size_t order) {
    return Shape::kKinds[AxisAt(side, kRank, order)];
  };
  constexpr auto is_run = [](SliceKind k) {
    return k == SliceKind::kFull || k == SliceKind::kRange;
  };
  if (kSubRank == 0) return {PartLayout::kDense, 0};
  if (!is_run(kind(0))) return {PartLayout::kStride, 0};
  if (kSubRank == 1) return {PartLayout::kDense, 0};
  if (!padded && kind(0) == SliceKind::kFull) {
    size_t order = 0;
    while (order < kSubRank - 1 && kind(order) == SliceKind::kFull) ++order;
    if (order == kSubRank - 1 && is_run(kind(order))) {
      return {PartLayout::kDense, 0};
    }
  }
  size_t gap = 0;
  while (kind(1 + gap) == SliceKind::kIndex) ++gap;
  const size_t last = gap + kSubRank - 1;
  for (size_t order = gap + 1; order < last; ++order) {
    if (kind(order) != SliceKind::kFull) return {PartLayout::kStride, 0};
  }
  if (last >= kRank || !is_run(kind(last))) return {PartLayout::kStride, 0};
  return {PartLayout::kPadded, gap};
}

// Returns the padding value of a padded part: the stride of its second axis
// where the types tell it.
template <FastestSide side, typename Extents>
constexpr size_t PartPadding(size_t first, size_t gap) noexcept {
  for (size_t order = 1; order <= gap; ++order) {
    first = StaticProduct(
        first, Extents::static_extent(AxisAt(side, Extents::rank(), order)));
  }
  return first;
}

// Returns where the part begins: behind the last element if a slice is empty
// at the end of its axis, where the source has no index.
template <typename Mapping, typename Selected>
LAYOUTD_HOST_DEVICE constexpr size_t PartOffset(
    const Mapping& source, const Selected& selected) noexcept {
  constexpr size_t kRank = Mapping::extents_type::rank();
  for (size_t axis = 0; axis < kRank; ++axis) {
    if (selected.lower[axis] == source.extents().extent(axis)) {
      return static_cast<size_t>(source.required_span_size());
    }
  }
  typename Mapping::index_type offset = 0;
  if constexpr (kRank > 0) {
    for (size_t axis = 0; axis < kRank; ++axis) {
      offset = static_cast<typename Mapping::index_type>(
          offset + selected.lower[axis] * source.stride(axis));
    }
  }
  return static_cast<size_t>(offset);
}

template <typename Shape, typename Mapping, typename Selected>
LAYOUTD_HOST_DEVICE constexpr auto StridedPart(
    const Mapping& source, const Selected& selected) noexcept {
  using Index = typename Mapping::index_type;
  return [&]<size_t... axes>(std::index_sequence<axes...>) {
    // A stride between fewer than two indices is nothing that may overflow.
    [[maybe_unused]] const auto stride = [&](size_t axis) {
      return static_cast<Index>(
          source.stride(axis) *
          (selected.count[axis] > 1 ? selected.stride[axis] : Index{1}));
    };
    return layout_stride::mapping<typename Shape::Sub>(
        SubExtentsOf<Shape>(selected),
        std::array<Index, Shape::kSubRank>{
            stride(Shape::kAxes.source[axes])...});
  }
  (std::make_index_sequence<Shape::kSubRank>());
}

// Returns the part of a mapping with a fastest side and at least one axis.
template <FastestSide side, bool padded, typename Mapping, typename... Slices>
LAYOUTD_HOST_DEVICE constexpr auto PartOf(const Mapping& source,
                                          const Slices&... slices) noexcept {
  using Extents = typename Mapping::extents_type;
  using Shape = SliceShape<Extents, Slices...>;
  constexpr size_t kRank = Extents::rank();
  const auto selected = SelectAll(source.extents(), slices...);
  const size_t offset = PartOffset(source, selected);
  constexpr PartPlan kPlan = PlanPart<side, padded, Shape>();
  if constexpr (kPlan.layout == PartLayout::kDense) {
    using Sub = DenseMapping<side, typename Shape::Sub>;
    return submdspan_mapping_result<Sub>{Sub(SubExtentsOf<Shape>(selected)),
                                         offset};
  } else if constexpr (kPlan.layout == PartLayout::kPadded) {
    constexpr size_t kFirst = [] {
      if constexpr (padded) {
        return Mapping::kStaticPaddingStride;
      } else {
        return Extents::static_extent(AxisAt(side, kRank, 0));
      }
    }();
    constexpr size_t kPadding = PartPadding<side, Extents>(kFirst, kPlan.gap);
    using Sub = PaddedMapping<side, kPadding, typename Shape::Sub>;
    return submdspan_mapping_result<Sub>{
        Sub(SubExtentsOf<Shape>(selected),
            source.stride(AxisAt(side, kRank, kPlan.gap + 1))),
        offset};
  } else {
    const auto sub = StridedPart<Shape>(source, selected);
    return submdspan_mapping_result<std::remove_const_t<decltype(sub)>>{sub,
                                                                        offset};
  }
}

// Each returns the mapping of the part that the slices select, and the offset
// of its first element. One slice an axis.
template <FastestSide side, typename Extents, typename... Slices>
requires(sizeof...(Slices) == Extents::rank() &&
         (SliceLike<Slices, typename Extents::index_type> &&
          ...)) LAYOUTD_HOST_DEVICE
    constexpr auto submdspan_mapping(const DenseMapping<side, Extents>& source,
                                     Slices... slices) noexcept {
  if constexpr (Extents::rank() == 0) {
    return submdspan_mapping_result<DenseMapping<side, Extents>>{source, 0};
  } else {
    return PartOf<side, false>(source, slices...);
  }
}
template <FastestSide side, size_t PaddingValue, typename Extents,
          typename... Slices>
requires(sizeof...(Slices) == Extents::rank() &&
         (SliceLike<Slices, typename Extents::index_type> &&
          ...)) LAYOUTD_HOST_DEVICE
    constexpr auto submdspan_mapping(
        const PaddedMapping<side, PaddingValue, Extents>& source,
        Slices... slices) noexcept {
  if constexpr (Extents::rank() == 0) {
    return submdspan_mapping_result<PaddedMapping<side, PaddingValue, Extents>>{
        source, 0};
  } else {
    return PartOf<side, true>(source, slices...);
  }
}
template <typename Extents, typename... Slices>
requires(sizeof...(Slices) == Extents::rank() &&
         (SliceLike<Slices, typename Extents::index_type> &&
          ...)) LAYOUTD_HOST_DEVICE
    constexpr auto submdspan_mapping(
        const layout_stride::mapping<Extents>& source,
        Slices... slices) noexcept {
  if constexpr (Extents::rank() == 0) {
    return submdspan_mapping_result<layout_stride::mapping<Extents>>{source, 0};
  } else {
    using Shape = SliceShape<Extents, Slices...>;
    using Sub = layout_stride::mapping<typename Shape::Sub>;
    const auto selected = SelectAll(source.extents(), slices...);
    return submdspan_mapping_result<Sub>{StridedPart<Shape>(source, selected),
                                         PartOffset(source, selected)};
  }
}

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_LAYOUT_MDSPAN_SUBMDSPAN_MAPPING_H_
