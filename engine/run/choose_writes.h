#ifndef LAYOUTD_ENGINE_RUN_CHOOSE_WRITES_H_
#define LAYOUTD_ENGINE_RUN_CHOOSE_WRITES_H_

// How a run writes under masks: into copies of whole fields, or into compact
// columns (program/compact_writes.h).

#include "engine/run/field_store.h"
#include "engine/run/inputs.h"
#include "engine/run/planned_program.h"

namespace layoutd {

// Returns `planned`, or its compact form when that is there, its masks leave at
// most half of the columns, nobody has the fields pinned that it changes, and
// the columns are few enough bytes that putting them in place, which cannot be
// stopped, is short. Call it when the scheduler has let the run start: who has
// not pinned a field by then waits for the end of the run.
const PlannedProgram& ChooseWrites(const FieldStore& fields,
                                   const Inputs& inputs,
                                   const PlannedProgram& planned);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_RUN_CHOOSE_WRITES_H_
