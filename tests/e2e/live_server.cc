#include "tests/e2e/live_server.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "grpcpp/support/error_details.h"

namespace layoutd {
namespace {

template <typename T>
T OrDie(absl::StatusOr<T> result) {
  if (!result.ok()) {
    std::fprintf(stderr, "%s\n", result.status().ToString().c_str());
    std::abort();
  }
  return *std::move(result);
}

// A call that hangs fails its test, not the whole run.
void SetDeadline(grpc::ClientContext* context) {
  context->set_deadline(std::chrono::system_clock::now() +
                        std::chrono::seconds(60));
}

v1::Shape EncodeForRequest(const Shape& shape) {
  v1::Shape encoded;
  encoded.set_nv(shape.v());
  encoded.set_ni(shape.i());
  encoded.set_nj(shape.j());
  encoded.set_nh(shape.h());
  return encoded;
}

}  // namespace

CallError ErrorOf(const grpc::Status& status) {
  CallError error;
  error.code = status.error_code();
  error.message = status.error_message();
  google::rpc::Status packed;
  if (!grpc::ExtractErrorDetails(status, &packed).ok()) return error;
  for (const auto& detail : packed.details()) {
    google::rpc::ErrorInfo info;
    google::rpc::BadRequest bad_request;
    if (detail.UnpackTo(&info)) {
      error.reason = info.reason();
      error.domain = info.domain();
      error.metadata = {info.metadata().begin(), info.metadata().end()};
    } else if (detail.UnpackTo(&bad_request)) {
      for (const auto& violation : bad_request.field_violations()) {
        error.paths.push_back(violation.field());
      }
    }
  }
  return error;
}

LiveServer::LiveServer(int64_t memory_limit_bytes) {
  EngineOptions options;
  options.memory_limit_bytes = memory_limit_bytes;
  options.num_threads = 2;
  options.num_operation_threads = 2;
  engine_ = OrDie(Engine::Create(options));
  server_ = OrDie(
      Server::Start(engine_.get(), {OrDie(ParseListenAddress("127.0.0.1:0"))}));
  channel_ = grpc::CreateChannel(server_->addresses()[0],
                                 grpc::InsecureChannelCredentials());
  fields_ = v1::FieldService::NewStub(channel_);
  masks_ = v1::MaskService::NewStub(channel_);
  compute_ = v1::ComputeService::NewStub(channel_);
  about_ = v1::ServerService::NewStub(channel_);
}

LiveServer::~LiveServer() { server_->Drain(absl::ZeroDuration()); }

grpc::Status LiveServer::CreateField(const std::string& id, v1::LayoutKind kind,
                                     const Shape& shape,
                                     const std::string& type) {
  v1::CreateFieldRequest request;
  request.set_field_id(id);
  request.mutable_layout()->set_kind(kind);
  *request.mutable_layout()->mutable_shape() = EncodeForRequest(shape);
  request.mutable_layout()->mutable_type()->set_text(type);
  v1::Field reply;
  grpc::ClientContext context;
  SetDeadline(&context);
  return fields_->CreateField(&context, request, &reply);
}

grpc::Status LiveServer::CreateMask(const std::string& id, const Shape& shape) {
  v1::CreateMaskRequest request;
  request.set_mask_id(id);
  *request.mutable_shape() = EncodeForRequest(shape);
  v1::Mask reply;
  grpc::ClientContext context;
  SetDeadline(&context);
  return masks_->CreateMask(&context, request, &reply);
}

grpc::Status LiveServer::SetMask(const std::string& id,
                                 const std::vector<uint8_t>& columns) {
  v1::SetMaskRequest request;
  request.set_name("masks/" + id);
  request.set_columns(BytesOf(columns));
  v1::Mask reply;
  grpc::ClientContext context;
  SetDeadline(&context);
  return masks_->SetMask(&context, request, &reply);
}

grpc::Status LiveServer::Write(const std::string& id, const std::string& bytes,
                               size_t cut) {
  grpc::ClientContext context;
  SetDeadline(&context);
  v1::WriteFieldResponse reply;
  auto stream = fields_->WriteField(&context, &reply);
  v1::WriteFieldRequest message;
  message.mutable_header()->set_name("fields/" + id);
  bool open = stream->Write(message);
  for (size_t begin = 0; open && begin < bytes.size(); begin += cut) {
    message.set_data(bytes.substr(begin, cut));
    open = stream->Write(message);
  }
  stream->WritesDone();
  return stream->Finish();
}

grpc::Status LiveServer::Read(const std::string& id,
                              const std::string& component,
                              std::string* bytes) {
  bytes->clear();
  v1::ReadFieldRequest request;
  request.set_name("fields/" + id);
  request.set_component(component);
  grpc::ClientContext context;
  SetDeadline(&context);
  auto stream = fields_->ReadField(&context, request);
  v1::ReadFieldResponse message;
  while (stream->Read(&message)) *bytes += message.data();
  return stream->Finish();
}

grpc::Status LiveServer::Execute(const std::string& text,
                                 v1::ExecuteResponse* reply) {
  v1::ExecuteRequest request;
  request.mutable_program()->set_text(text);
  grpc::ClientContext context;
  SetDeadline(&context);
  return compute_->Execute(&context, request, reply);
}

grpc::Status LiveServer::Execute(const std::string& text) {
  v1::ExecuteResponse reply;
  return Execute(text, &reply);
}

std::string LiveServer::Snapshot() {
  v1::ListFieldsResponse field_list;
  grpc::ClientContext field_context;
  fields_->ListFields(&field_context, {}, &field_list);
  v1::ListMasksResponse mask_list;
  grpc::ClientContext mask_context;
  masks_->ListMasks(&mask_context, {}, &mask_list);
  std::string snapshot = field_list.DebugString() + mask_list.DebugString();
  for (const v1::Field& field : field_list.fields()) {
    std::string bytes;
    const grpc::Status status =
        Read(field.name().substr(std::strlen("fields/")), "", &bytes);
    snapshot += status.ok() ? bytes : status.error_message();
  }
  return snapshot;
}

}  // namespace layoutd
