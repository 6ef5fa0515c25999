#include "server/encode.h"

#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "server/decode.h"
#include "server/encode_cost.h"
#include "server/encode_layout.h"

namespace layoutd {
namespace {

// Returns the value in C ABI form; padding is zero.
std::string EncodeValue(const ExecuteReply::Result& result) {
  std::string bytes(static_cast<size_t>(result.type.size_bytes()), '\0');
  for (size_t k = 0; k < result.leaves.size(); ++k) {
    const Leaf& leaf = result.type.leaves()[k];
    std::memcpy(bytes.data() + leaf.offset_bytes, result.leaves[k].bytes,
                static_cast<size_t>(SizeBytes(leaf.type)));
  }
  return bytes;
}

}  // namespace

void EncodeField(const FieldInfo& info, v1::Field* encoded) {
  encoded->Clear();
  encoded->set_name(absl::StrCat("fields/", info.id));
  EncodeLayout(info.layout, encoded->mutable_layout());
  encoded->set_revision(info.revision);
  encoded->set_etag(info.etag);
  encoded->set_device(info.device);
  encoded->set_size_bytes(info.size_bytes());
  encoded->mutable_attributes()->insert(info.attributes.begin(),
                                        info.attributes.end());
  const timespec time = absl::ToTimespec(info.create_time);
  encoded->mutable_create_time()->set_seconds(time.tv_sec);
  encoded->mutable_create_time()->set_nanos(static_cast<int32_t>(time.tv_nsec));
}

void EncodeMask(const MaskInfo& info, v1::Mask* encoded) {
  encoded->set_name(absl::StrCat("masks/", info.id));
  EncodeShape(info.shape, encoded->mutable_shape());
  encoded->set_revision(info.revision);
  encoded->set_etag(info.etag);
  encoded->set_active_columns(info.active_columns);
}

void EncodeWarnings(
    const std::vector<Warning>& warnings,
    google::protobuf::RepeatedPtrField<v1::ExecuteResponse::Warning>* encoded) {
  encoded->Clear();
  for (const Warning& warning : warnings) {
    v1::ExecuteResponse::Warning* added = encoded->Add();
    added->set_code(warning.code);
    added->set_message(warning.message);
  }
}

void EncodeReply(const ExecuteReply& reply, v1::ExecuteResponse* encoded) {
  encoded->Clear();
  for (const ExecuteReply::Result& result : reply.results) {
    v1::ExecuteResponse::Result* added = encoded->add_results();
    added->set_name(result.name);
    added->mutable_type()->set_text(result.type.ToString());
    added->set_value(EncodeValue(result));
  }
  for (const ExecuteReply::WrittenField& field : reply.fields) {
    v1::ExecuteResponse::WrittenField* added = encoded->add_fields();
    added->set_name(absl::StrCat("fields/", field.id));
    added->set_revision(field.revision);
    added->set_created(field.created);
  }
  EncodeWarnings(reply.warnings, encoded->mutable_warnings());
  if (reply.profile.has_value()) {
    EncodeProfile(*reply.profile, encoded->mutable_profile());
  }
}

void EncodeInfo(const EngineInfo& info, v1::ServerInfo* encoded) {
  encoded->set_version(info.version);
  encoded->set_instance_id(info.instance_id);
  encoded->set_device(info.device);
  encoded->set_cpu(info.cpu);
  encoded->set_vector_bits(info.vector_bits);
  encoded->set_num_threads(info.num_threads);
  encoded->set_memory_limit_bytes(info.memory_limit_bytes);
  encoded->set_memory_used_bytes(info.memory_used_bytes);
  encoded->set_num_fields(info.num_fields);
  encoded->set_num_kernels(info.num_kernels);
  v1::ServerInfo::Limits* limits = encoded->mutable_limits();
  limits->set_max_program_bytes(info.limits.max_text_bytes);
  limits->set_max_program_nodes(info.limits.max_nodes);
  limits->set_max_program_inputs(info.limits.max_inputs);
  limits->set_max_program_stores(info.limits.max_stores);
  limits->set_max_program_reductions(info.limits.max_reductions);
  limits->set_max_offset(info.limits.max_offset);
  limits->set_chunk_bytes(kChunkBytes);
  limits->set_max_message_bytes(kMaxMessageBytes);
  limits->set_max_page_size(kMaxPageSize);
}

}  // namespace layoutd
