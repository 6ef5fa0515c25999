#ifndef LAYOUTD_SERVER_DECODE_H_
#define LAYOUTD_SERVER_DECODE_H_

// Requests to engine values, once and only here (programs sent as graphs: see
// decode_program.h). What is wrong by itself is refused with the path of the
// field that is wrong; what only the engine can know is left to it.

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "engine/engine.h"
#include "google/protobuf/map.h"
#include "layoutd/v1/compute.pb.h"
#include "layoutd/v1/field.pb.h"
#include "layoutd/v1/layout.pb.h"

namespace layoutd {

inline constexpr int64_t kMaxPageSize = 1000;
// Of the attributes of one field, names and values.
inline constexpr int64_t kMaxAttributeBytes = 64 * 1024;

// Returns the id in "fields/{id}" or "masks/{id}"; `path` is where it stands in
// the request.
// Errors: InvalidArgument (BAD_NAME).
absl::StatusOr<std::string> DecodeFieldName(absl::string_view name,
                                            absl::string_view path);
absl::StatusOr<std::string> DecodeMaskName(absl::string_view name,
                                           absl::string_view path);

// Returns name in the program -> field id.
// Errors: InvalidArgument (BAD_NAME).
absl::StatusOr<std::map<std::string, std::string>> DecodeBindings(
    const google::protobuf::Map<std::string, std::string>& bindings,
    absl::string_view path);

// Errors: InvalidArgument — MISSING_VALUE, BAD_ATTRIBUTES, and those of
// DecodeLayout.
absl::StatusOr<FieldSpec> DecodeFieldSpec(
    const v1::CreateFieldRequest& request);

// Returns `status` of Engine::CreateField with the path of the part of the
// request that it is about.
absl::Status LocateLayoutError(const absl::Status& status,
                               const v1::CreateFieldRequest& request);

// Returns how many entries to send, in [1, kMaxPageSize].
// Errors: InvalidArgument (BAD_PAGE_SIZE).
absl::StatusOr<int64_t> DecodePageSize(int32_t page_size);

// Errors of both: InvalidArgument — BAD_NAME, BAD_GRAPH, and those of
// DecodeGraph.
absl::StatusOr<CompileRequest> DecodeCompileRequest(
    const v1::CompileProgramRequest& request);
absl::StatusOr<ExecuteRequest> DecodeExecuteRequest(
    const v1::ExecuteRequest& request);

}  // namespace layoutd

#endif  // LAYOUTD_SERVER_DECODE_H_
