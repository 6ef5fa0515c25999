// The programs of the Engine.

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <variant>

#include "engine/access.h"
#include "engine/base/status_macros.h"
#include "engine/engine.h"
#include "engine/program/excerpt.h"
#include "engine/program/parse.h"
#include "engine/run/compile.h"
#include "engine/run/execute.h"
#include "engine/run/profile.h"
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

void Engine::Compile(CompileRequest request, StopToken stop,
                     Done<CompileReply> done) {
  absl::StatusOr<Parsed> parsed = Parse(std::move(request.program));
  if (!parsed.ok()) return done(parsed.status());
  // Nothing is written; what would be is only looked at.
  AccessSet access = AccessOf(parsed->program, request.bindings);
  std::move(access.writes.begin(), access.writes.end(),
            std::back_inserter(access.reads));
  access.writes.clear();
  scheduler_->Submit(
      std::move(access),
      [this, parsed = *std::move(parsed),
       bindings = std::move(request.bindings), stop = std::move(stop),
       done = std::move(done)](const Scheduler::Pinned& pinned) {
        absl::StatusOr<CompileReply> reply =
            CompileProgram(runtime(), parsed.program, bindings, stop, pinned);
        if (!reply.ok()) reply = WithExcerpt(reply.status(), parsed.text);
        done(std::move(reply));
      });
}

void Engine::Execute(ExecuteRequest request, StopToken stop,
                     Done<ExecuteReply> done) {
  Stopwatch queued(request.profile);
  absl::StatusOr<Parsed> parsed = Parse(std::move(request.program));
  if (!parsed.ok()) return done(parsed.status());
  AccessSet access = AccessOf(parsed->program, request.bindings);
  scheduler_->Submit(
      std::move(access),
      [this, parsed = *std::move(parsed),
       bindings = std::move(request.bindings), profiled = request.profile,
       queued, stop = std::move(stop),
       done = std::move(done)](const Scheduler::Pinned& pinned) mutable {
        const absl::Duration queue_time = queued.Lap();
        if (absl::Status status = stop.status(); !status.ok()) {
          return done(std::move(status));
        }
        absl::StatusOr<ExecuteReply> reply = ExecuteProgram(
            runtime(), parsed.program, bindings, stop, pinned, profiled);
        if (!reply.ok()) {
          reply = WithExcerpt(reply.status(), parsed.text);
        } else if (profiled) {
          reply->profile->queue_time = queue_time;
        }
        done(std::move(reply));
      });
}

}  // namespace layoutd
