#include "engine/device/cpu/cpu_device.h"

#include <xmmintrin.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/base/error.h"
#include "engine/base/status_macros.h"
#include "engine/device/cpu/pool.h"
#include "engine/device/cpu/quota.h"
#include "oneapi/tbb/blocked_range.h"
#include "oneapi/tbb/global_control.h"
#include "oneapi/tbb/parallel_for.h"
#include "oneapi/tbb/task_arena.h"

namespace layoutd::cpu {
namespace {

constexpr int kMaxThreads = 1024;
// Threads that may be inside loops of their own at once, beside the workers:
// far more than there are operation threads. Beyond it a caller waits.
constexpr int kMaxCallers = 512;
// The frame of the largest kernel (see jit/cpu/orc.cc) with room to spare; the
// same as other threads have by default.
constexpr size_t kStackBytes = size_t{8} << 20;
// A recycled buffer is cleared in pieces of this size, on all workers.
constexpr int64_t kClearBytes = int64_t{4} << 20;

// Gives the code in its scope the arithmetic that the language promises: round
// to nearest, subnormals kept, no traps. A worker's own state is what some
// earlier user of the thread left behind.
class FloatingPointScope {
 public:
  FloatingPointScope() : saved_(_mm_getcsr()) { _mm_setcsr(kAllMasked); }
  ~FloatingPointScope() { _mm_setcsr(saved_); }
  FloatingPointScope(const FloatingPointScope&) = delete;
  FloatingPointScope& operator=(const FloatingPointScope&) = delete;

 private:
  static constexpr unsigned kAllMasked = 0x1F80;  // the reset value of MXCSR
  const unsigned saved_;
};

class CpuBuffer final : public Buffer {
 public:
  CpuBuffer(Pool* pool, const Block& block, int64_t size_bytes)
      : Buffer(block.data, size_bytes), pool_(pool), block_(block) {}
  ~CpuBuffer() override { pool_->Give(block_); }

 private:
  Pool* const pool_;
  const Block block_;
};

class CpuDevice final : public Device {
 public:
  explicit CpuDevice(int num_threads)
      // TBB's own limit is the number of CPUs; an arena may ask for more. The
      // least limit of the process counts, so all devices set the same one.
      : parallelism_(tbb::global_control::max_allowed_parallelism, kMaxThreads),
        stack_size_(tbb::global_control::thread_stack_size, kStackBytes),
        num_threads_(num_threads),
        // A place is kept for every caller: one that had to wait for a worker's
        // would wait for another's whole loop, as workers finish what they
        // began. So a short loop beside long ones runs at once, on its caller,
        // and the system shares the cores.
        arena_(num_threads - 1 + kMaxCallers, kMaxCallers) {}

  absl::string_view name() const override { return "cpu"; }
  int num_threads() const override { return num_threads_; }
  absl::string_view scope() const override { return "ThreadPool > Thread"; }

  absl::StatusOr<std::unique_ptr<Buffer>> Allocate(int64_t size_bytes,
                                                   bool zeroed) override;
  absl::Status Launch(KernelEntry entry, const void* arguments,
                      int64_t num_items, int64_t items_per_range,
                      const StopToken& stop) override;
  absl::Status ParallelFor(
      int64_t num_items, int64_t items_per_range,
      absl::FunctionRef<void(int64_t begin, int64_t end)> body,
      const StopToken& stop) override;

  DeviceMemory memory() const override { return pool_.memory(); }
  void TrimCache() override { pool_.Trim(); }

 private:
  const tbb::global_control parallelism_;
  const tbb::global_control stack_size_;
  const int num_threads_;
  tbb::task_arena arena_;
  Pool pool_;
};

absl::StatusOr<std::unique_ptr<Buffer>> CpuDevice::Allocate(int64_t size_bytes,
                                                            bool zeroed) {
  ASSIGN_OR_RETURN(const Block block, pool_.Take(size_bytes));
  auto buffer = std::make_unique<CpuBuffer>(&pool_, block, size_bytes);
  if (zeroed && block.recycled) {
    uint8_t* const data = block.data;
    RETURN_IF_ERROR(ParallelFor(
        size_bytes, kClearBytes,
        [data](int64_t begin, int64_t end) {
          std::memset(data + begin, 0, static_cast<size_t>(end - begin));
        },
        StopToken()));
  }
  return std::unique_ptr<Buffer>(std::move(buffer));
}

absl::Status CpuDevice::Launch(KernelEntry entry, const void* arguments,
                               int64_t num_items, int64_t items_per_range,
                               const StopToken& stop) {
  return ParallelFor(
      num_items, items_per_range,
      [entry, arguments](int64_t begin, int64_t end) {
        entry(arguments, begin, end);
      },
      stop);
}

absl::Status CpuDevice::ParallelFor(
    int64_t num_items, int64_t items_per_range,
    absl::FunctionRef<void(int64_t begin, int64_t end)> body,
    const StopToken& stop) {
  LAYOUTD_DCHECK(num_items >= 0 && items_per_range > 0);
  if (num_items <= 0) return stop.status();
  const int64_t num_ranges = (num_items - 1) / items_per_range + 1;
  // Its orders say what TBB promises anyway, that `body` sees what came before
  // and that what comes after sees `body`; a race detector that cannot look
  // into TBB needs them.
  std::atomic<int64_t> num_skipped;
  num_skipped.store(0, std::memory_order_release);

  const auto run = [&](int64_t first_range, int64_t end_range) {
    num_skipped.load(std::memory_order_acquire);
    const FloatingPointScope floating_point;
    int64_t range = first_range;
    for (; range < end_range && !stop.stopped(); ++range) {
      const int64_t begin = range * items_per_range;
      body(begin, begin + std::min(items_per_range, num_items - begin));
    }
    num_skipped.fetch_add(end_range - range, std::memory_order_release);
  };

  if (num_ranges == 1 || num_threads_ == 1) {
    run(0, num_ranges);
  } else {
    arena_.execute([&] {
      // Isolated: while this thread waits for its last ranges it must not pick
      // up a long range of another operation.
      tbb::this_task_arena::isolate([&] {
        tbb::parallel_for(tbb::blocked_range<int64_t>(0, num_ranges),
                          [&](const tbb::blocked_range<int64_t>& ranges) {
                            run(ranges.begin(), ranges.end());
                          });
      });
    });
  }
  return num_skipped.load(std::memory_order_acquire) > 0 ? stop.status()
                                                         : absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Device>> OpenCpuDevice(
    const DeviceOptions& options) {
  if (options.num_threads < 0 || options.num_threads > kMaxThreads) {
    return InvalidArgument("BAD_OPTION",
                           absl::StrCat("num_threads ", options.num_threads,
                                        " outside [0, ", kMaxThreads, "]"))
        .With("option", "num_threads");
  }
  const int num_threads = options.num_threads == 0
                              ? std::min(CpuQuota(), kMaxThreads)
                              : options.num_threads;
  return std::unique_ptr<Device>(std::make_unique<CpuDevice>(num_threads));
}

}  // namespace layoutd::cpu
