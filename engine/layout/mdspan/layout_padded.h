#ifndef LAYOUTD_ENGINE_LAYOUT_MDSPAN_LAYOUT_PADDED_H_
#define LAYOUTD_ENGINE_LAYOUT_MDSPAN_LAYOUT_PADDED_H_

// Mappings whose fastest axis is padded: layout_left_padded and, its mirror
// image, layout_right_padded. The padding stride is the stride of the second
// fastest axis, at least the extent of the fastest one, in elements; it is part
// of the type where padding value and extent are.
// Source: C++ working draft, [mdspan.layout.leftpad], [mdspan.layout.rightpad].

#include <array>
#include <cassert>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>

#include "engine/base/host_device.h"
#include "engine/layout/mdspan/extents.h"
#include "engine/layout/mdspan/layout_left_right.h"
#include "engine/layout/mdspan/layout_stride.h"

namespace layoutd {

// PaddingValue: elements, never bytes; the padding stride is a multiple of it.
// 0: no padding. dynamic_extent: the stride is an argument or the extent.
template <size_t PaddingValue = dynamic_extent>
struct layout_left_padded {
  template <typename Extents>
  using mapping = PaddedMapping<FastestSide::kLeft, PaddingValue, Extents>;
};
template <size_t PaddingValue = dynamic_extent>
struct layout_right_padded {
  template <typename Extents>
  using mapping = PaddedMapping<FastestSide::kRight, PaddingValue, Extents>;
};

// Returns the least multiple of `factor` that is at least `value`; `value` for
// a factor of 0.
template <typename T>
LAYOUTD_HOST_DEVICE constexpr T LeastMultipleAtLeast(T factor,
                                                     T value) noexcept {
  if (factor == 0) return value;
  const T rest = static_cast<T>(value % factor);
  return rest == 0 ? value : static_cast<T>(value - rest + factor);
}

// A padding stride, stored only where it is no part of the type.
template <typename IndexType, size_t fixed>
struct PaddingStride {
  constexpr PaddingStride() noexcept = default;
  LAYOUTD_HOST_DEVICE constexpr explicit PaddingStride(IndexType) noexcept {}
  LAYOUTD_HOST_DEVICE constexpr IndexType get() const noexcept {
    return static_cast<IndexType>(fixed);
  }
};
template <typename IndexType>
struct PaddingStride<IndexType, dynamic_extent> {
  constexpr PaddingStride() noexcept = default;
  LAYOUTD_HOST_DEVICE constexpr explicit PaddingStride(IndexType given) noexcept
      : value(given) {}
  LAYOUTD_HOST_DEVICE constexpr IndexType get() const noexcept { return value; }
  IndexType value = 0;
};

template <FastestSide side, size_t PaddingValue, typename Extents>
class PaddedMapping {
 public:
  static constexpr size_t padding_value = PaddingValue;
  using extents_type = Extents;
  using index_type = typename extents_type::index_type;
  using size_type = typename extents_type::size_type;
  using rank_type = typename extents_type::rank_type;
  using layout_type = std::conditional_t<side == FastestSide::kLeft,
                                         layout_left_padded<PaddingValue>,
                                         layout_right_padded<PaddingValue>>;

 private:
  static constexpr size_t kRank = extents_type::rank();
  // The axes that the padding concerns, where there are two.
  static constexpr size_t kFastest = kRank > 1 ? AxisAt(side, kRank, 0) : 0;
  static constexpr size_t kSecond = kRank > 1 ? AxisAt(side, kRank, 1) : 0;

  LAYOUTD_HOST_DEVICE static constexpr size_t StaticStride() noexcept {
    if constexpr (kRank <= 1) {
      return 0;
    } else if constexpr (PaddingValue == dynamic_extent ||
                         extents_type::static_extent(kFastest) ==
                             dynamic_extent) {
      return dynamic_extent;
    } else {
      return LeastMultipleAtLeast(PaddingValue,
                                  extents_type::static_extent(kFastest));
    }
  }

  LAYOUTD_HOST_DEVICE static constexpr bool FitsIndex(size_t value) noexcept {
    return value == dynamic_extent ||
           value <=
               static_cast<size_type>(std::numeric_limits<index_type>::max());
  }

