// The programs of the Engine.

#include <string>
#include <utility>
#include <variant>

#include "engine/access.h"
#include "engine/base/status_macros.h"
#include "engine/engine.h"
#include "engine/program/excerpt.h"
#include "engine/program/parse.h"
#include "engine/run/execute.h"
#include "engine/run/scheduler.h"

namespace layoutd {
namespace {

// The text of a program, empty when it came as a graph.
struct Parsed {
  Program program;
  std::string text;
};

absl::StatusOr<Parsed> Parse(std::variant<std::string, Program> form) {
  if (auto* text = std::get_if<std::string>(&form)) {
    ASSIGN_OR_RETURN(Program program, ParseProgram(*text));
    return Parsed{std::move(program), std::move(*text)};
  }
  return Parsed{std::get<Program>(std::move(form)), ""};
}

}  // namespace

void Engine::Execute(ExecuteRequest request, StopToken stop,
                     Done<ExecuteReply> done) {
  absl::StatusOr<Parsed> parsed = Parse(std::move(request.program));
  if (!parsed.ok()) return done(parsed.status());
  AccessSet access = AccessOf(parsed->program, request.bindings);
  scheduler_->Submit(
      std::move(access),
      [this, parsed = *std::move(parsed),
       bindings = std::move(request.bindings), stop = std::move(stop),
       done = std::move(done)](const Scheduler::Pinned& pinned) {
        if (absl::Status status = stop.status(); !status.ok()) {
          return done(std::move(status));
        }
        absl::StatusOr<ExecuteReply> reply =
            ExecuteProgram(runtime(), parsed.program, bindings, stop, pinned);
        if (!reply.ok()) reply = WithExcerpt(reply.status(), parsed.text);
        done(std::move(reply));
      });
}

}  // namespace layoutd
