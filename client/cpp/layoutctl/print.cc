#include "client/cpp/layoutctl/print.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "client/cpp/error.h"

namespace layoutd::client {
namespace {

absl::Status Print(absl::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() ||
      std::fflush(stdout) != 0) {
    return MakeError(absl::StatusCode::kDataLoss, "FILE",
                     "cannot write to standard output");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status PrintLine(absl::string_view line) {
  return Print(absl::StrCat(line, "\n"));
}

std::string FormatTable(const Table& rows) {
  std::vector<size_t> widths;
  for (const std::vector<std::string>& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t k = 0; k < row.size(); ++k) {
      widths[k] = std::max(widths[k], row[k].size());
    }
  }
  std::string text;
  for (const std::vector<std::string>& row : rows) {
    for (size_t k = 0; k < row.size(); ++k) {
      text += row[k];
      if (k + 1 < row.size()) text.append(widths[k] - row[k].size() + 2, ' ');
    }
    text += '\n';
  }
  return text;
}

absl::Status PrintTable(const Table& rows) { return Print(FormatTable(rows)); }

absl::Status PrintTables(const std::vector<Table>& tables) {
  std::string text;
  for (const Table& table : tables) {
    absl::StrAppend(&text, text.empty() ? "" : "\n", FormatTable(table));
  }
  return Print(text);
}

void PrintWarnings(const Warnings& warnings) {
  for (const v1::ExecuteResponse::Warning& warning : warnings) {
    const std::string line = absl::StrCat("warning: ", warning.code(), ": ",
                                          warning.message(), "\n");
    std::fputs(line.c_str(), stderr);
  }
}

void PrintError(const absl::Status& status, bool json) {
  Error error = ErrorOf(status);
  if (json || isatty(STDERR_FILENO) == 0) {
    error.message = error.message.substr(0, error.message.find('\n'));
  }
  const std::string line = absl::StrCat(
      "error: ", absl::StatusCodeToString(error.code),
      error.reason.empty() ? "" : " ", error.reason, ": ", error.message, "\n");
  std::fputs(line.c_str(), stderr);
}

}  // namespace layoutd::client
