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

}  // namespace

std::optional<Scalar> CombinePartials(Opcode op, ScalarType type,
                                      absl::Span<ParameterSlot> partials,
                                      absl::Span<uint8_t> has_partial) {
  size_t count = partials.size();
  if (count == 0) return std::nullopt;
  while (count > 1) {
    const size_t pairs = count / 2;
    for (size_t m = 0; m < pairs; ++m) {
      const bool has_a = has_partial[2 * m] != 0;
      const bool has_b = has_partial[2 * m + 1] != 0;
      if (has_a && has_b) {
        const Scalar pair[] = {FromSlot(type, partials[2 * m]),
                               FromSlot(type, partials[2 * m + 1])};
        const Scalar combined = Apply(op, pair);
        std::memcpy(partials[m].bytes, combined.bytes, sizeof(combined.bytes));
      } else {
        partials[m] = partials[has_a ? 2 * m : 2 * m + 1];
      }
      has_partial[m] = has_a || has_b ? 1 : 0;
    }
    if (count % 2 != 0) {
      partials[pairs] = partials[count - 1];
      has_partial[pairs] = has_partial[count - 1];
    }
    count = pairs + count % 2;
  }
  if (has_partial[0] == 0) return std::nullopt;
  return FromSlot(type, partials[0]);
}

}  // namespace layoutd
