#include "engine/run/scheduler.h"

#include <utility>

#include "engine/base/status_macros.h"

namespace layoutd {

struct Scheduler::Entry {
  std::set<std::string> reads;
  std::set<std::string> writes;
  Operation operation;
  int64_t num_blockers = 0;       // pins and ends it waits for
  std::vector<Entry*> after_pin;  // writers of what it reads
  std::vector<Entry*> after_end;  // users of what it writes
};

Scheduler::Scheduler(int num_threads) {
  LAYOUTD_DCHECK(num_threads > 0);
  threads_.reserve(static_cast<size_t>(num_threads));
  for (int i = 0; i < num_threads; ++i) {
    threads_.emplace_back([this] { Work(); });
  }
}

Scheduler::~Scheduler() {
  Drain();
  {
    absl::MutexLock lock(&mutex_);
    stopping_ = true;
    for (Idle* idle : idle_) {
      idle->is_woken = true;
      idle->wake.Signal();
    }
    idle_.clear();
  }
  for (std::thread& thread : threads_) thread.join();
}

void Scheduler::Submit(AccessSet access, Operation operation) {
  auto owned = std::make_unique<Entry>();
  Entry* const entry = owned.get();
  entry->operation = std::move(operation);
  entry->writes.insert(access.writes.begin(), access.writes.end());
  for (std::string& name : access.reads) {
    if (!entry->writes.contains(name)) entry->reads.insert(std::move(name));
  }
  absl::MutexLock lock(&mutex_);
  entries_.emplace(entry, std::move(owned));
  Enqueue(entry);
  WakeOne();
}

// Each resource remembers only its last writer and the readers since: whoever
// waits for those waits, through them, for all before.
void Scheduler::Enqueue(Entry* entry) {
  for (const std::string& name : entry->reads) {
    Resource& resource = resources_[name];
    if (resource.writer != nullptr) {
      resource.writer->after_end.push_back(entry);
      ++entry->num_blockers;
    }
    resource.unpinned.insert(entry);
  }
  for (const std::string& name : entry->writes) {
    Resource& resource = resources_[name];
    if (resource.writer != nullptr) {
      resource.writer->after_end.push_back(entry);
      ++entry->num_blockers;
    }
    for (Entry* reader : resource.unpinned) {
      reader->after_pin.push_back(entry);
      ++entry->num_blockers;
    }
    resource.unpinned.clear();
    resource.writer = entry;
  }
  if (entry->num_blockers == 0) ready_.push_back(entry);
}

void Scheduler::Release(std::vector<Entry*> waiting) {
  for (Entry* entry : waiting) {
    if (--entry->num_blockers == 0) ready_.push_back(entry);
  }
}

void Scheduler::ForgetIfIdle(const std::string& name) {
  const auto it = resources_.find(name);
  if (it != resources_.end() && it->second.writer == nullptr &&
      it->second.unpinned.empty()) {
    resources_.erase(it);
  }
}

void Scheduler::ReleaseReads(Entry* entry) {
  for (const std::string& name : entry->reads) {
    const auto it = resources_.find(name);
    if (it == resources_.end()) continue;
    it->second.unpinned.erase(entry);
    ForgetIfIdle(name);
  }
  Release(std::exchange(entry->after_pin, {}));
}

void Scheduler::Finish(Entry* entry) {
  ReleaseReads(entry);
  for (const std::string& name : entry->writes) {
    Resource& resource = resources_.at(name);
    if (resource.writer == entry) resource.writer = nullptr;
    ForgetIfIdle(name);
  }
  Release(std::move(entry->after_end));
  entries_.erase(entry);
  if (entries_.empty()) drained_.SignalAll();
}

void Scheduler::WakeOne() {
  if (ready_.empty() || idle_.empty()) return;
  Idle* const idle = idle_.back();
  idle_.pop_back();
  idle->is_woken = true;
  idle->wake.Signal();
}

// No wake-up is lost: a thread looks at the line under the same lock right
// before it counts as idle, and one that was woken looks again.
Scheduler::Entry* Scheduler::TakeReady() {
  while (ready_.empty()) {
    if (stopping_) return nullptr;
    Idle idle;
    idle_.push_back(&idle);
    while (!idle.is_woken) idle.wake.Wait(&mutex_);
  }
  Entry* const entry = ready_.front();
  ready_.pop_front();
  WakeOne();
  return entry;
}

void Scheduler::Work() {
  Entry* entry = nullptr;
  while (true) {
    Operation operation;
    {
      absl::MutexLock lock(&mutex_);
      // What this makes ready, this thread takes.
      if (entry != nullptr) Finish(entry);
      entry = TakeReady();
      if (entry == nullptr) return;
      operation = std::move(entry->operation);
    }
    operation([this, entry] {
      absl::MutexLock lock(&mutex_);
      ReleaseReads(entry);
      WakeOne();
    });
    // What the operation holds (buffers, reservations) goes before those start
    // that waited for it.
    operation = nullptr;
  }
}

void Scheduler::Drain() {
  absl::MutexLock lock(&mutex_);
  while (!entries_.empty()) drained_.Wait(&mutex_);
}

int64_t Scheduler::num_unfinished() const {
  absl::MutexLock lock(&mutex_);
  return static_cast<int64_t>(entries_.size());
}

}  // namespace layoutd
