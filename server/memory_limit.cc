#include "server/memory_limit.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "engine/base/error.h"

namespace layoutd {
namespace {

struct Unit {
  absl::string_view suffix;
  double bytes;
};
constexpr Unit kUnits[] = {
    {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40},
    {"kB", 1e3},     {"KB", 1e3},     {"MB", 1e6},     {"GB", 1e9},
    {"TB", 1e12},    {"B", 1},
};

// Returns the number in a limit file; "max" and no file are none.
std::optional<int64_t> ReadLimit(const std::string& path) {
  std::ifstream file(path);
  std::string word;
  int64_t limit = 0;
  if (!(file >> word) || !absl::SimpleAtoi(word, &limit)) return std::nullopt;
  return limit;
}

void TakeLeast(std::optional<int64_t> limit, std::optional<int64_t>* least) {
  if (limit && (!*least || *limit < **least)) *least = limit;
}

}  // namespace

absl::StatusOr<int64_t> ParseByteSize(absl::string_view text) {
  absl::string_view number = text;
  double unit = 1;
  for (const Unit& candidate : kUnits) {
    if (absl::ConsumeSuffix(&number, candidate.suffix)) {
      unit = candidate.bytes;
      break;
    }
  }
  const bool plain =
      !number.empty() && std::all_of(number.begin(), number.end(), [](char c) {
        return (c >= '0' && c <= '9') || c == '.';
      });
  double value = 0;
  if (!plain || !absl::SimpleAtod(number, &value) || value * unit < 1 ||
      value * unit >= 0x1p63) {
    return InvalidArgument(
        "BAD_SIZE", absl::StrCat("\"", text,
                                 "\" is no size (expected 8GiB, 512MiB or a "
                                 "number of bytes, at least 1)"));
  }
  return static_cast<int64_t>(value * unit);
}

std::optional<int64_t> CgroupMemoryLimit(const std::string& root,
                                         absl::string_view self_cgroup) {
  std::optional<int64_t> least;
  for (absl::string_view line : absl::StrSplit(self_cgroup, '\n')) {
    // "0::/a/b" (version 2) or "9:memory:/a/b" (version 1).
    const std::vector<std::string> parts =
        absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (parts.size() != 3) continue;
    const bool v2 = parts[1].empty();
    if (!v2 && parts[1] != "memory") continue;
    const std::string base = v2 ? root : absl::StrCat(root, "/memory");
    const char* file = v2 ? "/memory.max" : "/memory.limit_in_bytes";
    std::string group = parts[2] == "/" ? "" : parts[2];
    // Inside a container the path may be the host's and not be there; its own
    // limits then lie at the root.
    while (true) {
      TakeLeast(ReadLimit(absl::StrCat(base, group, file)), &least);
      if (group.empty()) break;
      group.resize(group.rfind('/') == std::string::npos ? 0
                                                         : group.rfind('/'));
    }
  }
  return least;
}

int64_t DefaultMemoryLimit() {
  int64_t memory = sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
  std::ifstream file("/proc/self/cgroup");
  std::stringstream text;
  text << file.rdbuf();
  if (const std::optional<int64_t> limit =
          CgroupMemoryLimit("/sys/fs/cgroup", text.str())) {
    memory = std::min(memory, *limit);
  }
  return memory / 5 * 4;
}

}  // namespace layoutd
