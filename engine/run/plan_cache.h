#ifndef LAYOUTD_ENGINE_RUN_PLAN_CACHE_H_
#define LAYOUTD_ENGINE_RUN_PLAN_CACHE_H_

// Programs that were planned, by the program as it was given and by what its
// names stood for: a model that runs one program every time step plans it once.

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <unordered_map>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "engine/program/graph.h"
#include "engine/program/verify.h"
#include "engine/run/planned_program.h"

namespace layoutd {

// Least recently used programs go first; one that is running lives until its
// last run lets go. Threads: safe; nothing is verified, planned or compared
// under a lock.
class PlanCache {
 public:
  // Bounds what is kept: programs, and PlannedProgram::size_bytes in total.
  explicit PlanCache(int64_t max_programs = 128,
                     int64_t max_bytes = int64_t{32} << 20)
      : max_programs_(max_programs), max_bytes_(max_bytes) {}

  // Returns `program` verified against `catalog` and planned: an earlier result
  // if both were the same then, compared in full.
  // Errors: those of VerifyProgram and PlanProgram, which are not kept.
  absl::StatusOr<std::shared_ptr<const PlannedProgram>> Get(
      const Program& program, const Catalog& catalog);

  int64_t size() const;

 private:
  // Shared with those who compare. Immutable.
  struct Entry {
    Catalog catalog;  // without suggestions
    std::shared_ptr<const PlannedProgram> planned;
  };
  struct Use {
    std::shared_ptr<const Entry> entry;
    std::list<size_t>::iterator place;  // in uses_
  };

  std::shared_ptr<const Entry> Find(size_t hash);
  void Keep(size_t hash, std::shared_ptr<const Entry> entry);

  const int64_t max_programs_;
  const int64_t max_bytes_;
  mutable absl::Mutex mutex_;
  // By hash. Of two programs with one hash the later one is kept.
  std::unordered_map<size_t, Use> entries_ ABSL_GUARDED_BY(mutex_);
  std::list<size_t> uses_ ABSL_GUARDED_BY(mutex_);  // newest first
  int64_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_RUN_PLAN_CACHE_H_
