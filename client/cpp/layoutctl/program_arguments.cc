#include "client/cpp/layoutctl/program_arguments.h"

#include "absl/types/span.h"
#include "client/cpp/file.h"
#include "client/cpp/layoutctl/argument.h"
#include "client/cpp/status_macros.h"

namespace layoutd::client {
namespace {

// More than any program may have, so that the server's limit speaks.
constexpr int64_t kMaxTextBytes = int64_t{1} << 20;

}  // namespace

std::shared_ptr<ProgramArguments> AddProgramArguments(CLI::App& command) {
  auto program = std::make_shared<ProgramArguments>();
  CLI::App* source = command.add_option_group("program");
  source->add_option("TEXT", program->text, "The program; - is standard input")
      ->check(CheckNotEmpty);
  source->add_option("-f,--file", program->path, "A file with the program")
      ->check(CheckNotEmpty);
  source->require_option(1);
  command
      .add_option("--bind", program->bindings,
                  "NAME=FIELD: what a name in the program stands for")
      ->allow_extra_args(false)
      ->check([](const std::string& text) {
        return text.find('=') == std::string::npos ? "expected NAME=FIELD" : "";
      });
  return program;
}

absl::StatusOr<std::string> ReadText(const ProgramArguments& program) {
  const std::string& path = program.text == "-" ? program.text : program.path;
  if (path.empty()) return program.text;
  ASSIGN_OR_RETURN(std::unique_ptr<InputFile> file, InputFile::Open(path));
  std::string text(kMaxTextBytes, '\0');
  ASSIGN_OR_RETURN(const int64_t count, file->Read(absl::MakeSpan(text)));
  text.resize(static_cast<size_t>(count));
  return text;
}

Bindings BindingsOf(const ProgramArguments& program) {
  Bindings bindings;
  for (const std::string& binding : program.bindings) {
    const size_t equals = binding.find('=');
    bindings[binding.substr(0, equals)] = binding.substr(equals + 1);
  }
  return bindings;
}

}  // namespace layoutd::client
