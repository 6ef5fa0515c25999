#include "engine/run/field_store.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "engine/base/resource_id.h"
#include "engine/base/status_macros.h"
#include "engine/program/parse.h"

namespace layoutd {
namespace {

Error FieldExists(absl::string_view id) {
  return Error(absl::StatusCode::kAlreadyExists, "FIELD_EXISTS",
               absl::StrCat("field \"", id, "\" exists"))
      .With("field", id);
}

}  // namespace

absl::Status CheckId(absl::string_view id) {
  if (IsResourceId(id)) return absl::OkStatus();
  const std::string shown = absl::CHexEscape(id.substr(0, kMaxIdBytes));
  return InvalidArgument(
      "BAD_ID",
      absl::StrCat("id \"", shown, id.size() > kMaxIdBytes ? "..." : "",
                   "\" is not segments [a-z][a-z0-9_]{0,62} joined "
                   "by \"/\", at most ",
                   kMaxIdBytes, " characters"));
}

PrivateBuffer::PrivateBuffer(FieldStore* from, const FieldInfo& info,
                             int64_t field_incarnation)
    : id(info.id),
      layout(info.layout),
      revision(std::make_unique<Revision>()),
      store_(from),
      incarnation_(field_incarnation) {}

PrivateBuffer& PrivateBuffer::operator=(PrivateBuffer&& other) noexcept {
  // Swapped: `other` gives back what this one held.
  std::swap(id, other.id);
  std::swap(layout, other.layout);
  std::swap(revision, other.revision);
  std::swap(reserved_bytes, other.reserved_bytes);
  std::swap(store_, other.store_);
  std::swap(incarnation_, other.incarnation_);
  std::swap(is_current_, other.is_current_);
  return *this;
}

PrivateBuffer::~PrivateBuffer() {
  if (revision != nullptr) store_->Abandon(std::move(*this));
}

struct FieldStore::Field {
  FieldInfo info;
  int64_t incarnation;
  // What the first content will need; empty once a writer has taken it over.
  Reservation reservation;
  // Shared with whoever pinned it; never null. Changed only while nobody has.
  std::shared_ptr<Revision> current;
  bool taken = false;  // a writer has the content of `current`

