#include "engine/program/nearest_names.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"

namespace layoutd {
namespace {

constexpr size_t kMaxNearest = 3;
// A longer name was not mistyped; bounds the cost of one comparison.
constexpr size_t kMaxComparedLength = 128;

// Insertions, deletions and replacements that turn `a` into `b`.
size_t EditDistance(absl::string_view a, absl::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i + 1);
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::vector<std::string> NearestNames(
    absl::string_view name, absl::Span<const std::string> candidates) {
  if (name.size() > kMaxComparedLength) return {};
  const size_t max_distance = std::max<size_t>(1, name.size() / 3);
  std::vector<std::pair<size_t, absl::string_view>> near;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > name.size() + max_distance) continue;
    const size_t distance = EditDistance(name, candidate);
    if (distance <= max_distance) near.emplace_back(distance, candidate);
  }
  std::sort(near.begin(), near.end());
  near.erase(std::unique(near.begin(), near.end()), near.end());
  if (near.size() > kMaxNearest) near.resize(kMaxNearest);

  std::vector<std::string> names;
  for (const auto& [distance, candidate] : near) {
    names.emplace_back(candidate);
  }
  return names;
}

std::string DidYouMean(absl::Span<const std::string> nearest) {
  std::string text;
  for (size_t k = 0; k < nearest.size(); ++k) {
    const bool last = k + 1 == nearest.size();
    absl::StrAppend(&text, k == 0 ? "; did you mean " : (last ? " or " : ", "),
                    "\"", nearest[k], "\"", last ? "?" : "");
  }
  return text;
}

}  // namespace layoutd
