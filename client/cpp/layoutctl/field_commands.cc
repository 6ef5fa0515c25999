#include <memory>

#include "absl/strings/str_cat.h"
#include "client/cpp/json.h"
#include "client/cpp/layoutctl/argument.h"
#include "client/cpp/layoutctl/commands.h"
#include "client/cpp/layoutctl/describe.h"
#include "client/cpp/layoutctl/layout_options.h"
#include "client/cpp/layoutctl/print.h"
#include "client/cpp/status_macros.h"

namespace layoutd::client {
namespace {

struct CreateOptions {
  std::string id;
  LayoutOptions layout;
  std::vector<std::string> attributes;
};

v1::CreateFieldRequest CreateRequest(const CreateOptions& options) {
  v1::CreateFieldRequest request;
  request.set_field_id(options.id);
  *request.mutable_layout() = LayoutOf(options.layout);
  for (const std::string& attribute : options.attributes) {
    const size_t equals = attribute.find('=');
    (*request.mutable_attributes())[attribute.substr(0, equals)] =
        attribute.substr(equals + 1);
  }
  return request;
}

void AddCreate(CLI::App& field, Invocation& invocation) {
  CLI::App* create = field.add_subcommand("create", "Create a field of zeros");
  auto options = std::make_shared<CreateOptions>();
  create->add_option("ID", options->id, "Id of the new field")->required();
  AddLayoutOptions(*create, options->layout);
  create->add_option("--attr", options->attributes, "Attribute NAME=VALUE")
      ->allow_extra_args(false)
      ->check([](const std::string& text) {
        return text.find('=') == std::string::npos ? "expected NAME=VALUE" : "";
      });
  create->callback([&invocation, options] {
    invocation.command = [&invocation,
                          options](Client& client) -> absl::Status {
      ASSIGN_OR_RETURN(const v1::Field created,
                       client.CreateField(CreateRequest(*options)));
      return invocation.json ? PrintLine(FieldJson(created))
                             : PrintTable(FieldTable(created));
    };
  });
}

void AddList(CLI::App& field, Invocation& invocation) {
  field.add_subcommand("list", "List all fields")->callback([&invocation] {
    invocation.command = [&invocation](Client& client) -> absl::Status {
      ASSIGN_OR_RETURN(const std::vector<v1::Field> fields,
                       client.ListFields());
      if (!invocation.json) return PrintTable(FieldListTable(fields));
      JsonWriter json;
      json.BeginObject();
      json.Key("fields");
      json.BeginArray();
      for (const v1::Field& each : fields) WriteFieldJson(each, json);
      json.EndArray();
      json.EndObject();
      return PrintLine(json.text());
    };
  });
}

void AddShow(CLI::App& field, Invocation& invocation) {
  AddIdCommand(
      field, invocation, "show", "Show one field",
      [&invocation](Client& client, const std::string& id) -> absl::Status {
        ASSIGN_OR_RETURN(const v1::Field shown, client.GetField(id));
        return invocation.json ? PrintLine(FieldJson(shown))
                               : PrintTable(FieldTable(shown));
      });
}

void AddDelete(CLI::App& field, Invocation& invocation) {
  AddIdCommand(
      field, invocation, "delete", "Delete a field",
      [&invocation](Client& client, const std::string& id) -> absl::Status {
        RETURN_IF_ERROR(client.DeleteField(id));
        return PrintDeleted(id, invocation.json);
      });
}

void AddFill(CLI::App& field, Invocation& invocation) {
  CLI::App* fill = field.add_subcommand(
      "fill", "Set every scalar of a field or component to one value");
  auto id = std::make_shared<std::string>();
  auto value = std::make_shared<std::string>();
  fill->add_option("ID", *id, "Field or component: temp, wind.u.2")
      ->required()
      ->check(CheckFieldReference);
  fill->add_option("VALUE", *value, "Literal: 0, -1.5e3, true, nan, -inf")
      ->required()
      ->check(CheckNotEmpty);
  fill->callback([&invocation, id, value] {
    invocation.command = [&invocation, id,
                          value](Client& client) -> absl::Status {
      const FieldReference reference = ParseFieldReference(*id);
      ASSIGN_OR_RETURN(
          const v1::Field filled,
          client.FillField(reference.id, reference.component, *value));
      return invocation.json
                 ? PrintLine(FieldJson(filled))
                 : PrintLine(absl::StrCat(reference.id, " revision ",
                                          filled.revision()));
    };
  });
}

}  // namespace

void AddFieldCommands(CLI::App& app, Invocation& invocation) {
  CLI::App* field = app.add_subcommand("field", "Work with fields");
  field->require_subcommand(1);
  AddCreate(*field, invocation);
  AddList(*field, invocation);
  AddShow(*field, invocation);
  AddDelete(*field, invocation);
  AddFill(*field, invocation);
  AddTransferCommands(*field, invocation);
}

}  // namespace layoutd::client
