#include "engine/program/excerpt.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "engine/base/reword.h"

namespace layoutd {
namespace {

// The part of a long line that is shown around the column.
constexpr size_t kExcerptColumns = 72;

}  // namespace

std::string Excerpt(absl::string_view text, SourcePosition position) {
  for (int line = 1; line < position.line; ++line) {
    text.remove_prefix(text.find('\n') + 1);
  }
  text = text.substr(0, text.find('\n'));
  std::string line;
  for (char c : text) {
    if ((c & 0xC0) == 0x80) continue;  // UTF-8: of the character before
    line += absl::ascii_isprint(static_cast<unsigned char>(c)) ? c
            : c == '\t'                                        ? ' '
            : c == '\r'                                        ? ' '
                                                               : '?';
  }
  const size_t column = static_cast<size_t>(position.column) - 1;
  const size_t begin =
      column < kExcerptColumns ? 0 : column - kExcerptColumns / 2;
  std::string shown(
      absl::StripTrailingAsciiWhitespace(absl::string_view(line).substr(
          std::min(begin, line.size()), kExcerptColumns)));
  return absl::StrCat("  ", shown, "\n  ", std::string(column - begin, ' '),
                      "^");
}

absl::Status WithExcerpt(const absl::Status& status, absl::string_view text) {
  if (status.ok() || text.empty()) return status;
  SourcePosition position;
  for (const auto& [key, value] : DetailOf(status).metadata) {
    int* const number = key == "line"     ? &position.line
                        : key == "column" ? &position.column
                                          : nullptr;
    if (number != nullptr && !absl::SimpleAtoi(value, number)) return status;
  }
  if (position.line < 1 || position.column < 1) return status;
  const std::string excerpt = Excerpt(text, position);
  if (absl::EndsWith(status.message(), excerpt)) return status;
  return Reword(status, absl::StrCat(status.message(), "\n", excerpt));
}

}  // namespace layoutd
