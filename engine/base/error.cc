#include "engine/base/error.h"

#include <algorithm>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace layoutd {
namespace {

constexpr absl::string_view kReason = "layoutd/reason";
constexpr absl::string_view kMetadata = "layoutd/metadata/";
constexpr absl::string_view kViolation = "layoutd/violation/";

}  // namespace

Error::Error(absl::StatusCode code, absl::string_view reason,
             absl::string_view message)
    : status_(code, message) {
  status_.SetPayload(kReason, absl::Cord(reason));
}

Error& Error::With(absl::string_view key, absl::string_view value) {
  status_.SetPayload(absl::StrCat(kMetadata, key), absl::Cord(value));
  return *this;
}

Error& Error::At(absl::string_view path) {
  status_.SetPayload(absl::StrCat(kViolation, path),
                     absl::Cord(status_.message()));
  return *this;
}

ErrorDetail DetailOf(const absl::Status& status) {
  ErrorDetail detail;
  status.ForEachPayload([&](absl::string_view url, const absl::Cord& value) {
    if (url == kReason) {
      detail.reason = std::string(value);
    } else if (absl::ConsumePrefix(&url, kMetadata)) {
      detail.metadata.emplace_back(std::string(url), std::string(value));
    } else if (absl::ConsumePrefix(&url, kViolation)) {
      detail.violations.emplace_back(std::string(url), std::string(value));
    }
  });
  std::sort(detail.metadata.begin(), detail.metadata.end());
  std::sort(detail.violations.begin(), detail.violations.end());
  return detail;
}

Error InvalidArgument(absl::string_view reason, absl::string_view message) {
  return Error(absl::StatusCode::kInvalidArgument, reason, message);
}
Error NotFound(absl::string_view reason, absl::string_view message) {
  return Error(absl::StatusCode::kNotFound, reason, message);
}
Error FailedPrecondition(absl::string_view reason, absl::string_view message) {
  return Error(absl::StatusCode::kFailedPrecondition, reason, message);
}
Error ResourceExhausted(absl::string_view reason, absl::string_view message) {
  return Error(absl::StatusCode::kResourceExhausted, reason, message);
}
Error OutOfRange(absl::string_view reason, absl::string_view message) {
  return Error(absl::StatusCode::kOutOfRange, reason, message);
}
Error Unsupported(absl::string_view message) {
  return Error(absl::StatusCode::kUnimplemented, "UNSUPPORTED", message);
}

}  // namespace layoutd
