#ifndef LAYOUTD_TESTS_E2E_LIVE_SERVER_H_
#define LAYOUTD_TESTS_E2E_LIVE_SERVER_H_

// A real server on a loopback port inside the test, and a plain client of it:
// generated stubs, a real channel, and the few calls that tests repeat.

#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "grpcpp/grpcpp.h"
#include "layoutd/v1/compute.grpc.pb.h"
#include "layoutd/v1/field.grpc.pb.h"
#include "layoutd/v1/mask.grpc.pb.h"
#include "layoutd/v1/server.grpc.pb.h"
#include "server/server.h"

namespace layoutd {

// What a failed call says about itself, unpacked from its trailers.
struct CallError {
  grpc::StatusCode code = grpc::StatusCode::OK;
  std::string message;
  std::string reason;
  std::string domain;
  std::map<std::string, std::string> metadata;
  std::vector<std::string> paths;  // of the violations
};
CallError ErrorOf(const grpc::Status& status);

class LiveServer {
 public:
  // Stops the test process when the server cannot be started.
  explicit LiveServer(int64_t memory_limit_bytes = int64_t{64} << 20);
  ~LiveServer();

  Engine& engine() { return *engine_; }
  Server& server() { return *server_; }
  std::shared_ptr<grpc::Channel> channel() { return channel_; }
  v1::FieldService::Stub& fields() { return *fields_; }
  v1::MaskService::Stub& masks() { return *masks_; }
  v1::ComputeService::Stub& compute() { return *compute_; }
  v1::ServerService::Stub& about() { return *about_; }

  grpc::Status CreateField(const std::string& id, v1::LayoutKind kind,
                           const Shape& shape, const std::string& type);
  grpc::Status CreateMask(const std::string& id, const Shape& shape);
  // Sets a byte per column.
  grpc::Status SetMask(const std::string& id,
                       const std::vector<uint8_t>& columns);
  // Uploads `bytes` in messages of `cut` bytes.
  grpc::Status Write(const std::string& id, const std::string& bytes,
                     size_t cut = 1000);
  grpc::Status Read(const std::string& id, const std::string& component,
                    std::string* bytes);
  grpc::Status Execute(const std::string& text, v1::ExecuteResponse* reply);
  grpc::Status Execute(const std::string& text);

  // Returns everything a client can see of the fields and masks, and the bytes
  // of the fields: equal before and after a call that changed nothing.
  std::string Snapshot();

 private:
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Server> server_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::FieldService::Stub> fields_;
  std::unique_ptr<v1::MaskService::Stub> masks_;
  std::unique_ptr<v1::ComputeService::Stub> compute_;
  std::unique_ptr<v1::ServerService::Stub> about_;
};

// Returns the bytes of `values` as a stream carries them.
template <typename T>
std::string BytesOf(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()),
          values.size() * sizeof(T)};
}

template <typename T>
std::vector<T> ValuesOf(const std::string& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

}  // namespace layoutd

#endif  // LAYOUTD_TESTS_E2E_LIVE_SERVER_H_
