#ifndef LAYOUTD_ENGINE_JIT_COMPILER_H_
#define LAYOUTD_ENGINE_JIT_COMPILER_H_

// Planned loops to machine code, and the cache of what was compiled. LLVM stays
// behind this header.

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "engine/device/device.h"
#include "engine/program/plan.h"

namespace layoutd {

// One compiled loop; its code is freed with it.
class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual KernelEntry entry() const = 0;
  // How many columns one item of a column loop covers.
  virtual int num_lanes() const = 0;
};

class Compiler {
 public:
  virtual ~Compiler() = default;

  // Compiles `loop`. Cost: 5 to 30 ms; seconds near the limit of size.
  // Threads: safe.
  // Errors: InvalidArgument (PROGRAM_LIMIT) — more code than a kernel may have;
  // Internal — the generator and LLVM disagree: a bug of ours.
  virtual absl::StatusOr<std::unique_ptr<Kernel>> Compile(
      const LoopPlan& loop) = 0;

  virtual std::string target() const = 0;  // CPU name
  virtual int vector_bits() const = 0;
};

struct CompilerOptions {
  std::string device = "cpu";
  int vector_bits = 0;  // 0: the widest of this CPU
};

// Errors: Unavailable (CPU_TOO_OLD), InvalidArgument (BAD_OPTION).
absl::StatusOr<std::unique_ptr<Compiler>> OpenCompiler(
    const CompilerOptions& options);

// Kernels by the structure of their loops (LoopPlan::Key, compared whole). One
// compile per key at a time: others wait for it. Least recently used ones go
// first; one that is running lives until its last holder lets go.
// Threads: safe.
class KernelCache {
 public:
  explicit KernelCache(std::unique_ptr<Compiler> compiler,
                       int64_t max_kernels = 1024);

  absl::StatusOr<std::shared_ptr<const Kernel>> Get(const LoopPlan& loop);
  // Returns whether Get would find the kernel ready.
  bool Contains(const LoopPlan& loop) const;

  const Compiler& compiler() const { return *compiler_; }
  int64_t size() const;
  int64_t num_compiled() const;

 private:
  struct Entry {
    bool compiling = true;
    // Shared with runs in progress.
    std::shared_ptr<const Kernel> kernel;
    std::list<std::string>::iterator use;  // in uses_
  };

  const std::unique_ptr<Compiler> compiler_;
  const int64_t max_kernels_;
  mutable absl::Mutex mutex_;
  std::map<std::string, Entry> entries_ ABSL_GUARDED_BY(mutex_);
  std::list<std::string> uses_ ABSL_GUARDED_BY(mutex_);  // newest first
  int64_t num_compiled_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_JIT_COMPILER_H_
