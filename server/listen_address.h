#ifndef LAYOUTD_SERVER_LISTEN_ADDRESS_H_
#define LAYOUTD_SERVER_LISTEN_ADDRESS_H_

// Where the server listens: "HOST:PORT", "[::1]:PORT" or "unix:PATH".

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace layoutd {

struct ListenAddress {
  std::string host;       // numeric; empty for a unix socket
  int port = 0;           // 0: any free one
  std::string unix_path;  // empty for TCP

  bool is_unix() const { return !unix_path.empty(); }
  // Returns whether only this machine can reach it.
  bool IsLocal() const;

  friend bool operator==(const ListenAddress&, const ListenAddress&) = default;
};

// Returns the text form, which ParseListenAddress reads and gRPC takes.
std::string ToString(const ListenAddress& address);

// Parses `text`. "localhost" is 127.0.0.1; other names are not resolved.
// Errors: InvalidArgument (BAD_ADDRESS).
absl::StatusOr<ListenAddress> ParseListenAddress(absl::string_view text);

// Makes way for a unix socket: removes the socket file of a server that is no
// more.
// Errors: FailedPrecondition (ADDRESS_IN_USE) — a server answers there, or the
// file is no socket.
absl::Status RemoveStaleSocket(const ListenAddress& address);

// Returns why `address` cannot be bound, for the message: gRPC does not tell.
std::string ReasonNotBound(const ListenAddress& address);

}  // namespace layoutd

#endif  // LAYOUTD_SERVER_LISTEN_ADDRESS_H_
