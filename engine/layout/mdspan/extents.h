#ifndef LAYOUTD_ENGINE_LAYOUT_MDSPAN_EXTENTS_H_
#define LAYOUTD_ENGINE_LAYOUT_MDSPAN_EXTENTS_H_

// The shape of a multidimensional index space, each extent static (part of the
// type) or dynamic (stored). This folder is C++26's <mdspan> in C++20: names,
// template parameters and member names are those of the standard, lower case
// on purpose, so that a user of std::mdspan finds what they know. Everything
// is constexpr, throws nothing, allocates nothing and may be called in device
// code; what the standard calls a precondition is an assertion.
// Source: C++ working draft, [mdspan.extents].

#include <array>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>

#include "engine/base/host_device.h"

namespace layoutd {

inline constexpr size_t dynamic_extent = std::numeric_limits<size_t>::max();

// What may be given where an index of type `IndexType` is meant.
template <typename T, typename IndexType>
concept IndexLike = std::is_convertible_v<T, IndexType> &&
    std::is_nothrow_constructible_v<IndexType, T>;

// The dynamic extents of a shape; empty if there are none.
template <typename IndexType, size_t count>
struct DynamicExtents {
  IndexType values[count] = {};

  LAYOUTD_HOST_DEVICE constexpr IndexType at(size_t index) const noexcept {
    return values[index];
  }
  LAYOUTD_HOST_DEVICE constexpr void set(size_t index,
                                         IndexType value) noexcept {
    values[index] = value;
  }
};

template <typename IndexType>
struct DynamicExtents<IndexType, 0> {
  LAYOUTD_HOST_DEVICE constexpr IndexType at(size_t) const noexcept {
    return 0;
  }
  LAYOUTD_HOST_DEVICE constexpr void set(size_t, IndexType) noexcept {}
};

template <typename IndexType, size_t... Extents>
class extents {
 public:
  using index_type = IndexType;
  using size_type = std::make_unsigned_t<index_type>;
  using rank_type = size_t;

  static_assert(std::is_integral_v<index_type> &&
                    !std::is_same_v<index_type, bool>,
                "an index type is an integer");
  static_assert(((Extents == dynamic_extent ||
                  Extents <= static_cast<size_type>(
                                 std::numeric_limits<index_type>::max())) &&
                 ...),
                "a static extent fits the index type");

  LAYOUTD_HOST_DEVICE static constexpr rank_type rank() noexcept {
    return sizeof...(Extents);
  }
  LAYOUTD_HOST_DEVICE static constexpr rank_type rank_dynamic() noexcept {
    return (size_t{0} + ... + size_t{Extents == dynamic_extent});
  }
  // Returns dynamic_extent where the extent is no part of the type.
  LAYOUTD_HOST_DEVICE static constexpr size_t static_extent(
      rank_type axis) noexcept {
    // One more, as an array of none is no C++.
    const size_t all[] = {Extents..., 0};
    return all[axis];
  }
  LAYOUTD_HOST_DEVICE constexpr index_type extent(
      rank_type axis) const noexcept {
    const size_t fixed = static_extent(axis);
    return fixed == dynamic_extent ? dynamic_.at(DynamicIndex(axis))
                                   : static_cast<index_type>(fixed);
  }

  // Dynamic extents are 0.
  constexpr extents() noexcept = default;

  // Takes every extent, or the dynamic ones only.
  template <typename... Others>
  requires((IndexLike<Others, index_type> && ...) &&
           (sizeof...(Others) == rank() ||
            sizeof...(Others) == rank_dynamic()) &&
           sizeof...(Others) > 0) LAYOUTD_HOST_DEVICE
      constexpr explicit extents(Others... values) noexcept {
    const index_type all[] = {static_cast<index_type>(std::move(values))...};
    Assign<sizeof...(Others)>(all);
  }
  template <typename Other, size_t count>
  requires(IndexLike<const Other&, index_type> &&
           (count == rank() || count == rank_dynamic())) LAYOUTD_HOST_DEVICE
      constexpr explicit(count != rank_dynamic())
          extents(const std::span<Other, count>& values) noexcept {
    Assign<count>(values.data());
  }
  template <typename Other, size_t count>
  requires(IndexLike<const Other&, index_type> &&
           (count == rank() || count == rank_dynamic())) LAYOUTD_HOST_DEVICE
      constexpr explicit(count != rank_dynamic())
          extents(const std::array<Other, count>& values) noexcept {
    Assign<count>(values.data());
  }

