#include "engine/device/cpu/pool.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "tests/support/status_matchers.h"

namespace layoutd::cpu {
namespace {

using testing::HasSubstr;

constexpr int64_t kMiB = int64_t{1} << 20;

bool IsZero(const Block& block) {
  return std::all_of(block.data, block.data + block.capacity_bytes,
                     [](uint8_t byte) { return byte == 0; });
}

TEST(PoolTest, FreshBlocksReadAsZerosAndHoldWhatWasAskedFor) {
  for (int64_t size : {int64_t{1}, int64_t{63}, int64_t{4096}, int64_t{4097},
                       int64_t{40961}, kMiB + 1, 4 * kMiB, 5 * kMiB - 1}) {
    Pool pool;
    ASSERT_OK_AND_ASSIGN(const Block block, pool.Take(size));

    EXPECT_FALSE(block.recycled);
    EXPECT_GE(block.capacity_bytes, size);
    EXPECT_LE(block.capacity_bytes, std::max(size + 4095, size + size / 8));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block.data) % 4096, 0U);
    EXPECT_TRUE(IsZero(block)) << size;

    pool.Give(block);
  }
}

TEST(PoolTest, HugeBlocksAreAlignedToHugePages) {
  Pool pool;
  ASSERT_OK_AND_ASSIGN(const Block block, pool.Take(9 * kMiB));

  EXPECT_EQ(reinterpret_cast<uintptr_t>(block.data) % (2 * kMiB), 0U);

  pool.Give(block);
}

TEST(PoolTest, NoBytesNeedNoBlock) {
  Pool pool;
  ASSERT_OK_AND_ASSIGN(const Block block, pool.Take(0));

  EXPECT_EQ(block.data, nullptr);
  EXPECT_EQ(pool.memory().live_bytes, 0);

  pool.Give(block);
  EXPECT_EQ(pool.memory().cached_bytes, 0);
}

TEST(PoolTest, ReusesABlockOfTheSameClass) {
  Pool pool;
  ASSERT_OK_AND_ASSIGN(const Block first, pool.Take(kMiB));
  pool.Give(first);
  ASSERT_OK_AND_ASSIGN(const Block second, pool.Take(kMiB - 1));

  EXPECT_EQ(second.data, first.data);
  EXPECT_TRUE(second.recycled);

  pool.Give(second);
}

TEST(PoolTest, CountsWhatIsLiveAndWhatIsCached) {
  Pool pool;
  ASSERT_OK_AND_ASSIGN(const Block a, pool.Take(kMiB));
  ASSERT_OK_AND_ASSIGN(const Block b, pool.Take(2 * kMiB));
  EXPECT_EQ(pool.memory().live_bytes, 3 * kMiB);
  EXPECT_EQ(pool.memory().cached_bytes, 0);

  pool.Give(a);
  EXPECT_EQ(pool.memory().live_bytes, 2 * kMiB);
  EXPECT_EQ(pool.memory().cached_bytes, kMiB);

  pool.Trim();
  EXPECT_EQ(pool.memory().cached_bytes, 0);
  pool.Give(b);
}

TEST(PoolTest, KeepsNoMoreThanItsBound) {
  Pool pool;
  std::vector<Block> blocks;
  for (int i = 0; i < 20; ++i) {  // never touched: costs address space only
    ASSERT_OK_AND_ASSIGN(blocks.emplace_back(), pool.Take(64 * kMiB));
  }
  for (const Block& block : blocks) {
    pool.Give(block);
    const DeviceMemory memory = pool.memory();
    EXPECT_LE(memory.cached_bytes, std::max(256 * kMiB, memory.live_bytes / 4));
  }
  EXPECT_EQ(pool.memory().live_bytes, 0);
  EXPECT_EQ(pool.memory().cached_bytes, 256 * kMiB);
}

TEST(PoolTest, RefusesWhatTheSystemDoesNotHave) {
  for (int64_t size : {int64_t{1} << 47, int64_t{1} << 62,
                       std::numeric_limits<int64_t>::max()}) {
    Pool pool;
    EXPECT_THAT(pool.Take(size),
                IsError(absl::StatusCode::kResourceExhausted, "DEVICE_MEMORY",
                        HasSubstr(std::to_string(size))));
    EXPECT_EQ(pool.memory().live_bytes, 0);
  }
}

}  // namespace
}  // namespace layoutd::cpu
