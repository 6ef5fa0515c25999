#include "server/transfer.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "engine/base/error.h"
#include "engine/base/status_macros.h"
#include "engine/base/stop_token.h"
#include "server/decode.h"
#include "server/decode_layout.h"
#include "server/encode.h"
#include "server/grpc_status.h"
#include "server/unary_call.h"

namespace layoutd {
namespace {

// Refuses an upload whose header expects another field than the one there is.
absl::Status CheckHeader(const v1::WriteFieldRequest::Header& header,
                         const FieldInfo& info) {
  const Shape& shape = info.layout.shape();
  if (header.has_shape() && DecodeShape(header.shape()) != shape) {
    return InvalidArgument("SHAPE_MISMATCH",
                           absl::StrCat("data of shape ",
                                        ToString(DecodeShape(header.shape())),
                                        " for field \"", info.id,
                                        "\" of shape ", ToString(shape)))
        .At("header.shape");
  }
  if (header.has_type()) {
    absl::StatusOr<ValueType> type = ValueType::Parse(header.type().text());
    if (!type.ok()) return WithPath(type.status(), "header.type.text");
    if (*type != info.layout.type()) {
      return InvalidArgument(
                 "TYPE_MISMATCH",
                 absl::StrCat("data of type ", type->ToString(),
                              " for field \"", info.id, "\" of type ",
                              info.layout.type().ToString()))
          .At("header.type");
    }
  }
  return absl::OkStatus();
}

Error BadStream(absl::string_view path, absl::string_view message) {
  return InvalidArgument("BAD_STREAM", message).At(path);
}

// Returns an error of the engine with the part of the upload it is about.
absl::Status LocateUploadError(const absl::Status& status) {
  return WithPathOfReason(status, {{"FIELD_NOT_FOUND", "header.name"},
                                   {"UPLOAD_TOO_SHORT", "data"},
                                   {"UPLOAD_TOO_LONG", "data"},
                                   {"BAD_BOOL", "data"}});
}

// Reads one message at a time. gRPC runs one of its callbacks at a time, but
// for OnCancel.
class WriteFieldCall final
    : public grpc::ServerReadReactor<v1::WriteFieldRequest> {
 public:
  WriteFieldCall(Engine* engine, CallGate* gate,
                 grpc::CallbackServerContext* context,
                 v1::WriteFieldResponse* reply)
      : ticket_(gate),
        stop_(DeadlineOf(*context)),
        engine_(engine),
        context_(context),
        reply_(reply) {
    if (absl::Status status = ticket_.status(); !status.ok()) {
      Finish(ToGrpcStatus(status));
      return;
    }
    StartRead(&message_);
  }

  void OnReadDone(bool ok) override {
    if (!ok) {
      EndStream();
      return;
    }
    if (absl::Status status = Receive(); !status.ok()) {
      // The private buffer goes back now, not when the client is done sending.
      upload_.reset();
      Finish(ToGrpcStatus(status));
      return;
    }
    StartRead(&message_);
  }

  void OnCancel() override { stop_.Cancel(); }
  void OnDone() override { delete this; }

 private:
  absl::Status Receive() {
    switch (message_.part_case()) {
      case v1::WriteFieldRequest::kHeader:
        if (upload_ != nullptr) {
          return BadStream("header", "a second header came");
        }
        return Open(message_.header());
      case v1::WriteFieldRequest::kData: {
        if (upload_ == nullptr) {
          return BadStream("data", "data came before a header");
        }
        const std::string& data = message_.data();
        return LocateUploadError(upload_->Append(absl::MakeConstSpan(
            reinterpret_cast<const uint8_t*>(data.data()), data.size())));
      }
      case v1::WriteFieldRequest::PART_NOT_SET:
        break;
    }
    return BadStream("part", "a message is neither a header nor data");
  }

  absl::Status Open(const v1::WriteFieldRequest::Header& header) {
    ASSIGN_OR_RETURN(std::string id,
                     DecodeFieldName(header.name(), "header.name"));
    absl::StatusOr<FieldInfo> info = engine_->GetField(id);
    if (!info.ok()) return LocateUploadError(info.status());
    RETURN_IF_ERROR(CheckHeader(header, *info));
    absl::StatusOr<std::unique_ptr<Upload>> upload = engine_->OpenUpload(id);
    if (!upload.ok()) return LocateUploadError(upload.status());
    upload_ = *std::move(upload);
    return absl::OkStatus();
  }

  // The client ended the stream, or it broke: then nothing is published.
  void EndStream() {
    absl::Status status = stop_.status();
    if (status.ok() && context_->IsCancelled()) {
      stop_.Cancel();
      status = stop_.status();
    }
    if (status.ok() && upload_ == nullptr) {
      status = BadStream("header", "the stream ended before a header");
    }
    if (!status.ok()) {
      upload_.reset();
      Finish(ToGrpcStatus(status));
      return;
    }
    const int64_t received_bytes = upload_->received_bytes();
    engine_->CommitUpload(
        std::move(upload_),
        [this, received_bytes](absl::StatusOr<FieldInfo> info) {
          if (info.ok()) {
            EncodeField(*info, reply_->mutable_field());
            reply_->set_received_bytes(received_bytes);
          }
          Finish(ToGrpcStatus(LocateUploadError(info.status())));
        });
  }

  const CallGate::Ticket ticket_;
  const StopToken stop_;
  Engine* const engine_;
  grpc::CallbackServerContext* const context_;
  v1::WriteFieldResponse* const reply_;
  v1::WriteFieldRequest message_;
  std::unique_ptr<Upload> upload_;  // from the header on
};

// Writes one message at a time; the next is made when the one before is gone,
// so a slow client holds one chunk and its pin.
class ReadFieldCall final
    : public grpc::ServerWriteReactor<v1::ReadFieldResponse> {
 public:
  ReadFieldCall(Engine* engine, CallGate* gate,
                const v1::ReadFieldRequest& request)
      : ticket_(gate) {
    if (absl::Status status = Open(engine, request); !status.ok()) {
      Finish(ToGrpcStatus(status));
    }
  }

  void OnWriteDone(bool ok) override {
    if (!ok) {
      Finish(grpc::Status(grpc::StatusCode::CANCELLED,
                          "the client stopped reading"));
      return;
    }
    if (download_->done()) {
      Finish(grpc::Status::OK);
      return;
    }
    std::string* data = message_.mutable_data();
    data->resize(kChunkBytes);
    const int64_t filled = download_->Next(
        absl::MakeSpan(reinterpret_cast<uint8_t*>(data->data()), data->size()));
    data->resize(static_cast<size_t>(filled));
    StartWrite(&message_);
  }

  void OnDone() override { delete this; }

 private:
  absl::Status Open(Engine* engine, const v1::ReadFieldRequest& request) {
    RETURN_IF_ERROR(ticket_.status());
    ASSIGN_OR_RETURN(std::string id, DecodeFieldName(request.name(), "name"));
    engine->OpenDownload(
        std::move(id), request.component(),
        [this](absl::StatusOr<std::shared_ptr<Download>> download) {
          if (!download.ok()) {
            Finish(ToGrpcStatus(WithPathOfReason(
                download.status(), {{"FIELD_NOT_FOUND", "name"},
                                    {"UNKNOWN_COMPONENT", "component"}})));
            return;
          }
          download_ = *std::move(download);
          WriteHeader();
        });
    return absl::OkStatus();
  }

  void WriteHeader() {
    v1::ReadFieldResponse::Header* header = message_.mutable_header();
    EncodeField(download_->info(), header->mutable_field());
    header->mutable_type()->set_text(download_->type().ToString());
    header->set_total_bytes(download_->total_bytes());
    StartWrite(&message_);
  }

  const CallGate::Ticket ticket_;
  v1::ReadFieldResponse message_;
  // Shared because the engine hands it through a copyable callback.
  std::shared_ptr<Download> download_;
};

}  // namespace

grpc::ServerReadReactor<v1::WriteFieldRequest>* StartWriteField(
    Engine* engine, CallGate* gate, grpc::CallbackServerContext* context,
    v1::WriteFieldResponse* reply) {
  return new WriteFieldCall(engine, gate, context, reply);
}

grpc::ServerWriteReactor<v1::ReadFieldResponse>* StartReadField(
    Engine* engine, CallGate* gate, const v1::ReadFieldRequest& request) {
  return new ReadFieldCall(engine, gate, request);
}

}  // namespace layoutd
