#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "engine/base/error.h"
#include "engine/device/cpu/cpu_device.h"
#include "engine/device/device.h"

namespace layoutd {

absl::StatusOr<std::unique_ptr<Device>> OpenDevice(
    const DeviceOptions& options) {
  if (options.name == "cpu") return cpu::OpenCpuDevice(options);
  if (options.name == "sim" || options.name == "cuda" ||
      absl::StartsWith(options.name, "cuda:")) {
    return Error(absl::StatusCode::kUnavailable, "DEVICE_NOT_FOUND",
                 absl::StrCat("this server has no device \"", options.name,
                              "\"; it has \"cpu\""))
        .With("device", options.name);
  }
  return InvalidArgument("UNKNOWN_DEVICE",
                         absl::StrCat("unknown device \"", options.name,
                                      "\"; expected \"cpu\""))
      .With("device", options.name);
}

}  // namespace layoutd
