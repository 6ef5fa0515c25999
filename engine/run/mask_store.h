#ifndef LAYOUTD_ENGINE_RUN_MASK_STORE_H_
#define LAYOUTD_ENGINE_RUN_MASK_STORE_H_

// The masks. Bits and compacted maps are replaced together, so a loop that
// holds a mask keeps one consistent revision of it. Threads: safe.

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
  explicit MaskStore(MemoryBudget* budget) : budget_(budget) {}

  // Creates a mask with every column active.
  // Errors: InvalidArgument (BAD_ID, BAD_EXTENT), AlreadyExists (MASK_EXISTS),
  // ResourceExhausted (MEMORY_LIMIT).
  absl::StatusOr<MaskInfo> Create(absl::string_view id, const Shape& shape);

  // Errors of all below: NotFound (MASK_NOT_FOUND) with suggestions.
  absl::StatusOr<MaskInfo> Get(absl::string_view id) const;
  std::vector<MaskInfo> List(absl::string_view after, int64_t limit) const;
  absl::Status Delete(absl::string_view id, absl::string_view etag);
  absl::StatusOr<PinnedMask> Pin(absl::string_view id) const;

  // Replaces the active columns. Shape: `active` has one byte per column, i
  // fastest, then j, then h, each 0 or 1.
  // Errors: InvalidArgument — another count (MASK_SHAPE_MISMATCH), a byte that is
  // neither 0 nor 1 (BAD_BOOL); ResourceExhausted (MEMORY_LIMIT).
  absl::StatusOr<MaskInfo> Set(absl::string_view id,
                               absl::Span<const uint8_t> active);

  std::vector<std::string> Suggest(absl::string_view name) const;

 private:
  struct Mask;

  MemoryBudget* const budget_;
  mutable absl::Mutex mutex_;
  std::map<std::string, std::unique_ptr<Mask>, std::less<>> masks_
      ABSL_GUARDED_BY(mutex_);
  int64_t next_etag_ ABSL_GUARDED_BY(mutex_) = 1;
};

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_RUN_MASK_STORE_H_
