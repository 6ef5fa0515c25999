#include "server/decode.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "engine/base/error.h"
#include "engine/base/status_macros.h"
#include "server/check_known.h"
#include "server/decode_layout.h"
#include "server/decode_program.h"
#include "server/grpc_status.h"

namespace layoutd {
namespace {

// Longer ids do not exist; looking for the nearest one would be a waste.
constexpr size_t kMaxIdBytes = 255;

absl::StatusOr<std::string> DecodeName(absl::string_view name,
                                       absl::string_view collection,
                                       absl::string_view path) {
  absl::string_view id = name;
  if (absl::ConsumePrefix(&id, collection) && absl::ConsumePrefix(&id, "/") &&
      !id.empty() && id.size() <= kMaxIdBytes) {
    return std::string(id);
  }
  return InvalidArgument("BAD_NAME",
                         absl::StrCat("\"", name.substr(0, kMaxIdBytes),
                                      "\" is no name of the form \"",
                                      collection, "/{id}\""))
      .At(path);
}

Error MissingValue(absl::string_view path) {
  return InvalidArgument("MISSING_VALUE", absl::StrCat(path, " is not set"))
      .At(path);
}

absl::Status CheckAttributes(const v1::CreateFieldRequest& request) {
  size_t size_bytes = 0;
  for (const auto& [name, value] : request.attributes()) {
    if (name.empty()) {
      return InvalidArgument("BAD_ATTRIBUTES", "an attribute has no name")
          .At("attributes");
    }
    size_bytes += name.size() + value.size();
  }
  if (size_bytes > static_cast<size_t>(kMaxAttributeBytes)) {
    return InvalidArgument(
               "BAD_ATTRIBUTES",
               absl::StrCat("attributes of ", size_bytes,
                            " bytes are more than ", kMaxAttributeBytes))
        .At("attributes");
  }
  return absl::OkStatus();
}

absl::StatusOr<std::variant<std::string, Program>> DecodeProgram(
    const v1::Program& program) {
  RETURN_IF_ERROR(CheckKnown(program, "program"));
  switch (program.form_case()) {
    case v1::Program::kText:
      return program.text();
    case v1::Program::kGraph:
      return DecodeGraph(program.graph());
    case v1::Program::FORM_NOT_SET:
      break;
  }
  return InvalidArgument("BAD_GRAPH", "program has neither a text nor a graph")
      .At("program");
}

// Returns the path of the extent that is out of range, or of the shape.
std::string ExtentPath(const v1::Shape& shape) {
  if (shape.nv() < 0) return "layout.shape.nv";
  if (shape.ni() < 0) return "layout.shape.ni";
  if (shape.nj() < 0) return "layout.shape.nj";
  if (shape.nh() < 0) return "layout.shape.nh";
  return "layout.shape";
}

}  // namespace

absl::StatusOr<std::string> DecodeFieldName(absl::string_view name,
                                            absl::string_view path) {
  return DecodeName(name, "fields", path);
}

absl::StatusOr<std::string> DecodeMaskName(absl::string_view name,
                                           absl::string_view path) {
  return DecodeName(name, "masks", path);
}

absl::StatusOr<std::map<std::string, std::string>> DecodeBindings(
    const google::protobuf::Map<std::string, std::string>& bindings,
    absl::string_view path) {
  std::map<std::string, std::string> decoded;
  for (const auto& [name, field] : bindings) {
    ASSIGN_OR_RETURN(
        decoded[name],
        DecodeFieldName(field, absl::StrCat(path, "[\"", name, "\"]")));
  }
  return decoded;
}

absl::StatusOr<FieldSpec> DecodeFieldSpec(
    const v1::CreateFieldRequest& request) {
  FieldSpec spec;
  spec.id = request.field_id();
  if (!request.has_layout()) return MissingValue("layout");
  ASSIGN_OR_RETURN(spec.layout, DecodeLayout(request.layout()));
  RETURN_IF_ERROR(CheckAttributes(request));
  spec.attributes = {request.attributes().begin(), request.attributes().end()};
  return spec;
}

absl::Status LocateLayoutError(const absl::Status& status,
                               const v1::CreateFieldRequest& request) {
  const std::string extent = ExtentPath(request.layout().shape());
  return WithPathOfReason(status, {{"BAD_ID", "field_id"},
                                   {"FIELD_EXISTS", "field_id"},
                                   {"BAD_TYPE", "layout.type.text"},
                                   {"BAD_BASE_TYPE", "layout.base_type"},
                                   {"BAD_EXTENT", extent},
                                   {"BAD_SHAPE", "layout.shape"},
                                   {"BAD_HALO", "layout.halo"},
                                   {"BAD_ALIGNMENT", "layout.align_bytes"},
                                   {"SIZE_OVERFLOW", "layout.shape"},
                                   {"MEMORY_LIMIT", "layout.shape"}});
}

absl::StatusOr<int64_t> DecodePageSize(int32_t page_size) {
  if (page_size < 0) {
    return InvalidArgument("BAD_PAGE_SIZE",
                           absl::StrCat("page size ", page_size, " is below 0"))
        .At("page_size");
  }
  if (page_size == 0) return kMaxPageSize;
  return std::min<int64_t>(page_size, kMaxPageSize);
}

absl::StatusOr<CompileRequest> DecodeCompileRequest(
    const v1::CompileProgramRequest& request) {
  CompileRequest decoded;
  ASSIGN_OR_RETURN(decoded.program, DecodeProgram(request.program()));
  ASSIGN_OR_RETURN(decoded.bindings,
                   DecodeBindings(request.bindings(), "bindings"));
  return decoded;
}

absl::StatusOr<ExecuteRequest> DecodeExecuteRequest(
    const v1::ExecuteRequest& request) {
  ExecuteRequest decoded;
  ASSIGN_OR_RETURN(decoded.program, DecodeProgram(request.program()));
  ASSIGN_OR_RETURN(decoded.bindings,
                   DecodeBindings(request.bindings(), "bindings"));
  decoded.profile = request.profile();
  return decoded;
}

}  // namespace layoutd
