#include "client/cpp/transfer.h"

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "client/cpp/error.h"

namespace layoutd::client {
namespace {

// Measured best size of a message: below 256 KiB the cost of each message
// shows, above 1 MiB nothing is won.
constexpr int64_t kChunkBytes = int64_t{1} << 20;

absl::Status BadStream(absl::string_view message) {
  return MakeError(absl::StatusCode::kDataLoss, "BAD_STREAM", message);
}

// Ends a call that this side gave up, and returns why it did.
template <typename Stream>
absl::Status GiveUp(grpc::ClientContext& context, Stream& stream,
                    absl::Status reason) {
  context.TryCancel();
  stream.Finish();  // CANCELLED, which says less than `reason`
  return reason;
}

}  // namespace

absl::StatusOr<v1::WriteFieldResponse> Upload(
    v1::FieldService::Stub& stub, grpc::ClientContext& context,
    const v1::WriteFieldRequest::Header& header, const ChunkSource& source) {
  v1::WriteFieldResponse response;
  std::unique_ptr<grpc::ClientWriter<v1::WriteFieldRequest>> writer =
      stub.WriteField(&context, &response);
  v1::WriteFieldRequest request;
  *request.mutable_header() = header;
  bool open = writer->Write(request);
  while (open) {
    std::string& data = *request.mutable_data();
    data.resize(kChunkBytes);
    absl::StatusOr<int64_t> filled = source(absl::MakeSpan(data));
    if (!filled.ok()) {
      return GiveUp(context, *writer, std::move(filled).status());
    }
    if (*filled == 0) break;
    data.resize(static_cast<size_t>(*filled));
    // False when the server has ended the call: it says why in Finish.
    open = writer->Write(request);
  }
  writer->WritesDone();
  absl::Status status = FromGrpc(writer->Finish());
  if (!status.ok()) return status;
  return response;
}

absl::Status Download(v1::FieldService::Stub& stub,
                      grpc::ClientContext& context,
                      const v1::ReadFieldRequest& request,
                      const FieldSink& sink) {
  std::unique_ptr<grpc::ClientReader<v1::ReadFieldResponse>> reader =
      stub.ReadField(&context, request);
  v1::ReadFieldResponse response;
  bool has_header = false;
  int64_t total_bytes = 0;
  int64_t received_bytes = 0;
  while (reader->Read(&response)) {
    absl::Status status;
    if (response.has_header() != !has_header) {
      status = BadStream("a download must be one header, then data");
    } else if (response.has_header()) {
      has_header = true;
      total_bytes = response.header().total_bytes();
      status = sink.on_header(response.header());
    } else {
      received_bytes += static_cast<int64_t>(response.data().size());
      status = sink.on_data(response.data());
    }
    if (!status.ok()) return GiveUp(context, *reader, std::move(status));
  }
  absl::Status status = FromGrpc(reader->Finish());
  if (!status.ok()) return status;
  if (!has_header) return BadStream("the download had no header");
  if (received_bytes != total_bytes) {
    return BadStream(absl::StrCat("received ", received_bytes, " of ",
                                  total_bytes, " bytes"));
  }
  return absl::OkStatus();
}

}  // namespace layoutd::client
