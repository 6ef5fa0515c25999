#include "engine/run/plan_cache.h"

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/hash/hash.h"
#include "engine/base/status_macros.h"

namespace layoutd {
namespace {

// What a result depends on, to be hashed. It need not tell everything apart:
// Get compares the rest.
struct Key {
  const Program& program;
  const Catalog& catalog;
};

template <typename H>
H AddAssignment(H h, const Assignment& assignment) {
  return H::combine(std::move(h), assignment.kind, assignment.target,
                    assignment.component, assignment.value);
}

template <typename H>
H AddMask(H h, const MaskExpression& mask) {
  for (const MaskTerm& term : mask) {
    h = H::combine(std::move(h), term.kind, term.name);
  }
  return h;
}

template <typename H>
H AddStatement(H h, const Statement& statement) {
  if (const auto* assignment = std::get_if<Assignment>(&statement)) {
    return AddAssignment(std::move(h), *assignment);
  }
  if (const auto* loop = std::get_if<Foreach>(&statement)) {
    h = H::combine(AddMask(std::move(h), loop->mask), loop->slice);
    for (const Assignment& assignment : loop->body) {
      h = AddAssignment(std::move(h), assignment);
    }
    return h;
  }
  const auto& reduce = std::get<Reduce>(statement);
  h = AddMask(std::move(h), reduce.mask);
  for (const Reduce::Result& result : reduce.results) {
    h = H::combine(std::move(h), result.name, result.value);
  }
  return h;
}

template <typename H>
H AbslHashValue(H h, const Key& key) {
  for (const Node& node : key.program.nodes) {
    h = H::combine(std::move(h), node.op, node.operands, node.name,
                   static_cast<uint64_t>(node.literal.integer),
                   node.literal.real, node.scalar_type, node.at.value);
  }
  for (const Statement& statement : key.program.statements) {
    h = AddStatement(std::move(h), statement);
  }
  for (const auto& [name, field] : key.catalog.fields) {
    h = H::combine(std::move(h), name, field.id, field.layout.kind(),
                   field.layout.shape().extents, field.layout.size_bytes());
  }
  for (const auto& [id, shape] : key.catalog.masks) {
    h = H::combine(std::move(h), id, shape.extents);
  }
  return h;
}

}  // namespace

absl::StatusOr<std::shared_ptr<const PlannedProgram>> PlanCache::Get(
    const Program& program, const Catalog& catalog) {
  const size_t hash = absl::Hash<Key>()({program, catalog});
  const std::shared_ptr<const Entry> found = Find(hash);
  if (found != nullptr &&
      Identical(found->planned->program().program, program) &&
      SameNames(found->catalog, catalog)) {
    return found->planned;
  }
  ASSIGN_OR_RETURN(VerifiedProgram verified, VerifyProgram(program, catalog));
  ASSIGN_OR_RETURN(std::shared_ptr<const PlannedProgram> planned,
                   PlannedProgram::Create(std::move(verified)));
  Catalog names;
  names.fields = catalog.fields;
  names.masks = catalog.masks;
  Keep(hash, std::make_shared<Entry>(Entry{std::move(names), planned}));
  return planned;
}

std::shared_ptr<const PlanCache::Entry> PlanCache::Find(size_t hash) {
  absl::MutexLock lock(&mutex_);
  const auto found = entries_.find(hash);
  if (found == entries_.end()) return nullptr;
  uses_.splice(uses_.begin(), uses_, found->second.place);
  return found->second.entry;
}

void PlanCache::Keep(size_t hash, std::shared_ptr<const Entry> entry) {
  const int64_t bytes = entry->planned->size_bytes();
  if (bytes > max_bytes_) return;
  // What goes is freed after the lock is let go.
  std::vector<std::shared_ptr<const Entry>> evicted;
  absl::MutexLock lock(&mutex_);
  const auto evict = [&](auto it) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    bytes_ -= it->second.entry->planned->size_bytes();
    evicted.push_back(std::move(it->second.entry));
    uses_.erase(it->second.place);
    entries_.erase(it);
  };
  if (const auto old = entries_.find(hash); old != entries_.end()) evict(old);
  uses_.push_front(hash);
  entries_.emplace(hash, Use{std::move(entry), uses_.begin()});
  bytes_ += bytes;
  while (static_cast<int64_t>(entries_.size()) > max_programs_ ||
         bytes_ > max_bytes_) {
    evict(entries_.find(uses_.back()));
  }
}

int64_t PlanCache::size() const {
  absl::MutexLock lock(&mutex_);
  return static_cast<int64_t>(entries_.size());
}

}  // namespace layoutd
