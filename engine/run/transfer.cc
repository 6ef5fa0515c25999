#include "engine/run/transfer.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/base/error.h"
#include "engine/base/status_macros.h"
#include "engine/kernels/pack.h"
#include "engine/layout/slice.h"

namespace layoutd {
namespace {

// Returns the size of all values of `view` in the stream. It fits: the slots of
// the field hold the same bytes.
int64_t StreamBytes(const View& view) {
  return view.shape.num_points() * view.type.size_bytes();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Upload>> Upload::Open(FieldStore* store,
                                                     absl::string_view id) {
  ASSIGN_OR_RETURN(PrivateBuffer buffer, store->Prepare(id, /*zeroed=*/false));
  return std::unique_ptr<Upload>(new Upload(std::move(buffer)));
}

Upload::Upload(PrivateBuffer buffer)
    : id_(buffer.id),
      view_(buffer.layout.WholeView()),
      total_bytes_(StreamBytes(view_)),
      buffer_(std::move(buffer)) {}

absl::Status Upload::Append(absl::Span<const uint8_t> bytes) {
  RETURN_IF_ERROR(error_);
  const auto num_bytes = static_cast<int64_t>(bytes.size());
  if (num_bytes > total_bytes_ - received_bytes_) {
    error_ =
        InvalidArgument("UPLOAD_TOO_LONG",
                        absl::StrCat("field \"", id_, "\" takes ", total_bytes_,
                                     " bytes; at least ",
                                     received_bytes_ + num_bytes, " were sent"))
            .With("field", id_)
            .With("expected_bytes", absl::StrCat(total_bytes_));
    return error_;
  }
  received_bytes_ += num_bytes;

  const auto value_bytes = static_cast<size_t>(view_.type.size_bytes());
  if (!partial_.empty()) {
    const size_t taken = std::min(value_bytes - partial_.size(), bytes.size());
    partial_.append(reinterpret_cast<const char*>(bytes.data()), taken);
    bytes.remove_prefix(taken);
    if (partial_.size() < value_bytes) return absl::OkStatus();
    RETURN_IF_ERROR(Store(
        {reinterpret_cast<const uint8_t*>(partial_.data()), partial_.size()}));
    partial_.clear();
  }
  const size_t whole = bytes.size() / value_bytes * value_bytes;
  RETURN_IF_ERROR(Store(bytes.first(whole)));
  bytes.remove_prefix(whole);
  partial_.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return absl::OkStatus();
}

absl::Status Upload::Store(absl::Span<const uint8_t> values) {
  if (values.empty()) return absl::OkStatus();
  error_ = UnpackPoints(view_, buffer_.revision->buffer->data(), stored_points_,
                        values);
  stored_points_ +=
      static_cast<int64_t>(values.size()) / view_.type.size_bytes();
  return error_;
}

absl::StatusOr<PrivateBuffer> Upload::Finish() {
  RETURN_IF_ERROR(error_);
  if (received_bytes_ < total_bytes_) {
    error_ =
        InvalidArgument("UPLOAD_TOO_SHORT",
                        absl::StrCat("field \"", id_, "\" takes ", total_bytes_,
                                     " bytes; ", received_bytes_, " were sent"))
            .With("field", id_)
            .With("expected_bytes", absl::StrCat(total_bytes_))
            .With("received_bytes", absl::StrCat(received_bytes_));
    return error_;
  }
  return std::move(buffer_);
}

absl::StatusOr<std::unique_ptr<Download>> Download::Open(
    PinnedField field, absl::string_view component) {
  ASSIGN_OR_RETURN(const View view,
                   PropertyView(field.info.layout.WholeView(), component));
  return std::unique_ptr<Download>(new Download(std::move(field), view));
}

Download::Download(PinnedField field, const View& view)
    : field_(std::move(field)), view_(view), total_bytes_(StreamBytes(view_)) {}

int64_t Download::Next(absl::Span<uint8_t> out) {
  const int64_t value_bytes = view_.type.size_bytes();
  LAYOUTD_DCHECK(static_cast<int64_t>(out.size()) >= value_bytes);
  const int64_t bytes =
      std::min(static_cast<int64_t>(out.size()) / value_bytes * value_bytes,
               total_bytes_ - sent_bytes_);
  if (bytes == 0) return 0;
  const Buffer* const buffer = field_.revision->buffer.get();
  PackPoints(view_, buffer == nullptr ? nullptr : buffer->data(),
             sent_bytes_ / value_bytes, out.first(static_cast<size_t>(bytes)));
  sent_bytes_ += bytes;
  return bytes;
}

}  // namespace layoutd
