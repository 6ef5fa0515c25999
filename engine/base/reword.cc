#include "engine/base/reword.h"

namespace layoutd {

Error Reword(const absl::Status& status, absl::string_view message) {
  const ErrorDetail detail = DetailOf(status);
  Error error(status.code(), detail.reason, message);
  for (const auto& [key, value] : detail.metadata) error.With(key, value);
  for (const auto& [path, text] : detail.violations) error.At(path);
  return error;
}

}  // namespace layoutd
