#ifndef LAYOUTD_ENGINE_BASE_ERROR_H_
#define LAYOUTD_ENGINE_BASE_ERROR_H_

// Errors as the service reports them: an absl::Status that also carries a
// machine-readable reason, metadata, and the paths of the offending parts of
// the request. They travel as status payloads, so plain absl macros and
// StatusOr keep them; server/grpc_status turns them into google.rpc details.

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace layoutd {

// Builds one error. Converts to absl::Status (and so to StatusOr) implicitly:
//
//   return Error(absl::StatusCode::kNotFound, "FIELD_NOT_FOUND",
//                absl::StrCat("no field \"", id, "\""))
//       .With("field", id).At("program.line 3, column 7");
class Error {
 public:
  // `reason` is UPPER_SNAKE_CASE, unique for the kind of fault; `message` is
  // lower case, names the values, has no full stop.
  Error(absl::StatusCode code, absl::string_view reason,
        absl::string_view message);

  // Adds one metadata entry (ErrorInfo.metadata).
  Error& With(absl::string_view key, absl::string_view value);
  // Adds one field violation at `path`; its description is the message.
  Error& At(absl::string_view path);

  // NOLINTNEXTLINE(google-explicit-constructor)
  operator absl::Status() const { return status_; }

 private:
  absl::Status status_;
};

// What an error carries besides code and message.
struct ErrorDetail {
  std::string reason;  // empty for a status that was not built by Error
  std::vector<std::pair<std::string, std::string>> metadata;    // sorted by key
  std::vector<std::pair<std::string, std::string>> violations;  // path, text
};

// Returns the detail of `status`.
ErrorDetail DetailOf(const absl::Status& status);

// Short forms of the codes used most.
Error InvalidArgument(absl::string_view reason, absl::string_view message);
Error NotFound(absl::string_view reason, absl::string_view message);
Error FailedPrecondition(absl::string_view reason, absl::string_view message);
Error ResourceExhausted(absl::string_view reason, absl::string_view message);
Error OutOfRange(absl::string_view reason, absl::string_view message);
// The request is well formed and means something this version cannot do.
Error Unsupported(absl::string_view message);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_BASE_ERROR_H_
