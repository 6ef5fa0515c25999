#ifndef LAYOUTD_ENGINE_RUN_FIELD_STORE_H_
#define LAYOUTD_ENGINE_RUN_FIELD_STORE_H_

// The fields, and their revisions. A published revision is immutable and shared
// by whoever pinned it; a writer fills a private buffer and publishes it whole.
// A writer that changes little may instead take the current content out, while
// nobody pins it, change it and publish it again; who wants to pin the field
// meanwhile waits.
// A field that was never written has no buffer: its revision is all zeros, and
// its reservation waits for the first writer.
//
// Order between operations on one field is the scheduler's; the store only
// makes each step atomic. Threads: safe.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/base/error.h"
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
  int64_t reserved_bytes = 0;  // by this Pin; see FieldStore::NeedsOf
  // Shared: several operations and streams may read one revision.
  std::shared_ptr<const Revision> revision;
};

class FieldStore;

// A new content of a field, filled by one writer, invisible to others until
// published. Dropping it gives it back (FieldStore::Abandon). Move-only; must
// not outlive the store.
struct PrivateBuffer {
  PrivateBuffer(PrivateBuffer&&) = default;
  PrivateBuffer& operator=(PrivateBuffer&& other) noexcept;
  ~PrivateBuffer();

  std::string id;
  DataLayout layout;
  std::unique_ptr<Revision> revision;  // its buffer is never null
  int64_t reserved_bytes = 0;          // by Prepare; see FieldStore::NeedsOf

 private:
  friend class FieldStore;
  PrivateBuffer(FieldStore* from, const FieldInfo& info,
                int64_t field_incarnation);

  FieldStore* store_;
  // Which field of that id: another one may have been created since.
  int64_t incarnation_;
  bool is_current_ = false;  // the field's own content: see TakeCurrent
};

// A field that a publish creates, with its first content.
struct NewField {
  FieldInfo info;  // revision, etag, device and create_time are the store's
  std::unique_ptr<Revision> revision;
};

// What an operation takes from the memory budget for one field.
struct FieldNeeds {
  int64_t reserved_bytes = 0;
  int64_t lasting_bytes = 0;  // of it, what stays reserved when it is published
};

// Checks that `id` is segments [a-z][a-z0-9_]{0,62} joined by "/", at most
// 255 characters.
// Errors: InvalidArgument (BAD_ID) — names the id and the rule.
absl::Status CheckId(absl::string_view id);

class FieldStore {
 public:
  FieldStore(Device* device, MemoryBudget* budget);
  ~FieldStore();

  // Creates a field that reads as zeros; reserves its bytes. With
  // `validate_only` it does all but create, and returns what it would.
  // Errors: InvalidArgument (BAD_ID), AlreadyExists (FIELD_EXISTS),
  // ResourceExhausted (MEMORY_LIMIT).
  absl::StatusOr<FieldInfo> Create(
      absl::string_view id, const DataLayout& layout,
      std::map<std::string, std::string> attributes,
      bool validate_only = false);

  // Errors: NotFound (FIELD_NOT_FOUND) — with the nearest ids in the message
  // and in metadata "suggestions" (comma-separated).
  absl::StatusOr<FieldInfo> Get(absl::string_view id) const;

  // Returns up to `limit` fields with ids greater than `after`, sorted by id.
  std::vector<FieldInfo> List(absl::string_view after, int64_t limit) const;

  // Deletes the field; pinned revisions live on until unpinned.
  // Errors: NotFound; Aborted (ETAG_MISMATCH) when `etag` is given and differs.
  absl::Status Delete(absl::string_view id, absl::string_view etag);

  // Returns the current revision. With `materialise` a never-written field gets
  // its zeroed buffer first, under its own reservation, so revision->buffer is
  // never null.
  // Errors: NotFound, ResourceExhausted (DEVICE_MEMORY; MEMORY_LIMIT when a
  // writer has taken the reservation over).
  absl::StatusOr<PinnedField> Pin(absl::string_view id, bool materialise);

  // Returns a buffer of the field's size to write into. It takes the
  // reservation of a never-written field over, so that a field as large as the
  // budget can be filled; otherwise it reserves anew. With `zeroed` it reads as
  // zeros; without, the caller overwrites every leaf of every point (what no
  // leaf covers, such as padding, is zero all the same).
  // Errors: NotFound, ResourceExhausted (MEMORY_LIMIT, DEVICE_MEMORY).
  absl::StatusOr<PrivateBuffer> Prepare(absl::string_view id, bool zeroed);

  // Returns what Pin with `materialise` (when `pin`) and then Prepare (when
  // `prepare`) would reserve now; nothing for a field that is not there.
  FieldNeeds NeedsOf(absl::string_view id, bool pin, bool prepare) const;

  // Returns whether somebody has the current revision of field `id` pinned.
  bool IsPinned(absl::string_view id) const;

  // Takes the content of the current revision out of the field, to be changed
  // and then published under the next number; `pin` is of that revision and is
  // dropped. Until it is published or given back, Pin of the field waits. Once
  // it is changed it must be published: giving it back would change what was
  // published before. Returns nothing, and leaves `pin`, when somebody else has
  // the revision pinned or it is current no more.
  std::optional<PrivateBuffer> TakeCurrent(PinnedField& pin);

  // Gives an unpublished buffer back: the reservation of a field that is still
  // never-written returns to it, and so does a content that was taken out.
  // Done by ~PrivateBuffer too.
  void Abandon(PrivateBuffer buffer);

  // One step, all or none: `contents` become the current revisions of their
  // fields, `created` become fields. Returns the new revision numbers, contents
  // first, then created. On an error what was passed is given back.
  // Errors: NotFound — a field was deleted meanwhile; AlreadyExists.
  absl::StatusOr<std::vector<int64_t>> Publish(
      std::vector<PrivateBuffer> contents, std::vector<NewField> created);

  // Returns the ids nearest to `name`, at most three.
  std::vector<std::string> Suggest(absl::string_view name) const;

  int64_t num_fields() const;

 private:
  struct Field;

  // Null when there is none.
  Field* Find(absl::string_view id) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // As Find, once the field's content is not taken out.
  Field* AwaitContent(absl::string_view id) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Error FieldNotFound(absl::string_view id) const;
  absl::Status CheckPublish(const std::vector<PrivateBuffer>& contents,
                            const std::vector<NewField>& created) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::string NextEtag() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  Device* const device_;
  MemoryBudget* const budget_;
  mutable absl::Mutex mutex_;
  std::map<std::string, std::unique_ptr<Field>, std::less<>> fields_
      ABSL_GUARDED_BY(mutex_);
  int64_t next_etag_ ABSL_GUARDED_BY(mutex_) = 1;
  int64_t next_incarnation_ ABSL_GUARDED_BY(mutex_) = 1;
};

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_RUN_FIELD_STORE_H_
