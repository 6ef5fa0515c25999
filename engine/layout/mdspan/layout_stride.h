#ifndef LAYOUTD_ENGINE_LAYOUT_MDSPAN_LAYOUT_STRIDE_H_
#define LAYOUTD_ENGINE_LAYOUT_MDSPAN_LAYOUT_STRIDE_H_

// The mapping with a stored stride for every axis, in elements: what every
// other strided mapping converts to.
// Source: C++ working draft, [mdspan.layout.stride].

#include <array>
#include <cassert>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

#include "engine/base/host_device.h"
#include "engine/layout/mdspan/extents.h"
#include "engine/layout/mdspan/layout_left_right.h"

namespace layoutd {

// Whether a mapping is of a layout of the standard; each converts to a
// layout_stride implicitly.
template <typename M>
inline constexpr bool kIsStandardMapping = false;
template <FastestSide side, typename Extents>
inline constexpr bool kIsStandardMapping<DenseMapping<side, Extents>> = true;
template <FastestSide side, size_t PaddingValue, typename Extents>
inline constexpr bool
    kIsStandardMapping<PaddedMapping<side, PaddingValue, Extents>> = true;
template <typename Extents>
inline constexpr bool kIsStandardMapping<layout_stride::mapping<Extents>> =
    true;

// Returns the offset of the first index, 0 where there is none.
template <typename Mapping>
LAYOUTD_HOST_DEVICE constexpr typename Mapping::index_type FirstOffset(
    const Mapping& mapping) noexcept {
  if (mapping.required_span_size() == 0) return 0;
  return [&]<size_t... axes>(std::index_sequence<axes...>) {
    return mapping((static_cast<void>(axes), 0)...);
  }
  (std::make_index_sequence<Mapping::extents_type::rank()>());
}

template <typename Extents>
class layout_stride::mapping {
 public:
  using extents_type = Extents;
  using index_type = typename extents_type::index_type;
  using size_type = typename extents_type::size_type;
  using rank_type = typename extents_type::rank_type;
  using layout_type = layout_stride;

  // The strides of a layout_right.
  LAYOUTD_HOST_DEVICE constexpr mapping() noexcept
      : mapping(DenseMapping<FastestSide::kRight, extents_type>()) {}

  // Requires, if there are indices, strides above 0 that give every index an
  // offset of its own.
  template <typename Other>
  requires IndexLike<const Other&, index_type>
      LAYOUTD_HOST_DEVICE constexpr mapping(
          const extents_type& shape,
          std::span<Other, extents_type::rank()> strides) noexcept
      : extents_(shape) {
    for (size_t axis = 0; axis < extents_type::rank(); ++axis) {
      strides_.set(axis, static_cast<index_type>(strides[axis]));
      assert(strides_.at(axis) > 0 || NumIndices(extents_) == 0);
    }
  }
  template <typename Other>
  requires IndexLike<const Other&, index_type>
      LAYOUTD_HOST_DEVICE constexpr mapping(
          const extents_type& shape,
          const std::array<Other, extents_type::rank()>& strides) noexcept
      : extents_(shape) {
    for (size_t axis = 0; axis < extents_type::rank(); ++axis) {
      strides_.set(axis, static_cast<index_type>(strides[axis]));
      assert(strides_.at(axis) > 0 || NumIndices(extents_) == 0);
    }
  }

  // Requires strides above 0: an empty padded axis gives none.
  template <MappingLike Other>
  requires(
      !std::is_same_v<Other, mapping> &&
      std::is_constructible_v<extents_type, typename Other::extents_type> &&
      Other::is_always_unique() &&
      Other::is_always_strided()) LAYOUTD_HOST_DEVICE
      constexpr explicit(
          !(std::is_convertible_v<typename Other::extents_type, extents_type> &&
            kIsStandardMapping<Other>)) mapping(const Other& other) noexcept
      : extents_(other.extents()) {
    assert(FirstOffset(other) == 0);
    if constexpr (extents_type::rank() > 0) {
      for (size_t axis = 0; axis < extents_type::rank(); ++axis) {
        strides_.set(axis, static_cast<index_type>(other.stride(axis)));
      }
    }
  }

  LAYOUTD_HOST_DEVICE constexpr const extents_type& extents() const noexcept {
    return extents_;
  }
  LAYOUTD_HOST_DEVICE constexpr std::array<index_type, extents_type::rank()>
  strides() const noexcept {
    return [&]<size_t... axes>(std::index_sequence<axes...>) {
      return std::array<index_type, extents_type::rank()>{strides_.at(axes)...};
    }
    (std::make_index_sequence<extents_type::rank()>());
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
    return StridedSpanSize(*this);
  }
  LAYOUTD_HOST_DEVICE constexpr index_type stride(
      rank_type axis) const noexcept {
    return strides_.at(axis);
  }

  LAYOUTD_HOST_DEVICE static constexpr bool is_always_unique() noexcept {
    return true;
  }
  LAYOUTD_HOST_DEVICE static constexpr bool is_always_exhaustive() noexcept {
    return extents_type::rank() == 0;
  }
  LAYOUTD_HOST_DEVICE static constexpr bool is_always_strided() noexcept {
    return true;
  }
  LAYOUTD_HOST_DEVICE static constexpr bool is_unique() noexcept {
    return true;
  }
  LAYOUTD_HOST_DEVICE constexpr bool is_exhaustive() const noexcept {
    // Offsets are distinct, so that as many as there is room for leave no gap.
    return required_span_size() == NumIndices(extents_);
  }
  LAYOUTD_HOST_DEVICE static constexpr bool is_strided() noexcept {
    return true;
  }

 private:
  [[no_unique_address]] extents_type extents_;
  [[no_unique_address]] DynamicExtents<index_type, extents_type::rank()>
      strides_;
};

template <typename Left, MappingLike Right>
requires(Left::rank() == Right::extents_type::rank() &&
         Right::is_always_strided()) LAYOUTD_HOST_DEVICE constexpr bool
operator==(const layout_stride::mapping<Left>& a, const Right& b) noexcept {
  if constexpr (Left::rank() > 0) {
    for (size_t axis = 0; axis < Left::rank(); ++axis) {
      if (!std::cmp_equal(a.stride(axis), b.stride(axis))) return false;
    }
  }
  return a.extents() == b.extents() && FirstOffset(b) == 0;
}

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_LAYOUT_MDSPAN_LAYOUT_STRIDE_H_
