// The fields of the Engine.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/access.h"
#include "engine/base/status_macros.h"
#include "engine/engine.h"
#include "engine/run/fill.h"
#include "engine/run/scheduler.h"

namespace layoutd {
namespace {

absl::StatusOr<FieldInfo> PublishUpload(FieldStore* store, Upload* upload) {
  ASSIGN_OR_RETURN(PrivateBuffer content, upload->Finish());
  std::vector<PrivateBuffer> contents;
  contents.push_back(std::move(content));
  RETURN_IF_ERROR(store->Publish(std::move(contents), {}).status());
  return store->Get(upload->id());
}

}  // namespace

absl::StatusOr<FieldInfo> Engine::CreateField(const FieldSpec& spec,
                                              bool validate_only) {
  ASSIGN_OR_RETURN(const DataLayout layout, DataLayout::Create(spec.layout));
  return fields_->Create(spec.id, layout, spec.attributes, validate_only);
}

absl::StatusOr<FieldInfo> Engine::GetField(absl::string_view id) const {
  return fields_->Get(id);
}

std::vector<FieldInfo> Engine::ListFields(absl::string_view after,
                                          int64_t limit) const {
  return fields_->List(after, limit);
}

void Engine::DeleteField(std::string id, std::string etag, DoneStatus done) {
  AccessSet access{.reads = {}, .writes = {FieldResource(id)}};
  scheduler_->Submit(std::move(access),
                     [this, id = std::move(id), etag = std::move(etag),
                      done = std::move(done)](const Scheduler::Pinned&) {
                       done(fields_->Delete(id, etag));
                     });
}

void Engine::FillField(std::string id, std::string component, std::string value,
                       StopToken stop, Done<FieldInfo> done) {
  AccessSet access{.reads = {}, .writes = {FieldResource(id)}};
  scheduler_->Submit(
      std::move(access),
      [this, id = std::move(id), component = std::move(component),
       value = std::move(value), stop = std::move(stop),
       done = std::move(done)](const Scheduler::Pinned&) {
        done(layoutd::FillField(device_.get(), fields_.get(), id, component,
                                value, stop));
      });
}

absl::StatusOr<std::unique_ptr<Upload>> Engine::OpenUpload(
    absl::string_view id) {
  return Upload::Open(fields_.get(), id);
}

void Engine::CommitUpload(std::unique_ptr<Upload> upload,
                          Done<FieldInfo> done) {
  AccessSet access{.reads = {}, .writes = {FieldResource(upload->id())}};
  // Shared only because an operation must be copyable.
  std::shared_ptr<Upload> shared = std::move(upload);
  scheduler_->Submit(std::move(access),
                     [this, shared = std::move(shared),
                      done = std::move(done)](const Scheduler::Pinned&) {
                       done(PublishUpload(fields_.get(), shared.get()));
                     });
}

void Engine::OpenDownload(std::string id, std::string component,
                          Done<std::shared_ptr<Download>> done) {
  AccessSet access{.reads = {FieldResource(id)}, .writes = {}};
  scheduler_->Submit(
      std::move(access),
      [this, id = std::move(id), component = std::move(component),
       done = std::move(done)](const Scheduler::Pinned& pinned) {
        absl::StatusOr<PinnedField> field =
            fields_->Pin(id, /*materialise=*/false);
        pinned();
        if (!field.ok()) return done(field.status());
        absl::StatusOr<std::unique_ptr<Download>> download =
            Download::Open(*std::move(field), component);
        if (!download.ok()) return done(download.status());
        done(std::shared_ptr<Download>(*std::move(download)));
      });
}

}  // namespace layoutd
