#include "server/mask_service.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/base/error.h"
#include "engine/base/status_macros.h"
#include "server/decode.h"
#include "server/decode_layout.h"
#include "server/encode.h"
#include "server/grpc_status.h"
#include "server/unary_call.h"

namespace layoutd {
namespace {

// Far below the limit of one message, and quick to send whole.
constexpr size_t kMaxColumnBytes = 3'000'000;

absl::StatusOr<Shape> MaskShape(const Engine& engine,
                                const v1::CreateMaskRequest& request) {
  switch (request.columns_case()) {
    case v1::CreateMaskRequest::kShape:
      return DecodeShape(request.shape()).WithV(1);
    case v1::CreateMaskRequest::kLikeField: {
      ASSIGN_OR_RETURN(std::string id,
                       DecodeFieldName(request.like_field(), "like_field"));
      absl::StatusOr<FieldInfo> info = engine.GetField(id);
      if (!info.ok()) return WithPath(info.status(), "like_field");
      return info->layout.shape().WithV(1);
    }
    case v1::CreateMaskRequest::COLUMNS_NOT_SET:
      break;
  }
  return InvalidArgument("MISSING_VALUE", "neither shape nor like_field is set")
      .At("columns");
}

// Queues what `request` asks for; `done` answers the call.
absl::Status SetFromSource(Engine* engine, std::string id,
                           const v1::SetMaskRequest& request,
                           const StopToken& stop, Done<MaskInfo> done) {
  switch (request.source_case()) {
    case v1::SetMaskRequest::kColumns:
      if (request.columns().size() > kMaxColumnBytes) {
        return InvalidArgument(
                   "MASK_TOO_LARGE",
                   absl::StrCat(request.columns().size(),
                                " columns are more than the ", kMaxColumnBytes,
                                " that are set from bytes; write them to a "
                                "bool field and set the mask from a predicate "
                                "that reads it"))
            .With("mask", id)
            .At("columns");
      }
      engine->SetMask(std::move(id),
                      {request.columns().begin(), request.columns().end()},
                      std::move(done));
      return absl::OkStatus();
    case v1::SetMaskRequest::kAll: {
      absl::StatusOr<MaskInfo> info = engine->GetMask(id);
      if (!info.ok()) return WithPath(info.status(), "name");
      const auto num_columns = static_cast<size_t>(info->shape.num_columns());
      engine->SetMask(std::move(id),
                      std::vector<uint8_t>(num_columns, request.all() ? 1 : 0),
                      std::move(done));
      return absl::OkStatus();
    }
    case v1::SetMaskRequest::kWhere: {
      using Bindings = std::map<std::string, std::string>;
      ASSIGN_OR_RETURN(
          Bindings bindings,
          DecodeBindings(request.where().bindings(), "where.bindings"));
      engine->SetMaskWhere(std::move(id), request.where().text(),
                           std::move(bindings), stop, std::move(done));
      return absl::OkStatus();
    }
    case v1::SetMaskRequest::SOURCE_NOT_SET:
      break;
  }
  return InvalidArgument("MISSING_VALUE",
                         "none of columns, where and all is set")
      .At("source");
}

// Returns an error of the engine with the part of `request` it is about. A
// predicate is a small program of its own.
absl::Status LocateSetError(const absl::Status& status,
                            const v1::SetMaskRequest& request) {
  const char* const source = request.has_where() ? "where.text" : "columns";
  absl::Status located = ReplacePathPrefix(status, "program.", "where.");
  located = ReplacePathPrefix(located, "bindings[", "where.bindings[");
  return WithPathOfReason(located, {{"MASK_NOT_FOUND", "name"},
                                    {"MASK_SHAPE_MISMATCH", source},
                                    {"TYPE_MISMATCH", source},
                                    {"BAD_BOOL", source}});
}

}  // namespace

grpc::ServerUnaryReactor* MaskService::CreateMask(
    grpc::CallbackServerContext* context, const v1::CreateMaskRequest* request,
    v1::Mask* reply) {
  return UnaryCall::Answer(context, gate_, [&]() -> absl::Status {
    ASSIGN_OR_RETURN(Shape shape, MaskShape(*engine_, *request));
    absl::StatusOr<MaskInfo> info =
        engine_->CreateMask(request->mask_id(), shape);
    if (!info.ok()) {
      const char* const columns = request->has_shape() ? "shape" : "like_field";
      return WithPathOfReason(info.status(), {{"BAD_ID", "mask_id"},
                                              {"MASK_EXISTS", "mask_id"},
                                              {"SIZE_OVERFLOW", columns},
                                              {"MEMORY_LIMIT", columns}});
    }
    EncodeMask(*info, reply);
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* MaskService::GetMask(
    grpc::CallbackServerContext* context, const v1::GetMaskRequest* request,
    v1::Mask* reply) {
  return UnaryCall::Answer(context, gate_, [&]() -> absl::Status {
    ASSIGN_OR_RETURN(std::string id, DecodeMaskName(request->name(), "name"));
    absl::StatusOr<MaskInfo> info = engine_->GetMask(id);
    if (!info.ok()) return WithPath(info.status(), "name");
    EncodeMask(*info, reply);
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* MaskService::ListMasks(
    grpc::CallbackServerContext* context, const v1::ListMasksRequest* request,
    v1::ListMasksResponse* reply) {
  return UnaryCall::Answer(context, gate_, [&]() -> absl::Status {
    ASSIGN_OR_RETURN(int64_t page_size, DecodePageSize(request->page_size()));
    // As in ListFields.
    const std::vector<MaskInfo> masks =
        engine_->ListMasks(request->page_token(), page_size + 1);
    for (const MaskInfo& info : masks) {
      if (reply->masks_size() == page_size) {
        reply->set_next_page_token(
            masks[static_cast<size_t>(page_size) - 1].id);
        break;
      }
      EncodeMask(info, reply->add_masks());
    }
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* MaskService::DeleteMask(
    grpc::CallbackServerContext* context, const v1::DeleteMaskRequest* request,
    google::protobuf::Empty* /*reply*/) {
  return UnaryCall::Queue(context, gate_, [&](UnaryCall* call) -> absl::Status {
    ASSIGN_OR_RETURN(std::string id, DecodeMaskName(request->name(), "name"));
    engine_->DeleteMask(
        std::move(id), request->etag(), [call](const absl::Status& status) {
          call->Finish(WithPathOfReason(
              status, {{"MASK_NOT_FOUND", "name"}, {"ETAG_MISMATCH", "etag"}}));
        });
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* MaskService::SetMask(
    grpc::CallbackServerContext* context, const v1::SetMaskRequest* request,
    v1::Mask* reply) {
  return UnaryCall::Queue(context, gate_, [&](UnaryCall* call) -> absl::Status {
    ASSIGN_OR_RETURN(std::string id, DecodeMaskName(request->name(), "name"));
    return SetFromSource(
        engine_, std::move(id), *request, call->stop(),
        [call, request, reply](absl::StatusOr<MaskInfo> info) {
          if (info.ok()) EncodeMask(*info, reply);
          call->Finish(LocateSetError(info.status(), *request));
        });
  });
}

}  // namespace layoutd
