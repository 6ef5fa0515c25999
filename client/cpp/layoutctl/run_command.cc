#include <memory>

#include "absl/strings/str_cat.h"
#include "client/cpp/error.h"
#include "client/cpp/json.h"
#include "client/cpp/layoutctl/commands.h"
#include "client/cpp/layoutctl/describe_cost.h"
#include "client/cpp/layoutctl/print.h"
#include "client/cpp/layoutctl/program_arguments.h"
#include "client/cpp/status_macros.h"
#include "client/cpp/value_type.h"

namespace layoutd::client {
namespace {

// Returns the type of a result whose bytes have its size.
absl::StatusOr<ValueType> TypeOf(const v1::ExecuteResponse::Result& result) {
  ASSIGN_OR_RETURN(ValueType type, ValueType::Parse(result.type().text()));
  if (static_cast<int64_t>(result.value().size()) != type.size_bytes) {
    return MakeError(absl::StatusCode::kDataLoss, "BAD_ANSWER",
                     absl::StrCat("result \"", result.name(), "\" of ",
                                  result.value().size(), " bytes for type ",
                                  type.ToString()));
  }
  return type;
}

absl::StatusOr<std::string> AnswerJson(const v1::ExecuteResponse& answer) {
  JsonWriter json;
  json.BeginObject();
  json.Key("reductions");
  json.BeginObject();
  for (const v1::ExecuteResponse::Result& result : answer.results()) {
    ASSIGN_OR_RETURN(const ValueType type, TypeOf(result));
    json.Key(result.name());
    json.Value(type, result.value().data());
  }
  json.EndObject();
  json.Key("fields");
  json.BeginObject();
  for (const v1::ExecuteResponse::WrittenField& field : answer.fields()) {
    json.Key(IdOf(field.name()));
    json.BeginObject();
    json.Key("revision");
    json.Integer(field.revision());
    json.Key("created");
    json.Bool(field.created());
    json.EndObject();
  }
  json.EndObject();
  json.Key("warnings");
  WriteWarningsJson(answer.warnings(), json);
  json.Key("profile");
  if (answer.has_profile()) {
    WriteProfileJson(answer.profile(), json);
  } else {
    json.Null();
  }
  json.EndObject();
  return json.text();
}

absl::Status PrintAnswer(const v1::ExecuteResponse& answer) {
  std::vector<std::vector<std::string>> rows;
  for (const v1::ExecuteResponse::Result& result : answer.results()) {
    ASSIGN_OR_RETURN(const ValueType type, TypeOf(result));
    rows.push_back({result.name(), ValueText(type, result.value().data())});
  }
  for (const v1::ExecuteResponse::WrittenField& field : answer.fields()) {
    rows.push_back({IdOf(field.name()),
                    absl::StrCat("revision ", field.revision(),
                                 field.created() ? " (created)" : "")});
  }
  PrintWarnings(answer.warnings());
  RETURN_IF_ERROR(PrintTable(rows));
  if (!answer.has_profile()) return absl::OkStatus();
  RETURN_IF_ERROR(PrintLine(""));
  return PrintTables(ProfileTables(answer.profile()));
}

}  // namespace

void AddRunCommand(CLI::App& app, Invocation& invocation) {
  CLI::App* run = app.add_subcommand("run", "Run a program");
  const std::shared_ptr<ProgramArguments> program = AddProgramArguments(*run);
  auto profile = std::make_shared<bool>(false);
  run->add_flag("--profile", *profile, "Say what each part of it took");
  run->callback([&invocation, program, profile] {
    invocation.command = [&invocation, program,
                          profile](Client& client) -> absl::Status {
      ASSIGN_OR_RETURN(const std::string text, ReadText(*program));
      ASSIGN_OR_RETURN(const v1::ExecuteResponse answer,
                       client.Execute(text, BindingsOf(*program), *profile));
      if (!invocation.json) return PrintAnswer(answer);
      ASSIGN_OR_RETURN(const std::string json, AnswerJson(answer));
      return PrintLine(json);
    };
  });
}

}  // namespace layoutd::client
