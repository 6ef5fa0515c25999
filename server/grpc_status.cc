#include "server/grpc_status.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "engine/base/error.h"
#include "engine/base/reword.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "spdlog/spdlog.h"

namespace layoutd {
namespace {

// gRPC refuses trailers of more than 8 KiB, counting names and 32 bytes for
// each entry; the rest of the 8 KiB is for those.
constexpr size_t kMaxTrailerBytes = 7 * 1024;
// Of the message as it travels, percent-encoded; the details need their part.
constexpr size_t kMaxMessageBytes = 4 * 1024;

// Returns the length of the UTF-8 character at the start of `text`, 0 if there
// is none.
size_t CharacterBytes(absl::string_view text) {
  const auto byte = [&](size_t k) {
    return k < text.size() ? static_cast<uint8_t>(text[k]) : 0u;
  };
  const auto continues = [&](size_t k) { return (byte(k) & 0xC0u) == 0x80u; };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead < 0xE0) return continues(1) ? 2 : 0;
  if (lead >= 0xE0 && lead < 0xF0) {
    if (!continues(1) || !continues(2)) return 0;
    const bool overlong = lead == 0xE0 && byte(1) < 0xA0;
    const bool surrogate = lead == 0xED && byte(1) >= 0xA0;
    return overlong || surrogate ? 0 : 3;
  }
  if (lead >= 0xF0 && lead < 0xF5) {
    if (!continues(1) || !continues(2) || !continues(3)) return 0;
    const bool overlong = lead == 0xF0 && byte(1) < 0x90;
    const bool beyond = lead == 0xF4 && byte(1) >= 0x90;
    return overlong || beyond ? 0 : 4;
  }
  return 0;
}

// Returns what gRPC sends for a byte of a message: itself, or %XX.
size_t EncodedBytes(char c) { return c >= ' ' && c <= '~' && c != '%' ? 1 : 3; }

// Returns `text` with "?" for each byte that is no UTF-8, cut after the last
// character that keeps the encoded size at most `max_bytes`.
std::string CutText(absl::string_view text, size_t max_bytes) {
  constexpr absl::string_view kMark = "...";
  std::string cut;
  size_t encoded_bytes = 0;
  size_t markable = 0;  // where the mark fits
  while (!text.empty()) {
    const size_t length = CharacterBytes(text);
    const std::string character =
        length == 0 ? "?" : std::string(text.substr(0, length));
    size_t added = 0;
    for (char c : character) added += EncodedBytes(c);
    if (encoded_bytes + added > max_bytes) {
      cut.resize(markable);
      return max_bytes < kMark.size() ? "" : absl::StrCat(cut, kMark);
    }
    cut += character;
    encoded_bytes += added;
    if (encoded_bytes + kMark.size() <= max_bytes) markable = cut.size();
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return cut;
}

std::string PublicPath(absl::string_view path) {
  for (absl::string_view part : {"nodes[", "statements["}) {
    absl::string_view rest = path;
    if (absl::ConsumePrefix(&rest, absl::StrCat("program.", part))) {
      return absl::StrCat("program.graph.", part, rest);
    }
  }
  return std::string(path);
}

// Returns the serialised google.rpc.Status with each text cut to
// `max_text_bytes` and each list to `max_entries`.
std::string SerializeDetails(const absl::Status& status,
                             const ErrorDetail& detail, size_t max_text_bytes,
                             int max_entries) {
  google::rpc::Status packed;
  packed.set_code(static_cast<int>(status.code()));
  packed.set_message(CutText(status.message(), max_text_bytes));

  google::rpc::ErrorInfo info;
  info.set_reason(detail.reason.empty()
                      ? absl::StatusCodeToString(status.code())
                      : CutText(detail.reason, max_text_bytes));
  info.set_domain("layoutd");
  for (const auto& [key, value] : detail.metadata) {
    if (info.metadata_size() == max_entries) break;
    (*info.mutable_metadata())[CutText(key, max_text_bytes)] =
        CutText(value, max_text_bytes);
  }
  packed.add_details()->PackFrom(info);

  google::rpc::BadRequest bad_request;
  for (const auto& [path, text] : detail.violations) {
    if (bad_request.field_violations_size() == max_entries) break;
    auto* violation = bad_request.add_field_violations();
    violation->set_field(CutText(PublicPath(path), max_text_bytes));
    const absl::string_view first_line =
        absl::string_view(text).substr(0, text.find('\n'));
    violation->set_description(CutText(first_line, max_text_bytes));
  }
  if (bad_request.field_violations_size() > 0) {
    packed.add_details()->PackFrom(bad_request);
  }

  if (status.code() == absl::StatusCode::kUnavailable) {
    google::rpc::RetryInfo retry;
    retry.mutable_retry_delay()->set_seconds(1);
    packed.add_details()->PackFrom(retry);
  }
  return packed.SerializeAsString();
}

}  // namespace

grpc::Status ToGrpcStatus(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  // A bug of ours, which the operator should hear of, not only the client.
  if (status.code() == absl::StatusCode::kInternal) {
    spdlog::error("internal error: {}", std::string(status.message()));
  }
  const ErrorDetail detail = DetailOf(status);
  const std::string message = CutText(status.message(), kMaxMessageBytes);
  size_t message_bytes = 0;
  for (char c : message) message_bytes += EncodedBytes(c);
  // Details travel in base64.
  const size_t max_details_bytes = (kMaxTrailerBytes - message_bytes) / 4 * 3;

  // The last step always fits: a fixed number of texts of 48 bytes.
  struct Step {
    size_t max_text_bytes;
    int max_entries;
  };
  constexpr Step kSteps[] = {{4096, 64}, {1024, 32}, {256, 8}, {48, 8}};
  std::string details;
  for (const Step& step : kSteps) {
    details =
        SerializeDetails(status, detail, step.max_text_bytes, step.max_entries);
    if (details.size() <= max_details_bytes) break;
  }
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()), message,
                      details);
}

absl::Status WithPath(const absl::Status& status, absl::string_view path) {
  if (status.ok()) return status;
  if (!DetailOf(status).violations.empty()) return status;
  return Reword(status, status.message()).At(path);
}

absl::Status WithPathOfReason(const absl::Status& status,
                              std::initializer_list<ReasonPath> paths) {
  if (status.ok()) return status;
  const std::string reason = DetailOf(status).reason;
  for (const ReasonPath& candidate : paths) {
    if (candidate.reason == reason) return WithPath(status, candidate.path);
  }
  return status;
}

absl::Status ReplacePathPrefix(const absl::Status& status,
                               absl::string_view from, absl::string_view to) {
  if (status.ok()) return status;
  const ErrorDetail detail = DetailOf(status);
  Error error(status.code(), detail.reason, status.message());
  for (const auto& [key, value] : detail.metadata) error.With(key, value);
  for (const auto& [path, text] : detail.violations) {
    absl::string_view rest = path;
    error.At(absl::ConsumePrefix(&rest, from) ? absl::StrCat(to, rest) : path);
  }
  return error;
}

}  // namespace layoutd