 public:
  // dynamic_extent: stored; 0 for fewer than two axes.
  static constexpr size_t kStaticPaddingStride = StaticStride();

  static_assert(FitsIndex(PaddingValue), "the padding fits the index type");
  static_assert(FitsIndex(kStaticPaddingStride),
                "the padding stride fits the index type");

  LAYOUTD_HOST_DEVICE constexpr PaddedMapping() noexcept
      : PaddedMapping(extents_type()) {}
  LAYOUTD_HOST_DEVICE constexpr PaddedMapping(
      const extents_type& shape) noexcept  // NOLINT: implicit in the standard
      : extents_(shape), stride_(DefaultStride(shape)) {}

  // Requires a padding above 0 (0 only over an empty fastest axis) that equals
  // a static PaddingValue. It is a factor of the stride, not the stride.
  template <typename Other>
  requires IndexLike<Other, index_type>
      LAYOUTD_HOST_DEVICE constexpr PaddedMapping(const extents_type& shape,
                                                  Other padding) noexcept
      : extents_(shape),
        stride_(PaddedStride(shape, static_cast<index_type>(padding))) {
    assert(PaddingValue == dynamic_extent ||
           std::cmp_equal(static_cast<index_type>(padding), PaddingValue));
  }

  template <typename Other>
  requires std::is_constructible_v<extents_type, Other>
      LAYOUTD_HOST_DEVICE constexpr explicit(
          !std::is_convertible_v<Other, extents_type>)
          PaddedMapping(const DenseMapping<side, Other>& other) noexcept
      : PaddedMapping(extents_type(other.extents())) {
    if constexpr (kRank > 1) {
      constexpr size_t fixed = Other::static_extent(kFastest);
      static_assert(kStaticPaddingStride == dynamic_extent ||
                        fixed == dynamic_extent ||
                        fixed == kStaticPaddingStride,
                    "a source without gaps has none for the padding");
      assert(std::cmp_equal(other.stride(kSecond), stride(kSecond)));
    }
  }

  // Requires the strides that this mapping has, but for that of the padding
  // where no static padding value says it.
  template <typename Other>
  requires std::is_constructible_v<extents_type, Other>
      LAYOUTD_HOST_DEVICE constexpr explicit(
          !(kRank == 0 && std::is_convertible_v<Other, extents_type>))
          PaddedMapping(const layout_stride::mapping<Other>& other) noexcept
      : extents_(other.extents()), stride_(SecondStrideOf(other)) {
    assert(HasStridesOf(other));
  }

  // Implicit where the type of the result says no more than that of the source.
  template <size_t OtherPadding, typename Other>
  requires std::is_constructible_v<extents_type, Other>
      LAYOUTD_HOST_DEVICE constexpr explicit(!(
          std::is_convertible_v<Other, extents_type> &&
          (kRank <= 1 ||
           (PaddingValue == dynamic_extent && OtherPadding != dynamic_extent))))
          PaddedMapping(
              const PaddedMapping<side, OtherPadding, Other>& other) noexcept
      : extents_(other.extents()), stride_(SecondStrideOf(other)) {
    static_assert(kRank <= 1 || PaddingValue == dynamic_extent ||
                      OtherPadding == dynamic_extent ||
                      PaddingValue == OtherPadding,
                  "two static padding values that differ");
    assert(HasStridesOf(other));
  }

  // The two sides are the same for one axis or none.
  template <typename Other>
  requires(kRank <= 1 &&
           std::is_constructible_v<extents_type, Other>) LAYOUTD_HOST_DEVICE
      constexpr explicit(!std::is_convertible_v<Other, extents_type>)
          PaddedMapping(
              const DenseMapping<Opposite(side), Other>& other) noexcept
      : extents_(other.extents()) {}
  template <size_t OtherPadding, typename Other>
  requires(kRank <= 1 &&
           std::is_constructible_v<extents_type, Other>) LAYOUTD_HOST_DEVICE
      constexpr explicit(!std::is_convertible_v<Other, extents_type>)
          PaddedMapping(const PaddedMapping<Opposite(side), OtherPadding,
                                            Other>& other) noexcept
      : extents_(other.extents()) {}

