#ifndef LAYOUTD_SERVER_MEMORY_LIMIT_H_
#define LAYOUTD_SERVER_MEMORY_LIMIT_H_

// How much memory the engine may use: what the operator says, or most of what
// the machine or the container has.

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace layoutd {

// Returns the bytes that "8GiB", "512MiB", "1.5TiB", "64KiB", "2GB" (powers of
// 1000) or "1048576" mean.
// Errors: InvalidArgument (BAD_SIZE) — no such form, not positive, or past
// int64.
absl::StatusOr<int64_t> ParseByteSize(absl::string_view text);

// Returns the least memory limit of the control group that `self_cgroup` (the
// text of /proc/self/cgroup) names and of those around it, as found under
// `root` (/sys/fs/cgroup, version 2, or version 1's memory controller).
std::optional<int64_t> CgroupMemoryLimit(const std::string& root,
                                         absl::string_view self_cgroup);

// Returns 80 % of the lesser of the control group's limit and the machine's
// memory; the rest is for the process itself.
int64_t DefaultMemoryLimit();

}  // namespace layoutd

#endif  // LAYOUTD_SERVER_MEMORY_LIMIT_H_
