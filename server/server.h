#ifndef LAYOUTD_SERVER_SERVER_H_
#define LAYOUTD_SERVER_SERVER_H_

// The gRPC server: the services over one engine, health and reflection, bound
// to its addresses. Also started inside tests.

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "engine/engine.h"
#include "grpcpp/server.h"
#include "server/call_gate.h"
#include "server/compute_service.h"
#include "server/field_service.h"
#include "server/listen_address.h"
#include "server/mask_service.h"
#include "server/server_service.h"

namespace layoutd {

// Threads: the methods from one thread; calls are served on gRPC's own.
class Server {
 public:
  // Binds every address and starts to serve. `engine` outlives the server.
  // Errors: FailedPrecondition (ADDRESS_IN_USE), Unavailable (CANNOT_LISTEN).
  static absl::StatusOr<std::unique_ptr<Server>> Start(
      Engine* engine, const std::vector<ListenAddress>& listen);

  // Cancels what still runs.
  ~Server();

  // Where it listens, with real ports, as given to gRPC.
  const std::vector<std::string>& addresses() const { return addresses_; }

  // Takes no more calls (health says NOT_SERVING), waits up to `grace` for
  // those in progress, cancels the rest, and stops to listen.
  void Drain(absl::Duration grace);

 private:
  explicit Server(Engine* engine);

  CallGate gate_;
  FieldService field_service_;
  MaskService mask_service_;
  ComputeService compute_service_;
  ServerService server_service_;
  std::vector<std::string> addresses_;
  std::unique_ptr<grpc::Server> server_;  // uses the services
};

}  // namespace layoutd

#endif  // LAYOUTD_SERVER_SERVER_H_
