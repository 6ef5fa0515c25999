#include "server/mask_service.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/status_macros.h"
#include "server/decode.h"
#include "server/encode.h"
#include "server/grpc_status.h"
#include "server/unary_call.h"

namespace layoutd {
namespace {

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
      engine->SetMask(std::move(id),
                      {request.columns().begin(), request.columns().end()},
                      std::move(done));
      return absl::OkStatus();
    case v1::SetMaskRequest::kAll: {
      ASSIGN_OR_RETURN(MaskInfo info, engine->GetMask(id));
      const auto num_columns = static_cast<size_t>(info.shape.num_columns());
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

}  // namespace

grpc::ServerUnaryReactor* MaskService::CreateMask(
    grpc::CallbackServerContext* context, const v1::CreateMaskRequest* request,
    v1::Mask* reply) {
  return UnaryCall::Answer(context, gate_, [&]() -> absl::Status {
    ASSIGN_OR_RETURN(Shape shape, MaskShape(*engine_, *request));
    absl::StatusOr<MaskInfo> info =
        engine_->CreateMask(request->mask_id(), shape);
    if (!info.ok()) {
      const std::string reason = DetailOf(info.status()).reason;
      const bool about_id = reason == "BAD_ID" || reason == "MASK_EXISTS";
      return WithPath(info.status(), about_id ? "mask_id" : "shape");
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
    ASSIGN_OR_RETURN(MaskInfo info, engine_->GetMask(id));
    EncodeMask(info, reply);
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
        std::move(id), request->etag(),
        [call](const absl::Status& status) { call->Finish(status); });
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
        [call, reply](absl::StatusOr<MaskInfo> info) {
          if (info.ok()) EncodeMask(*info, reply);
          // A predicate is a small program of its own.
          call->Finish(ReplacePathPrefix(info.status(), "program.", "where."));
        });
  });
}

}  // namespace layoutd
