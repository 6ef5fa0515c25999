#include "server/server_service.h"

#include "server/encode.h"
#include "server/unary_call.h"

namespace layoutd {

grpc::ServerUnaryReactor* ServerService::GetServerInfo(
    grpc::CallbackServerContext* context,
    const v1::GetServerInfoRequest* /*request*/, v1::ServerInfo* reply) {
  return UnaryCall::Answer(context, gate_, [&] {
    EncodeInfo(engine_->Info(), reply);
    return absl::OkStatus();
  });
}

}  // namespace layoutd
