#include "client/cpp/layoutctl/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

namespace layoutd::client {

void OccupyStandardStreams() {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    if (fcntl(stream, F_GETFD) >= 0) continue;
    // The wrong way round, so that using it is an error and not a silent loss.
    // The lowest free descriptor, so `stream`, is the one it gets.
    open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace layoutd::client
