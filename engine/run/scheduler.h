#ifndef LAYOUTD_ENGINE_RUN_SCHEDULER_H_
#define LAYOUTD_ENGINE_RUN_SCHEDULER_H_

// Runs operations on a bounded set of threads, in submission order where they
// touch the same field or mask and concurrently where they do not. An operation
// says up front what it reads and writes (by resource name); it starts when no
// earlier unfinished operation conflicts with it: a writer waits for earlier
// writers and for earlier readers that have not pinned yet, a reader for earlier
// writers. Waiting holds no memory, pin or thread.

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace layoutd {

// Names of resources, e.g. "fields/temp", "masks/ocean".
struct AccessSet {
  std::vector<std::string> reads;
  std::vector<std::string> writes;
};

class Scheduler {
 public:
  // An operation calls this once it has pinned what it reads: later writers of
  // those need not wait for its end. Calling it is optional, once is enough.
  using Pinned = std::function<void()>;
  using Operation = std::function<void(const Pinned& pinned)>;

  explicit Scheduler(int num_threads);
  // Waits for everything that was submitted.
  ~Scheduler();

  // Queues `operation`. Threads: any; never blocks. An operation is always run
  // (a cancelled one is expected to notice and return at once).
  void Submit(AccessSet access, Operation operation);

  // Waits until nothing is queued or running.
  void Drain();

  int64_t num_unfinished() const;

 private:
  struct Entry;

  void Work();
  // Moves every operation that may start to ready_.
  void Admit() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  mutable absl::Mutex mutex_;
  std::list<std::unique_ptr<Entry>> entries_ ABSL_GUARDED_BY(mutex_);
  std::list<Entry*> ready_ ABSL_GUARDED_BY(mutex_);
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_RUN_SCHEDULER_H_
