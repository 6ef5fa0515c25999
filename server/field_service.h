#ifndef LAYOUTD_SERVER_FIELD_SERVICE_H_
#define LAYOUTD_SERVER_FIELD_SERVICE_H_

// layoutd.v1.FieldService over the engine. Contracts: field.proto. The streams
// are in transfer.h.

#include "engine/engine.h"
#include "layoutd/v1/field.grpc.pb.h"
#include "server/call_gate.h"

namespace layoutd {

// Threads: safe. Engine and gate outlive it.
class FieldService final : public v1::FieldService::CallbackService {
 public:
  FieldService(Engine* engine, CallGate* gate) : engine_(engine), gate_(gate) {}

  grpc::ServerUnaryReactor* CreateField(grpc::CallbackServerContext* context,
                                        const v1::CreateFieldRequest* request,
                                        v1::Field* reply) override;
  grpc::ServerUnaryReactor* GetField(grpc::CallbackServerContext* context,
                                     const v1::GetFieldRequest* request,
                                     v1::Field* reply) override;
  grpc::ServerUnaryReactor* ListFields(grpc::CallbackServerContext* context,
                                       const v1::ListFieldsRequest* request,
                                       v1::ListFieldsResponse* reply) override;
  grpc::ServerUnaryReactor* DeleteField(
      grpc::CallbackServerContext* context,
      const v1::DeleteFieldRequest* request,
      google::protobuf::Empty* reply) override;
  grpc::ServerUnaryReactor* FillField(grpc::CallbackServerContext* context,
                                      const v1::FillFieldRequest* request,
                                      v1::Field* reply) override;
  grpc::ServerReadReactor<v1::WriteFieldRequest>* WriteField(
      grpc::CallbackServerContext* context,
      v1::WriteFieldResponse* reply) override;
  grpc::ServerWriteReactor<v1::ReadFieldResponse>* ReadField(
      grpc::CallbackServerContext* context,
      const v1::ReadFieldRequest* request) override;

 private:
  Engine* const engine_;
  CallGate* const gate_;
};

}  // namespace layoutd

#endif  // LAYOUTD_SERVER_FIELD_SERVICE_H_
