#ifndef LAYOUTD_CLIENT_CPP_LAYOUTCTL_PRINT_H_
#define LAYOUTD_CLIENT_CPP_LAYOUTCTL_PRINT_H_

// What layoutctl writes: answers to standard output, errors to standard error.

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/repeated_field.h"
#include "layoutd/v1/compute.pb.h"

namespace layoutd::client {

// Writes a line to standard output.
// Errors: DataLoss (FILE) — the system did not take it.
absl::Status PrintLine(absl::string_view line);

// Rows of cells.
using Table = std::vector<std::vector<std::string>>;
using Warnings =
    google::protobuf::RepeatedPtrField<v1::ExecuteResponse::Warning>;

// Returns `rows` with their columns aligned, two spaces apart, a line each.
std::string FormatTable(const Table& rows);

// Writes such a table to standard output.
absl::Status PrintTable(const Table& rows);

// Writes several, an empty line between each two.
absl::Status PrintTables(const std::vector<Table>& tables);

// Writes "warning: CODE: message" lines to standard error.
void PrintWarnings(const Warnings& warnings);

// Writes "error: CODE REASON: message" to standard error: one line, the first
// of the message. A person at a terminal, without `json`, also sees its further
// lines (a source line and a caret).
void PrintError(const absl::Status& status, bool json);

}  // namespace layoutd::client

#endif  // LAYOUTD_CLIENT_CPP_LAYOUTCTL_PRINT_H_
