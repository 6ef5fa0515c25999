#ifndef LAYOUTD_TESTS_SUPPORT_METERED_DEVICE_H_
#define LAYOUTD_TESTS_SUPPORT_METERED_DEVICE_H_

// A device that counts the bytes that are asked of another one, for tests of
// what runs allocate.

#include <atomic>
#include <memory>
#include <utility>

#include "engine/device/device.h"

namespace layoutd {

class MeteredDevice final : public Device {
 public:
  explicit MeteredDevice(std::unique_ptr<Device> device)
      : device_(std::move(device)) {}

  // In buffers, as they were asked for.
  int64_t live_bytes() const { return live_bytes_; }
  // The most of them since the last ResetPeak.
  int64_t peak_bytes() const { return peak_bytes_; }
  void ResetPeak() { peak_bytes_ = live_bytes_.load(); }

  absl::string_view name() const override { return device_->name(); }
  int num_threads() const override { return device_->num_threads(); }
  absl::string_view scope() const override { return device_->scope(); }
  absl::StatusOr<std::unique_ptr<Buffer>> Allocate(int64_t size_bytes,
                                                   bool zeroed) override {
    absl::StatusOr<std::unique_ptr<Buffer>> buffer =
        device_->Allocate(size_bytes, zeroed);
    if (!buffer.ok()) return buffer.status();
    return std::make_unique<MeteredBuffer>(*this, *std::move(buffer));
  }
  absl::Status Launch(KernelEntry entry, const void* arguments,
                      int64_t num_items, int64_t items_per_range,
                      const StopToken& stop) override {
    return device_->Launch(entry, arguments, num_items, items_per_range, stop);
  }
  absl::Status ParallelFor(
      int64_t num_items, int64_t items_per_range,
      absl::FunctionRef<void(int64_t begin, int64_t end)> body,
      const StopToken& stop) override {
    return device_->ParallelFor(num_items, items_per_range, body, stop);
  }
  DeviceMemory memory() const override { return device_->memory(); }
  void TrimCache() override { device_->TrimCache(); }

 private:
  class MeteredBuffer final : public Buffer {
   public:
    MeteredBuffer(MeteredDevice& meter, std::unique_ptr<Buffer> buffer)
        : Buffer(buffer->data(), buffer->size_bytes()),
          meter_(meter),
          buffer_(std::move(buffer)) {
      const int64_t live = meter_.live_bytes_ += size_bytes();
      int64_t peak = meter_.peak_bytes_;
      while (live > peak &&
             !meter_.peak_bytes_.compare_exchange_weak(peak, live)) {
      }
    }
    ~MeteredBuffer() override { meter_.live_bytes_ -= size_bytes(); }

   private:
    MeteredDevice& meter_;
    const std::unique_ptr<Buffer> buffer_;
  };

  const std::unique_ptr<Device> device_;
  std::atomic<int64_t> live_bytes_ = 0;
  std::atomic<int64_t> peak_bytes_ = 0;
};

}  // namespace layoutd

#endif  // LAYOUTD_TESTS_SUPPORT_METERED_DEVICE_H_
