#include <iterator>
#include <utility>
#include <vector>

#include "engine/jit/compiler.h"

namespace layoutd {

KernelCache::KernelCache(std::unique_ptr<Compiler> compiler,
                         int64_t max_kernels)
    : compiler_(std::move(compiler)), max_kernels_(max_kernels) {}

absl::StatusOr<std::shared_ptr<const Kernel>> KernelCache::Get(
    const LoopPlan& loop) {
  const std::string key = loop.Key();
  {
    absl::MutexLock lock(&mutex_);
    for (;;) {
      const auto found = entries_.find(key);
      if (found == entries_.end()) break;
      if (!found->second.compiling) {
        uses_.splice(uses_.begin(), uses_, found->second.use);
        return found->second.kernel;
      }
      // Someone compiles this very kernel: when that fails, it is tried again.
      auto settled = [this, &key]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
        const auto entry = entries_.find(key);
        return entry == entries_.end() || !entry->second.compiling;
      };
      mutex_.Await(absl::Condition(&settled));
    }
    Entry entry;
    uses_.push_front(key);
    entry.use = uses_.begin();
    entries_.emplace(key, std::move(entry));
  }

  absl::StatusOr<std::unique_ptr<Kernel>> compiled = compiler_->Compile(loop);

  // Evicted kernels are freed after the lock is let go.
  std::vector<std::shared_ptr<const Kernel>> evicted;
  absl::MutexLock lock(&mutex_);
  const auto entry = entries_.find(key);
  if (!compiled.ok()) {
    uses_.erase(entry->second.use);
    entries_.erase(entry);
    return compiled.status();
  }
  ++num_compiled_;
  entry->second.kernel = *std::move(compiled);
  entry->second.compiling = false;
  const std::shared_ptr<const Kernel> kernel = entry->second.kernel;
  for (auto use = std::prev(uses_.end());
       static_cast<int64_t>(entries_.size()) > max_kernels_ &&
       use != uses_.begin();) {
    const auto candidate = entries_.find(*use);
    const auto oldest = use--;
    if (candidate->second.compiling) continue;
    evicted.push_back(std::move(candidate->second.kernel));
    entries_.erase(candidate);
    uses_.erase(oldest);
  }
  return kernel;
}

bool KernelCache::Contains(const LoopPlan& loop) const {
  const std::string key = loop.Key();
  absl::MutexLock lock(&mutex_);
  const auto found = entries_.find(key);
  return found != entries_.end() && !found->second.compiling;
}

int64_t KernelCache::size() const {
  absl::MutexLock lock(&mutex_);
  return static_cast<int64_t>(entries_.size());
}

int64_t KernelCache::num_compiled() const {
  absl::MutexLock lock(&mutex_);
  return num_compiled_;
}

}  // namespace layoutd
