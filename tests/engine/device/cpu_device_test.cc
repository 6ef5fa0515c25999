#include <xmmintrin.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "engine/device/device.h"
#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

using testing::HasSubstr;

std::unique_ptr<Device> Open(int num_threads) {
  return *OpenDevice({.name = "cpu", .num_threads = num_threads});
}

TEST(OpenDeviceTest, NeverPutsAnotherDeviceInThePlaceOfTheAsked) {
  for (const char* name : {"cuda", "cuda:0", "sim"}) {
    EXPECT_THAT(OpenDevice({.name = name, .num_threads = 0}),
                IsError(absl::StatusCode::kUnavailable, "DEVICE_NOT_FOUND",
                        HasSubstr(name)));
  }
  for (const char* name : {"", "CPU", "gpu"}) {
    EXPECT_THAT(OpenDevice({.name = name, .num_threads = 0}),
                IsError(absl::StatusCode::kInvalidArgument, "UNKNOWN_DEVICE",
                        HasSubstr(name)));
  }
}

TEST(OpenDeviceTest, ChecksTheNumberOfThreads) {
  for (int num_threads : {-1, 1025}) {
    EXPECT_THAT(OpenDevice({.name = "cpu", .num_threads = num_threads}),
                IsError(absl::StatusCode::kInvalidArgument, "BAD_OPTION",
                        HasSubstr(std::to_string(num_threads))));
  }
  EXPECT_GE(Open(0)->num_threads(), 1);
  EXPECT_EQ(Open(7)->num_threads(), 7);
}

TEST(CpuDeviceTest, BuffersAreAlignedAndOfTheAskedSize) {
  const std::unique_ptr<Device> device = Open(2);
  for (int64_t size : {0, 1, 63, 64, 65, 5000, 1 << 22}) {
    ASSERT_OK_AND_ASSIGN(const std::unique_ptr<Buffer> buffer,
                         device->Allocate(size, /*zeroed=*/false));
    EXPECT_EQ(buffer->size_bytes(), size);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer->data()) % 64, 0U);
  }
}

TEST(CpuDeviceTest, ZeroedBuffersNeverShowWhatWasThereBefore) {
  const std::unique_ptr<Device> device = Open(3);
  for (int64_t size : {1, 4095, 1 << 20, (9 << 20) + 17}) {
    const auto bytes = static_cast<size_t>(size);
    {
      ASSERT_OK_AND_ASSIGN(const std::unique_ptr<Buffer> dirty,
                           device->Allocate(size, /*zeroed=*/true));
      std::memset(dirty->data(), 0xAB, bytes);
    }
    ASSERT_OK_AND_ASSIGN(const std::unique_ptr<Buffer> buffer,
                         device->Allocate(size, /*zeroed=*/true));

    EXPECT_EQ(std::string(reinterpret_cast<char*>(buffer->data()), bytes),
              std::string(bytes, '\0'));
  }
}

TEST(CpuDeviceTest, TrimmedMemoryGoesBackToTheSystem) {
  const std::unique_ptr<Device> device = Open(1);
  ASSERT_OK(device->Allocate(1 << 20, /*zeroed=*/false));  // freed at once
  EXPECT_EQ(device->memory().live_bytes, 0);
  EXPECT_EQ(device->memory().cached_bytes, 1 << 20);

  device->TrimCache();

  EXPECT_EQ(device->memory().cached_bytes, 0);
}

struct Case {
  int num_threads;
  int64_t num_items;
  int64_t items_per_range;
};

class RangesTest : public testing::TestWithParam<Case> {};

TEST_P(RangesTest, CoverEveryItemOnceAndKeepToTheirSize) {
  const Case& param = GetParam();
  const std::unique_ptr<Device> device = Open(param.num_threads);
  std::vector<std::atomic<int>> visits(static_cast<size_t>(param.num_items));
  std::atomic<int64_t> longest = 0;
  std::atomic<bool> aligned = true;

  ASSERT_OK(device->ParallelFor(
      param.num_items, param.items_per_range,
      [&](int64_t begin, int64_t end) {
        if (begin % param.items_per_range != 0) aligned = false;
        if (end - begin > longest) longest = end - begin;
        for (int64_t item = begin; item < end; ++item) {
          ++visits[static_cast<size_t>(item)];
        }
      },
      StopToken()));

  EXPECT_LE(longest, param.items_per_range);
  EXPECT_TRUE(aligned);
  for (const std::atomic<int>& count : visits) ASSERT_EQ(count, 1);
}

INSTANTIATE_TEST_SUITE_P(Sizes, RangesTest,
                         testing::Values(Case{1, 0, 1}, Case{1, 1, 1},
                                         Case{1, 10, 3}, Case{2, 0, 5},
                                         Case{2, 5, 5}, Case{2, 6, 5},
                                         Case{7, 10007, 1}, Case{7, 10007, 97},
                                         Case{7, 100, 1000}));

TEST(CpuDeviceTest, SevenThreadsReallyRunAtOnceOnFewerCpus) {
  const std::unique_ptr<Device> few = Open(2);  // must not limit the other
  const std::unique_ptr<Device> device = Open(7);
  absl::Mutex mutex;
  std::set<std::thread::id> threads;

  // Each of the first seven ranges waits until all seven have a thread.
  ASSERT_OK(device->ParallelFor(
      7, 1,
      [&](int64_t, int64_t) {
        absl::MutexLock lock(&mutex);
        threads.insert(std::this_thread::get_id());
        mutex.Await(absl::Condition(
            +[](std::set<std::thread::id>* seen) { return seen->size() == 7; },
            &threads));
      },
      StopToken()));

  EXPECT_EQ(threads.size(), 7U);
}

