#include <memory>

#include "absl/strings/str_cat.h"
#include "client/cpp/json.h"
#include "client/cpp/layoutctl/commands.h"
#include "client/cpp/layoutctl/print.h"

namespace layoutd::client {

void AddIdCommand(
    CLI::App& group, Invocation& invocation, const std::string& name,
    const std::string& description,
    std::function<absl::Status(Client&, const std::string& id)> run) {
  CLI::App* command = group.add_subcommand(name, description);
  auto id = std::make_shared<std::string>();
  command->add_option("ID", *id, "Id of the " + group.get_name())->required();
  command->callback([&invocation, id, run = std::move(run)] {
    invocation.command = [id, run](Client& client) { return run(client, *id); };
  });
}

absl::Status PrintDeleted(const std::string& id, bool json) {
  if (!json) return PrintLine(absl::StrCat(id, " deleted"));
  JsonWriter writer;
  writer.StringMap({{"deleted", id}});
  return PrintLine(writer.text());
}

}  // namespace layoutd::client
