#ifndef LAYOUTD_ENGINE_RUN_LOOP_WORK_H_
#define LAYOUTD_ENGINE_RUN_LOOP_WORK_H_

// How much one planned loop has to do: what estimates and profiles count.

#include <cstddef>
#include <cstdint>
#include <string>

#include "engine/program/plan.h"
#include "engine/program/verify.h"
#include "engine/run/plan_needs.h"

namespace layoutd {

// Counts saturate at the largest int64.
struct LoopWork {
  LoopKind kind = LoopKind::kPoints;
  bool masked = false;
  // Who runs a slice (a point, a column, a chunk), outermost first: "ThreadPool
  // > Thread".
  std::string scope;
  // That are visited: under a mask, in its active columns alone. In a loop over
  // columns the columns times the levels of its longest pass.
  int64_t points = 0;
  // Scalar operations, as written: an elementary function is one.
  int64_t operations = 0;
  // Of fields and temporaries. What is the same for all points of an axis
  // counts once, and one field never for more than its size: neighbours are
  // read from cache.
  int64_t read_bytes = 0;
  int64_t written_bytes = 0;
};

// Returns the work of step number `step` of `plan`, whose loop is not empty, on
// a device with the scopes `scope`.
LoopWork WorkOf(const VerifiedProgram& program, const ExecutionPlan& plan,
                const PlanNeeds& needs, size_t step, absl::string_view scope);

// Returns the bytes that are copied before loops so that a masked or partial
// write keeps the rest, or after them, to put compact columns in place.
int64_t CopiedBytes(const VerifiedProgram& program, const ExecutionPlan& plan,
                    const PlanNeeds& needs);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_RUN_LOOP_WORK_H_
