#include "server/compute_service.h"

#include <utility>

#include "engine/base/status_macros.h"
#include "server/decode.h"
#include "server/encode.h"
#include "server/encode_cost.h"
#include "server/unary_call.h"

namespace layoutd {

grpc::ServerUnaryReactor* ComputeService::CompileProgram(
    grpc::CallbackServerContext* context,
    const v1::CompileProgramRequest* request,
    v1::CompileProgramResponse* reply) {
  return UnaryCall::Queue(context, gate_, [&](UnaryCall* call) -> absl::Status {
    ASSIGN_OR_RETURN(CompileRequest decoded, DecodeCompileRequest(*request));
    engine_->Compile(std::move(decoded), call->stop(),
                     [call, reply](absl::StatusOr<CompileReply> result) {
                       if (result.ok()) EncodeCompileReply(*result, reply);
                       call->Finish(result.status());
                     });
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* ComputeService::Execute(
    grpc::CallbackServerContext* context, const v1::ExecuteRequest* request,
    v1::ExecuteResponse* reply) {
  return UnaryCall::Queue(context, gate_, [&](UnaryCall* call) -> absl::Status {
    ASSIGN_OR_RETURN(ExecuteRequest decoded, DecodeExecuteRequest(*request));
    engine_->Execute(std::move(decoded), call->stop(),
                     [call, reply](absl::StatusOr<ExecuteReply> result) {
                       if (result.ok()) EncodeReply(*result, reply);
                       call->Finish(result.status());
                     });
    return absl::OkStatus();
  });
}

}  // namespace layoutd
