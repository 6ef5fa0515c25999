#ifndef LAYOUTD_ENGINE_BASE_RESOURCE_ID_H_
#define LAYOUTD_ENGINE_BASE_RESOURCE_ID_H_

// The names of fields and masks.

#include <cstddef>

#include "absl/strings/string_view.h"

namespace layoutd {

inline constexpr size_t kMaxIdBytes = 255;
inline constexpr size_t kMaxIdSegmentBytes = 63;

// Returns whether `id` is segments [a-z][a-z0-9_]{0,62} joined by "/", at most
// kMaxIdBytes long.
bool IsResourceId(absl::string_view id);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_BASE_RESOURCE_ID_H_
