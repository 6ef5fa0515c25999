#ifndef LAYOUTD_SERVER_MASK_SERVICE_H_
#define LAYOUTD_SERVER_MASK_SERVICE_H_

// layoutd.v1.MaskService over the engine. Contracts: mask.proto.

#include "engine/engine.h"
#include "layoutd/v1/mask.grpc.pb.h"
#include "server/call_gate.h"

namespace layoutd {

// Threads: safe. Engine and gate outlive it.
class MaskService final : public v1::MaskService::CallbackService {
 public:
  MaskService(Engine* engine, CallGate* gate) : engine_(engine), gate_(gate) {}

  grpc::ServerUnaryReactor* CreateMask(grpc::CallbackServerContext* context,
                                       const v1::CreateMaskRequest* request,
                                       v1::Mask* reply) override;
  grpc::ServerUnaryReactor* GetMask(grpc::CallbackServerContext* context,
                                    const v1::GetMaskRequest* request,
                                    v1::Mask* reply) override;
  grpc::ServerUnaryReactor* ListMasks(grpc::CallbackServerContext* context,
                                      const v1::ListMasksRequest* request,
                                      v1::ListMasksResponse* reply) override;
  grpc::ServerUnaryReactor* DeleteMask(grpc::CallbackServerContext* context,
                                       const v1::DeleteMaskRequest* request,
                                       google::protobuf::Empty* reply) override;
  grpc::ServerUnaryReactor* SetMask(grpc::CallbackServerContext* context,
                                    const v1::SetMaskRequest* request,
                                    v1::Mask* reply) override;

 private:
  Engine* const engine_;
  CallGate* const gate_;
};

}  // namespace layoutd

#endif  // LAYOUTD_SERVER_MASK_SERVICE_H_
