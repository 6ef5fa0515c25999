#include "server/unary_call.h"

#include <chrono>

#include "server/grpc_status.h"

namespace layoutd {

absl::Time DeadlineOf(const grpc::CallbackServerContext& context) {
  const std::chrono::system_clock::time_point deadline = context.deadline();
  if (deadline == std::chrono::system_clock::time_point::max()) {
    return absl::InfiniteFuture();
  }
  return absl::FromChrono(deadline);
}

void UnaryCall::Finish(const absl::Status& status) {
  grpc::ServerUnaryReactor::Finish(ToGrpcStatus(status));
}

}  // namespace layoutd
