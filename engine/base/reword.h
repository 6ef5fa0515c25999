#ifndef LAYOUTD_ENGINE_BASE_REWORD_H_
#define LAYOUTD_ENGINE_BASE_REWORD_H_

// Adds to an error that came from below what only its caller knows.

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "engine/base/error.h"

namespace layoutd {

// Returns `status` (an error) saying `message`: code, reason, metadata and
// violation paths are kept.
Error Reword(const absl::Status& status, absl::string_view message);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_BASE_REWORD_H_
