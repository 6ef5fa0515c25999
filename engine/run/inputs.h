#ifndef LAYOUTD_ENGINE_RUN_INPUTS_H_
#define LAYOUTD_ENGINE_RUN_INPUTS_H_

// What the names of a program stand for when it runs.

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "engine/program/graph.h"
#include "engine/program/verify.h"
#include "engine/run/field_store.h"
#include "engine/run/mask_store.h"

namespace layoutd {

struct Inputs {
  Catalog catalog;
  std::map<std::string, PinnedMask> masks;  // by id
};

// Looks up the fields and masks that `program` names; names that stand for
// nothing are left to the verifier. Both stores must outlive the result.
// Errors: NotFound (FIELD_NOT_FOUND) — a field that `bindings` (name in the
// program to field id) names.
absl::StatusOr<Inputs> GatherInputs(
    const FieldStore& fields, const MaskStore& masks, const Program& program,
    const std::map<std::string, std::string>& bindings);

// Returns which columns statement number `statement`, a Foreach or a Reduce,
// visits.
const MaskExpression& MaskOf(const Program& program, int32_t statement);

// The columns of a mask expression, before anything is allocated for them.
struct MaskSize {
  int64_t num_active = 0;
  int64_t map_bytes = 0;  // of what ResolveMask makes; 0: a mask that is there
};
MaskSize MeasureMask(const Inputs& inputs, const MaskExpression& expression);

// Returns the columns of `expression` (not empty): a mask of the inputs, or the
// combination that it asks for. Shared with whoever set the mask.
std::shared_ptr<const ColumnMap> ResolveMask(const Inputs& inputs,
                                             const MaskExpression& expression);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_RUN_INPUTS_H_
