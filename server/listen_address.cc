#include "server/listen_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "engine/base/error.h"
#include "engine/base/status_macros.h"

namespace layoutd {
namespace {

// The socket address of a ListenAddress, as the system calls take it.
struct SocketAddress {
  sockaddr_storage storage = {};
  socklen_t size_bytes = 0;

  const sockaddr* get() const {
    return reinterpret_cast<const sockaddr*>(&storage);
  }
};

// Requires a parsed address.
SocketAddress MakeSocketAddress(const ListenAddress& address) {
  SocketAddress made;
  if (address.is_unix()) {
    sockaddr_un un = {};
    un.sun_family = AF_UNIX;
    std::memcpy(un.sun_path, address.unix_path.data(),
                address.unix_path.size());
    std::memcpy(&made.storage, &un, sizeof(un));
    made.size_bytes = sizeof(un);
    return made;
  }
  sockaddr_in in = {};
  in.sin_family = AF_INET;
  in.sin_port = htons(static_cast<uint16_t>(address.port));
  if (inet_pton(AF_INET, address.host.c_str(), &in.sin_addr) == 1) {
    std::memcpy(&made.storage, &in, sizeof(in));
    made.size_bytes = sizeof(in);
    return made;
  }
  sockaddr_in6 in6 = {};
  in6.sin6_family = AF_INET6;
  in6.sin6_port = htons(static_cast<uint16_t>(address.port));
  inet_pton(AF_INET6, address.host.c_str(), &in6.sin6_addr);
  std::memcpy(&made.storage, &in6, sizeof(in6));
  made.size_bytes = sizeof(in6);
  return made;
}

Error BadAddress(absl::string_view text, absl::string_view why) {
  return InvalidArgument(
      "BAD_ADDRESS",
      absl::StrCat("cannot listen on \"", text, "\": ", why,
                   " (expected HOST:PORT, [IPv6]:PORT or unix:PATH)"));
}

bool IsNumericHost(const std::string& host, bool bracketed) {
  in6_addr parsed;
  return inet_pton(bracketed ? AF_INET6 : AF_INET, host.c_str(), &parsed) == 1;
}

}  // namespace

bool ListenAddress::IsLocal() const {
  if (is_unix()) return true;
  in_addr v4;
  if (inet_pton(AF_INET, host.c_str(), &v4) == 1) {
    return ntohl(v4.s_addr) >> 24 == 127;
  }
  in6_addr v6;
  return inet_pton(AF_INET6, host.c_str(), &v6) == 1 &&
         IN6_IS_ADDR_LOOPBACK(&v6) != 0;
}

std::string ToString(const ListenAddress& address) {
  if (address.is_unix()) return absl::StrCat("unix:", address.unix_path);
  if (address.host.find(':') != std::string::npos) {
    return absl::StrCat("[", address.host, "]:", address.port);
  }
  return absl::StrCat(address.host, ":", address.port);
}

absl::StatusOr<ListenAddress> ParseListenAddress(absl::string_view text) {
  ListenAddress address;
  absl::string_view rest = text;
  if (absl::ConsumePrefix(&rest, "unix:")) {
    if (rest.empty()) return BadAddress(text, "the path is empty");
    if (rest.size() >= sizeof(sockaddr_un::sun_path)) {
      return BadAddress(text, "the path of a unix socket is at most 107 bytes");
    }
    address.unix_path = std::string(rest);
    return address;
  }
  const size_t colon = text.rfind(':');
  if (colon == absl::string_view::npos) {
    return BadAddress(text, "there is no port");
  }
  absl::string_view host = text.substr(0, colon);
  if (!absl::SimpleAtoi(text.substr(colon + 1), &address.port) ||
      address.port < 0 || address.port > 65535) {
    return BadAddress(text, "the port is no number from 0 to 65535");
  }
  const bool bracketed =
      absl::ConsumePrefix(&host, "[") && absl::ConsumeSuffix(&host, "]");
  address.host = host == "localhost" ? "127.0.0.1" : std::string(host);
  if (!IsNumericHost(address.host, bracketed)) {
    return BadAddress(text, "the host is neither an IP address nor localhost");
  }
  return address;
}

absl::Status RemoveStaleSocket(const ListenAddress& address) {
  struct stat info;
  if (!address.is_unix() || lstat(address.unix_path.c_str(), &info) != 0) {
    return absl::OkStatus();
  }
  if (!S_ISSOCK(info.st_mode)) {
    return FailedPrecondition(
        "ADDRESS_IN_USE", absl::StrCat("cannot listen on ", ToString(address),
                                       ": the file there is no socket"));
  }
  const SocketAddress target = MakeSocketAddress(address);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const bool refused = fd >= 0 &&
                       connect(fd, target.get(), target.size_bytes) != 0 &&
                       errno == ECONNREFUSED;
  if (fd >= 0) close(fd);
  if (!refused) {
    return FailedPrecondition(
        "ADDRESS_IN_USE", absl::StrCat("cannot listen on ", ToString(address),
                                       ": another server does"));
  }
  unlink(address.unix_path.c_str());
  return absl::OkStatus();
}

std::string ReasonNotBound(const ListenAddress& address) {
  const SocketAddress target = MakeSocketAddress(address);
  const int fd =
      socket(target.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return std::strerror(errno);
  // As gRPC does: a port in TIME_WAIT is no reason.
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  const bool bound =
      bind(fd, target.get(), target.size_bytes) == 0 && listen(fd, 1) == 0;
  std::string reason = bound ? "it could not be bound" : std::strerror(errno);
  close(fd);
  if (bound && address.is_unix()) unlink(address.unix_path.c_str());
  return reason;
}

}  // namespace layoutd
