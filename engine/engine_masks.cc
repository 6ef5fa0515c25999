// The masks of the Engine.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/access.h"
#include "engine/base/status_macros.h"
#include "engine/engine.h"
#include "engine/program/excerpt.h"
#include "engine/program/parse.h"
#include "engine/run/execute.h"
#include "engine/run/scheduler.h"

namespace layoutd {
namespace {

absl::StatusOr<MaskInfo> SetWhere(
    const Runtime& runtime, absl::string_view id, Program predicate,
    const std::map<std::string, std::string>& bindings, const StopToken& stop,
    const Scheduler::Pinned& pinned) {
  RETURN_IF_ERROR(stop.status());
  ASSIGN_OR_RETURN(const MaskInfo mask, runtime.masks->Get(id));
  ASSIGN_OR_RETURN(const std::vector<uint8_t> active,
                   EvaluatePredicate(runtime, std::move(predicate), bindings,
                                     mask.shape, stop, pinned));
  return runtime.masks->Set(id, active);
}

}  // namespace

absl::StatusOr<MaskInfo> Engine::CreateMask(absl::string_view id,
                                            const Shape& shape) {
  return masks_->Create(id, shape);
}

absl::StatusOr<MaskInfo> Engine::GetMask(absl::string_view id) const {
  return masks_->Get(id);
}

std::vector<MaskInfo> Engine::ListMasks(absl::string_view after,
                                        int64_t limit) const {
  return masks_->List(after, limit);
}

void Engine::DeleteMask(std::string id, std::string etag, DoneStatus done) {
  AccessSet access{.reads = {}, .writes = {MaskResource(id)}};
  scheduler_->Submit(std::move(access),
                     [this, id = std::move(id), etag = std::move(etag),
                      done = std::move(done)](const Scheduler::Pinned&) {
                       done(masks_->Delete(id, etag));
                     });
}

void Engine::SetMask(std::string id, std::vector<uint8_t> active,
                     Done<MaskInfo> done) {
  AccessSet access{.reads = {}, .writes = {MaskResource(id)}};
  scheduler_->Submit(std::move(access),
                     [this, id = std::move(id), active = std::move(active),
                      done = std::move(done)](const Scheduler::Pinned&) {
                       done(masks_->Set(id, active));
                     });
}

void Engine::SetMaskWhere(std::string id, std::string text,
                          std::map<std::string, std::string> bindings,
                          StopToken stop, Done<MaskInfo> done) {
  absl::StatusOr<Program> predicate = ParseExpression(text);
  if (!predicate.ok()) return done(predicate.status());
  AccessSet access = AccessOf(*predicate, bindings);
  access.writes.push_back(MaskResource(id));
  scheduler_->Submit(std::move(access),
                     [this, id = std::move(id),
                      predicate = *std::move(predicate), text = std::move(text),
                      bindings = std::move(bindings), stop = std::move(stop),
                      done = std::move(done)](const Scheduler::Pinned& pinned) {
                       absl::StatusOr<MaskInfo> info = SetWhere(
                           runtime(), id, predicate, bindings, stop, pinned);
                       if (!info.ok()) info = WithExcerpt(info.status(), text);
                       done(std::move(info));
                     });
}

void Engine::GetMaskColumns(std::string id, Done<PinnedMask> done) {
  AccessSet access{.reads = {MaskResource(id)}, .writes = {}};
  scheduler_->Submit(std::move(access),
                     [this, id = std::move(id),
                      done = std::move(done)](const Scheduler::Pinned& pinned) {
                       absl::StatusOr<PinnedMask> mask = masks_->Pin(id);
                       pinned();
                       done(std::move(mask));
                     });
}

}  // namespace layoutd
