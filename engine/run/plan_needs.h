#ifndef LAYOUTD_ENGINE_RUN_PLAN_NEEDS_H_
#define LAYOUTD_ENGINE_RUN_PLAN_NEEDS_H_

// What a run of a plan takes from the memory budget, known before anything
// starts. The one place that says so: a run reserves these bytes, an estimate
// reports them.

#include <cstdint>
#include <vector>

#include "engine/base/checked_math.h"
#include "engine/program/plan.h"
#include "engine/program/verify.h"
#include "engine/run/field_store.h"
#include "engine/run/inputs.h"

namespace layoutd {

struct PlanNeeds {
  // Per step: the columns that its mask leaves. All columns where the loop is
  // not masked.
  std::vector<int64_t> active_columns;
  // The most that intermediate and created buffers, partials and combined masks
  // need at one time. Reserved in one piece.
  int64_t step_bytes = 0;
  // New contents of existing fields, and zeros of fields that are read before
  // they were ever written. Reserved by the field store.
  int64_t content_bytes = 0;
  // Of both, what stays when the run is published: it is the fields'.
  int64_t lasting_bytes = 0;

  int64_t peak_bytes() const {
    return SaturatingAdd(step_bytes, content_bytes);
  }
};

// Whether `buffer` of the plan is a pinned revision that some step reads.
bool IsPinned(const PlanBuffer& buffer);

// Whether buffer number `buffer` is the new content of a field.
bool IsFinal(const ExecutionPlan& plan, size_t buffer);

// Whether that content lies in memory that the field store makes ready.
bool IsOfStore(const VerifiedProgram& program, const ExecutionPlan& plan,
               size_t buffer);

// Cost: combined masks are evaluated once, without memory of their size.
PlanNeeds NeedsOf(const FieldStore& fields, const Inputs& inputs,
                  const VerifiedProgram& program, const ExecutionPlan& plan);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_RUN_PLAN_NEEDS_H_
