#include "engine/device/cpu/pool.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "engine/base/error.h"
#include "engine/base/status_macros.h"

namespace layoutd::cpu {
namespace {

constexpr int64_t kPageBytes = 4096;
constexpr int64_t kHugePageBytes = int64_t{2} << 20;
// From here on huge pages pay: fewer faults and TLB misses.
constexpr int64_t kHugeBlockBytes = int64_t{4} << 20;
constexpr int64_t kMinCacheBytes = int64_t{256} << 20;
// More than a process can address; keeps the rounding below from overflowing.
constexpr int64_t kMaxBlockBytes = int64_t{1} << 47;

// Returns the size class of `size_bytes`: whole pages, eight classes to each
// power of two, so that at most an eighth of a block lies idle and fields of
// similar size share a class.
int64_t Capacity(int64_t size_bytes) {
  const auto size = static_cast<uint64_t>(size_bytes);
  const uint64_t step = std::max(
      uint64_t{kPageBytes}, std::bit_floor(std::max(size, uint64_t{8})) / 8);
  return static_cast<int64_t>((size + step - 1) / step * step);
}

void Unmap(uint8_t* data, int64_t bytes) {
  if (bytes > 0) munmap(data, static_cast<size_t>(bytes));
}

// Returns fresh pages, which read as zeros; null when the system refuses.
uint8_t* Map(int64_t bytes) {
  const bool huge = bytes >= kHugeBlockBytes;
  const int64_t slack = huge ? kHugePageBytes : 0;
  void* pages =
      mmap(nullptr, static_cast<size_t>(bytes + slack), PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return nullptr;
  auto* data = static_cast<uint8_t*>(pages);
  if (!huge) return data;

  // Huge pages need their own alignment, which mmap does not give.
  const auto misaligned = static_cast<int64_t>(
      reinterpret_cast<uintptr_t>(data) % uintptr_t{kHugePageBytes});
  const int64_t head = misaligned == 0 ? 0 : kHugePageBytes - misaligned;
  Unmap(data, head);
  data += head;
  Unmap(data + bytes, slack - head);
  // Advice: a kernel without huge pages just keeps small ones.
  madvise(data, static_cast<size_t>(bytes), MADV_HUGEPAGE);
  return data;
}

void UnmapAll(const std::vector<Block>& blocks) {
  for (const Block& block : blocks) Unmap(block.data, block.capacity_bytes);
}

Error OutOfMemory(int64_t size_bytes) {
  return ResourceExhausted("DEVICE_MEMORY",
                           absl::StrCat("the system gives no ", size_bytes,
                                        " bytes of memory"))
      .With("needed_bytes", absl::StrCat(size_bytes));
}

}  // namespace

Pool::~Pool() {
  Trim();
  absl::MutexLock lock(&mutex_);
  LAYOUTD_DCHECK(live_bytes_ == 0);
}

absl::StatusOr<Block> Pool::Take(int64_t size_bytes) {
  LAYOUTD_DCHECK(size_bytes >= 0);
  if (size_bytes == 0) return Block{};
  if (size_bytes > kMaxBlockBytes) return OutOfMemory(size_bytes);
  const int64_t capacity = Capacity(size_bytes);
  {
    absl::MutexLock lock(&mutex_);
    live_bytes_ += capacity;
    if (auto it = cached_.find(capacity); it != cached_.end()) {
      uint8_t* data = it->second.back();
      it->second.pop_back();
      if (it->second.empty()) cached_.erase(it);
      cached_bytes_ -= capacity;
      return Block{data, capacity, /*recycled=*/true};
    }
  }
  uint8_t* data = Map(capacity);
  if (data == nullptr) {
    Trim();  // what lies idle may be what is missing
    data = Map(capacity);
  }
  if (data == nullptr) {
    absl::MutexLock lock(&mutex_);
    live_bytes_ -= capacity;
    return OutOfMemory(size_bytes);
  }
  return Block{data, capacity, /*recycled=*/false};
}

void Pool::Give(const Block& block) {
  if (block.data == nullptr) return;
  std::vector<Block> surplus;
  {
    absl::MutexLock lock(&mutex_);
    live_bytes_ -= block.capacity_bytes;
    cached_bytes_ += block.capacity_bytes;
    cached_[block.capacity_bytes].push_back(block.data);
    surplus = Shrink(std::max(kMinCacheBytes, live_bytes_ / 4));
  }
  UnmapAll(surplus);
}

void Pool::Trim() {
  std::vector<Block> blocks;
  {
    absl::MutexLock lock(&mutex_);
    blocks = Shrink(0);
  }
  UnmapAll(blocks);
}

std::vector<Block> Pool::Shrink(int64_t limit_bytes) {
  std::vector<Block> out;
  while (cached_bytes_ > limit_bytes) {
    const auto largest = std::prev(cached_.end());
    out.push_back({largest->second.back(), largest->first, true});
    cached_bytes_ -= largest->first;
    largest->second.pop_back();
    if (largest->second.empty()) cached_.erase(largest);
  }
  return out;
}

DeviceMemory Pool::memory() const {
  absl::MutexLock lock(&mutex_);
  return {live_bytes_, cached_bytes_};
}

}  // namespace layoutd::cpu
