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
#include "engine/device/cpu/workers.h"

namespace layoutd::cpu {
namespace {

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

// One loop: its ranges, run by whatever threads.
class Ranges {
 public:
  Ranges(int64_t num_items, int64_t items_per_range,
         absl::FunctionRef<void(int64_t begin, int64_t end)> body,
         const StopToken& stop)
      : num_items_(num_items),
        items_per_range_(items_per_range),
        body_(body),
        stop_(stop) {
    num_skipped_.store(0, std::memory_order_release);
  }

  // Runs ranges [range, end_range), skipping what is left once stopped.
  void operator()(int64_t range, int64_t end_range) const {
    num_skipped_.load(std::memory_order_acquire);
    const FloatingPointScope floating_point;
    for (; range < end_range && !stop_.stopped(); ++range) {
      const int64_t begin = range * items_per_range_;
      body_(begin, begin + std::min(items_per_range_, num_items_ - begin));
    }
    num_skipped_.fetch_add(end_range - range, std::memory_order_release);
  }

  int64_t num_skipped() const {
    return num_skipped_.load(std::memory_order_acquire);
  }

 private:
  // Its orders say what TBB promises anyway: a range sees what came before the
  // loop, and what comes after sees the ranges. The thread sanitizer, which is
  // not to look into TBB, learns it from them.
  mutable std::atomic<int64_t> num_skipped_;
  const int64_t num_items_;
  const int64_t items_per_range_;
  const absl::FunctionRef<void(int64_t begin, int64_t end)> body_;
  const StopToken& stop_;
};

class CpuDevice final : public Device {
 public:
  explicit CpuDevice(int num_threads)
      : num_threads_(num_threads), workers_(num_threads) {}

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
  const int num_threads_;
  Workers workers_;
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
  Ranges ranges(num_items, items_per_range, body, stop);
  if (num_ranges == 1 || num_threads_ == 1) {
    ranges(0, num_ranges);
  } else {
    workers_.Run(num_ranges, ranges);
  }
  return ranges.num_skipped() > 0 ? stop.status() : absl::OkStatus();
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
