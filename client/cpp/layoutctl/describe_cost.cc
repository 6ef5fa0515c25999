#include "client/cpp/layoutctl/describe_cost.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cpp/client.h"
#include "client/cpp/layoutctl/describe.h"
#include "client/cpp/layoutctl/layout_options.h"
#include "client/cpp/npy.h"
#include "client/cpp/value_type.h"

namespace layoutd::client {
namespace {

double SecondsOf(const google::protobuf::Duration& duration) {
  return static_cast<double>(duration.seconds()) +
         static_cast<double>(duration.nanos()) * 1e-9;
}

std::string KindName(v1::Loop::Kind kind) {
  return absl::AsciiStrToLower(v1::Loop::Kind_Name(kind));
}

void WriteInteger(absl::string_view key, int64_t value, JsonWriter& json) {
  json.Key(key);
  json.Integer(value);
}

void WriteBool(absl::string_view key, bool value, JsonWriter& json) {
  json.Key(key);
  json.Bool(value);
}

void WriteString(absl::string_view key, absl::string_view value,
                 JsonWriter& json) {
  json.Key(key);
  json.String(value);
}

void WriteSeconds(absl::string_view key,
                  const google::protobuf::Duration& duration,
                  JsonWriter& json) {
  json.Key(key);
  json.Float(SecondsOf(duration));
}

// The members of a loop; the caller opens and closes the object.
void WriteLoopMembers(const v1::Loop& loop, JsonWriter& json) {
  WriteString("kind", KindName(loop.kind()), json);
  WriteString("scope", loop.scope(), json);
  WriteBool("masked", loop.masked(), json);
  WriteInteger("points", loop.points(), json);
  WriteInteger("operations", loop.operations(), json);
  WriteInteger("read_bytes", loop.read_bytes(), json);
  WriteInteger("written_bytes", loop.written_bytes(), json);
  WriteBool("cache_hit", loop.cache_hit(), json);
}

void WriteSignatureJson(const v1::Signature& signature, JsonWriter& json) {
  json.BeginObject();
  json.Key("fields");
  json.BeginObject();
  for (const v1::Signature::FieldUse& field : signature.fields()) {
    json.Key(IdOf(field.name()));
    json.BeginObject();
    WriteLayoutMembers(field.layout(), json);
    WriteBool("read", field.read(), json);
    WriteBool("written", field.written(), json);
    WriteBool("created", field.created(), json);
    json.EndObject();
  }
  json.EndObject();
  json.Key("masks");
  json.BeginObject();
  for (const v1::Signature::MaskUse& mask : signature.masks()) {
    const Shape shape = ShapeOf(mask.shape());
    json.Key(IdOf(mask.name()));
    json.BeginObject();
    WriteInteger("columns", shape[1] * shape[2] * shape[3], json);
    WriteInteger("active_columns", mask.active_columns(), json);
    json.EndObject();
  }
  json.EndObject();
  json.Key("reductions");
  json.BeginObject();
  for (const v1::Signature::Result& result : signature.results()) {
    json.Key(result.name());
    json.BeginObject();
    WriteString("type", result.type().text(), json);
    json.EndObject();
  }
  json.EndObject();
  json.Key("warnings");
  WriteWarningsJson(signature.warnings(), json);
  json.EndObject();
}

void WriteEstimateJson(const v1::Estimate& estimate, JsonWriter& json) {
  json.BeginObject();
  WriteInteger("kernels", estimate.loops_size(), json);
  json.Key("loops");
  json.BeginArray();
  for (const v1::Loop& loop : estimate.loops()) {
    json.BeginObject();
    WriteLoopMembers(loop, json);
    json.EndObject();
  }
  json.EndArray();
  WriteInteger("operations", estimate.operations(), json);
  WriteInteger("read_bytes", estimate.read_bytes(), json);
  WriteInteger("written_bytes", estimate.written_bytes(), json);
  WriteInteger("copied_bytes", estimate.copied_bytes(), json);
  WriteInteger("peak_scratch_bytes", estimate.peak_scratch_bytes(), json);
  WriteInteger("lasting_bytes", estimate.lasting_bytes(), json);
  WriteInteger("free_bytes", estimate.free_bytes(), json);
  WriteBool("fits", estimate.fits(), json);
  WriteBool("cache_hit", estimate.cache_hit(), json);
  json.EndObject();
}

std::string UseText(const v1::Signature::FieldUse& field) {
  if (field.created()) return "created";
  if (!field.written()) return "read";
  return field.read() ? "read, written" : "written";
}

Table SignatureTable(const v1::Signature& signature) {
  Table rows;
  for (const v1::Signature::FieldUse& field : signature.fields()) {
    const v1::Layout& layout = field.layout();
    rows.push_back({"field", IdOf(field.name()), layout.type().text(),
                    absl::StrCat(LayoutName(layout.kind()), " ",
                                 ShapeText(ShapeOf(layout.shape()))),
                    UseText(field)});
  }
  for (const v1::Signature::MaskUse& mask : signature.masks()) {
    const Shape shape = ShapeOf(mask.shape());
    rows.push_back({"mask", IdOf(mask.name()), "",
                    ShapeText(absl::MakeConstSpan(shape).subspan(1)),
                    absl::StrCat(mask.active_columns(), " active")});
  }
  for (const v1::Signature::Result& result : signature.results()) {
    rows.push_back({"result", result.name(), result.type().text()});
  }
  return rows;
}

std::vector<std::string> LoopCells(const v1::Loop& loop) {
  return {absl::StrCat(KindName(loop.kind()), loop.masked() ? ", masked" : ""),
          loop.scope(),
          absl::StrCat(loop.points()),
          absl::StrCat(loop.operations()),
          absl::StrCat(loop.read_bytes()),
          absl::StrCat(loop.written_bytes()),
          loop.cache_hit() ? "cached" : "new"};
}

std::string Milliseconds(const google::protobuf::Duration& duration) {
  return absl::StrFormat("%.3f", SecondsOf(duration) * 1e3);
}

// Gigabytes (10^9) a second.
std::string RateText(const v1::ExecutionProfile::LoopRun& run) {
  const double seconds = SecondsOf(run.run_time());
  if (seconds <= 0) return "-";
  const double bytes = static_cast<double>(run.loop().read_bytes()) +
                       static_cast<double>(run.loop().written_bytes());
  return absl::StrFormat("%.2f", bytes / seconds * 1e-9);
}

}  // namespace

void WriteWarningsJson(const Warnings& warnings, JsonWriter& json) {
  json.BeginArray();
  for (const v1::ExecuteResponse::Warning& warning : warnings) {
    json.BeginObject();
    WriteString("code", warning.code(), json);
    WriteString("message", warning.message(), json);
    json.EndObject();
  }
  json.EndArray();
}

std::string EstimateJson(const v1::CompileProgramResponse& answer) {
  JsonWriter json;
  json.BeginObject();
  json.Key("signature");
  WriteSignatureJson(answer.signature(), json);
  json.Key("estimate");
  WriteEstimateJson(answer.estimate(), json);
  json.EndObject();
  return json.text();
}

void WriteProfileJson(const v1::ExecutionProfile& profile, JsonWriter& json) {
  json.BeginObject();
  json.Key("loops");
  json.BeginArray();
  for (const v1::ExecutionProfile::LoopRun& run : profile.loops()) {
    json.BeginObject();
    WriteLoopMembers(run.loop(), json);
    WriteSeconds("compile_seconds", run.compile_time(), json);
    WriteSeconds("run_seconds", run.run_time(), json);
    WriteInteger("num_threads", run.num_threads(), json);
    json.EndObject();
  }
  json.EndArray();
  WriteSeconds("queue_seconds", profile.queue_time(), json);
  WriteSeconds("plan_seconds", profile.plan_time(), json);
  WriteSeconds("compile_seconds", profile.compile_time(), json);
  WriteSeconds("run_seconds", profile.run_time(), json);
  WriteSeconds("publish_seconds", profile.publish_time(), json);
  WriteInteger("peak_scratch_bytes", profile.peak_scratch_bytes(), json);
  WriteInteger("moved_bytes", profile.moved_bytes(), json);
  json.EndObject();
}

std::vector<Table> EstimateTables(const v1::CompileProgramResponse& answer) {
  std::vector<Table> tables;
  const v1::Estimate& estimate = answer.estimate();
  if (Table signature = SignatureTable(answer.signature());
      !signature.empty()) {
    tables.push_back(std::move(signature));
  }
  if (estimate.loops_size() > 0) {
    Table& loops = tables.emplace_back();
    loops.push_back(
        {"LOOP", "SCOPE", "POINTS", "OPERATIONS", "READ", "WRITTEN", "KERNEL"});
    for (const v1::Loop& loop : estimate.loops()) {
      loops.push_back(LoopCells(loop));
    }
  }
  tables.push_back(
      {{"kernels", absl::StrCat(estimate.loops_size())},
       {"operations", absl::StrCat(estimate.operations())},
       {"read", absl::StrCat(estimate.read_bytes(), " bytes")},
       {"written", absl::StrCat(estimate.written_bytes(), " bytes")},
       {"copied", absl::StrCat(estimate.copied_bytes(), " bytes")},
       {"peak scratch",
        absl::StrCat(estimate.peak_scratch_bytes(), " bytes, ",
                     estimate.fits() ? "fits" : "does not fit", " into the ",
                     estimate.free_bytes(), " that are free")},
       {"lasting", absl::StrCat(estimate.lasting_bytes(), " bytes")}});
  return tables;
}

std::vector<Table> ProfileTables(const v1::ExecutionProfile& profile) {
  std::vector<Table> tables;
  if (profile.loops_size() > 0) {
    Table& loops = tables.emplace_back();
    loops.push_back({"LOOP", "SCOPE", "POINTS", "OPERATIONS", "READ", "WRITTEN",
                     "KERNEL", "COMPILE ms", "RUN ms", "GB/s", "THREADS"});
    for (const v1::ExecutionProfile::LoopRun& run : profile.loops()) {
      std::vector<std::string> row = LoopCells(run.loop());
      row.push_back(Milliseconds(run.compile_time()));
      row.push_back(Milliseconds(run.run_time()));
      row.push_back(RateText(run));
      row.push_back(absl::StrCat(run.num_threads()));
      loops.push_back(std::move(row));
    }
  }
  const auto time = [](const google::protobuf::Duration& duration) {
    return absl::StrCat(Milliseconds(duration), " ms");
  };
  tables.push_back(
      {{"queue", time(profile.queue_time())},
       {"plan", time(profile.plan_time())},
       {"compile", time(profile.compile_time())},
       {"run", time(profile.run_time())},
       {"publish", time(profile.publish_time())},
       {"peak scratch", absl::StrCat(profile.peak_scratch_bytes(), " bytes")},
       {"moved", absl::StrCat(profile.moved_bytes(), " bytes")}});
  return tables;
}

}  // namespace layoutd::client
