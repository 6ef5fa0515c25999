#ifndef LAYOUTD_ENGINE_LAYOUT_SCOPE_DIVISION_H_
#define LAYOUTD_ENGINE_LAYOUT_SCOPE_DIVISION_H_

// How the indices [0, length) of a loop are divided among the n members of a
// scope (threads of a pool, sub-blocks of a block), and which member a thread
// belongs to. Contiguous shares suit a CPU, where each thread walks its own
// memory; strided ones suit a GPU, where neighbouring threads read neighbouring
// addresses. Pure maths, 0-based.
// Source: ClimaCore.jl src/DataLayouts, `subscope_indices` (1-based there).

#include <cstdint>

#include "engine/base/checked_math.h"
#include "engine/base/scalar_type.h"

namespace layoutd {

// The indices begin, begin + step, ... below end.
struct IndexShare {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t step = 1;

  constexpr int64_t size() const {
    return end <= begin ? 0 : CeilDiv(end - begin, step);
  }

  friend constexpr bool operator==(const IndexShare&,
                                   const IndexShare&) = default;
};

// Returns the share of member `rank` of `num_members` when each takes one run.
// Sizes differ by at most 1; none is empty where length >= num_members.
// Requires length >= 0 and 0 <= rank < num_members.
constexpr IndexShare ContiguousShare(int64_t length, int64_t num_members,
                                     int64_t rank) {
  // length * num_members may pass 64 bits.
  const auto border = [&](int64_t member) {
    return static_cast<int64_t>(static_cast<Int128>(length) * member /
                                num_members);
  };
  return {border(rank), border(rank + 1), 1};
}

// Returns the share of member `rank` when each takes every num_members-th
// index. Requires as above.
constexpr IndexShare StridedShare(int64_t length, int64_t num_members,
                                  int64_t rank) {
  return {rank, length, num_members};
}

// Returns how many sub-scopes of `sub_threads` threads a scope of
// `scope_threads` has; the last may be short.
constexpr int64_t NumSubscopes(int64_t scope_threads, int64_t sub_threads) {
  return CeilDiv(scope_threads, sub_threads);
}

// Returns the sub-scope that thread `thread_rank` of the scope is in.
constexpr int64_t SubscopeRank(int64_t thread_rank, int64_t sub_threads) {
  return thread_rank / sub_threads;
}

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_LAYOUT_SCOPE_DIVISION_H_
