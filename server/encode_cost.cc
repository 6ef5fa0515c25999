#include "server/encode_cost.h"

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "google/protobuf/duration.pb.h"
#include "server/encode.h"
#include "server/encode_layout.h"

namespace layoutd {
namespace {

v1::Loop::Kind EncodeKind(LoopKind kind) {
  switch (kind) {
    case LoopKind::kPoints:
      return v1::Loop::POINTS;
    case LoopKind::kColumns:
      return v1::Loop::COLUMNS;
    case LoopKind::kReduction:
      return v1::Loop::REDUCTION;
  }
  return v1::Loop::KIND_UNSPECIFIED;
}

void EncodeWork(const LoopWork& work, bool cache_hit, v1::Loop* encoded) {
  encoded->set_kind(EncodeKind(work.kind));
  encoded->set_scope(work.scope);
  encoded->set_masked(work.masked);
  encoded->set_points(work.points);
  encoded->set_operations(work.operations);
  encoded->set_read_bytes(work.read_bytes);
  encoded->set_written_bytes(work.written_bytes);
  encoded->set_cache_hit(cache_hit);
}

void EncodeDuration(absl::Duration duration,
                    google::protobuf::Duration* encoded) {
  const timespec time = absl::ToTimespec(duration);
  encoded->set_seconds(time.tv_sec);
  encoded->set_nanos(static_cast<int32_t>(time.tv_nsec));
}

void EncodeSignature(const CompileReply& reply, v1::Signature* encoded) {
  for (const FieldUse& field : reply.fields) {
    v1::Signature::FieldUse* added = encoded->add_fields();
    added->set_name(absl::StrCat("fields/", field.id));
    EncodeLayout(field.layout, added->mutable_layout());
    added->set_read(field.read);
    added->set_written(field.written);
    added->set_created(field.created);
  }
  for (const MaskInfo& mask : reply.masks) {
    v1::Signature::MaskUse* added = encoded->add_masks();
    added->set_name(absl::StrCat("masks/", mask.id));
    EncodeShape(mask.shape, added->mutable_shape());
    added->set_active_columns(mask.active_columns);
  }
  for (const ResultUse& result : reply.results) {
    v1::Signature::Result* added = encoded->add_results();
    added->set_name(result.name);
    added->mutable_type()->set_text(result.type.ToString());
  }
  EncodeWarnings(reply.warnings, encoded->mutable_warnings());
}

void EncodeEstimate(const Estimate& estimate, v1::Estimate* encoded) {
  for (const Estimate::Loop& loop : estimate.loops) {
    EncodeWork(loop.work, loop.cache_hit, encoded->add_loops());
  }
  encoded->set_operations(estimate.operations);
  encoded->set_read_bytes(estimate.read_bytes);
  encoded->set_written_bytes(estimate.written_bytes);
  encoded->set_copied_bytes(estimate.copied_bytes);
  encoded->set_peak_scratch_bytes(estimate.peak_scratch_bytes);
  encoded->set_lasting_bytes(estimate.lasting_bytes);
  encoded->set_free_bytes(estimate.free_bytes);
  encoded->set_fits(estimate.fits());
  encoded->set_cache_hit(estimate.cache_hit());
}

}  // namespace

void EncodeCompileReply(const CompileReply& reply,
                        v1::CompileProgramResponse* encoded) {
  encoded->Clear();
  EncodeSignature(reply, encoded->mutable_signature());
  EncodeEstimate(reply.estimate, encoded->mutable_estimate());
}

void EncodeProfile(const ExecutionProfile& profile,
                   v1::ExecutionProfile* encoded) {
  encoded->Clear();
  for (const ExecutionProfile::Loop& loop : profile.loops) {
    v1::ExecutionProfile::LoopRun* added = encoded->add_loops();
    EncodeWork(loop.work, loop.cache_hit, added->mutable_loop());
    EncodeDuration(loop.compile_time, added->mutable_compile_time());
    EncodeDuration(loop.run_time, added->mutable_run_time());
    added->set_num_threads(loop.num_threads);
  }
  EncodeDuration(profile.queue_time, encoded->mutable_queue_time());
  EncodeDuration(profile.plan_time, encoded->mutable_plan_time());
  EncodeDuration(profile.compile_time, encoded->mutable_compile_time());
  EncodeDuration(profile.run_time, encoded->mutable_run_time());
  EncodeDuration(profile.publish_time, encoded->mutable_publish_time());
  encoded->set_peak_scratch_bytes(profile.peak_scratch_bytes);
  encoded->set_moved_bytes(profile.moved_bytes);
}

}  // namespace layoutd
