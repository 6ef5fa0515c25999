#ifndef LAYOUTD_TESTS_SUPPORT_DESCRIBE_MAPPING_H_
#define LAYOUTD_TESTS_SUPPORT_DESCRIBE_MAPPING_H_

// What a mapping of engine/layout/mdspan is, type and values, as the JSON
// object that conformance vectors describe one with.

#include <cstddef>
#include <string>

#include "engine/layout/mdspan/submdspan_mapping.h"

namespace layoutd {

inline std::string Static(size_t value) {
  return value == dynamic_extent ? "\"dyn\"" : std::to_string(value);
}

// The layout of a mapping by name; a padding value where it has one.
template <typename Mapping>
struct MappingName;
template <FastestSide side, typename Extents>
struct MappingName<DenseMapping<side, Extents>> {
  static std::string Layout() {
    return side == FastestSide::kLeft ? "left" : "right";
  }
  static std::string Padding() { return "null"; }
  static std::string Strides(const DenseMapping<side, Extents>&) { return ""; }
};
template <FastestSide side, size_t PaddingValue, typename Extents>
struct MappingName<PaddedMapping<side, PaddingValue, Extents>> {
  using Mapping = PaddedMapping<side, PaddingValue, Extents>;
  static std::string Layout() {
    return side == FastestSide::kLeft ? "left_padded" : "right_padded";
  }
  static std::string Padding() { return Static(PaddingValue); }
  static std::string Strides(const Mapping& mapping) {
    constexpr size_t kRank = Extents::rank();
    std::string stride = "null";
    if constexpr (kRank > 1) {
      stride = std::to_string(mapping.stride(AxisAt(side, kRank, 1)));
    }
    return ", \"static_padding_stride\": " +
           Static(Mapping::kStaticPaddingStride) +
           ", \"padding_stride\": " + stride;
  }
};
template <typename Extents>
struct MappingName<layout_stride::mapping<Extents>> {
  static std::string Layout() { return "stride"; }
  static std::string Padding() { return "null"; }
  static std::string Strides(const layout_stride::mapping<Extents>&) {
    return "";
  }
};

template <typename Mapping>
std::string DescribeMapping(const Mapping& mapping) {
  using Extents = typename Mapping::extents_type;
  using Name = MappingName<Mapping>;
  std::string fixed, shape, strides;
  if constexpr (Extents::rank() > 0) {
    for (size_t axis = 0; axis < Extents::rank(); ++axis) {
      const std::string comma = axis == 0 ? "" : ", ";
      fixed += comma + Static(Extents::static_extent(axis));
      shape += comma + std::to_string(mapping.extents().extent(axis));
      strides += comma + std::to_string(mapping.stride(axis));
    }
  }
  const auto boolean = [](bool value) { return value ? "true" : "false"; };
  return "{\"layout\": \"" + Name::Layout() +
         "\", \"padding_value\": " + Name::Padding() +
         ", \"rank\": " + std::to_string(Extents::rank()) +
         ", \"static_extents\": [" + fixed + "], \"extents\": [" + shape +
         "], \"strides\": [" + strides + "], \"required_span_size\": " +
         std::to_string(mapping.required_span_size()) +
         ", \"is_exhaustive\": " + boolean(mapping.is_exhaustive()) +
         ", \"is_always_exhaustive\": " +
         boolean(Mapping::is_always_exhaustive()) +
         ", \"is_unique\": " + boolean(mapping.is_unique()) +
         ", \"is_strided\": " + boolean(mapping.is_strided()) +
         Name::Strides(mapping) + "}";
}

}  // namespace layoutd

#endif  // LAYOUTD_TESTS_SUPPORT_DESCRIBE_MAPPING_H_
