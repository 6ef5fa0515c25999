#include "client/cpp/client.h"

#include <grpc/grpc.h>
#include <grpcpp/create_channel.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "client/cpp/error.h"
#include "client/cpp/status_macros.h"
#include "client/cpp/target.h"

namespace layoutd::client {
namespace {

// Answers of unary calls; bulk data comes in messages of 1 MiB.
constexpr int kMaxReceiveBytes = 16 << 20;

// Waits until the channel is ready, has failed, or `deadline` has passed.
bool WaitUntilReady(grpc::Channel& channel,
                    std::chrono::system_clock::time_point deadline) {
  for (;;) {
    const grpc_connectivity_state state =
        channel.GetState(/*try_to_connect=*/true);
    if (state == GRPC_CHANNEL_READY) return true;
    if (state == GRPC_CHANNEL_TRANSIENT_FAILURE ||
        state == GRPC_CHANNEL_SHUTDOWN) {
      return false;
    }
    if (!channel.WaitForStateChange(state, deadline)) return false;
  }
}

template <typename Request>
Request ProgramRequest(absl::string_view text, const Bindings& bindings) {
  Request request;
  request.mutable_program()->set_text(std::string(text));
  for (const auto& [name, id] : bindings) {
    (*request.mutable_bindings())[name] = FieldName(id);
  }
  return request;
}

}  // namespace

// One call in flight: its context, known to Cancel as long as it lives.
class Client::ActiveCall {
 public:
  explicit ActiveCall(Client& client) : client_(client) {
    absl::MutexLock lock(&client_.mutex_);
    if (client_.cancelled_) context_.TryCancel();
    client_.active_.insert(&context_);
  }
  ~ActiveCall() {
    absl::MutexLock lock(&client_.mutex_);
    client_.active_.erase(&context_);
  }
  ActiveCall(const ActiveCall&) = delete;
  ActiveCall& operator=(const ActiveCall&) = delete;

  grpc::ClientContext& context() { return context_; }

 private:
  Client& client_;
  grpc::ClientContext context_;
};

absl::StatusOr<std::unique_ptr<Client>> Client::Connect(
    const std::string& target, absl::Duration timeout) {
  RETURN_IF_ERROR(CheckTarget(target));
  // gRPC stays up until the process ends: shutting it down with its last object
  // waits for a poller that nobody wakes, for up to 10 seconds.
  [[maybe_unused]] static const bool kept = (grpc_init(), true);
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kMaxReceiveBytes);
  // A proxy for web pages has no business between a client and its server.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  std::shared_ptr<grpc::Channel> channel = grpc::CreateCustomChannel(
      target, grpc::InsecureChannelCredentials(), arguments);
  if (!WaitUntilReady(*channel, absl::ToChronoTime(absl::Now() + timeout))) {
    const std::string why = WhyUnreachable(target);
    return MakeError(absl::StatusCode::kUnavailable, "UNREACHABLE",
                     absl::StrCat("cannot reach layoutd at ", target,
                                  why.empty() ? "" : ": ", why));
  }
  return std::unique_ptr<Client>(new Client(std::move(channel)));
}

Client::Client(const std::shared_ptr<grpc::Channel>& channel)
    : fields_(channel), masks_(channel), compute_(channel), server_(channel) {}

void Client::Cancel() {
  absl::MutexLock lock(&mutex_);
  cancelled_ = true;
  for (grpc::ClientContext* context : active_) context->TryCancel();
}

template <typename Stub, typename Request, typename Response>
absl::StatusOr<Response> Client::Call(
    Stub& stub,
    grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&,
                                 Response*),
    const Request& request) {
  ActiveCall call(*this);
  Response response;
  RETURN_IF_ERROR(
      FromGrpc((stub.*method)(&call.context(), request, &response)));
  return response;
}

absl::StatusOr<v1::ServerInfo> Client::GetServerInfo() {
  return Call(server_, &v1::ServerService::Stub::GetServerInfo,
              v1::GetServerInfoRequest());
}

absl::StatusOr<v1::Field> Client::CreateField(
    const v1::CreateFieldRequest& request) {
  return Call(fields_, &v1::FieldService::Stub::CreateField, request);
}

absl::StatusOr<v1::Field> Client::GetField(absl::string_view id) {
  v1::GetFieldRequest request;
  request.set_name(FieldName(id));
  return Call(fields_, &v1::FieldService::Stub::GetField, request);
}

absl::StatusOr<std::vector<v1::Field>> Client::ListFields() {
  std::vector<v1::Field> fields;
  v1::ListFieldsRequest request;
  do {
    ASSIGN_OR_RETURN(
        v1::ListFieldsResponse page,
        Call(fields_, &v1::FieldService::Stub::ListFields, request));
    std::move(page.mutable_fields()->begin(), page.mutable_fields()->end(),
              std::back_inserter(fields));
    request.set_page_token(page.next_page_token());
  } while (!request.page_token().empty());
  return fields;
}

absl::Status Client::DeleteField(absl::string_view id) {
  v1::DeleteFieldRequest request;
  request.set_name(FieldName(id));
  return Call(fields_, &v1::FieldService::Stub::DeleteField, request).status();
}

