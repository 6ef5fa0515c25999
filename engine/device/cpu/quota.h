#ifndef LAYOUTD_ENGINE_DEVICE_CPU_QUOTA_H_
#define LAYOUTD_ENGINE_DEVICE_CPU_QUOTA_H_

// How many CPUs this process may really use: the smaller of its affinity and
// the quota of its control groups.

#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace layoutd::cpu {

// Returns the whole CPUs that a cgroup v2 `cpu.max` ("150000 100000") grants,
// rounded up; nothing for "max ..." or text of another form.
std::optional<int> ParseCpuMax(absl::string_view text);

// Returns the quota of the control group `path` ("/a/b") and of the groups
// above it, below the mount point `root`; nothing when none of them has one.
std::optional<int> GroupQuota(const std::string& root, const std::string& path);

// Returns the CPUs this process may use; at least 1.
int CpuQuota();

}  // namespace layoutd::cpu

#endif  // LAYOUTD_ENGINE_DEVICE_CPU_QUOTA_H_
