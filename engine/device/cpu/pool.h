#ifndef LAYOUTD_ENGINE_DEVICE_CPU_POOL_H_
#define LAYOUTD_ENGINE_DEVICE_CPU_POOL_H_

// Host memory in whole pages from the system, kept for reuse by size class: the
// first touch of a page costs far more than reusing one. Threads: safe.

#include <cstdint>
#include <map>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "engine/device/device.h"

namespace layoutd::cpu {

// Pages of the pool.
struct Block {
  uint8_t* data = nullptr;  // null for 0 bytes
  int64_t capacity_bytes = 0;
  bool recycled = false;  // false: reads as zeros
};

class Pool {
 public:
  Pool() = default;
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  // Every block must have been given back.
  ~Pool();

  // Returns a block of at least `size_bytes`, page-aligned.
  // Errors: ResourceExhausted (DEVICE_MEMORY).
  absl::StatusOr<Block> Take(int64_t size_bytes);
  // Takes `block` back and keeps it, as far as the bound of the cache (the
  // greater of 256 MiB and a quarter of what is live) allows.
  void Give(const Block& block);

  // Gives cached memory back to the system.
  void Trim();
  // Counts whole blocks.
  DeviceMemory memory() const;

 private:
  // Takes cached blocks out, the largest first, until at most `limit_bytes`
  // stay; the caller unmaps them when the lock is free.
  std::vector<Block> Shrink(int64_t limit_bytes)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  mutable absl::Mutex mutex_;
  // By capacity; never an empty list.
  std::map<int64_t, std::vector<uint8_t*>> cached_ ABSL_GUARDED_BY(mutex_);
  int64_t live_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t cached_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace layoutd::cpu

#endif  // LAYOUTD_ENGINE_DEVICE_CPU_POOL_H_