  // Converts; explicit where an extent may be lost: a dynamic one becomes
  // static, or the index type narrows.
  template <typename OtherIndex, size_t... Others>
  requires(sizeof...(Others) == rank() &&
           ((Others == dynamic_extent || Extents == dynamic_extent ||
             Others == Extents) &&
            ...)) LAYOUTD_HOST_DEVICE
      constexpr explicit(
          ((Extents != dynamic_extent && Others == dynamic_extent) || ...) ||
          std::cmp_less(std::numeric_limits<index_type>::max(),
                        std::numeric_limits<OtherIndex>::max()))
          extents(const extents<OtherIndex, Others...>& other) noexcept {
    for (size_t axis = 0; axis < rank(); ++axis) {
      Set(axis, static_cast<index_type>(other.extent(axis)));
    }
  }

 private:
  // Returns how many extents before `axis` are dynamic.
  LAYOUTD_HOST_DEVICE static constexpr size_t DynamicIndex(
      size_t axis) noexcept {
    size_t before = 0;
    for (size_t k = 0; k < axis; ++k) {
      before += size_t{static_extent(k) == dynamic_extent};
    }
    return before;
  }

  LAYOUTD_HOST_DEVICE constexpr void Set(size_t axis,
                                         index_type value) noexcept {
    if (static_extent(axis) == dynamic_extent) {
      assert(!(value < 0));
      dynamic_.set(DynamicIndex(axis), value);
    } else {
      assert(std::cmp_equal(value, static_extent(axis)));
    }
  }

  template <size_t count, typename Other>
  LAYOUTD_HOST_DEVICE constexpr void Assign(const Other* values) noexcept {
    for (size_t k = 0; k < count; ++k) {
      const index_type value = static_cast<index_type>(values[k]);
      if constexpr (count == rank()) {
        Set(k, value);
      } else {
        assert(!(value < 0));
        dynamic_.set(k, value);
      }
    }
  }

  [[no_unique_address]] DynamicExtents<index_type, rank_dynamic()> dynamic_;
};

template <typename Left, size_t... LeftExtents, typename Right,
          size_t... RightExtents>
LAYOUTD_HOST_DEVICE constexpr bool operator==(
    const extents<Left, LeftExtents...>& a,
    const extents<Right, RightExtents...>& b) noexcept {
  if constexpr (sizeof...(LeftExtents) != sizeof...(RightExtents)) {
    return false;
  } else {
    for (size_t axis = 0; axis < sizeof...(LeftExtents); ++axis) {
      if (!std::cmp_equal(a.extent(axis), b.extent(axis))) return false;
    }
    return true;
  }
}

template <typename T>
inline constexpr bool kIsExtents = false;
template <typename IndexType, size_t... Extents>
inline constexpr bool kIsExtents<extents<IndexType, Extents...>> = true;

template <typename IndexType, typename Axes>
struct DextentsOf;
template <typename IndexType, size_t... axes>
struct DextentsOf<IndexType, std::index_sequence<axes...>> {
  using type = extents<IndexType, (static_cast<void>(axes), dynamic_extent)...>;
};

// Extents that are all dynamic.
template <typename IndexType, size_t rank>
using dextents =
    typename DextentsOf<IndexType, std::make_index_sequence<rank>>::type;

// Returns how many indices the space has.
template <typename Extents>
LAYOUTD_HOST_DEVICE constexpr typename Extents::index_type NumIndices(
    const Extents& shape) noexcept {
  typename Extents::index_type count = 1;
  // A space without indices may have extents whose product does not fit.
  for (size_t axis = 0; axis < Extents::rank(); ++axis) {
    if (shape.extent(axis) == 0) return 0;
  }
  for (size_t axis = 0; axis < Extents::rank(); ++axis) {
    count =
        static_cast<typename Extents::index_type>(count * shape.extent(axis));
  }
  return count;
}

// Returns the product of two static extents, dynamic_extent if one is dynamic.
LAYOUTD_HOST_DEVICE constexpr size_t StaticProduct(size_t a,
                                                   size_t b) noexcept {
  return a == dynamic_extent || b == dynamic_extent ? dynamic_extent : a * b;
}

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_LAYOUT_MDSPAN_EXTENTS_H_
