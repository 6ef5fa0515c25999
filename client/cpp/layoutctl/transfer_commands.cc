#include <memory>
#include <optional>

#include "absl/strings/str_cat.h"
#include "client/cpp/layoutctl/argument.h"
#include "client/cpp/layoutctl/commands.h"
#include "client/cpp/layoutctl/describe.h"
#include "client/cpp/layoutctl/print.h"
#include "client/cpp/layoutctl/progress.h"
#include "client/cpp/npy.h"
#include "client/cpp/status_macros.h"

namespace layoutd::client {
namespace {

struct PutOptions {
  std::string id;
  std::string path;
  bool cast = false;
};

struct GetOptions {
  std::string id;
  std::string path;
  NpyWriter::Options npy;
};

absl::StatusOr<v1::Field> Put(Client& client, const PutOptions& options) {
  ASSIGN_OR_RETURN(std::unique_ptr<NpyReader> reader,
                   NpyReader::Open(options.path));
  ASSIGN_OR_RETURN(const v1::Field field, client.GetField(options.id));
  const v1::Layout& layout = field.layout();
  ASSIGN_OR_RETURN(const ValueType type,
                   ValueType::Parse(layout.type().text()));
  RETURN_IF_ERROR(reader->Expect(ShapeOf(layout.shape()), type, options.cast));
  v1::WriteFieldRequest::Header header;
  header.set_name(field.name());
  // The field may have been replaced since: the server checks once more.
  *header.mutable_shape() = layout.shape();
  *header.mutable_type() = layout.type();
  Progress progress(absl::StrCat("put ", options.id));
  progress.set_total_bytes(reader->total_bytes());
  return client.WriteField(
      header, [&](absl::Span<char> buffer) -> absl::StatusOr<int64_t> {
        ASSIGN_OR_RETURN(const int64_t count, reader->Read(buffer));
        progress.Add(count);
        return count;
      });
}

absl::StatusOr<v1::Field> Get(Client& client, const GetOptions& options) {
  const FieldReference reference = ParseFieldReference(options.id);
  Progress progress(absl::StrCat("get ", options.id));
  std::unique_ptr<NpyWriter> writer;
  v1::Field field;
  FieldSink sink;
  sink.on_header =
      [&](const v1::ReadFieldResponse::Header& header) -> absl::Status {
    field = header.field();
    progress.set_total_bytes(header.total_bytes());
    ASSIGN_OR_RETURN(const ValueType type,
                     ValueType::Parse(header.type().text()));
    ASSIGN_OR_RETURN(
        writer, NpyWriter::Create(options.path, ShapeOf(field.layout().shape()),
                                  type, options.npy));
    return absl::OkStatus();
  };
  sink.on_data = [&](absl::string_view data) {
    progress.Add(static_cast<int64_t>(data.size()));
    return writer->Append(data);
  };
  RETURN_IF_ERROR(client.ReadField(reference.id, reference.component, sink));
  RETURN_IF_ERROR(writer->Commit());
  return field;
}

void AddPut(CLI::App& field, Invocation& invocation) {
  CLI::App* put = field.add_subcommand("put", "Write a field from a .npy file");
  auto options = std::make_shared<PutOptions>();
  put->add_option("ID", options->id, "Id of the field")
      ->required()
      ->check([](const std::string& text) {
        return text.find('.') == std::string::npos
                   ? ""
                   : "put writes whole fields, not components";
      });
  put->add_option("FILE", options->path, "A .npy file; - is standard input")
      ->required()
      ->check(CheckNotEmpty);
  put->add_flag("--cast", options->cast, "Convert numbers to the field's type");
  put->callback([&invocation, options] {
    invocation.command = [&invocation,
                          options](Client& client) -> absl::Status {
      ASSIGN_OR_RETURN(const v1::Field written, Put(client, *options));
      return invocation.json ? PrintLine(FieldJson(written))
                             : PrintLine(absl::StrCat(options->id, " revision ",
                                                      written.revision()));
    };
  });
}

void AddGet(CLI::App& field, Invocation& invocation) {
  CLI::App* get = field.add_subcommand("get", "Read a field to a .npy file");
  auto options = std::make_shared<GetOptions>();
  get->add_option("ID", options->id, "Field or component: temp, wind.u.2")
      ->required()
      ->check(CheckFieldReference);
  get->add_option("FILE", options->path, "A .npy file; - is standard output")
      ->required()
      ->check(CheckNotEmpty);
  get->add_flag("--squeeze", options->npy.squeeze, "Drop axes of extent 1");
  get->add_flag("--flat", options->npy.flat,
                "Give the scalars of a tuple a trailing axis");
  get->callback([&invocation, options] {
    const bool is_stdout = options->path == "-";
    if (is_stdout && invocation.json) {
      invocation.usage_error = "get to - and --json both need standard output";
      return;
    }
    invocation.command = [&invocation, options,
                          is_stdout](Client& client) -> absl::Status {
      ASSIGN_OR_RETURN(const v1::Field read, Get(client, *options));
      if (is_stdout) return absl::OkStatus();
      return invocation.json ? PrintLine(FieldJson(read))
                             : PrintLine(absl::StrCat(
                                   options->id, " revision ", read.revision(),
                                   " written to ", options->path));
    };
  });
}

}  // namespace

void AddTransferCommands(CLI::App& field, Invocation& invocation) {
  AddPut(field, invocation);
  AddGet(field, invocation);
}

}  // namespace layoutd::client
