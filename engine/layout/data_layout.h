#ifndef LAYOUTD_ENGINE_LAYOUT_DATA_LAYOUT_H_
#define LAYOUTD_ENGINE_LAYOUT_DATA_LAYOUT_H_

// How the points (v, i, j, h) of a field and the slots of their values (F) lie
// in a universal buffer. Value type; pure description, no memory.
// Source: ClimaCore.jl src/DataLayouts (0-based here).

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/base/scalar_type.h"
#include "engine/layout/buffer_spec.h"
#include "engine/layout/layout_kind.h"
#include "engine/layout/shape.h"
#include "engine/layout/value_type.h"
#include "engine/layout/view.h"

namespace layoutd {

// Ghost points around the points of a shape, along v, i, j, h. Each at least 0.
struct Halo {
  std::array<int64_t, 4> low = {};   // before the first point
  std::array<int64_t, 4> high = {};  // after the last

  friend bool operator==(const Halo&, const Halo&) = default;
};

// Nodes of one element of a plane along i and j; 0: the whole extent.
struct PlaneNodes {
  int64_t i = 0;
  int64_t j = 0;

  friend bool operator==(const PlaneNodes&, const PlaneNodes&) = default;
};

// What a layout is made from.
struct LayoutSpec {
  LayoutKind kind = LayoutKind::kVIJFH;
  // Of the points. A plane has its nodes along i (and j) and one element:
  // VIH1 (Nv, Ni * Nh1, 1, 1), IH1JH2 (1, Ni * Nh1, Nj * Nh2, 1).
  Shape shape = {};
  ValueType type = ScalarType::kF64;
  // None: the default one for `type`.
  std::optional<ScalarType> base_type = std::nullopt;
  Halo halo = {};
  int64_t align_bytes = 0;  // rows of the fastest axis fill a multiple; 0: none
  PlaneNodes plane_nodes = {};  // planes only
  // Nh is part of the type, not known at run time only: matters to nothing but
  // the queries below.
  bool static_h = false;

  friend bool operator==(const LayoutSpec&, const LayoutSpec&) = default;
};

// Extents along v, i, j, h: 1 along axes that the kind lacks, none where it is
// not static.
using VijhParams = std::array<std::optional<int64_t>, 4>;

class DataLayout {
 public:
  // Shape: kDataF needs (1, 1, 1, 1); Nj must be Ni or 1 except in planes;
  // extents may be 0.
  // Errors: InvalidArgument — BAD_EXTENT, BAD_BASE_TYPE, BAD_SHAPE, BAD_HALO,
  // BAD_ALIGNMENT; OutOfRange (SIZE_OVERFLOW) — points or bytes do not fit
  // int64.
  static absl::StatusOr<DataLayout> Create(const LayoutSpec& spec);

  // Returns a VIJFH layout of any extents, those of planes too: for values
  // between two passes of a program.
  // Errors: OutOfRange (SIZE_OVERFLOW).
  static absl::StatusOr<DataLayout> CreateTemporary(const Shape& shape,
                                                    const ValueType& type);

  LayoutKind kind() const { return spec_.kind; }
  const Shape& shape() const { return spec_.shape; }
  const ValueType& type() const { return spec_.type; }
  ScalarType base_type() const { return buffer_.base_type; }
  const Halo& halo() const { return spec_.halo; }
  int64_t align_bytes() const { return spec_.align_bytes; }
  // Nodes of one element; of a plane never 0 where the extent is not.
  const PlaneNodes& plane_nodes() const { return spec_.plane_nodes; }
  const BufferSpec& buffer() const { return buffer_; }
  int64_t size_bytes() const { return buffer_.size_bytes(); }
  // The spec that makes this layout again, with its base type.
  const LayoutSpec& spec() const { return spec_; }
  bool has_halo() const { return spec_.halo != Halo(); }

  // Whether writing every leaf of every point leaves no byte of the buffer
  // untouched: no padding in values or rows, no halo.
  bool LeavesFillBuffer() const;
  // Slots per value (Nf).
  int64_t num_components() const;
  int64_t num_levels() const;
  // Nodes per element (nquadpoints).
  int64_t num_nodes() const;
  int64_t num_elements() const;
  VijhParams vijh_params() const;
  // The logical size, none where it is known at run time only: of a DataF no
  // dimension, of a plane two, else four.
  std::vector<std::optional<int64_t>> inferred_size() const;
  bool has_inferred_size() const;
  // Whether one number counts the points without their being taken apart: by
  // the static extents alone, as upstream decides it.
  bool allows_linear_index() const;

  // Returns the view of every value.
  View WholeView() const;

  // Layouts like this one, over the same points. `Similar` and
  // `Reinterpreted` have another value type: the one keeps the base type where
  // it can, the other keeps the parent array, so its values must have as many
  // slots. `WithBaseType` has `base` in place of every occurrence of its own
  // base type, in the value type too: (f64, f64) over f64 -> (f32, f32) over
  // f32.
  // Errors: those of Create; InvalidArgument (TYPE_MISMATCH) — Reinterpreted to
  // a type of another size.
  absl::StatusOr<DataLayout> Similar(ValueType type) const;
  absl::StatusOr<DataLayout> Reinterpreted(ValueType type) const;
  absl::StatusOr<DataLayout> WithBaseType(ScalarType base) const;

  friend bool operator==(const DataLayout&, const DataLayout&) = default;

 private:
  DataLayout(LayoutSpec spec, const BufferSpec& buffer);
  // Create without the checks of the shape.
  static absl::StatusOr<DataLayout> LayOut(LayoutSpec spec);

  LayoutSpec spec_;
  BufferSpec buffer_;
};

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_LAYOUT_DATA_LAYOUT_H_
