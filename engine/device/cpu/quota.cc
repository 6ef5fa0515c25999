#include "engine/device/cpu/quota.h"

#include <sched.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <thread>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace layoutd::cpu {
namespace {

// Returns the path of this process in the cgroup v2 hierarchy; "/" in a
// container, whose own group is mounted as the root.
std::string OwnGroup() {
  std::ifstream file("/proc/self/cgroup");
  std::string line;
  while (std::getline(file, line)) {
    absl::string_view path = line;
    if (absl::ConsumePrefix(&path, "0::")) return std::string(path);
  }
  return "/";
}

int AffinityCount() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return CPU_COUNT(&set);
  // A machine with more CPUs than a cpu_set_t has bits.
  return static_cast<int>(std::thread::hardware_concurrency());
}

}  // namespace

std::optional<int> ParseCpuMax(absl::string_view text) {
  const std::vector<absl::string_view> words =
      absl::StrSplit(text, absl::ByAnyChar(" \n"), absl::SkipEmpty());
  int64_t quota_us = 0;
  int64_t period_us = 0;
  if (words.size() != 2 || !absl::SimpleAtoi(words[0], &quota_us) ||
      !absl::SimpleAtoi(words[1], &period_us) || quota_us <= 0 ||
      period_us <= 0) {
    return std::nullopt;
  }
  const int64_t cpus =
      quota_us / period_us + (quota_us % period_us == 0 ? 0 : 1);
  return static_cast<int>(std::min<int64_t>(cpus, 1 << 20));
}

std::optional<int> GroupQuota(const std::string& root,
                              const std::string& path) {
  std::optional<int> least;
  std::string group = path == "/" ? "" : path;
  while (true) {
    std::ifstream file(root + group + "/cpu.max");
    std::string line;
    if (std::getline(file, line)) {
      if (const std::optional<int> quota = ParseCpuMax(line)) {
        least = least ? std::min(*least, *quota) : *quota;
      }
    }
    const size_t slash = group.rfind('/');
    if (slash == std::string::npos) return least;
    group.resize(slash);
  }
}

int CpuQuota() {
  const int affinity = AffinityCount();
  const int quota = GroupQuota("/sys/fs/cgroup", OwnGroup()).value_or(affinity);
  return std::max(1, std::min(affinity, quota));
}

}  // namespace layoutd::cpu
