#ifndef LAYOUTD_ENGINE_LAYOUT_MDSPAN_LAYOUT_LEFT_RIGHT_H_
#define LAYOUTD_ENGINE_LAYOUT_MDSPAN_LAYOUT_LEFT_RIGHT_H_

// Mappings of indices to offsets without gaps: layout_left, where the first
// index is the fastest, and layout_right, where the last one is. One is the
// mirror image of the other, so both are a DenseMapping, written in axes
// counted from the fastest one.
// Source: C++ working draft, [mdspan.layout.left], [mdspan.layout.right].

#include <cassert>
#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "engine/base/host_device.h"
#include "engine/layout/mdspan/extents.h"

namespace layoutd {

// On which side of the index list the fastest axis is.
enum class FastestSide {
  kLeft,   // layout_left and its padded kinds
  kRight,  // layout_right and its padded kinds
};

LAYOUTD_HOST_DEVICE constexpr FastestSide Opposite(FastestSide side) noexcept {
  return side == FastestSide::kLeft ? FastestSide::kRight : FastestSide::kLeft;
}

// Returns the axis that is the `order`-th fastest, from 0, of `rank` axes.
LAYOUTD_HOST_DEVICE constexpr size_t AxisAt(FastestSide side, size_t rank,
                                            size_t order) noexcept {
  return side == FastestSide::kLeft ? order : rank - 1 - order;
}

template <FastestSide side, typename Extents>
class DenseMapping;
template <FastestSide side, size_t PaddingValue, typename Extents>
class PaddedMapping;

struct layout_left {
  template <typename Extents>
  using mapping = DenseMapping<FastestSide::kLeft, Extents>;
};
struct layout_right {
  template <typename Extents>
  using mapping = DenseMapping<FastestSide::kRight, Extents>;
};
struct layout_stride {
  template <typename Extents>
  class mapping;
};

// What is common to the mappings of this folder.
template <typename M>
concept MappingLike = requires {
  requires kIsExtents<typename M::extents_type>;
  { M::is_always_unique() } -> std::same_as<bool>;
  { M::is_always_strided() } -> std::same_as<bool>;
  { M::is_always_exhaustive() } -> std::same_as<bool>;
};

// Returns the offset of the indices: the sum of each times its axis' stride.
template <typename Mapping, size_t... axes, typename... Indices>
LAYOUTD_HOST_DEVICE constexpr typename Mapping::index_type StridedOffset(
    const Mapping& mapping, std::index_sequence<axes...>,
    Indices... indices) noexcept {
  using Index = typename Mapping::index_type;
  assert(((!(static_cast<Index>(indices) < 0) &&
           static_cast<Index>(indices) < mapping.extents().extent(axes)) &&
          ...));
  return static_cast<Index>(
      (Index{0} + ... +
       static_cast<Index>(static_cast<Index>(indices) * mapping.stride(axes))));
}

// Returns one more than the greatest offset, 0 for a space without indices.
template <typename Mapping>
LAYOUTD_HOST_DEVICE constexpr typename Mapping::index_type StridedSpanSize(
    const Mapping& mapping) noexcept {
  using Index = typename Mapping::index_type;
  Index span = 1;
  for (size_t axis = 0; axis < Mapping::extents_type::rank(); ++axis) {
    const Index extent = mapping.extents().extent(axis);
    if (extent == 0) return 0;
    span = static_cast<Index>(span + (extent - 1) * mapping.stride(axis));
  }
  return span;
}

template <FastestSide side, typename Extents>
class DenseMapping {
 public:
  using extents_type = Extents;
  using index_type = typename extents_type::index_type;
  using size_type = typename extents_type::size_type;
  using rank_type = typename extents_type::rank_type;
  using layout_type =
      std::conditional_t<side == FastestSide::kLeft, layout_left, layout_right>;

  constexpr DenseMapping() noexcept = default;
  // Requires that the number of indices fits index_type.
  LAYOUTD_HOST_DEVICE constexpr DenseMapping(
      const extents_type& shape) noexcept  // NOLINT: implicit in the standard
      : extents_(shape) {}

  template <typename Other>
  requires std::is_constructible_v<extents_type, Other>
      LAYOUTD_HOST_DEVICE constexpr explicit(
          !std::is_convertible_v<Other, extents_type>)
          DenseMapping(const DenseMapping<side, Other>& other) noexcept
      : extents_(other.extents()) {}

