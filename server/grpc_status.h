#ifndef LAYOUTD_SERVER_GRPC_STATUS_H_
#define LAYOUTD_SERVER_GRPC_STATUS_H_

// The one place where the engine's errors become gRPC's: every failed call
// carries a google.rpc.Status with ErrorInfo (domain "layoutd") and, where a
// part of the request is at fault, BadRequest.

#include <initializer_list>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "grpcpp/support/status.h"

namespace layoutd {

// Returns `status` as the client sees it. A status without a reason gets its
// code's name as the reason. Paths into a program sent as a graph start with
// "program.graph.". A violation's description is the first line of its message,
// the rest being the excerpt of a program. Messages and details are cut so that
// they fit gRPC's trailers, and made valid UTF-8.
grpc::Status ToGrpcStatus(const absl::Status& status);

// Returns `status` with a violation at `path`, unless it has one or is OK.
absl::Status WithPath(const absl::Status& status, absl::string_view path);

// What an error of `reason` is about: the part of the request at `path`.
struct ReasonPath {
  absl::string_view reason;
  absl::string_view path;
};

// Returns `status` with a violation at the path of its reason, unless it has
// one, is OK or its reason is not listed.
absl::Status WithPathOfReason(const absl::Status& status,
                              std::initializer_list<ReasonPath> paths);

// Returns `status` with `to` in place of `from` at the start of its violation
// paths.
absl::Status ReplacePathPrefix(const absl::Status& status,
                               absl::string_view from, absl::string_view to);

}  // namespace layoutd

#endif  // LAYOUTD_SERVER_GRPC_STATUS_H_
