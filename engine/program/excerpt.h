#ifndef LAYOUTD_ENGINE_PROGRAM_EXCERPT_H_
#define LAYOUTD_ENGINE_PROGRAM_EXCERPT_H_

// The place in a program text that an error is about, shown with a caret.

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "engine/program/graph.h"

namespace layoutd {

// Returns the line of `text` at `position` and, in a line below, a caret under
// the column. The text may be anything: whatever is not printable ASCII shows
// as "?".
std::string Excerpt(absl::string_view text, SourcePosition position);

// Returns `status` with the excerpt of `text` at its line and column (its
// metadata) at the end of the message; as it is when it has no such place or
// ends with the excerpt already.
absl::Status WithExcerpt(const absl::Status& status, absl::string_view text);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_PROGRAM_EXCERPT_H_
