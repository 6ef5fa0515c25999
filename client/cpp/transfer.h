#ifndef LAYOUTD_CLIENT_CPP_TRANSFER_H_
#define LAYOUTD_CLIENT_CPP_TRANSFER_H_

// The two streams of field values. Values pass in canonical point order (v
// fastest, then i, j, h), each in its C ABI form, little-endian, padding zero,
// cut into messages of 1 MiB at any byte.

#include <grpcpp/client_context.h>

#include <cstdint>
#include <functional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "layoutd/v1/field.grpc.pb.h"

namespace layoutd::client {

// Writes the next bytes to the front of the buffer and returns how many; 0 at
// the end. An error ends the upload, and nothing of it becomes visible.
using ChunkSource = std::function<absl::StatusOr<int64_t>(absl::Span<char>)>;

// Where a download goes. `on_header` comes once and first; an error of either
// ends the download.
struct FieldSink {
  std::function<absl::Status(const v1::ReadFieldResponse::Header&)> on_header;
  std::function<absl::Status(absl::string_view)> on_data;
};

// Sends what `source` gives until its end, and returns the server's answer.
// Errors: those of WriteField; that of `source`, after cancelling the call.
absl::StatusOr<v1::WriteFieldResponse> Upload(
    v1::FieldService::Stub& stub, grpc::ClientContext& context,
    const v1::WriteFieldRequest::Header& header, const ChunkSource& source);

// Receives a field or component into `sink`.
// Errors: those of ReadField; that of `sink`, after cancelling the call;
// DataLoss (BAD_STREAM) — other than header.total_bytes came.
absl::Status Download(v1::FieldService::Stub& stub,
                      grpc::ClientContext& context,
                      const v1::ReadFieldRequest& request,
                      const FieldSink& sink);

}  // namespace layoutd::client

#endif  // LAYOUTD_CLIENT_CPP_TRANSFER_H_
