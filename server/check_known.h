#ifndef LAYOUTD_SERVER_CHECK_KNOWN_H_
#define LAYOUTD_SERVER_CHECK_KNOWN_H_

// Programs are refused when they say more than this server understands; every
// other message may, as protobuf wants it, carry fields of later versions.

#include <string>

#include "absl/status/status.h"
#include "google/protobuf/message.h"

namespace layoutd {

// Refuses a message that says something this version does not know: a later
// version's opcode, enum value or field must not be dropped silently. `path`
// names the message.
// Errors: InvalidArgument (BAD_GRAPH) — at the path of the first such thing.
absl::Status CheckKnown(const google::protobuf::Message& message,
                        const std::string& path);

}  // namespace layoutd

#endif  // LAYOUTD_SERVER_CHECK_KNOWN_H_
