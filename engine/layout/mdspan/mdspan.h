#ifndef LAYOUTD_ENGINE_LAYOUT_MDSPAN_MDSPAN_H_
#define LAYOUTD_ENGINE_LAYOUT_MDSPAN_MDSPAN_H_

// A multidimensional view of elements that someone else owns: a pointer and a
// mapping. Elements are plain memory; there are no accessors.
// Source: C++ working draft, [mdspan.mdspan], [mdspan.sub.sub].

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "engine/base/host_device.h"
#include "engine/layout/mdspan/extents.h"
#include "engine/layout/mdspan/layout_left_right.h"
#include "engine/layout/mdspan/submdspan_mapping.h"

namespace layoutd {

template <typename T, typename Extents, typename Layout = layout_right>
class mdspan {
 public:
  using extents_type = Extents;
  using layout_type = Layout;
  using mapping_type = typename layout_type::template mapping<extents_type>;
  using element_type = T;
  using value_type = std::remove_cv_t<T>;
  using index_type = typename extents_type::index_type;
  using rank_type = typename extents_type::rank_type;
  using data_handle_type = T*;
  using reference = T&;

  constexpr mdspan() noexcept = default;
  // Borrows `mapping.required_span_size()` elements.
  LAYOUTD_HOST_DEVICE constexpr mdspan(T* elements,
                                       const mapping_type& mapping) noexcept
      : elements_(elements), mapping_(mapping) {}
  LAYOUTD_HOST_DEVICE constexpr mdspan(T* elements,
                                       const extents_type& shape) noexcept
      : elements_(elements), mapping_(shape) {}
  template <typename... Indices>
  requires((IndexLike<Indices, index_type> && ...) &&
           (sizeof...(Indices) == extents_type::rank() ||
            sizeof...(Indices) ==
                extents_type::rank_dynamic())) LAYOUTD_HOST_DEVICE
      constexpr explicit mdspan(T* elements, Indices... shape) noexcept
      : mdspan(elements, extents_type(shape...)) {}

  LAYOUTD_HOST_DEVICE static constexpr rank_type rank() noexcept {
    return extents_type::rank();
  }
  LAYOUTD_HOST_DEVICE constexpr T* data_handle() const noexcept {
    return elements_;
  }
  LAYOUTD_HOST_DEVICE constexpr const mapping_type& mapping() const noexcept {
    return mapping_;
  }
  LAYOUTD_HOST_DEVICE constexpr const extents_type& extents() const noexcept {
    return mapping_.extents();
  }
  LAYOUTD_HOST_DEVICE constexpr index_type extent(
      rank_type axis) const noexcept {
    return extents().extent(axis);
  }
  LAYOUTD_HOST_DEVICE constexpr index_type stride(
      rank_type axis) const noexcept {
    return mapping_.stride(axis);
  }

  // Requires every index in `[0, extent)`. The standard's operator[] of several
  // indices is no C++20; this is its place.
  template <typename... Indices>
  requires(sizeof...(Indices) == extents_type::rank() &&
           (IndexLike<Indices, index_type> && ...)) LAYOUTD_HOST_DEVICE
      constexpr T&
      operator()(Indices... indices) const noexcept {
    return elements_[mapping_(indices...)];
  }
  template <typename Index>
  requires IndexLike<const Index&, index_type> LAYOUTD_HOST_DEVICE constexpr T&
  operator[](
      const std::array<Index, extents_type::rank()>& indices) const noexcept {
    return [&]<size_t... axes>(std::index_sequence<axes...>)->T& {
      return (*this)(indices[axes]...);
    }
    (std::make_index_sequence<extents_type::rank()>());
  }

 private:
  T* elements_ = nullptr;
  [[no_unique_address]] mapping_type mapping_{};
};

// Returns the view of the part that the slices select; borrows as `source`.
template <typename T, typename Extents, typename Layout, typename... Slices>
requires(sizeof...(Slices) == Extents::rank()) LAYOUTD_HOST_DEVICE
    constexpr auto submdspan(const mdspan<T, Extents, Layout>& source,
                             Slices... slices) noexcept {
  const auto part = submdspan_mapping(source.mapping(), slices...);
  using Sub = std::remove_cvref_t<decltype(part.mapping)>;
  return mdspan<T, typename Sub::extents_type, typename Sub::layout_type>(
      source.data_handle() + part.offset, part.mapping);
}

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_LAYOUT_MDSPAN_MDSPAN_H_
