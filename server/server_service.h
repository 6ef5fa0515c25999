#ifndef LAYOUTD_SERVER_SERVER_SERVICE_H_
#define LAYOUTD_SERVER_SERVER_SERVICE_H_

// layoutd.v1.ServerService: what this server is. Contract: server.proto.

#include "engine/engine.h"
#include "layoutd/v1/server.grpc.pb.h"
#include "server/call_gate.h"

namespace layoutd {

// Threads: safe. Engine and gate outlive it.
class ServerService final : public v1::ServerService::CallbackService {
 public:
  ServerService(Engine* engine, CallGate* gate)
      : engine_(engine), gate_(gate) {}

  grpc::ServerUnaryReactor* GetServerInfo(
      grpc::CallbackServerContext* context,
      const v1::GetServerInfoRequest* request, v1::ServerInfo* reply) override;

 private:
  Engine* const engine_;
  CallGate* const gate_;
};

}  // namespace layoutd

#endif  // LAYOUTD_SERVER_SERVER_SERVICE_H_
