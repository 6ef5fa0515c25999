// The programs of the Engine.

#include <string>
#include <utility>
#include <variant>

#include "engine/access.h"
#include "engine/base/status_macros.h"
#include "engine/engine.h"
#include "engine/program/parse.h"
#include "engine/run/execute.h"
#include "engine/run/scheduler.h"

namespace layoutd {
namespace {

absl::StatusOr<Program> ProgramOf(std::variant<std::string, Program> form) {
  if (const auto* text = std::get_if<std::string>(&form)) {
    return ParseProgram(*text);
  }
  return std::get<Program>(std::move(form));
}

}  // namespace

void Engine::Execute(ExecuteRequest request, StopToken stop,
                     Done<ExecuteReply> done) {
  absl::StatusOr<Program> program = ProgramOf(std::move(request.program));
  if (!program.ok()) return done(program.status());
  AccessSet access = AccessOf(*program, request.bindings);
  scheduler_->Submit(
      std::move(access),
      [this, program = *std::move(program),
       bindings = std::move(request.bindings), stop = std::move(stop),
       done = std::move(done)](const Scheduler::Pinned& pinned) {
        if (absl::Status status = stop.status(); !status.ok()) {
          return done(std::move(status));
        }
        done(ExecuteProgram(runtime(), program, bindings, stop, pinned));
      });
}

}  // namespace layoutd
