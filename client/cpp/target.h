#ifndef LAYOUTD_CLIENT_CPP_TARGET_H_
#define LAYOUTD_CLIENT_CPP_TARGET_H_

// The address of a server: "HOST:PORT", "[IPV6]:PORT" or "unix:PATH".

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace layoutd::client {

// Errors: InvalidArgument (BAD_TARGET) — `target` has none of the forms; names
// it and what is wrong.
absl::Status CheckTarget(absl::string_view target);

// Returns what the system says of a socket nobody answers at ("no such file or
// directory"); empty when it says nothing, or `target` is no unix socket.
std::string WhyUnreachable(absl::string_view target);

}  // namespace layoutd::client

#endif  // LAYOUTD_CLIENT_CPP_TARGET_H_
