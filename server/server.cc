#include "server/server.h"

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "engine/base/error.h"
#include "engine/base/status_macros.h"
#include "grpc/grpc.h"
#include "grpcpp/ext/proto_server_reflection_plugin.h"
#include "grpcpp/grpcpp.h"
#include "grpcpp/health_check_service_interface.h"
#include "server/encode.h"

namespace layoutd {
namespace {

// A client that vanished without a word is noticed, and its pins let go, after
// the two together.
constexpr absl::Duration kKeepaliveTime = absl::Seconds(60);
constexpr absl::Duration kKeepaliveTimeout = absl::Seconds(20);
// For what is not a call of ours to end by itself, such as a health watch.
constexpr absl::Duration kLingerTime = absl::Milliseconds(200);

constexpr const char* kServiceNames[] = {
    "layoutd.v1.FieldService", "layoutd.v1.MaskService",
    "layoutd.v1.ComputeService", "layoutd.v1.ServerService"};

void SetArguments(grpc::ServerBuilder* builder) {
  builder->SetMaxReceiveMessageSize(kMaxMessageBytes);
  // Otherwise a second server binds the same port and takes half of the calls.
  builder->AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder->AddChannelArgument(
      GRPC_ARG_KEEPALIVE_TIME_MS,
      static_cast<int>(absl::ToInt64Milliseconds(kKeepaliveTime)));
  builder->AddChannelArgument(
      GRPC_ARG_KEEPALIVE_TIMEOUT_MS,
      static_cast<int>(absl::ToInt64Milliseconds(kKeepaliveTimeout)));
}

// Keeps gRPC up until the process ends. Shutting it down with its last object
// waits for a poller that nobody wakes, for up to 10 seconds, and gains
// nothing.
void KeepLibrary() {
  [[maybe_unused]] static const bool kept = (grpc_init(), true);
}

}  // namespace

Server::Server(Engine* engine)
    : field_service_(engine, &gate_),
      mask_service_(engine, &gate_),
      compute_service_(engine, &gate_),
      server_service_(engine, &gate_) {}

absl::StatusOr<std::unique_ptr<Server>> Server::Start(
    Engine* engine, const std::vector<ListenAddress>& listen) {
  KeepLibrary();
  auto server = std::unique_ptr<Server>(new Server(engine));
  grpc::EnableDefaultHealthCheckService(true);
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  grpc::ServerBuilder builder;
  SetArguments(&builder);
  // Stays -1 for the first address that could not be bound and those after.
  std::vector<int> ports(listen.size(), -1);
  for (size_t k = 0; k < listen.size(); ++k) {
    RETURN_IF_ERROR(RemoveStaleSocket(listen[k]));
    builder.AddListeningPort(ToString(listen[k]),
                             grpc::InsecureServerCredentials(), &ports[k]);
  }
  builder.RegisterService(&server->field_service_);
  builder.RegisterService(&server->mask_service_);
  builder.RegisterService(&server->compute_service_);
  builder.RegisterService(&server->server_service_);
  server->server_ = builder.BuildAndStart();
  for (size_t k = 0; k < listen.size(); ++k) {
    if (server->server_ == nullptr && ports[k] <= 0) {
      return Error(absl::StatusCode::kUnavailable, "CANNOT_LISTEN",
                   absl::StrCat("cannot listen on ", ToString(listen[k]), ": ",
                                ReasonNotBound(listen[k])));
    }
    ListenAddress bound = listen[k];
    if (!bound.is_unix()) bound.port = ports[k];
    server->addresses_.push_back(ToString(bound));
  }
  if (server->server_ == nullptr) {
    return Error(absl::StatusCode::kUnavailable, "CANNOT_LISTEN",
                 "the gRPC server could not be started");
  }
  for (const char* name : kServiceNames) {
    server->server_->GetHealthCheckService()->SetServingStatus(name, true);
  }
  return server;
}

Server::~Server() { Drain(absl::ZeroDuration()); }

void Server::Drain(absl::Duration grace) {
  if (server_ == nullptr) return;
  server_->GetHealthCheckService()->Shutdown();
  gate_.Close();
  gate_.WaitUntilIdle(absl::Now() + grace);
  server_->Shutdown(absl::ToChronoTime(absl::Now() + kLingerTime));
  server_->Wait();
  server_.reset();
}

}  // namespace layoutd
