#include "engine/run/mask_store.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/base/checked_math.h"
#include "engine/base/status_macros.h"
#include "engine/program/parse.h"
#include "engine/run/field_store.h"

namespace layoutd {
namespace {

// A map and what it costs; the map goes first.
struct Content {
  Reservation reservation;
  ColumnMap map;
};

// Errors: InvalidArgument (BAD_EXTENT); OutOfRange (SIZE_OVERFLOW) — the bytes
// of the map do not fit int64.
absl::Status CheckMaskShape(const Shape& shape) {
  for (size_t axis = 1; axis < shape.extents.size(); ++axis) {
    if (shape.extents[axis] < 0) {
      return InvalidArgument(
                 "BAD_EXTENT",
                 absl::StrCat("extent ", shape.extents[axis], " along ",
                              std::string(1, kAxisNames[axis]), " is negative"))
          .At(absl::StrCat("shape.n", std::string(1, kAxisNames[axis])));
    }
  }
  if (!CheckedProduct(
          {shape.i(), shape.j(), shape.h(), kColumnIndexBytes + 2})) {
    return OutOfRange("SIZE_OVERFLOW",
                      absl::StrCat("a mask of shape ", ToString(shape.WithV(1)),
                                   " has more bytes than fit 64 bits"));
  }
  return absl::OkStatus();
}

Error MaskExists(absl::string_view id) {
  return Error(absl::StatusCode::kAlreadyExists, "MASK_EXISTS",
               absl::StrCat("mask \"", id, "\" exists"))
      .With("mask", id);
}

}  // namespace

struct MaskStore::Mask {
  MaskInfo info;
  // Shared with whoever pinned it.
  std::shared_ptr<const ColumnMap> map;
};

MaskStore::MaskStore(MemoryBudget* budget) : budget_(budget) {}

MaskStore::~MaskStore() = default;

MaskStore::Mask* MaskStore::Find(absl::string_view id) const {
  const auto it = masks_.find(id);
  return it == masks_.end() ? nullptr : it->second.get();
}

Error MaskStore::MaskNotFound(absl::string_view id) const {
  const std::vector<std::string> nearest = Suggest(id);
  const std::string shown = absl::CHexEscape(id.substr(0, 255));
  std::string message = absl::StrCat("no mask \"", shown, "\"");
  if (!nearest.empty()) {
    absl::StrAppend(&message, "; nearest: ", absl::StrJoin(nearest, ", "));
  }
  Error error = NotFound("MASK_NOT_FOUND", message);
  error.With("mask", shown);
  if (!nearest.empty()) {
    error.With("suggestions", absl::StrJoin(nearest, ","));
  }
  return error;
}

absl::StatusOr<std::shared_ptr<const ColumnMap>> MaskStore::MakeMap(
    absl::string_view id, const Shape& shape,
    absl::Span<const uint8_t> active) {
  const auto num_columns = static_cast<int64_t>(active.size());
  const int64_t num_active =
      num_columns - std::count(active.begin(), active.end(), uint8_t{0});
  ASSIGN_OR_RETURN(Reservation reservation,
                   budget_->Reserve(ColumnMapBytes(num_columns, num_active),
                                    absl::StrCat("mask \"", id, "\"")));
  auto content = std::make_shared<Content>();
  content->reservation = std::move(reservation);
  content->map =
      MakeColumnMap(shape, std::vector<uint8_t>(active.begin(), active.end()));
  const ColumnMap* const map = &content->map;
  return std::shared_ptr<const ColumnMap>(std::move(content), map);
}

absl::StatusOr<MaskInfo> MaskStore::Create(absl::string_view id,
                                           const Shape& shape) {
  RETURN_IF_ERROR(CheckId(id));
  RETURN_IF_ERROR(CheckMaskShape(shape));
  {
    absl::MutexLock lock(&mutex_);
    if (Find(id) != nullptr) return MaskExists(id);
  }
  auto mask = std::make_unique<Mask>();
  mask->info.id = std::string(id);
  mask->info.shape = shape.WithV(1);
  const int64_t num_columns = mask->info.shape.num_columns();
  mask->info.active_columns = num_columns;
  {
    ASSIGN_OR_RETURN(
        const Reservation staging,
        budget_->Reserve(num_columns, absl::StrCat("mask \"", id, "\"")));
    const std::vector<uint8_t> all(static_cast<size_t>(num_columns), 1);
    ASSIGN_OR_RETURN(mask->map, MakeMap(id, mask->info.shape, all));
  }

  absl::MutexLock lock(&mutex_);
  if (Find(id) != nullptr) return MaskExists(id);
  mask->info.etag = absl::StrCat("m", next_etag_++);
  MaskInfo info = mask->info;
  masks_.emplace(std::string(id), std::move(mask));
  return info;
}

absl::StatusOr<MaskInfo> MaskStore::Get(absl::string_view id) const {
  ASSIGN_OR_RETURN(PinnedMask pinned, Pin(id));
  return std::move(pinned.info);
}

std::vector<MaskInfo> MaskStore::List(absl::string_view after,
                                      int64_t limit) const {
  absl::MutexLock lock(&mutex_);
  std::vector<MaskInfo> infos;
  for (auto it = masks_.upper_bound(after);
       it != masks_.end() && static_cast<int64_t>(infos.size()) < limit; ++it) {
    infos.push_back(it->second->info);
  }
  return infos;
}

absl::Status MaskStore::Delete(absl::string_view id, absl::string_view etag) {
  std::unique_ptr<Mask> deleted;  // its memory goes when the lock is free
  {
    absl::MutexLock lock(&mutex_);
    const auto it = masks_.find(id);
    if (it != masks_.end()) {
      const std::string& current = it->second->info.etag;
      if (!etag.empty() && etag != current) {
        return Error(absl::StatusCode::kAborted, "ETAG_MISMATCH",
                     absl::StrCat("mask \"", id, "\" has etag \"", current,
                                  "\", not the given one"))
            .With("mask", id);
      }
      deleted = std::move(it->second);
      masks_.erase(it);
      return absl::OkStatus();
    }
  }
  return MaskNotFound(id);
}

absl::StatusOr<PinnedMask> MaskStore::Pin(absl::string_view id) const {
  {
    absl::MutexLock lock(&mutex_);
    if (const Mask* mask = Find(id)) return PinnedMask{mask->info, mask->map};
  }
  return MaskNotFound(id);
}

absl::StatusOr<MaskInfo> MaskStore::Set(absl::string_view id,
                                        absl::Span<const uint8_t> active) {
  ASSIGN_OR_RETURN(const MaskInfo before, Get(id));
  const int64_t num_columns = before.shape.num_columns();
  if (static_cast<int64_t>(active.size()) != num_columns) {
    return InvalidArgument(
               "MASK_SHAPE_MISMATCH",
               absl::StrCat("mask \"", id, "\" of shape ",
                            ToString(before.shape), " has ", num_columns,
                            " columns, not ", active.size()))
        .With("mask", id);
  }
  const auto bad = std::find_if(active.begin(), active.end(),
                                [](uint8_t byte) { return byte > 1; });
  if (bad != active.end()) {
    return InvalidArgument(
               "BAD_BOOL",
               absl::StrCat("column ", bad - active.begin(), " has the value ",
                            int{*bad}, ", neither 0 nor 1"))
        .With("mask", id);
  }
  ASSIGN_OR_RETURN(std::shared_ptr<const ColumnMap> map,
                   MakeMap(id, before.shape, active));
  {
    absl::MutexLock lock(&mutex_);
    Mask* const mask = Find(id);
    if (mask != nullptr && mask->info.shape == before.shape) {
      // The old map leaves in `map`, to go when the lock is free.
      std::swap(mask->map, map);
      mask->info.active_columns = mask->map->num_active();
      ++mask->info.revision;
      mask->info.etag = absl::StrCat("m", next_etag_++);
      return mask->info;
    }
  }
  return MaskNotFound(id);  // deleted meanwhile
}

std::vector<std::string> MaskStore::Suggest(absl::string_view name) const {
  std::vector<std::string> ids;
  {
    absl::MutexLock lock(&mutex_);
    ids.reserve(masks_.size());
    for (const auto& [id, mask] : masks_) ids.push_back(id);
  }
  return NearestNames(name, ids);
}

}  // namespace layoutd
