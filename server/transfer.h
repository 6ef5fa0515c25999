#ifndef LAYOUTD_SERVER_TRANSFER_H_
#define LAYOUTD_SERVER_TRANSFER_H_

// The two streams of bulk data, WriteField and ReadField, each one reactor that
// moves a chunk at a time between a stream and the engine. Owner: each reactor
// itself; it is gone when its call is.

#include "engine/engine.h"
#include "grpcpp/server_context.h"
#include "grpcpp/support/server_callback.h"
#include "layoutd/v1/field.pb.h"
#include "server/call_gate.h"

namespace layoutd {

// Starts an upload. An error is reported as soon as it is seen, before the rest
// of the stream has come.
grpc::ServerReadReactor<v1::WriteFieldRequest>* StartWriteField(
    Engine* engine, CallGate* gate, grpc::CallbackServerContext* context,
    v1::WriteFieldResponse* reply);

// Starts a download of `request`.
grpc::ServerWriteReactor<v1::ReadFieldResponse>* StartReadField(
    Engine* engine, CallGate* gate, const v1::ReadFieldRequest& request);

}  // namespace layoutd

#endif  // LAYOUTD_SERVER_TRANSFER_H_
