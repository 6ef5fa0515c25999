#ifndef LAYOUTD_ENGINE_DEVICE_DEVICE_H_
#define LAYOUTD_ENGINE_DEVICE_DEVICE_H_

// The contract of a device: memory and kernel launches. `cpu` is the embedded
// one; others are folders beside it, opened by OpenDevice only.

#include <cstdint>
#include <memory>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "engine/base/stop_token.h"

namespace layoutd {

// A block of device memory, 64-byte aligned. Destroying it gives the memory
// back to the device's pool, so a Buffer never outlives its device.
class Buffer {
 public:
  virtual ~Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  // The device address; on `cpu` the host may use it directly.
  uint8_t* data() const { return data_; }
  int64_t size_bytes() const { return size_bytes_; }

 protected:
  Buffer(uint8_t* data, int64_t size_bytes)
      : data_(data), size_bytes_(size_bytes) {}

 private:
  uint8_t* data_;
  int64_t size_bytes_;
};

// A compiled loop nest: runs items [begin, end). `arguments` is the structure
// that its compiler defines. It neither allocates nor traps.
using KernelEntry = void (*)(const void* arguments, int64_t begin, int64_t end);

struct DeviceMemory {
  int64_t live_bytes = 0;    // in buffers
  int64_t cached_bytes = 0;  // kept for reuse
};

// Threads: every method may be called from any thread at any time.
class Device {
 public:
  virtual ~Device() = default;

  virtual absl::string_view name() const = 0;  // "cpu"
  virtual int num_threads() const = 0;
  // Who runs one slice of a loop, outermost first: "ThreadPool > Thread".
  virtual absl::string_view scope() const = 0;

  // Returns a buffer of `size_bytes` (0 is legal). It reads as zeros when
  // `zeroed`; otherwise it may hold what another field held, so the caller must
  // overwrite all of it before anyone reads it.
  // Errors: ResourceExhausted (DEVICE_MEMORY) — the system gives no more.
  virtual absl::StatusOr<std::unique_ptr<Buffer>> Allocate(int64_t size_bytes,
                                                           bool zeroed) = 0;

  // Runs `entry` over items [0, num_items) in ranges of at most
  // `items_per_range`, on all workers; returns when done. Polls `stop` before
  // each range.
  // Errors: those of StopToken::status; what ran stays.
  virtual absl::Status Launch(KernelEntry entry, const void* arguments,
                              int64_t num_items, int64_t items_per_range,
                              const StopToken& stop) = 0;

  // Runs `body(begin, end)` in the same way: host code on the workers, for
  // work that has no kernel.
  virtual absl::Status ParallelFor(
      int64_t num_items, int64_t items_per_range,
      absl::FunctionRef<void(int64_t begin, int64_t end)> body,
      const StopToken& stop) = 0;

  virtual DeviceMemory memory() const = 0;
  // Gives cached memory back to the system.
  virtual void TrimCache() = 0;
};

struct DeviceOptions {
  std::string name = "cpu";
  int num_threads = 0;  // 0: the CPU quota of this process
};

// Returns the device `options.name` asks for.
// Errors: InvalidArgument (UNKNOWN_DEVICE), Unavailable (DEVICE_NOT_FOUND) —
// there is no such device here; never another one in its place.
absl::StatusOr<std::unique_ptr<Device>> OpenDevice(
    const DeviceOptions& options);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_DEVICE_DEVICE_H_
