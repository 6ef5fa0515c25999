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

// Insertions, deletions, replacements and swaps of neighbours that turn `a`
// into `b`, none of them where another was (optimal string alignment).
size_t EditDistance(absl::string_view a, absl::string_view b) {
  // Of the first i, i - 1 and i - 2 characters of `a` to each start of `b`.
  std::vector<size_t> row(b.size() + 1);
  std::vector<size_t> above = row;
  std::vector<size_t> second_above = row;
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    second_above.swap(above);
    above.swap(row);
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, row[j - 1] + 1, above[j] + 1});
      const bool swapped =
          i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], second_above[j - 2] + 1);
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
