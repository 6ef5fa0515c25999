#ifndef LAYOUTD_CLIENT_CPP_ERROR_H_
#define LAYOUTD_CLIENT_CPP_ERROR_H_

// Typed errors of the client. Every fallible function returns an absl::Status;
// what the service adds to code and message (a machine-readable reason,
// metadata, the offending parts of the request) travels in its payloads and is
// read with ErrorOf:
//
//   absl::StatusOr<v1::Field> field = client->GetField("temp");
//   if (ErrorOf(field.status()).reason == "FIELD_NOT_FOUND") ...

#include <grpcpp/support/status.h>

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace layoutd::client {

// One offending part of a request.
struct Violation {
  std::string field;  // a path: "program.text:3:7"
  std::string description;
};

struct Error {
  absl::StatusCode code = absl::StatusCode::kOk;
  std::string reason;   // UPPER_SNAKE_CASE
  std::string message;  // may have more lines: a source line and a caret
  std::map<std::string, std::string> metadata;
  std::vector<Violation> violations;
};

// Returns all that `status` says.
Error ErrorOf(const absl::Status& status);

// Returns an error found on this side of the wire; `reason` as in Error.
absl::Status MakeError(absl::StatusCode code, absl::string_view reason,
                       absl::string_view message);

// Returns the status of a finished call: same code and message, the details of
// its google.rpc.Status as payloads. One without details did not come from the
// service; its reason is CONNECTION_LOST when it is Unavailable, else the name
// of its code.
absl::Status FromGrpc(const grpc::Status& status);

}  // namespace layoutd::client

#endif  // LAYOUTD_CLIENT_CPP_ERROR_H_
