#ifndef LAYOUTD_SERVER_UNARY_CALL_H_
#define LAYOUTD_SERVER_UNARY_CALL_H_

// One unary call in progress: a reactor that knows the call's deadline and
// whether the client went away, and that counts as a call for the drain.

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "engine/base/stop_token.h"
#include "grpcpp/server_context.h"
#include "grpcpp/support/server_callback.h"
#include "server/call_gate.h"

namespace layoutd {

// Returns the deadline the client gave, or the infinite future.
absl::Time DeadlineOf(const grpc::CallbackServerContext& context);

// Owner: itself; gone some time after Finish. Threads: Finish from any one.
class UnaryCall final : public grpc::ServerUnaryReactor {
 public:
  // Runs `body`, an absl::Status(), and finishes the call with what it returns.
  template <typename Body>
  static grpc::ServerUnaryReactor* Answer(grpc::CallbackServerContext* context,
                                          CallGate* gate, Body body) {
    auto* call = new UnaryCall(*context, gate);
    absl::Status status = call->ticket_.status();
    if (status.ok()) status = body();
    call->Finish(status);
    return call;
  }

  // Runs `body`, an absl::Status(UnaryCall*), which queues work that finishes
  // the call; when it returns an error, nothing was queued.
  template <typename Body>
  static grpc::ServerUnaryReactor* Queue(grpc::CallbackServerContext* context,
                                         CallGate* gate, Body body) {
    auto* call = new UnaryCall(*context, gate);
    absl::Status status = call->ticket_.status();
    if (status.ok()) status = body(call);
    if (!status.ok()) call->Finish(status);
    return call;
  }

  // Stops when the client cancels or disconnects, or at its deadline.
  const StopToken& stop() const { return stop_; }

  // Ends the call. Once, and the last use of it.
  void Finish(const absl::Status& status);

 private:
  UnaryCall(const grpc::CallbackServerContext& context, CallGate* gate)
      : ticket_(gate), stop_(DeadlineOf(context)) {}

  void OnCancel() override { stop_.Cancel(); }
  void OnDone() override { delete this; }

  const CallGate::Ticket ticket_;
  const StopToken stop_;
};

}  // namespace layoutd

#endif  // LAYOUTD_SERVER_UNARY_CALL_H_
