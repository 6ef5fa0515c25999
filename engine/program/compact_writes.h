#ifndef LAYOUTD_ENGINE_PROGRAM_COMPACT_WRITES_H_
#define LAYOUTD_ENGINE_PROGRAM_COMPACT_WRITES_H_

// Masked writes without a copy of the field. A masked point loop stores into a
// compact buffer, which holds the active columns alone, one after the other;
// when the whole run is done they are put in their places of the field's
// content. Nothing of the content changes before, so reads of the old values go
// on as they are, and a run that fails leaves it whole.

#include <cstdint>
#include <optional>

#include "engine/program/plan.h"
#include "engine/program/verify.h"

namespace layoutd {

// Returns `plan` with every masked write that allows it made compact: of a
// final content that begins as a copy of a published revision, of which one
// masked point loop stores every leaf of its columns, which no loop reads, and
// whose levels follow each other without gap. Nothing when there is none, nor
// for a program that creates fields: publishing one may fail when its name was
// taken meanwhile, and the columns must be in place before that is known.
std::optional<ExecutionPlan> CompactPlan(const VerifiedProgram& program,
                                         const ExecutionPlan& plan);

// Returns the view of a compact buffer for `num_columns` columns of `field`:
// (Nv, 1, 1, num_columns), the slots of a column one after another.
View CompactView(const DataLayout& field, int64_t num_columns);
// Returns the bytes of that buffer.
int64_t CompactBytes(const DataLayout& field, int64_t num_columns);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_PROGRAM_COMPACT_WRITES_H_