  // The two sides are the same for one axis or none.
  template <typename Other>
  requires(extents_type::rank() <= 1 &&
           std::is_constructible_v<extents_type, Other>) LAYOUTD_HOST_DEVICE
      constexpr explicit(!std::is_convertible_v<Other, extents_type>)
          DenseMapping(
              const DenseMapping<Opposite(side), Other>& other) noexcept
      : extents_(other.extents()) {}

  // Requires a source without gaps.
  template <size_t PaddingValue, typename Other>
  requires std::is_constructible_v<extents_type, Other>
      LAYOUTD_HOST_DEVICE constexpr explicit(
          !std::is_convertible_v<Other, extents_type>)
          DenseMapping(
              const PaddedMapping<side, PaddingValue, Other>& other) noexcept
      : extents_(other.extents()) {
    constexpr size_t rank = extents_type::rank();
    if constexpr (rank > 1) {
      using Source = PaddedMapping<side, PaddingValue, Other>;
      constexpr size_t fixed =
          extents_type::static_extent(AxisAt(side, rank, 0));
      static_assert(fixed == dynamic_extent ||
                        Source::kStaticPaddingStride == dynamic_extent ||
                        fixed == Source::kStaticPaddingStride,
                    "a padded source has gaps");
      assert(HasStridesOf(other));
    }
  }

  // Requires the strides that this mapping has.
  template <typename Other>
  requires std::is_constructible_v<extents_type, Other>
      LAYOUTD_HOST_DEVICE constexpr explicit(
          !(extents_type::rank() == 0 &&
            std::is_convertible_v<Other, extents_type>))
          DenseMapping(const layout_stride::mapping<Other>& other) noexcept
      : extents_(other.extents()) {
    assert(HasStridesOf(other));
  }

  LAYOUTD_HOST_DEVICE constexpr const extents_type& extents() const noexcept {
    return extents_;
  }

  // Returns the offset, in elements.
  template <typename... Indices>
  requires(sizeof...(Indices) == extents_type::rank() &&
           (IndexLike<Indices, index_type> && ...)) LAYOUTD_HOST_DEVICE
      constexpr index_type
      operator()(Indices... indices) const noexcept {
    return StridedOffset(*this, std::index_sequence_for<Indices...>(),
                         indices...);
  }

  LAYOUTD_HOST_DEVICE constexpr index_type required_span_size() const noexcept {
    return NumIndices(extents_);
  }

  LAYOUTD_HOST_DEVICE constexpr index_type stride(rank_type axis) const noexcept
      requires(extents_type::rank() > 0) {
    index_type stride = 1;
    for (size_t order = 0; order < extents_type::rank(); ++order) {
      const size_t faster = AxisAt(side, extents_type::rank(), order);
      if (faster == axis) break;
      stride = static_cast<index_type>(stride * extents_.extent(faster));
    }
    return stride;
  }

  LAYOUTD_HOST_DEVICE static constexpr bool is_always_unique() noexcept {
    return true;
  }
  LAYOUTD_HOST_DEVICE static constexpr bool is_always_exhaustive() noexcept {
    return true;
  }
  LAYOUTD_HOST_DEVICE static constexpr bool is_always_strided() noexcept {
    return true;
  }
  LAYOUTD_HOST_DEVICE static constexpr bool is_unique() noexcept {
    return true;
  }
  LAYOUTD_HOST_DEVICE static constexpr bool is_exhaustive() noexcept {
    return true;
  }
  LAYOUTD_HOST_DEVICE static constexpr bool is_strided() noexcept {
    return true;
  }

 private:
  template <typename Other>
  LAYOUTD_HOST_DEVICE constexpr bool HasStridesOf(
      const Other& other) const noexcept {
    if constexpr (extents_type::rank() > 0) {
      for (size_t axis = 0; axis < extents_type::rank(); ++axis) {
        if (!std::cmp_equal(other.stride(axis), stride(axis))) return false;
      }
    }
    return true;
  }

  [[no_unique_address]] extents_type extents_;
};

template <FastestSide side, typename Left, typename Right>
requires(Left::rank() == Right::rank()) LAYOUTD_HOST_DEVICE constexpr bool
operator==(const DenseMapping<side, Left>& a,
           const DenseMapping<side, Right>& b) noexcept {
  return a.extents() == b.extents();
}

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_LAYOUT_MDSPAN_LAYOUT_LEFT_RIGHT_H_