  LAYOUTD_HOST_DEVICE constexpr const extents_type& extents() const noexcept {
    return extents_;
  }
  LAYOUTD_HOST_DEVICE constexpr std::array<index_type, extents_type::rank()>
  strides() const noexcept {
    return StridesOf(std::make_index_sequence<kRank>());
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

  // Returns one more than the greatest offset: no padding after the last row.
  LAYOUTD_HOST_DEVICE constexpr index_type required_span_size() const noexcept {
    return StridedSpanSize(*this);
  }

  LAYOUTD_HOST_DEVICE constexpr index_type stride(
      rank_type axis) const noexcept {
    index_type stride = 1;
    for (size_t order = 0; order < kRank; ++order) {
      const size_t faster = AxisAt(side, kRank, order);
      if (faster == axis) break;
      stride = static_cast<index_type>(
          order == 0 ? stride_.get() : stride * extents_.extent(faster));
    }
    return stride;
  }

  LAYOUTD_HOST_DEVICE static constexpr bool is_always_unique() noexcept {
    return true;
  }
  LAYOUTD_HOST_DEVICE static constexpr bool is_always_exhaustive() noexcept {
    return kRank <= 1 ||
           (kStaticPaddingStride != dynamic_extent &&
            extents_type::static_extent(kFastest) == kStaticPaddingStride);
  }
  LAYOUTD_HOST_DEVICE static constexpr bool is_always_strided() noexcept {
    return true;
  }
  LAYOUTD_HOST_DEVICE static constexpr bool is_unique() noexcept {
    return true;
  }
  LAYOUTD_HOST_DEVICE constexpr bool is_exhaustive() const noexcept {
    if constexpr (kRank <= 1) {
      return true;
    } else {
      return extents_.extent(kFastest) == stride(kSecond);
    }
  }
  LAYOUTD_HOST_DEVICE static constexpr bool is_strided() noexcept {
    return true;
  }

 private:
  LAYOUTD_HOST_DEVICE static constexpr index_type PaddedStride(
      const extents_type& shape, index_type padding) noexcept {
    if constexpr (kRank <= 1) {
      return 0;
    } else {
      return LeastMultipleAtLeast(padding, shape.extent(kFastest));
    }
  }
  LAYOUTD_HOST_DEVICE static constexpr index_type DefaultStride(
      const extents_type& shape) noexcept {
    // No padding, 0, gives the extent.
    return PaddedStride(shape, PaddingValue == dynamic_extent
                                   ? index_type{0}
                                   : static_cast<index_type>(PaddingValue));
  }
  template <typename Other>
  LAYOUTD_HOST_DEVICE static constexpr index_type SecondStrideOf(
      const Other& other) noexcept {
    if constexpr (kRank <= 1) {
      return 0;
    } else {
      return static_cast<index_type>(other.stride(kSecond));
    }
  }
  template <typename Other>
  LAYOUTD_HOST_DEVICE constexpr bool HasStridesOf(
      const Other& other) const noexcept {
    if constexpr (kRank > 1) {
      if (PaddingValue != dynamic_extent &&
          !std::cmp_equal(other.stride(kSecond), DefaultStride(extents_))) {
        return false;
      }
    }
    if constexpr (kRank > 0) {
      for (size_t axis = 0; axis < kRank; ++axis) {
        if (!std::cmp_equal(other.stride(axis), stride(axis))) return false;
      }
    }
    return true;
  }
  template <size_t... axes>
  LAYOUTD_HOST_DEVICE constexpr std::array<index_type, extents_type::rank()>
  StridesOf(std::index_sequence<axes...>) const noexcept {
    return {stride(axes)...};
  }

  [[no_unique_address]] extents_type extents_;
  [[no_unique_address]] PaddingStride<index_type, kStaticPaddingStride> stride_;
};

template <FastestSide side, size_t LeftPadding, size_t RightPadding,
          typename Left, typename Right>
requires(Left::rank() == Right::rank()) LAYOUTD_HOST_DEVICE constexpr bool
operator==(const PaddedMapping<side, LeftPadding, Left>& a,
           const PaddedMapping<side, RightPadding, Right>& b) noexcept {
  if constexpr (Left::rank() > 1) {
    const size_t second = AxisAt(side, Left::rank(), 1);
    if (!std::cmp_equal(a.stride(second), b.stride(second))) return false;
  }
  return a.extents() == b.extents();
}

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_LAYOUT_MDSPAN_LAYOUT_PADDED_H_
