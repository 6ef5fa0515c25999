#include "client/cpp/error.h"

#include "absl/strings/cord.h"
#include "absl/types/optional.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"

namespace layoutd::client {
namespace {

constexpr char kErrorInfoUrl[] = "type.googleapis.com/google.rpc.ErrorInfo";
constexpr char kBadRequestUrl[] = "type.googleapis.com/google.rpc.BadRequest";

template <typename Message>
Message PayloadOf(const absl::Status& status, const char* url) {
  Message message;
  if (absl::optional<absl::Cord> payload = status.GetPayload(url)) {
    if (!message.ParseFromString(std::string(*payload))) message.Clear();
  }
  return message;
}

}  // namespace

Error ErrorOf(const absl::Status& status) {
  Error error;
  error.code = status.code();
  error.message = std::string(status.message());
  const auto info = PayloadOf<google::rpc::ErrorInfo>(status, kErrorInfoUrl);
  error.reason = info.reason();
  error.metadata.insert(info.metadata().begin(), info.metadata().end());
  const auto bad = PayloadOf<google::rpc::BadRequest>(status, kBadRequestUrl);
  for (const auto& violation : bad.field_violations()) {
    error.violations.push_back({violation.field(), violation.description()});
  }
  return error;
}

absl::Status MakeError(absl::StatusCode code, absl::string_view reason,
                       absl::string_view message) {
  google::rpc::ErrorInfo info;
  info.set_reason(std::string(reason));
  info.set_domain("layoutd");
  absl::Status status(code, message);
  status.SetPayload(kErrorInfoUrl, absl::Cord(info.SerializeAsString()));
  return status;
}

absl::Status FromGrpc(const grpc::Status& status) {
  if (status.ok()) return absl::OkStatus();
  const auto code = static_cast<absl::StatusCode>(status.error_code());
  absl::Status result = MakeError(code,
                                  code == absl::StatusCode::kUnavailable
                                      ? "CONNECTION_LOST"
                                      : absl::StatusCodeToString(code),
                                  status.error_message());
  google::rpc::Status details;
  if (!details.ParseFromString(status.error_details())) return result;
  for (const google::protobuf::Any& detail : details.details()) {
    result.SetPayload(detail.type_url(), absl::Cord(detail.value()));
  }
  return result;
}

}  // namespace layoutd::client
