#ifndef LAYOUTD_ENGINE_PROGRAM_NEAREST_NAMES_H_
#define LAYOUTD_ENGINE_PROGRAM_NEAREST_NAMES_H_

// "Did you mean": the known names closest to one that is not known.

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace layoutd {

// Returns up to three of `candidates` that `name` may have meant, nearest
// first, by edit distance (at most a third of the length, at least 1); a
// swap of neighbours counts as one edit.
std::vector<std::string> NearestNames(absl::string_view name,
                                      absl::Span<const std::string> candidates);

// Returns `; did you mean "temp" or "time"?` for `nearest`, or "" when empty:
// the end of a message about an unknown name.
std::string DidYouMean(absl::Span<const std::string> nearest);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_PROGRAM_NEAREST_NAMES_H_
