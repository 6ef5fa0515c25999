#include "client/cpp/target.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "client/cpp/error.h"

namespace layoutd::client {
namespace {

constexpr int kMaxPort = 65535;
// The system keeps a zero behind the path.
constexpr size_t kMaxPathBytes = sizeof(sockaddr_un::sun_path) - 1;

bool IsPort(absl::string_view text) {
  int port = 0;
  return std::all_of(text.begin(), text.end(), absl::ascii_isdigit) &&
         absl::SimpleAtoi(text, &port) && port >= 1 && port <= kMaxPort;
}

bool IsHostName(absl::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '.' ||
           c == '-' || c == '_';
  });
}

bool IsBracketedIpv6(absl::string_view text) {
  if (!absl::ConsumePrefix(&text, "[") || !absl::ConsumeSuffix(&text, "]")) {
    return false;
  }
  in6_addr address;
  const std::string digits(text.substr(0, text.find('%')));  // without zone
  return inet_pton(AF_INET6, digits.c_str(), &address) == 1;
}

}  // namespace

absl::Status CheckTarget(absl::string_view target) {
  const auto bad = [target](absl::string_view what) {
    return MakeError(absl::StatusCode::kInvalidArgument, "BAD_TARGET",
                     absl::StrCat("target \"", target, "\" ", what));
  };
  absl::string_view path = target;
  if (absl::ConsumePrefix(&path, "unix:")) {
    if (path.empty()) return bad("has no path");
    if (path.size() <= kMaxPathBytes) return absl::OkStatus();
    return bad(absl::StrCat("has a path of ", path.size(),
                            " bytes; a socket's has at most ", kMaxPathBytes));
  }
  const size_t colon = target.rfind(':');
  if (colon == absl::string_view::npos) {
    return bad("must be HOST:PORT, [IPV6]:PORT or unix:PATH");
  }
  const absl::string_view host = target.substr(0, colon);
  if (!IsHostName(host) && !IsBracketedIpv6(host)) {
    return bad("has no valid host: HOST:PORT, [IPV6]:PORT or unix:PATH");
  }
  if (IsPort(target.substr(colon + 1))) return absl::OkStatus();
  return bad(absl::StrCat("has no valid port (1 to ", kMaxPort, ")"));
}

std::string WhyUnreachable(absl::string_view target) {
  if (!absl::ConsumePrefix(&target, "unix:")) return "";
  sockaddr_un address = {};
  if (target.size() > kMaxPathBytes) return "";
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, target.data(), target.size());
  const int socket_fd =
      socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket_fd < 0) return "";
  const int result = connect(
      socket_fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address));
  const int error = result == 0 ? 0 : errno;
  close(socket_fd);
  return error == 0 ? "" : absl::AsciiStrToLower(std::strerror(error));
}

}  // namespace layoutd::client