TEST(CpuDeviceTest, ASingleRangeRunsOnTheCaller) {
  const std::unique_ptr<Device> device = Open(7);
  std::thread::id thread;

  ASSERT_OK(device->ParallelFor(
      100, 100, [&](int64_t, int64_t) { thread = std::this_thread::get_id(); },
      StopToken()));

  EXPECT_EQ(thread, std::this_thread::get_id());
}

TEST(CpuDeviceTest, KernelsSeeTheirArgumentsAndRanges) {
  const std::unique_ptr<Device> device = Open(2);
  std::vector<int64_t> out(1000, -1);
  const KernelEntry entry = [](const void* arguments, int64_t begin,
                               int64_t end) {
    int64_t* const data = *static_cast<int64_t* const*>(arguments);
    for (int64_t item = begin; item < end; ++item) data[item] = item * item;
  };
  int64_t* const data = out.data();

  ASSERT_OK(device->Launch(entry, &data, 1000, 7, StopToken()));

  for (int64_t item = 0; item < 1000; ++item) {
    ASSERT_EQ(out[static_cast<size_t>(item)], item * item);
  }
}

TEST(CpuDeviceTest, KeepsSubnormalsWhateverTheThreadHadSet) {
  constexpr unsigned kFlushAndDenormalsAreZero = 0x8040;
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | kFlushAndDenormalsAreZero);
  for (int num_threads : {1, 4}) {
    const std::unique_ptr<Device> device = Open(num_threads);
    std::atomic<int> flushed = 0;

    ASSERT_OK(device->ParallelFor(
        64, 1,
        [&](int64_t, int64_t) {
          volatile double tiny = 1e-308;
          if (tiny / 16 == 0) ++flushed;
        },
        StopToken()));

    EXPECT_EQ(flushed, 0);
    EXPECT_EQ(_mm_getcsr() & kFlushAndDenormalsAreZero,
              kFlushAndDenormalsAreZero);
  }
  _mm_setcsr(before);
}

TEST(CpuDeviceTest, AStoppedLoopRunsNoFurtherRange) {
  for (int num_threads : {1, 4}) {
    const std::unique_ptr<Device> device = Open(num_threads);
    const StopToken stop;
    std::atomic<int> ranges = 0;

    const absl::Status status = device->ParallelFor(
        1000000, 1,
        [&](int64_t, int64_t) {
          if (++ranges == 10) stop.Cancel();
        },
        stop);

    EXPECT_THAT(status,
                IsError(absl::StatusCode::kCancelled, "CANCELLED", testing::_));
    EXPECT_LE(ranges, 10 + num_threads);
  }
}

TEST(CpuDeviceTest, ALoopPastItsDeadlineDoesNotStart) {
  const std::unique_ptr<Device> device = Open(2);
  int ranges = 0;

  const absl::Status status = device->ParallelFor(
      10, 10, [&](int64_t, int64_t) { ++ranges; },
      StopToken(absl::InfinitePast()));

  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(ranges, 0);
}

TEST(CpuDeviceTest, ALoopThatWasDoneBeforeTheStopIsNoError) {
  const std::unique_ptr<Device> device = Open(2);
  const StopToken stop;

  EXPECT_OK(device->ParallelFor(
      1, 1, [&](int64_t, int64_t) { stop.Cancel(); }, stop));
}

// Two ranges of one loop occupy the caller and the only worker until another
// loop of several ranges, begun later, is done.
TEST(CpuDeviceTest, ALoopDoesNotWaitForTheEndOfAnother) {
  const std::unique_ptr<Device> device = Open(2);
  absl::Notification begun;
  absl::Notification other_done;
  std::atomic<int> num_begun = 0;
  std::thread first([&] {
    EXPECT_OK(device->ParallelFor(
        2, 1,
        [&](int64_t, int64_t) {
          if (++num_begun == 2) begun.Notify();
          other_done.WaitForNotification();
        },
        StopToken()));
  });
  begun.WaitForNotification();
  std::atomic<int> ranges = 0;

  EXPECT_OK(device->ParallelFor(
      100, 1, [&](int64_t, int64_t) { ++ranges; }, StopToken()));

  other_done.Notify();
  first.join();
  EXPECT_EQ(ranges, 100);
}

TEST(CpuDeviceTest, ManyThreadsLaunchAtOnce) {
  const std::unique_ptr<Device> device = Open(3);
  constexpr int kCallers = 8;
  std::vector<int64_t> sums(kCallers);
  std::vector<std::thread> callers;
  for (int caller = 0; caller < kCallers; ++caller) {
    callers.emplace_back([&, caller] {
      for (int round = 0; round < 50; ++round) {
        std::atomic<int64_t> sum = 0;
        const absl::Status status = device->ParallelFor(
            1000, 10,
            [&](int64_t begin, int64_t end) {
              for (int64_t item = begin; item < end; ++item) sum += item;
            },
            StopToken());
        if (status.ok()) sums[static_cast<size_t>(caller)] += sum;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();

  for (int64_t sum : sums) EXPECT_EQ(sum, 50 * 499500);
}

}  // namespace
}  // namespace layoutd
