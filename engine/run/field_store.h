#ifndef LAYOUTD_ENGINE_RUN_FIELD_STORE_H_
#define LAYOUTD_ENGINE_RUN_FIELD_STORE_H_

// The fields, and their revisions. A published revision is immutable and shared
// by whoever pinned it; a writer fills a private buffer and publishes it whole.
// A field that was never written has no buffer: its revision is all zeros, and
// its reservation waits for the first writer.
//
// Order between operations on one field is the scheduler's; the store only makes
// each step atomic. Threads: safe.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/device/device.h"
#include "engine/layout/data_layout.h"
#include "engine/run/budget.h"

namespace layoutd {

// One immutable content of a field, or (before it is published) the private
// buffer of one writer. The buffer is destroyed before its reservation.
struct Revision {
  int64_t number = 0;  // 0: never written
  Reservation reservation;
  std::unique_ptr<Buffer> buffer;  // null: all zeros
};

struct FieldInfo {
  std::string id;
  DataLayout layout;
  int64_t revision = 0;
  std::string etag;    // changes with every publish and attribute change
  std::string device;  // "cpu"
  std::map<std::string, std::string> attributes;
  absl::Time create_time;
  int64_t size_bytes() const { return layout.size_bytes(); }
};

// A field as one operation sees it: the revision stays alive and unchanged.
struct PinnedField {
  FieldInfo info;
  // Shared: several operations and streams may read one revision.
  std::shared_ptr<const Revision> revision;
};

// A new content of a field, filled by one writer, invisible to others until
// published; dropped if it never is.
struct PrivateBuffer {
  std::string id;
  std::unique_ptr<Revision> revision;
};

// One publish: `contents` replace the current revisions of existing fields,
// `created` become new fields, all or none.
struct NewField {
  FieldInfo info;  // revision and etag are set by the store
  std::unique_ptr<Revision> revision;
};

// Returns whether `id` is segments [a-z][a-z0-9_]{0,62} joined by "/", at most
// 255 characters.
// Errors: InvalidArgument (BAD_ID) — names the id and the rule.
absl::Status CheckId(absl::string_view id);

class FieldStore {
 public:
  FieldStore(Device* device, MemoryBudget* budget);

  // Creates a field that reads as zeros; reserves its bytes.
  // Errors: InvalidArgument (BAD_ID), AlreadyExists (FIELD_EXISTS),
  // ResourceExhausted (MEMORY_LIMIT).
  absl::StatusOr<FieldInfo> Create(
      absl::string_view id, const DataLayout& layout,
      std::map<std::string, std::string> attributes);

  // Errors: NotFound (FIELD_NOT_FOUND) — with the nearest ids in the message
  // and in metadata "suggestions" (comma-separated).
  absl::StatusOr<FieldInfo> Get(absl::string_view id) const;

  // Returns up to `limit` fields with ids greater than `after`, sorted by id.
  std::vector<FieldInfo> List(absl::string_view after, int64_t limit) const;

  // Deletes the field; pinned revisions live on until unpinned.
  // Errors: NotFound; Aborted (ETAG_MISMATCH) when `etag` is given and differs.
  absl::Status Delete(absl::string_view id, absl::string_view etag);

  // Returns the current revision. With `materialise` a never-written field gets
  // its zeroed buffer first, so revision->buffer is never null.
  absl::StatusOr<PinnedField> Pin(absl::string_view id, bool materialise);

  // Returns a buffer of the field's size to write into; takes the reservation
  // of a never-written field over, so that a field as large as the budget can be
  // filled. `reservation`, when it has at least the field's bytes, is used
  // instead. `zeroed` as Device::Allocate.
  // Errors: NotFound, ResourceExhausted (MEMORY_LIMIT).
  absl::StatusOr<PrivateBuffer> Prepare(absl::string_view id, bool zeroed);

  // Gives an unpublished buffer back: a reservation that Prepare took over from
  // a never-written field returns to it.
  void Abandon(PrivateBuffer buffer);

  // Publishes all or none. Returns the new revision numbers, contents first,
  // then created.
  // Errors: NotFound — a field was deleted meanwhile; AlreadyExists.
  absl::StatusOr<std::vector<int64_t>> Publish(
      std::vector<PrivateBuffer> contents, std::vector<NewField> created);

  // Returns the ids nearest to `name`, at most three.
  std::vector<std::string> Suggest(absl::string_view name) const;

  int64_t num_fields() const;

 private:
  struct Field;

  Device* const device_;
  MemoryBudget* const budget_;
  mutable absl::Mutex mutex_;
  std::map<std::string, std::unique_ptr<Field>, std::less<>> fields_
      ABSL_GUARDED_BY(mutex_);
  int64_t next_etag_ ABSL_GUARDED_BY(mutex_) = 1;
};

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_RUN_FIELD_STORE_H_
