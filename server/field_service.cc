#include "server/field_service.h"

#include <string>
#include <utility>
#include <vector>

#include "engine/base/status_macros.h"
#include "server/decode.h"
#include "server/encode.h"
#include "server/grpc_status.h"
#include "server/transfer.h"
#include "server/unary_call.h"

namespace layoutd {
namespace {

// A page ends early rather than grow past what a client receives by default
// (4 MiB); one field is far below that.
constexpr size_t kMaxPageBytes = 3 << 20;

}  // namespace

grpc::ServerUnaryReactor* FieldService::CreateField(
    grpc::CallbackServerContext* context, const v1::CreateFieldRequest* request,
    v1::Field* reply) {
  return UnaryCall::Answer(context, gate_, [&]() -> absl::Status {
    ASSIGN_OR_RETURN(FieldSpec spec, DecodeFieldSpec(*request));
    absl::StatusOr<FieldInfo> info =
        engine_->CreateField(spec, request->validate_only());
    if (!info.ok()) return LocateLayoutError(info.status(), *request);
    EncodeField(*info, reply);
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* FieldService::GetField(
    grpc::CallbackServerContext* context, const v1::GetFieldRequest* request,
    v1::Field* reply) {
  return UnaryCall::Answer(context, gate_, [&]() -> absl::Status {
    ASSIGN_OR_RETURN(std::string id, DecodeFieldName(request->name(), "name"));
    absl::StatusOr<FieldInfo> info = engine_->GetField(id);
    if (!info.ok()) return WithPath(info.status(), "name");
    EncodeField(*info, reply);
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* FieldService::ListFields(
    grpc::CallbackServerContext* context, const v1::ListFieldsRequest* request,
    v1::ListFieldsResponse* reply) {
  return UnaryCall::Answer(context, gate_, [&]() -> absl::Status {
    ASSIGN_OR_RETURN(int64_t page_size, DecodePageSize(request->page_size()));
    // One more than asked for tells whether there is a next page. A page token
    // is the last id of the page before.
    const std::vector<FieldInfo> fields =
        engine_->ListFields(request->page_token(), page_size + 1);
    size_t size_bytes = 0;
    for (const FieldInfo& info : fields) {
      if (reply->fields_size() == page_size || size_bytes > kMaxPageBytes) {
        reply->set_next_page_token(
            fields[static_cast<size_t>(reply->fields_size()) - 1].id);
        break;
      }
      v1::Field* added = reply->add_fields();
      EncodeField(info, added);
      size_bytes += added->ByteSizeLong();
    }
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* FieldService::DeleteField(
    grpc::CallbackServerContext* context, const v1::DeleteFieldRequest* request,
    google::protobuf::Empty* /*reply*/) {
  return UnaryCall::Queue(context, gate_, [&](UnaryCall* call) -> absl::Status {
    ASSIGN_OR_RETURN(std::string id, DecodeFieldName(request->name(), "name"));
    engine_->DeleteField(
        std::move(id), request->etag(), [call](const absl::Status& status) {
          call->Finish(WithPathOfReason(status, {{"FIELD_NOT_FOUND", "name"},
                                                 {"ETAG_MISMATCH", "etag"}}));
        });
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* FieldService::FillField(
    grpc::CallbackServerContext* context, const v1::FillFieldRequest* request,
    v1::Field* reply) {
  return UnaryCall::Queue(context, gate_, [&](UnaryCall* call) -> absl::Status {
    ASSIGN_OR_RETURN(std::string id, DecodeFieldName(request->name(), "name"));
    engine_->FillField(
        std::move(id), request->component(), request->value(), call->stop(),
        [call, reply](absl::StatusOr<FieldInfo> info) {
          if (info.ok()) EncodeField(*info, reply);
          call->Finish(WithPathOfReason(info.status(),
                                        {{"FIELD_NOT_FOUND", "name"},
                                         {"UNKNOWN_COMPONENT", "component"}}));
        });
    return absl::OkStatus();
  });
}

grpc::ServerReadReactor<v1::WriteFieldRequest>* FieldService::WriteField(
    grpc::CallbackServerContext* context, v1::WriteFieldResponse* reply) {
  return StartWriteField(engine_, gate_, context, reply);
}

grpc::ServerWriteReactor<v1::ReadFieldResponse>* FieldService::ReadField(
    grpc::CallbackServerContext* /*context*/,
    const v1::ReadFieldRequest* request) {
  return StartReadField(engine_, gate_, *request);
}

}  // namespace layoutd
