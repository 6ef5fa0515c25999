#ifndef LAYOUTD_ENGINE_RUN_COMPILE_H_
#define LAYOUTD_ENGINE_RUN_COMPILE_H_

// What a program would do, and what that would cost, without running it.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/base/stop_token.h"
#include "engine/program/graph.h"
#include "engine/program/verify.h"
#include "engine/run/execute.h"
#include "engine/run/loop_work.h"
#include "engine/run/mask_store.h"

namespace layoutd {

// The cost of one run, as things stand now. Counts saturate at the largest
// int64.
struct Estimate {
  struct Loop {
    LoopWork work;
    bool cache_hit = false;  // its kernel was there before this call
  };
  std::vector<Loop> loops;  // in the order they would run
  int64_t operations = 0;   // of all loops, as are the next two
  int64_t read_bytes = 0;
  int64_t written_bytes = 0;
  // Copied before loops so that a masked or partial write keeps the rest.
  int64_t copied_bytes = 0;
  // What the run will reserve from the memory budget, exactly: new contents,
  // intermediates, partials of reductions, combined masks.
  int64_t peak_scratch_bytes = 0;
  int64_t lasting_bytes = 0;  // of it, what stays with the fields
  int64_t free_bytes = 0;     // of the budget, now
  bool cache_hit() const;     // of every loop
  bool fits() const { return peak_scratch_bytes <= free_bytes; }
};

struct CompileReply {
  // The signature: what the program reads, writes and answers. A created field
  // has the layout that was inferred for it.
  std::vector<FieldUse> fields;
  std::vector<MaskInfo> masks;
  std::vector<ResultUse> results;  // in program order
  std::vector<Warning> warnings;
  Estimate estimate;
};

// Verifies and plans `program` as ExecuteProgram does and compiles its loops
// into the cache; changes nothing else. `pinned` is called once nothing is
// looked at any more.
// Errors: those of ExecuteProgram that do not depend on values or on free
// memory.
absl::StatusOr<CompileReply> CompileProgram(
    const Runtime& runtime, const Program& program,
    const std::map<std::string, std::string>& bindings, const StopToken& stop,
    const std::function<void()>& pinned);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_RUN_COMPILE_H_
