#ifndef LAYOUTD_ENGINE_RUN_EXECUTE_H_
#define LAYOUTD_ENGINE_RUN_EXECUTE_H_

// Runs one program: verify, plan (or find it planned), pin and reserve,
// compile, loop, publish. Called on an operation thread, when the scheduler has
// made sure that no earlier writer of its fields is pending.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/base/stop_token.h"
#include "engine/device/device.h"
#include "engine/jit/compiler.h"
#include "engine/program/graph.h"
#include "engine/program/scalar.h"
#include "engine/program/verify.h"
#include "engine/run/budget.h"
#include "engine/run/field_store.h"
#include "engine/run/mask_store.h"
#include "engine/run/plan_cache.h"
#include "engine/run/profile.h"

namespace layoutd {

// What every run works with; owned by the Engine.
struct Runtime {
  Device* device;
  MemoryBudget* budget;
  FieldStore* fields;
  MaskStore* masks;
  KernelCache* kernels;
  PlanCache* plans;
};

struct ExecuteReply {
  struct Result {
    std::string name;
    ValueType type;
    std::vector<Scalar> leaves;
  };
  struct WrittenField {
    std::string id;
    int64_t revision;
    bool created;
  };
  std::vector<Result> results;       // in program order
  std::vector<WrittenField> fields;  // in order of first write
  std::vector<Warning> warnings;
  std::optional<ExecutionProfile> profile;  // when it was asked for
};

// Runs `program`. `bindings` map names of the program to field ids. `pinned` is
// called once all inputs are pinned. With `profiled` the reply has a profile,
// but for the time in line, which only the caller knows; without, measuring
// costs nothing.
// Errors: those of VerifyProgram and PlanProgram; FailedPrecondition
// (NO_ACTIVE_POINT); ResourceExhausted (MEMORY_LIMIT, DEVICE_MEMORY); those of
// FieldStore::Publish and StopToken. On any error nothing is published.
absl::StatusOr<ExecuteReply> ExecuteProgram(
    const Runtime& runtime, const Program& program,
    const std::map<std::string, std::string>& bindings, const StopToken& stop,
    const std::function<void()>& pinned, bool profiled = false);

// Evaluates a predicate (a program from ParseExpression) over the columns of
// `mask_shape` and returns a byte per column, i fastest, then j, then h.
// Errors: as above; InvalidArgument (TYPE_MISMATCH) — not bool;
// MASK_SHAPE_MISMATCH — more than one level (the hint says to use at) or other
// columns.
absl::StatusOr<std::vector<uint8_t>> EvaluatePredicate(
    const Runtime& runtime, Program program,
    const std::map<std::string, std::string>& bindings, const Shape& mask_shape,
    const StopToken& stop, const std::function<void()>& pinned);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_RUN_EXECUTE_H_
