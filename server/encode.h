#ifndef LAYOUTD_SERVER_ENCODE_H_
#define LAYOUTD_SERVER_ENCODE_H_

// Engine values to answers, once and only here.

#include <vector>

#include "engine/engine.h"
#include "google/protobuf/repeated_field.h"
#include "layoutd/v1/compute.pb.h"
#include "layoutd/v1/field.pb.h"
#include "layoutd/v1/layout.pb.h"
#include "layoutd/v1/mask.pb.h"
#include "layoutd/v1/server.pb.h"

namespace layoutd {

// Of the data in one message of ReadField: measured best over TCP and unix
// sockets (1 to 2 MiB; 64 KiB is half as fast).
inline constexpr int64_t kChunkBytes = int64_t{1} << 20;
// Of one request message.
inline constexpr int kMaxMessageBytes = 16 << 20;

// Each overwrites all of `*encoded`.
void EncodeField(const FieldInfo& info, v1::Field* encoded);
void EncodeMask(const MaskInfo& info, v1::Mask* encoded);
void EncodeWarnings(
    const std::vector<Warning>& warnings,
    google::protobuf::RepeatedPtrField<v1::ExecuteResponse::Warning>* encoded);
void EncodeReply(const ExecuteReply& reply, v1::ExecuteResponse* encoded);
void EncodeInfo(const EngineInfo& info, v1::ServerInfo* encoded);

}  // namespace layoutd

#endif  // LAYOUTD_SERVER_ENCODE_H_
