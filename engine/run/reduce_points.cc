#include "engine/run/reduce_points.h"

#include <cstring>

namespace layoutd {
namespace {

// A slot holds only the value's own bytes; the rest is not defined.
Scalar FromSlot(ScalarType type, const ParameterSlot& slot) {
  Scalar scalar;
  scalar.type = type;
  std::memcpy(scalar.bytes, slot.bytes, static_cast<size_t>(SizeBytes(type)));
  return scalar;
}

// Moves the partial of chunk `from` to chunk `to`.
void Move(const Partials& partials, size_t from, size_t to) {
  partials.values[to] = partials.values[from];
  partials.positions[to] = partials.positions[from];
}

}  // namespace

std::optional<ReductionTotal> CombinePartials(const LoopReduction& reduction,
                                              const Partials& partials) {
  // The bytes beyond the value's size come along: nothing here looks at them,
  // and a fixed size is copied at once.
  const auto value = [&](size_t chunk) {
    Scalar scalar;
    scalar.type = reduction.type;
    std::memcpy(scalar.bytes, partials.values[chunk].bytes,
                sizeof(scalar.bytes));
    return scalar;
  };
  size_t count = partials.values.size();
  if (count == 0) return std::nullopt;
  while (count > 1) {
    const size_t pairs = count / 2;
    for (size_t m = 0; m < pairs; ++m) {
      const size_t a = 2 * m;
      const size_t b = a + 1;
      const bool has_a = partials.has_value[a] != 0;
      const bool has_b = partials.has_value[b] != 0;
      if (!has_a || !has_b) {
        Move(partials, has_a ? a : b, m);
      } else if (reduction.with_position) {
        const bool second =
            TakesSecond(reduction.op, value(a), partials.positions[a], value(b),
                        partials.positions[b]);
        Move(partials, second ? b : a, m);
      } else {
        const Scalar pair[] = {value(a), value(b)};
        const Scalar combined = Apply(reduction.op, pair);
        std::memcpy(partials.values[m].bytes, combined.bytes,
                    sizeof(combined.bytes));
      }
      partials.has_value[m] = has_a || has_b ? 1 : 0;
    }
    if (count % 2 != 0) {
      Move(partials, count - 1, pairs);
      partials.has_value[pairs] = partials.has_value[count - 1];
    }
    count = pairs + count % 2;
  }
  if (partials.has_value[0] == 0) return std::nullopt;
  ReductionTotal total;
  total.value = FromSlot(reduction.type, partials.values[0]);
  total.position = partials.positions[0];
  return total;
}

}  // namespace layoutd
