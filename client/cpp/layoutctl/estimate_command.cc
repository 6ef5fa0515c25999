#include <memory>

#include "client/cpp/layoutctl/commands.h"
#include "client/cpp/layoutctl/describe_cost.h"
#include "client/cpp/layoutctl/print.h"
#include "client/cpp/layoutctl/program_arguments.h"
#include "client/cpp/status_macros.h"

namespace layoutd::client {

void AddEstimateCommand(CLI::App& app, Invocation& invocation) {
  CLI::App* estimate = app.add_subcommand(
      "estimate", "Say what a program would do and cost, without running it");
  const std::shared_ptr<ProgramArguments> program =
      AddProgramArguments(*estimate);
  estimate->callback([&invocation, program] {
    invocation.command = [&invocation,
                          program](Client& client) -> absl::Status {
      ASSIGN_OR_RETURN(const std::string text, ReadText(*program));
      ASSIGN_OR_RETURN(const v1::CompileProgramResponse answer,
                       client.CompileProgram(text, BindingsOf(*program)));
      if (invocation.json) return PrintLine(EstimateJson(answer));
      PrintWarnings(answer.signature().warnings());
      return PrintTables(EstimateTables(answer));
    };
  });
}

}  // namespace layoutd::client
