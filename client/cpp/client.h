#ifndef LAYOUTD_CLIENT_CPP_CLIENT_H_
#define LAYOUTD_CLIENT_CPP_CLIENT_H_

// The C++ client of layoutd: one connection, a method for each call of the
// service. Fields and masks are named by their ids ("ocean/temp"); answers are
// the messages of proto/layoutd/v1, which document them.
//
//   auto client = client::Client::Connect("127.0.0.1:5733");
//   if (!client.ok()) ...
//   v1::CreateFieldRequest request;
//   request.set_field_id("temp");
//   ...
//   auto field = (*client)->CreateField(request);
//   std::vector<double> values = ...;  // v fastest, then i, j, h
//   auto published =
//       (*client)->WriteField("temp", absl::MakeConstSpan(values));
//   auto answer = (*client)->Execute("reduce { total = sum(temp) }");
//
// Errors: of every method, what the service reports (read it with ErrorOf of
// client/cpp/error.h); Unavailable (CONNECTION_LOST) when the server is gone;
// Cancelled (CANCELLED) after Cancel. Threads: every method may be called from
// any thread at any time.

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>

#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "client/cpp/transfer.h"
#include "layoutd/v1/compute.grpc.pb.h"
#include "layoutd/v1/field.grpc.pb.h"
#include "layoutd/v1/mask.grpc.pb.h"
#include "layoutd/v1/server.grpc.pb.h"

namespace layoutd::client {

// Name in a program -> field id.
using Bindings = std::map<std::string, std::string>;

class Client {
 public:
  // Connects to `target`: "HOST:PORT", "[IPV6]:PORT" or "unix:PATH".
  // Errors: InvalidArgument (BAD_TARGET) — none of these; Unavailable
  // (UNREACHABLE) — nobody answers there, at once when the connection is
  // refused, else after `timeout`.
  static absl::StatusOr<std::unique_ptr<Client>> Connect(
      const std::string& target, absl::Duration timeout = absl::Seconds(10));

  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Ends all calls in flight, on the server too, and every later one.
  void Cancel();

  absl::StatusOr<v1::ServerInfo> GetServerInfo();

  absl::StatusOr<v1::Field> CreateField(const v1::CreateFieldRequest& request);
  absl::StatusOr<v1::Field> GetField(absl::string_view id);
  // Returns all fields, of all pages, sorted by id.
  absl::StatusOr<std::vector<v1::Field>> ListFields();
  absl::Status DeleteField(absl::string_view id);
  // Sets every scalar of the field, or of `component` ("u.2"; empty: all), to
  // `value`, a literal of the program language.
  absl::StatusOr<v1::Field> FillField(absl::string_view id,
                                      absl::string_view component,
                                      absl::string_view value);

  // Replaces all values of a field with what `source` gives. `header.name` is
  // the resource name; set its shape and type to have them checked first.
  absl::StatusOr<v1::Field> WriteField(
      const v1::WriteFieldRequest::Header& header, const ChunkSource& source);
  // The same from memory. Shape: values in canonical order, v fastest.
  absl::StatusOr<v1::Field> WriteField(absl::string_view id,
                                       absl::Span<const std::byte> values);
  template <typename T>
  absl::StatusOr<v1::Field> WriteField(absl::string_view id,
                                       absl::Span<const T> values) {
    return WriteField(id, AsBytes(values.data(), values.size()));
  }

  // Streams one revision of a field, or of `component` of it, to `sink`.
  absl::Status ReadField(absl::string_view id, absl::string_view component,
                         const FieldSink& sink);
  // The same into memory, which must have exactly the size.
  // Errors: InvalidArgument (BUFFER_SIZE) — it has not; names both sizes.
  absl::StatusOr<v1::Field> ReadField(absl::string_view id,
                                      absl::string_view component,
                                      absl::Span<std::byte> values);
  template <typename T>
  absl::StatusOr<v1::Field> ReadField(absl::string_view id,
                                      absl::string_view component,
                                      absl::Span<T> values) {
    return ReadField(id, component,
                     absl::MakeSpan(reinterpret_cast<std::byte*>(values.data()),
                                    values.size() * sizeof(T)));
  }

  // Creates a mask over the columns of a field, all active.
  absl::StatusOr<v1::Mask> CreateMask(absl::string_view id,
                                      absl::string_view like_field);
  absl::StatusOr<v1::Mask> GetMask(absl::string_view id);
  // Returns all masks, of all pages, sorted by id.
  absl::StatusOr<std::vector<v1::Mask>> ListMasks();
  absl::Status DeleteMask(absl::string_view id);
  // `request.name` is the resource name, as FieldName and MaskName give it.
  absl::StatusOr<v1::Mask> SetMask(const v1::SetMaskRequest& request);

  // Says what a program in its text form would do and cost, without running it.
  absl::StatusOr<v1::CompileProgramResponse> CompileProgram(
      absl::string_view text, const Bindings& bindings = {});
  // Runs a program in its text form. With `profile` the answer tells what it
  // took.
  absl::StatusOr<v1::ExecuteResponse> Execute(absl::string_view text,
                                              const Bindings& bindings = {},
                                              bool profile = false);

 private:
  class ActiveCall;

  explicit Client(const std::shared_ptr<grpc::Channel>& channel);

  template <typename T>
  static absl::Span<const std::byte> AsBytes(const T* data, size_t count) {
    return absl::MakeConstSpan(reinterpret_cast<const std::byte*>(data),
                               count * sizeof(T));
  }

  template <typename Stub, typename Request, typename Response>
  absl::StatusOr<Response> Call(
      Stub& stub,
      grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&,
                                   Response*),
      const Request& request);

  v1::FieldService::Stub fields_;
  v1::MaskService::Stub masks_;
  v1::ComputeService::Stub compute_;
  v1::ServerService::Stub server_;

  absl::Mutex mutex_;
  bool cancelled_ ABSL_GUARDED_BY(mutex_) = false;
  std::set<grpc::ClientContext*> active_ ABSL_GUARDED_BY(mutex_);
};

// Returns the resource name, "fields/{id}" or "masks/{id}".
std::string FieldName(absl::string_view id);
std::string MaskName(absl::string_view id);
// Returns the id in a resource name of either kind.
std::string IdOf(absl::string_view name);

}  // namespace layoutd::client

#endif  // LAYOUTD_CLIENT_CPP_CLIENT_H_
