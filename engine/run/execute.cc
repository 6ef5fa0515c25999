#include "engine/run/execute.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include "engine/base/status_macros.h"
#include "engine/run/choose_writes.h"
#include "engine/run/inputs.h"
#include "engine/run/run_program.h"

namespace layoutd {
namespace {

// Returns the fields that `program` writes, in order of first write.
std::vector<int32_t> WriteOrder(const VerifiedProgram& program) {
  std::vector<int32_t> order;
  for (const StatementInfo& statement : program.statements) {
    for (const AssignmentInfo& assignment : statement.assignments) {
      if (assignment.field >= 0 &&
          std::count(order.begin(), order.end(), assignment.field) == 0) {
        order.push_back(assignment.field);
      }
    }
  }
  return order;
}

}  // namespace

absl::StatusOr<ExecuteReply> ExecuteProgram(
    const Runtime& runtime, const Program& program,
    const std::map<std::string, std::string>& bindings, const StopToken& stop,
    const std::function<void()>& pinned, bool profiled) {
  RETURN_IF_ERROR(stop.status());
  ExecuteReply reply;
  if (profiled) reply.profile.emplace();
  Profiler profiler(profiled ? &*reply.profile : nullptr);
  ASSIGN_OR_RETURN(
      const Inputs inputs,
      GatherInputs(*runtime.fields, *runtime.masks, program, bindings));
  ASSIGN_OR_RETURN(const std::shared_ptr<const PlannedProgram> planned,
                   runtime.plans->Get(program, inputs.catalog));
  const VerifiedProgram& verified = planned->program();
  ASSIGN_OR_RETURN(const std::unique_ptr<FinishedRun> run,
                   RunProgram(runtime, inputs,
                              ChooseWrites(*runtime.fields, inputs, *planned),
                              stop, pinned, profiler));
  ASSIGN_OR_RETURN(std::vector<PrivateBuffer> contents,
                   run->memory->TakeContents());
  ASSIGN_OR_RETURN(
      const std::vector<int64_t> revisions,
      runtime.fields->Publish(std::move(contents), run->memory->TakeCreated()));
  profiler.End(&ExecutionProfile::publish_time);

  for (size_t r = 0; r < verified.results.size(); ++r) {
    reply.results.push_back(
        {verified.results[r].name, verified.results[r].type, run->results[r]});
  }
  // Publish answers in order of fields, existing ones first.
  std::map<int32_t, int64_t> revision_of;
  size_t next = 0;
  for (const bool created : {false, true}) {
    for (size_t f = 0; f < verified.fields.size(); ++f) {
      if (planned->plan().final_buffers[f] >= 0 &&
          verified.fields[f].created == created) {
        revision_of[static_cast<int32_t>(f)] = revisions[next++];
      }
    }
  }
  for (int32_t field : WriteOrder(verified)) {
    const FieldUse& use = verified.fields[static_cast<size_t>(field)];
    reply.fields.push_back({use.id, revision_of[field], use.created});
  }
  reply.warnings = verified.warnings;
  return reply;
}

}  // namespace layoutd