  bool never_written() const {
    return current->number == 0 && current->buffer == nullptr && !taken;
  }
  // What a content has to reserve beyond `held`, which it takes over: all of
  // its bytes, or none.
  int64_t MissingBytes(const Reservation& held) const {
    return held.bytes() < info.size_bytes() ? info.size_bytes() : 0;
  }
};

FieldStore::FieldStore(Device* device, MemoryBudget* budget)
    : device_(device), budget_(budget) {}

FieldStore::~FieldStore() = default;

FieldStore::Field* FieldStore::Find(absl::string_view id) const {
  const auto it = fields_.find(id);
  return it == fields_.end() ? nullptr : it->second.get();
}

FieldStore::Field* FieldStore::AwaitContent(absl::string_view id) const {
  const auto settled = [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    const Field* const field = Find(id);
    return field == nullptr || !field->taken;
  };
  mutex_.Await(absl::Condition(&settled));
  return Find(id);
}

std::string FieldStore::NextEtag() { return absl::StrCat("f", next_etag_++); }

Error FieldStore::FieldNotFound(absl::string_view id) const {
  const std::vector<std::string> nearest = Suggest(id);
  const std::string shown = absl::CHexEscape(id.substr(0, kMaxIdBytes));
  std::string message = absl::StrCat("no field \"", shown, "\"");
  if (!nearest.empty()) {
    absl::StrAppend(&message, "; nearest: ", absl::StrJoin(nearest, ", "));
  }
  Error error = NotFound("FIELD_NOT_FOUND", message);
  error.With("field", shown);
  if (!nearest.empty()) {
    error.With("suggestions", absl::StrJoin(nearest, ","));
  }
  return error;
}

absl::StatusOr<FieldInfo> FieldStore::Create(
    absl::string_view id, const DataLayout& layout,
    std::map<std::string, std::string> attributes, bool validate_only) {
  RETURN_IF_ERROR(CheckId(id));
  {
    absl::MutexLock lock(&mutex_);
    if (Find(id) != nullptr) return FieldExists(id);
  }
  ASSIGN_OR_RETURN(Reservation reservation,
                   budget_->Reserve(layout.size_bytes(),
                                    absl::StrCat("field \"", id, "\"")));
  auto field = std::make_unique<Field>(
      Field{FieldInfo{.id = std::string(id),
                      .layout = layout,
                      .revision = 0,
                      .etag = "",
                      .device = std::string(device_->name()),
                      .attributes = std::move(attributes),
                      .create_time = absl::Now()},
            0, std::move(reservation), std::make_shared<Revision>()});
  if (validate_only) return field->info;

  absl::MutexLock lock(&mutex_);
  if (Find(id) != nullptr) return FieldExists(id);
  field->info.etag = NextEtag();
  field->incarnation = next_incarnation_++;
  FieldInfo info = field->info;
  fields_.emplace(std::string(id), std::move(field));
  return info;
}

absl::StatusOr<FieldInfo> FieldStore::Get(absl::string_view id) const {
  {
    absl::MutexLock lock(&mutex_);
    if (const Field* field = Find(id)) return field->info;
  }
  return FieldNotFound(id);
}

std::vector<FieldInfo> FieldStore::List(absl::string_view after,
                                        int64_t limit) const {
  absl::MutexLock lock(&mutex_);
  std::vector<FieldInfo> infos;
  for (auto it = fields_.upper_bound(after);
       it != fields_.end() && static_cast<int64_t>(infos.size()) < limit;
       ++it) {
    infos.push_back(it->second->info);
  }
  return infos;
}

absl::Status FieldStore::Delete(absl::string_view id, absl::string_view etag) {
  std::unique_ptr<Field> deleted;  // its memory goes when the lock is free
  {
    absl::MutexLock lock(&mutex_);
    const auto it = fields_.find(id);
    if (it != fields_.end()) {
      const std::string& current = it->second->info.etag;
      if (!etag.empty() && etag != current) {
        return Error(absl::StatusCode::kAborted, "ETAG_MISMATCH",
                     absl::StrCat("field \"", id, "\" has etag \"", current,
                                  "\", not the given one"))
            .With("field", id);
      }
      deleted = std::move(it->second);
      fields_.erase(it);
      return absl::OkStatus();
    }
  }
  return FieldNotFound(id);
}

absl::StatusOr<PinnedField> FieldStore::Pin(absl::string_view id,
                                            bool materialise) {
  {
    absl::MutexLock lock(&mutex_);
    Field* const field = AwaitContent(id);
    if (field != nullptr) {
      if (materialise && field->current->buffer == nullptr) {
        // Under the lock, so that two readers do not make one buffer each. It
        // happens once in a field's life; recycled memory is cleared here.
        const int64_t missing = field->MissingBytes(field->reservation);
        if (missing > 0) {
          ASSIGN_OR_RETURN(
              field->reservation,
              budget_->Reserve(missing,
                               absl::StrCat("reading field \"", id, "\"")));
        }
        auto zeros = std::make_shared<Revision>();
        ASSIGN_OR_RETURN(
            zeros->buffer,
            device_->Allocate(field->info.size_bytes(), /*zeroed=*/true));
        zeros->reservation = std::move(field->reservation);
        field->current = std::move(zeros);
        return PinnedField{field->info, missing, field->current};
      }
      return PinnedField{field->info, 0, field->current};
    }
  }
  return FieldNotFound(id);
}

absl::StatusOr<PrivateBuffer> FieldStore::Prepare(absl::string_view id,
                                                  bool zeroed) {
  std::optional<PrivateBuffer> buffer;  // from here on an error gives it back
  {
    absl::MutexLock lock(&mutex_);
    if (Field* const field = Find(id)) {
      buffer.emplace(PrivateBuffer(this, field->info, field->incarnation));
      buffer->revision->reservation = std::move(field->reservation);
      buffer->reserved_bytes =
          field->MissingBytes(buffer->revision->reservation);
    }
  }
  if (!buffer) return FieldNotFound(id);
  Revision& revision = *buffer->revision;
  if (buffer->reserved_bytes > 0) {
    ASSIGN_OR_RETURN(
        revision.reservation,
        budget_->Reserve(buffer->reserved_bytes,
                         absl::StrCat("a new content of field \"", id, "\"")));
  }
  ASSIGN_OR_RETURN(
      revision.buffer,
      device_->Allocate(buffer->layout.size_bytes(),
                        zeroed || !buffer->layout.LeavesFillBuffer()));
  return *std::move(buffer);
}

FieldNeeds FieldStore::NeedsOf(absl::string_view id, bool pin,
                               bool prepare) const {
  absl::MutexLock lock(&mutex_);
  const Field* const field = Find(id);
  FieldNeeds needs;
  if (field == nullptr) return needs;
  // Zeros that were pinned leave nothing for a writer to take over.
  const bool zeros = pin && field->current->buffer == nullptr;
  const int64_t missing = field->MissingBytes(field->reservation);
  if (zeros) needs.reserved_bytes += missing;
  if (prepare) {
    needs.reserved_bytes += zeros ? field->info.size_bytes() : missing;
  }
  if (zeros || prepare) {
    needs.lasting_bytes = field->info.size_bytes() -
                          field->reservation.bytes() -
                          field->current->reservation.bytes();
  }
  return needs;
}

bool FieldStore::IsPinned(absl::string_view id) const {
  absl::MutexLock lock(&mutex_);
  const Field* const field = Find(id);
  return field != nullptr && field->current.use_count() > 1;
}

std::optional<PrivateBuffer> FieldStore::TakeCurrent(PinnedField& pin) {
  absl::MutexLock lock(&mutex_);
  Field* const field = Find(pin.info.id);
  // New holders come from Pin, under the lock, or are copies of old ones, so
  // with two of them (the field and `pin`) there can be no third.
  if (field == nullptr || field->current != pin.revision ||
      pin.revision.use_count() != 2) {
    return std::nullopt;
  }
  // Letting go orders what earlier holders read before what is written next.
  pin.revision.reset();
  std::optional<PrivateBuffer> content(
      PrivateBuffer(this, field->info, field->incarnation));
  content->is_current_ = true;
  content->revision->reservation = std::move(field->current->reservation);
  content->revision->buffer = std::move(field->current->buffer);
  field->taken = true;
  return content;
}

void FieldStore::Abandon(PrivateBuffer buffer) {
  const std::unique_ptr<Revision> revision = std::move(buffer.revision);
  if (revision == nullptr) return;
  if (buffer.is_current_) {
    absl::MutexLock lock(&mutex_);
    Field* const field = Find(buffer.id);
    if (field != nullptr && field->incarnation == buffer.incarnation_ &&
        field->taken) {
      field->current->reservation = std::move(revision->reservation);
      field->current->buffer = std::move(revision->buffer);
      field->taken = false;
    }
    return;
  }
  revision->buffer = nullptr;  // before its reservation
  absl::MutexLock lock(&mutex_);
  Field* const field = Find(buffer.id);
  if (field != nullptr && field->incarnation == buffer.incarnation_ &&
      field->never_written() &&
      field->reservation.bytes() < field->info.size_bytes()) {
    field->reservation = std::move(revision->reservation);
  }
}

absl::Status FieldStore::CheckPublish(
    const std::vector<PrivateBuffer>& contents,
    const std::vector<NewField>& created) const {
  for (const PrivateBuffer& content : contents) {
    LAYOUTD_DCHECK(content.revision != nullptr);
    const Field* const field = Find(content.id);
    if (field == nullptr || field->incarnation != content.incarnation_) {
      return NotFound("FIELD_NOT_FOUND",
                      absl::StrCat("field \"", content.id,
                                   "\" was deleted before its new content was "
                                   "published"))
          .With("field", content.id);
    }
  }
  std::set<absl::string_view> names;
  for (const NewField& field : created) {
    if (Find(field.info.id) != nullptr || !names.insert(field.info.id).second) {
      return FieldExists(field.info.id);
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<int64_t>> FieldStore::Publish(
    std::vector<PrivateBuffer> contents, std::vector<NewField> created) {
  // What is replaced goes when the lock is free; so do the parameters.
  std::vector<std::shared_ptr<const Revision>> replaced;
  std::vector<int64_t> numbers;
  absl::MutexLock lock(&mutex_);
  RETURN_IF_ERROR(CheckPublish(contents, created));
  for (PrivateBuffer& content : contents) {
    Field* const field = Find(content.id);
    std::unique_ptr<Revision> revision = std::move(content.revision);
    revision->number = field->info.revision + 1;
    field->info.revision = revision->number;
    field->info.etag = NextEtag();
    field->reservation = Reservation();
    field->taken = false;
    replaced.push_back(std::exchange(field->current, std::move(revision)));
    numbers.push_back(field->info.revision);
  }
  for (NewField& creation : created) {
    std::string id = creation.info.id;
    creation.revision->number = 1;
    creation.info.revision = 1;
    creation.info.etag = NextEtag();
    creation.info.device = std::string(device_->name());
    creation.info.create_time = absl::Now();
    fields_.emplace(std::move(id),
                    std::make_unique<Field>(
                        Field{std::move(creation.info), next_incarnation_++,
                              Reservation(), std::move(creation.revision)}));
    numbers.push_back(1);
  }
  return numbers;
}

std::vector<std::string> FieldStore::Suggest(absl::string_view name) const {
  std::vector<std::string> ids;
  {
    absl::MutexLock lock(&mutex_);
    ids.reserve(fields_.size());
    for (const auto& [id, field] : fields_) ids.push_back(id);
  }
  return NearestNames(name, ids);
}

int64_t FieldStore::num_fields() const {
  absl::MutexLock lock(&mutex_);
  return static_cast<int64_t>(fields_.size());
}

}  // namespace layoutd
