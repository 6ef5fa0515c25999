#ifndef LAYOUTD_SERVER_COMPUTE_SERVICE_H_
#define LAYOUTD_SERVER_COMPUTE_SERVICE_H_

// layoutd.v1.ComputeService over the engine. Contract: compute.proto.

#include "engine/engine.h"
#include "layoutd/v1/compute.grpc.pb.h"
#include "server/call_gate.h"

namespace layoutd {

// Threads: safe. Engine and gate outlive it.
class ComputeService final : public v1::ComputeService::CallbackService {
 public:
  ComputeService(Engine* engine, CallGate* gate)
      : engine_(engine), gate_(gate) {}

  grpc::ServerUnaryReactor* CompileProgram(
      grpc::CallbackServerContext* context,
      const v1::CompileProgramRequest* request,
      v1::CompileProgramResponse* reply) override;
  grpc::ServerUnaryReactor* Execute(grpc::CallbackServerContext* context,
                                    const v1::ExecuteRequest* request,
                                    v1::ExecuteResponse* reply) override;

 private:
  Engine* const engine_;
  CallGate* const gate_;
};

}  // namespace layoutd

#endif  // LAYOUTD_SERVER_COMPUTE_SERVICE_H_
