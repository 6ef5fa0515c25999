#include <cstdio>
#include <memory>

#include "absl/strings/str_cat.h"
#include "client/cpp/error.h"
#include "client/cpp/file.h"
#include "client/cpp/json.h"
#include "client/cpp/layoutctl/argument.h"
#include "client/cpp/layoutctl/commands.h"
#include "client/cpp/layoutctl/print.h"
#include "client/cpp/status_macros.h"
#include "client/cpp/value_type.h"

namespace layoutd::client {
namespace {

// More than any program may have, so that the server's limit speaks.
constexpr int64_t kMaxTextBytes = int64_t{1} << 20;

struct RunOptions {
  std::string text;
  std::string path;
  std::vector<std::string> bindings;  // "name=FIELD"
};

absl::StatusOr<std::string> ReadText(const RunOptions& options) {
  if (options.path.empty()) return options.text;
  ASSIGN_OR_RETURN(std::unique_ptr<InputFile> file,
                   InputFile::Open(options.path));
  std::string text(kMaxTextBytes, '\0');
  ASSIGN_OR_RETURN(const int64_t count, file->Read(absl::MakeSpan(text)));
  text.resize(static_cast<size_t>(count));
  return text;
}

Bindings ReadBindings(const RunOptions& options) {
  Bindings bindings;
  for (const std::string& binding : options.bindings) {
    const size_t equals = binding.find('=');
    bindings[binding.substr(0, equals)] = binding.substr(equals + 1);
  }
  return bindings;
}

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
  json.BeginArray();
  for (const v1::ExecuteResponse::Warning& warning : answer.warnings()) {
    json.BeginObject();
    json.Key("code");
    json.String(warning.code());
    json.Key("message");
    json.String(warning.message());
    json.EndObject();
  }
  json.EndArray();
  json.Key("profile");
  json.Null();
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
  for (const v1::ExecuteResponse::Warning& warning : answer.warnings()) {
    const std::string line = absl::StrCat("warning: ", warning.code(), ": ",
                                          warning.message(), "\n");
    std::fputs(line.c_str(), stderr);
  }
  return PrintTable(rows);
}

}  // namespace

void AddRunCommand(CLI::App& app, Invocation& invocation) {
  CLI::App* run = app.add_subcommand("run", "Run a program");
  auto options = std::make_shared<RunOptions>();
  CLI::App* source = run->add_option_group("program");
  source->add_option("TEXT", options->text, "The program; - is standard input")
      ->check(CheckNotEmpty);
  source->add_option("-f,--file", options->path, "A file with the program")
      ->check(CheckNotEmpty);
  source->require_option(1);
  run->add_option("--bind", options->bindings,
                  "NAME=FIELD: what a name in the program stands for")
      ->allow_extra_args(false)
      ->check([](const std::string& text) {
        return text.find('=') == std::string::npos ? "expected NAME=FIELD" : "";
      });
  run->callback([&invocation, options] {
    if (options->text == "-") options->path = "-";
    invocation.command = [&invocation,
                          options](Client& client) -> absl::Status {
      ASSIGN_OR_RETURN(const std::string text, ReadText(*options));
      ASSIGN_OR_RETURN(const v1::ExecuteResponse answer,
                       client.Execute(text, ReadBindings(*options)));
      if (!invocation.json) return PrintAnswer(answer);
      ASSIGN_OR_RETURN(const std::string json, AnswerJson(answer));
      return PrintLine(json);
    };
  });
}

}  // namespace layoutd::client
