#include "engine/device/copy_bytes.h"

#include <cstring>

namespace layoutd {
namespace {

// Long enough to stream, short enough for the stop word.
constexpr int64_t kBytesPerRange = int64_t{4} << 20;

}  // namespace

absl::Status CopyBytes(Device& device, const uint8_t* from, uint8_t* to,
                       int64_t size_bytes, const StopToken& stop) {
  return device.ParallelFor(
      size_bytes, kBytesPerRange,
      [&](int64_t begin, int64_t end) {
        std::memcpy(to + begin, from + begin, static_cast<size_t>(end - begin));
      },
      stop);
}

}  // namespace layoutd
