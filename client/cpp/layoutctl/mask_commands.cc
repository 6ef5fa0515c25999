#include <memory>

#include "absl/strings/str_cat.h"
#include "client/cpp/json.h"
#include "client/cpp/layoutctl/argument.h"
#include "client/cpp/layoutctl/commands.h"
#include "client/cpp/layoutctl/describe.h"
#include "client/cpp/layoutctl/print.h"
#include "client/cpp/npy.h"
#include "client/cpp/status_macros.h"

namespace layoutd::client {
namespace {

// A mask from a file travels in one message.
constexpr int64_t kMaxColumns = 3'000'000;

struct SetOptions {
  std::string id;
  std::string where;
  std::string path;
  bool all = false;
  bool none = false;
};

absl::Status PrintMask(const v1::Mask& mask, bool json) {
  return json ? PrintLine(MaskJson(mask)) : PrintTable(MaskTable(mask));
}

// Reads the bytes of all columns, as many as the mask has.
absl::StatusOr<std::string> ReadColumns(Client& client,
                                        const SetOptions& options) {
  ASSIGN_OR_RETURN(std::unique_ptr<NpyReader> reader,
                   NpyReader::Open(options.path));
  ASSIGN_OR_RETURN(const v1::Mask mask, client.GetMask(options.id));
  RETURN_IF_ERROR(reader->ExpectColumns(ShapeOf(mask.shape())));
  if (reader->total_bytes() > kMaxColumns) {
    return MakeError(
        absl::StatusCode::kInvalidArgument, "MASK_TOO_LARGE",
        absl::StrCat("a mask of ", reader->total_bytes(),
                     " columns; --from sends at most ", kMaxColumns,
                     ": put a bool field and use --where"));
  }
  std::string columns(static_cast<size_t>(reader->total_bytes()), '\0');
  RETURN_IF_ERROR(reader->Read(absl::MakeSpan(columns)).status());
  return columns;
}

absl::StatusOr<v1::Mask> Set(Client& client, const SetOptions& options) {
  v1::SetMaskRequest request;
  request.set_name(MaskName(options.id));
  if (options.all || options.none) {
    request.set_all(options.all);
  } else if (!options.path.empty()) {
    ASSIGN_OR_RETURN(*request.mutable_columns(), ReadColumns(client, options));
  } else {
    request.mutable_where()->set_text(options.where);
  }
  return client.SetMask(request);
}

void AddCreate(CLI::App& mask, Invocation& invocation) {
  CLI::App* create =
      mask.add_subcommand("create", "Create a mask, every column active");
  auto id = std::make_shared<std::string>();
  auto like = std::make_shared<std::string>();
  create->add_option("ID", *id, "Id of the new mask")->required();
  create->add_option("--like", *like, "Field whose columns it has")->required();
  create->callback([&invocation, id, like] {
    invocation.command = [&invocation, id,
                          like](Client& client) -> absl::Status {
      ASSIGN_OR_RETURN(const v1::Mask created, client.CreateMask(*id, *like));
      return PrintMask(created, invocation.json);
    };
  });
}

void AddList(CLI::App& mask, Invocation& invocation) {
  mask.add_subcommand("list", "List all masks")->callback([&invocation] {
    invocation.command = [&invocation](Client& client) -> absl::Status {
      ASSIGN_OR_RETURN(const std::vector<v1::Mask> masks, client.ListMasks());
      if (!invocation.json) return PrintTable(MaskListTable(masks));
      JsonWriter json;
      json.BeginObject();
      json.Key("masks");
      json.BeginArray();
      for (const v1::Mask& each : masks) WriteMaskJson(each, json);
      json.EndArray();
      json.EndObject();
      return PrintLine(json.text());
    };
  });
}

void AddShow(CLI::App& mask, Invocation& invocation) {
  AddIdCommand(
      mask, invocation, "show", "Show one mask",
      [&invocation](Client& client, const std::string& id) -> absl::Status {
        ASSIGN_OR_RETURN(const v1::Mask shown, client.GetMask(id));
        return PrintMask(shown, invocation.json);
      });
}

void AddDelete(CLI::App& mask, Invocation& invocation) {
  AddIdCommand(
      mask, invocation, "delete", "Delete a mask",
      [&invocation](Client& client, const std::string& id) -> absl::Status {
        RETURN_IF_ERROR(client.DeleteMask(id));
        return PrintDeleted(id, invocation.json);
      });
}

void AddSet(CLI::App& mask, Invocation& invocation) {
  CLI::App* set = mask.add_subcommand("set", "Choose the active columns");
  auto options = std::make_shared<SetOptions>();
  set->add_option("ID", options->id, "Id of the mask")->required();
  CLI::App* source = set->add_option_group("columns");
  source
      ->add_option("--where", options->where,
                   "Bool expression of one level: isfinite(at(temp, 0))")
      ->check(CheckNotEmpty);
  source
      ->add_option("--from", options->path,
                   "A .npy file of bool or u1; - is standard input")
      ->check(CheckNotEmpty);
  source->add_flag("--all", options->all, "Every column");
  source->add_flag("--none", options->none, "No column");
  source->require_option(1);
  set->callback([&invocation, options] {
    invocation.command = [&invocation,
                          options](Client& client) -> absl::Status {
      ASSIGN_OR_RETURN(const v1::Mask changed, Set(client, *options));
      return PrintMask(changed, invocation.json);
    };
  });
}

}  // namespace

void AddMaskCommands(CLI::App& app, Invocation& invocation) {
  CLI::App* mask = app.add_subcommand("mask", "Work with masks of columns");
  mask->require_subcommand(1);
  AddCreate(*mask, invocation);
  AddList(*mask, invocation);
  AddShow(*mask, invocation);
  AddDelete(*mask, invocation);
  AddSet(*mask, invocation);
}

}  // namespace layoutd::client
