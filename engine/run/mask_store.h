#ifndef LAYOUTD_ENGINE_RUN_MASK_STORE_H_
#define LAYOUTD_ENGINE_RUN_MASK_STORE_H_

// The masks. Bits and compacted maps are replaced together, so a loop that
// holds a mask keeps one consistent revision of it; the memory of each revision
// is in the budget until nobody holds it. Order between operations on one mask
// is the scheduler's. Threads: safe.

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
#include "absl/types/span.h"
#include "engine/base/error.h"
#include "engine/layout/mask_map.h"
#include "engine/run/budget.h"

namespace layoutd {

struct MaskInfo {
  std::string id;
  Shape shape;  // v extent 1
  int64_t revision = 0;
  std::string etag;
  int64_t active_columns = 0;
};

// A mask as one operation sees it. Shared: loops hold it while setters replace.
struct PinnedMask {
  MaskInfo info;
  std::shared_ptr<const ColumnMap> map;
};

class MaskStore {
 public:
  explicit MaskStore(MemoryBudget* budget);
  ~MaskStore();

  // Creates a mask over the columns of `shape` (v is ignored), all active.
  // Errors: InvalidArgument (BAD_ID, BAD_EXTENT), OutOfRange (SIZE_OVERFLOW),
  // AlreadyExists (MASK_EXISTS), ResourceExhausted (MEMORY_LIMIT).
  absl::StatusOr<MaskInfo> Create(absl::string_view id, const Shape& shape);

  // Errors of all below: NotFound (MASK_NOT_FOUND) with suggestions.
  absl::StatusOr<MaskInfo> Get(absl::string_view id) const;
  std::vector<MaskInfo> List(absl::string_view after, int64_t limit) const;
  // Errors: Aborted (ETAG_MISMATCH) when `etag` is given and differs.
  absl::Status Delete(absl::string_view id, absl::string_view etag);
  absl::StatusOr<PinnedMask> Pin(absl::string_view id) const;

  // Replaces the active columns. Shape: `active` has one byte per column, i
  // fastest, then j, then h, each 0 or 1.
  // Errors: InvalidArgument — another count (MASK_SHAPE_MISMATCH), a byte that
  // is neither 0 nor 1 (BAD_BOOL); ResourceExhausted (MEMORY_LIMIT).
  absl::StatusOr<MaskInfo> Set(absl::string_view id,
                               absl::Span<const uint8_t> active);

  std::vector<std::string> Suggest(absl::string_view name) const;

 private:
  struct Mask;

  // Null when there is none.
  Mask* Find(absl::string_view id) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Error MaskNotFound(absl::string_view id) const;
  // Returns the map of `active`, which shares its life with its reservation.
  absl::StatusOr<std::shared_ptr<const ColumnMap>> MakeMap(
      absl::string_view id, const Shape& shape,
      absl::Span<const uint8_t> active);

  MemoryBudget* const budget_;
  mutable absl::Mutex mutex_;
  std::map<std::string, std::unique_ptr<Mask>, std::less<>> masks_
      ABSL_GUARDED_BY(mutex_);
  int64_t next_etag_ ABSL_GUARDED_BY(mutex_) = 1;
};

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_RUN_MASK_STORE_H_
