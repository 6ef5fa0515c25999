#ifndef LAYOUTD_ENGINE_DEVICE_COPY_BYTES_H_
#define LAYOUTD_ENGINE_DEVICE_COPY_BYTES_H_

#include <cstdint>

#include "absl/status/status.h"
#include "engine/base/stop_token.h"
#include "engine/device/device.h"

namespace layoutd {

// Copies `size_bytes` of memory of `device`, on all its workers. The ranges do
// not overlap.
// Errors: those of StopToken; what was copied stays.
absl::Status CopyBytes(Device& device, const uint8_t* from, uint8_t* to,
                       int64_t size_bytes, const StopToken& stop);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_DEVICE_COPY_BYTES_H_
