#ifndef LAYOUTD_ENGINE_DEVICE_CPU_CPU_DEVICE_H_
#define LAYOUTD_ENGINE_DEVICE_CPU_CPU_DEVICE_H_

// The embedded device: pooled host memory and a oneTBB arena. Any number of
// operation threads may launch at once; each works on its own loop, and they
// share num_threads - 1 workers that help.

#include <memory>

#include "absl/status/statusor.h"
#include "engine/device/device.h"

namespace layoutd::cpu {

// Errors: InvalidArgument (BAD_OPTION) — num_threads outside [0, 1024].
absl::StatusOr<std::unique_ptr<Device>> OpenCpuDevice(
    const DeviceOptions& options);

}  // namespace layoutd::cpu

#endif  // LAYOUTD_ENGINE_DEVICE_CPU_CPU_DEVICE_H_
