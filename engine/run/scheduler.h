#ifndef LAYOUTD_ENGINE_RUN_SCHEDULER_H_
#define LAYOUTD_ENGINE_RUN_SCHEDULER_H_

// Runs operations on a bounded set of threads, in submission order where they
// touch the same field or mask and concurrently where they do not. An operation
// says up front what it reads and writes (by resource name); it starts when no
// earlier unfinished operation conflicts with it: a writer waits for earlier
// writers and for earlier readers that have not pinned yet, a reader for
// earlier writers. Waiting holds no memory, pin or thread.

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace layoutd {

// Names of resources, e.g. "fields/temp", "masks/ocean". A name may stand more
// than once; one that is read and written counts as written.
struct AccessSet {
  std::vector<std::string> reads;
  std::vector<std::string> writes;
};

class Scheduler {
 public:
  // An operation calls this once it has pinned what it reads: later writers of
  // those need not wait for its end. Calling it is optional, once is enough,
  // and only while the operation runs.
  using Pinned = std::function<void()>;
  using Operation = std::function<void(const Pinned& pinned)>;

  explicit Scheduler(int num_threads);
  // Waits for everything that was submitted.
  ~Scheduler();

  // Queues `operation`. Threads: any; never blocks. An operation is always run
  // (a cancelled one is expected to notice and return at once).
  void Submit(AccessSet access, Operation operation);

  // Waits until nothing is queued or running. Never call it in an operation.
  void Drain();

  int64_t num_unfinished() const;

 private:
  // An unfinished operation, and the later ones that wait for it.
  struct Entry;
  // Who later operations on one resource have to wait for.
  struct Resource {
    Entry* writer = nullptr;    // the last one
    std::set<Entry*> unpinned;  // readers after it that have not pinned yet
  };
  // A thread with nothing to do, on its own stack.
  struct Idle {
    absl::CondVar wake;
    bool is_woken = false;
  };

  void Work();
  // Waits until something is ready and takes it off the line; null: stop.
  Entry* TakeReady() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Wakes one idle thread, if there is work for it. Whoever makes an operation
  // ready and does not take it calls this; whoever takes one passes it on.
  void WakeOne() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Enqueue(Entry* entry) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // What `entry` reads no longer holds later writers up.
  void ReleaseReads(Entry* entry) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Finish(Entry* entry) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // One thing that each of `waiting` waited for has come about.
  void Release(std::vector<Entry*> waiting)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void ForgetIfIdle(const std::string& name)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  mutable absl::Mutex mutex_;
  std::unordered_map<Entry*, std::unique_ptr<Entry>> entries_
      ABSL_GUARDED_BY(mutex_);
  std::unordered_map<std::string, Resource> resources_ ABSL_GUARDED_BY(mutex_);
  std::deque<Entry*> ready_ ABSL_GUARDED_BY(mutex_);
  // The last one goes first: its stack is still in the cache.
  std::vector<Idle*> idle_ ABSL_GUARDED_BY(mutex_);
  absl::CondVar drained_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_RUN_SCHEDULER_H_
