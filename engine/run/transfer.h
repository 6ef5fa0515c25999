#ifndef LAYOUTD_ENGINE_RUN_TRANSFER_H_
#define LAYOUTD_ENGINE_RUN_TRANSFER_H_

// Uploads and downloads in the logical stream form (see kernels/pack.h).

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "engine/layout/data_layout.h"
#include "engine/run/field_store.h"

namespace layoutd {

// Receives one whole field. Bytes may be cut anywhere (a value may straddle two
// calls). Nothing is visible before Finish's buffer is published. One thread at
// a time.
class Upload {
 public:
  // Errors: those of FieldStore::Prepare.
  static absl::StatusOr<std::unique_ptr<Upload>> Open(FieldStore* store,
                                                      absl::string_view id);

  // Of the field.
  const std::string& id() const { return id_; }
  int64_t total_bytes() const { return total_bytes_; }
  int64_t received_bytes() const { return received_bytes_; }

  // Errors: InvalidArgument — past the end (UPLOAD_TOO_LONG), BAD_BOOL. After
  // an error every call returns it.
  absl::Status Append(absl::Span<const uint8_t> bytes);

  // Returns the filled buffer, to be published; called once. An upload that is
  // dropped instead gives its buffer back.
  // Errors: InvalidArgument (UPLOAD_TOO_SHORT) — names both byte counts.
  absl::StatusOr<PrivateBuffer> Finish();

 private:
  explicit Upload(PrivateBuffer buffer);

  // Stores whole values.
  absl::Status Store(absl::Span<const uint8_t> values);

  const std::string id_;
  const View view_;
  const int64_t total_bytes_;
  PrivateBuffer buffer_;
  absl::Status error_;  // the first
  int64_t received_bytes_ = 0;
  int64_t stored_points_ = 0;
  std::string partial_;  // the first bytes of a value cut by a call's end
};

// Sends one pinned revision, or a component of it. One thread at a time.
class Download {
 public:
  // Errors: NotFound (UNKNOWN_COMPONENT).
  static absl::StatusOr<std::unique_ptr<Download>> Open(
      PinnedField field, absl::string_view component);

  const FieldInfo& info() const { return field_.info; }
  const ValueType& type() const { return view_.type; }  // of what is sent
  int64_t total_bytes() const { return total_bytes_; }
  bool done() const { return sent_bytes_ == total_bytes_; }

  // Fills `out` (at least one value long) with as many of the next whole values
  // as fit. Returns how many bytes; 0 when done.
  int64_t Next(absl::Span<uint8_t> out);

 private:
  Download(PinnedField field, const View& view);

  const PinnedField field_;
  const View view_;
  const int64_t total_bytes_;
  int64_t sent_bytes_ = 0;
};

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_RUN_TRANSFER_H_