absl::StatusOr<v1::Field> Client::FillField(absl::string_view id,
                                            absl::string_view component,
                                            absl::string_view value) {
  v1::FillFieldRequest request;
  request.set_name(FieldName(id));
  request.set_component(std::string(component));
  request.set_value(std::string(value));
  return Call(fields_, &v1::FieldService::Stub::FillField, request);
}

absl::StatusOr<v1::Field> Client::WriteField(
    const v1::WriteFieldRequest::Header& header, const ChunkSource& source) {
  ActiveCall call(*this);
  ASSIGN_OR_RETURN(v1::WriteFieldResponse response,
                   Upload(fields_, call.context(), header, source));
  return std::move(*response.mutable_field());
}

absl::StatusOr<v1::Field> Client::WriteField(
    absl::string_view id, absl::Span<const std::byte> values) {
  v1::WriteFieldRequest::Header header;
  header.set_name(FieldName(id));
  return WriteField(
      header, [&values](absl::Span<char> buffer) -> absl::StatusOr<int64_t> {
        const size_t count = std::min(buffer.size(), values.size());
        if (count > 0) std::memcpy(buffer.data(), values.data(), count);
        values.remove_prefix(count);
        return static_cast<int64_t>(count);
      });
}

absl::Status Client::ReadField(absl::string_view id,
                               absl::string_view component,
                               const FieldSink& sink) {
  v1::ReadFieldRequest request;
  request.set_name(FieldName(id));
  request.set_component(std::string(component));
  ActiveCall call(*this);
  return Download(fields_, call.context(), request, sink);
}

absl::StatusOr<v1::Field> Client::ReadField(absl::string_view id,
                                            absl::string_view component,
                                            absl::Span<std::byte> values) {
  v1::Field field;
  size_t filled = 0;
  const auto wrong_size = [&values](int64_t bytes) {
    return MakeError(absl::StatusCode::kInvalidArgument, "BUFFER_SIZE",
                     absl::StrCat("buffer of ", values.size(),
                                  " bytes for a field of ", bytes, " bytes"));
  };
  FieldSink sink;
  sink.on_header = [&](const v1::ReadFieldResponse::Header& header) {
    field = header.field();
    return static_cast<uint64_t>(header.total_bytes()) == values.size()
               ? absl::OkStatus()
               : wrong_size(header.total_bytes());
  };
  sink.on_data = [&](absl::string_view data) {
    if (data.size() > values.size() - filled) {
      return wrong_size(static_cast<int64_t>(filled + data.size()));
    }
    if (!data.empty()) {
      std::memcpy(values.data() + filled, data.data(), data.size());
    }
    filled += data.size();
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(ReadField(id, component, sink));
  return field;
}

absl::StatusOr<v1::Mask> Client::CreateMask(absl::string_view id,
                                            absl::string_view like_field) {
  v1::CreateMaskRequest request;
  request.set_mask_id(std::string(id));
  request.set_like_field(FieldName(like_field));
  return Call(masks_, &v1::MaskService::Stub::CreateMask, request);
}

absl::StatusOr<v1::Mask> Client::GetMask(absl::string_view id) {
  v1::GetMaskRequest request;
  request.set_name(MaskName(id));
  return Call(masks_, &v1::MaskService::Stub::GetMask, request);
}

absl::StatusOr<std::vector<v1::Mask>> Client::ListMasks() {
  std::vector<v1::Mask> masks;
  v1::ListMasksRequest request;
  do {
    ASSIGN_OR_RETURN(v1::ListMasksResponse page,
                     Call(masks_, &v1::MaskService::Stub::ListMasks, request));
    std::move(page.mutable_masks()->begin(), page.mutable_masks()->end(),
              std::back_inserter(masks));
    request.set_page_token(page.next_page_token());
  } while (!request.page_token().empty());
  return masks;
}

absl::Status Client::DeleteMask(absl::string_view id) {
  v1::DeleteMaskRequest request;
  request.set_name(MaskName(id));
  return Call(masks_, &v1::MaskService::Stub::DeleteMask, request).status();
}

absl::StatusOr<v1::Mask> Client::SetMask(const v1::SetMaskRequest& request) {
  return Call(masks_, &v1::MaskService::Stub::SetMask, request);
}

absl::StatusOr<v1::CompileProgramResponse> Client::CompileProgram(
    absl::string_view text, const Bindings& bindings) {
  const auto request =
      ProgramRequest<v1::CompileProgramRequest>(text, bindings);
  return Call(compute_, &v1::ComputeService::Stub::CompileProgram, request);
}

absl::StatusOr<v1::ExecuteResponse> Client::Execute(absl::string_view text,
                                                    const Bindings& bindings,
                                                    bool profile) {
  auto request = ProgramRequest<v1::ExecuteRequest>(text, bindings);
  request.set_profile(profile);
  return Call(compute_, &v1::ComputeService::Stub::Execute, request);
}

std::string FieldName(absl::string_view id) {
  return absl::StrCat("fields/", id);
}

std::string MaskName(absl::string_view id) {
  return absl::StrCat("masks/", id);
}

std::string IdOf(absl::string_view name) {
  if (!absl::ConsumePrefix(&name, "fields/")) {
    absl::ConsumePrefix(&name, "masks/");
  }
  return std::string(name);
}

}  // namespace layoutd::client
