#ifndef LAYOUTD_ENGINE_JIT_KERNEL_ARGUMENTS_H_
#define LAYOUTD_ENGINE_JIT_KERNEL_ARGUMENTS_H_

// What a compiled loop is called with. The generator reads these structures by
// word offset: every member is 8 bytes wide, and the order below is the
// contract (the static_asserts keep it).

#include <cstddef>
#include <cstdint>

namespace layoutd {

struct AccessArguments {
  uint8_t* base;       // address of the leaf at the first point
  int64_t strides[4];  // bytes, per dimension of the loop
  int64_t piece_stride;
  int64_t level_stride;
};
inline constexpr int64_t kAccessWords = 7;
static_assert(sizeof(AccessArguments) == kAccessWords * 8);

// The bytes of one scalar, little-endian.
struct alignas(16) ParameterSlot {
  uint8_t bytes[16];
};

// Items are: rows times blocks of a row (kPoints), columns in groups of the
// lane count (kColumns), chunks (kReduction).
struct KernelArguments {
  const AccessArguments* accesses;
  const ParameterSlot* parameters;
  int64_t extents[4];
  // kPoints: a row is cut into blocks, so that one long row is shared.
  int64_t block_length;
  int64_t blocks_per_row;
  // Masked loops: the active columns.
  const int64_t* columns[3];  // i, j, h
  int64_t num_columns;        // kColumns: how many there are
  // kReduction: chunk c covers canonical points from
  // (c / chunks_per_group) * group_points + (c % chunks_per_group) *
  // chunk_points, at most chunk_points of them, within its group and the total.
  int64_t num_points;
  int64_t group_points;
  int64_t chunk_points;
  int64_t chunks_per_group;
  int64_t num_chunks;
  ParameterSlot* partials;      // [reduction][chunk]
  uint8_t* has_partial;         // [reduction][chunk]
  const int64_t* level_counts;  // kColumns: per block
  // kColumns: a byte that is not 0 once the run shall stop; levels that are
  // then left out are never published.
  const void* stop;
  int64_t* positions;  // [reduction][chunk], of those that have one
};

enum class ArgumentWord : int64_t {
  kAccesses = 0,
  kParameters = 1,
  kExtents = 2,
  kBlockLength = 6,
  kBlocksPerRow = 7,
  kColumns = 8,
  kNumColumns = 11,
  kNumPoints = 12,
  kGroupPoints = 13,
  kChunkPoints = 14,
  kChunksPerGroup = 15,
  kNumChunks = 16,
  kPartials = 17,
  kHasPartial = 18,
  kLevelCounts = 19,
  kStop = 20,
  kPositions = 21,
};
static_assert(offsetof(KernelArguments, extents) == 2 * 8);
static_assert(offsetof(KernelArguments, block_length) == 6 * 8);
static_assert(offsetof(KernelArguments, columns) == 8 * 8);
static_assert(offsetof(KernelArguments, num_points) == 12 * 8);
static_assert(offsetof(KernelArguments, partials) == 17 * 8);
static_assert(offsetof(KernelArguments, level_counts) == 19 * 8);
static_assert(offsetof(KernelArguments, stop) == 20 * 8);
static_assert(offsetof(KernelArguments, positions) == 21 * 8);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_JIT_KERNEL_ARGUMENTS_H_
