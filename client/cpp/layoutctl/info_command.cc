#include "absl/strings/str_cat.h"
#include "client/cpp/json.h"
#include "client/cpp/layoutctl/commands.h"
#include "client/cpp/layoutctl/print.h"
#include "client/cpp/status_macros.h"

namespace layoutd::client {
namespace {

std::string InfoJson(const v1::ServerInfo& info) {
  JsonWriter json;
  const auto integer = [&json](absl::string_view key, int64_t value) {
    json.Key(key);
    json.Integer(value);
  };
  const auto string = [&json](absl::string_view key, absl::string_view value) {
    json.Key(key);
    json.String(value);
  };
  json.BeginObject();
  string("version", info.version());
  string("instance_id", info.instance_id());
  string("device", info.device());
  string("cpu", info.cpu());
  integer("vector_bits", info.vector_bits());
  integer("num_threads", info.num_threads());
  integer("memory_limit_bytes", info.memory_limit_bytes());
  integer("memory_used_bytes", info.memory_used_bytes());
  integer("num_fields", info.num_fields());
  integer("num_kernels", info.num_kernels());
  const v1::ServerInfo::Limits& limits = info.limits();
  json.Key("limits");
  json.BeginObject();
  integer("max_program_bytes", limits.max_program_bytes());
  integer("max_program_nodes", limits.max_program_nodes());
  integer("max_program_inputs", limits.max_program_inputs());
  integer("max_program_stores", limits.max_program_stores());
  integer("max_program_reductions", limits.max_program_reductions());
  integer("max_offset", limits.max_offset());
  integer("chunk_bytes", limits.chunk_bytes());
  integer("max_message_bytes", limits.max_message_bytes());
  integer("max_page_size", limits.max_page_size());
  json.EndObject();
  json.EndObject();
  return json.text();
}

std::vector<std::vector<std::string>> InfoTable(const v1::ServerInfo& info) {
  const v1::ServerInfo::Limits& limits = info.limits();
  return {{"version", info.version()},
          {"instance", info.instance_id()},
          {"device", info.device()},
          {"cpu", info.cpu()},
          {"vector bits", absl::StrCat(info.vector_bits())},
          {"threads", absl::StrCat(info.num_threads())},
          {"memory limit", absl::StrCat(info.memory_limit_bytes(), " bytes")},
          {"memory used", absl::StrCat(info.memory_used_bytes(), " bytes")},
          {"fields", absl::StrCat(info.num_fields())},
          {"kernels", absl::StrCat(info.num_kernels())},
          {"max program", absl::StrCat(limits.max_program_bytes(), " bytes")},
          {"max nodes", absl::StrCat(limits.max_program_nodes())},
          {"max inputs", absl::StrCat(limits.max_program_inputs())},
          {"max stores", absl::StrCat(limits.max_program_stores())},
          {"max reductions", absl::StrCat(limits.max_program_reductions())},
          {"max offset", absl::StrCat(limits.max_offset())},
          {"chunk", absl::StrCat(limits.chunk_bytes(), " bytes")},
          {"max message", absl::StrCat(limits.max_message_bytes(), " bytes")},
          {"max page", absl::StrCat(limits.max_page_size())}};
}

}  // namespace

void AddInfoCommand(CLI::App& app, Invocation& invocation) {
  app.add_subcommand("info", "Show the server")->callback([&invocation] {
    invocation.command = [&invocation](Client& client) -> absl::Status {
      ASSIGN_OR_RETURN(const v1::ServerInfo info, client.GetServerInfo());
      return invocation.json ? PrintLine(InfoJson(info))
                             : PrintTable(InfoTable(info));
    };
  });
}

}  // namespace layoutd::client
