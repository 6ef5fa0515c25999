#ifndef LAYOUTD_ENGINE_PROGRAM_REDUCTION_ORDER_H_
#define LAYOUTD_ENGINE_PROGRAM_REDUCTION_ORDER_H_

// The order in which every reduction combines its points. It depends on the
// shape alone, never on layout, threads, chunking or device, so results are the
// same bits everywhere. This file is the definition; architecture decision 1 in
// engine/README.md says why.
//
// Points are numbered in canonical order: v fastest, then i, j, h. With P
// points per element:
//   P <= 4096: a chunk is ceil(4096 / P) consecutive whole elements;
//   P >  4096: each element is cut into pieces of 4096 points; a chunk is one.
// Either way a chunk is a range of consecutive canonical points. Within it,
// point k (counted in the chunk) goes to lane k mod 64; each lane folds its
// points in order of k; lanes combine by halving (l with l + 32, + 16 ... + 1);
// chunk partials by repeated pairing (2m with 2m + 1), an odd last one passes
// up. Inactive points, empty lanes and empty chunks have no value and are
// skipped. `init` enters once, last: op(init, total).

#include <algorithm>
#include <cstdint>

#include "engine/base/checked_math.h"
#include "engine/layout/shape.h"

namespace layoutd {

inline constexpr int64_t kReductionLanes = 64;
inline constexpr int64_t kReductionChunkPoints = 4096;
// A chunk never has more points than this.
inline constexpr int64_t kMaxChunkPoints = 2 * kReductionChunkPoints;

struct ChunkRange {
  int64_t begin;  // canonical points [begin, end)
  int64_t end;
};

struct ReductionOrder {
  int64_t points_per_element;
  int64_t num_elements;

  explicit ReductionOrder(const Shape& shape)
      : points_per_element(shape.v() * shape.i() * shape.j()),
        num_elements(shape.h()) {}

  int64_t elements_per_chunk() const {
    return CeilDiv(kReductionChunkPoints, points_per_element);
  }
  int64_t pieces_per_element() const {
    return CeilDiv(points_per_element, kReductionChunkPoints);
  }
  int64_t num_chunks() const {
    if (points_per_element == 0 || num_elements == 0) return 0;
    if (points_per_element <= kReductionChunkPoints) {
      return CeilDiv(num_elements, elements_per_chunk());
    }
    return num_elements * pieces_per_element();
  }
  ChunkRange chunk(int64_t index) const {
    const int64_t p = points_per_element;
    if (p <= kReductionChunkPoints) {
      const int64_t first = index * elements_per_chunk();
      return {first * p,
              std::min(first + elements_per_chunk(), num_elements) * p};
    }
    const int64_t element = index / pieces_per_element();
    const int64_t piece = index % pieces_per_element();
    return {element * p + piece * kReductionChunkPoints,
            element * p + std::min(p, (piece + 1) * kReductionChunkPoints)};
  }
};

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_PROGRAM_REDUCTION_ORDER_H_
