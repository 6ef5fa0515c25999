#ifndef LAYOUTD_ENGINE_ENGINE_H_
#define LAYOUTD_ENGINE_ENGINE_H_

// Engine: the only door into the engine for a server. Owns the device, the
// memory budget, the stores, the scheduler and the kernel and plan caches.
//
// Calls that only look (Get, List, Info) return at once. Calls that change or
// run something, or that must see what was submitted before them, take their
// place in line when called and report through `done`, on an operation thread,
// exactly once; `done` must not block. A program that does not parse is
// reported at once, on the calling thread: it has no place in line, as it is
// not known what it touches. Threads: every method may be called from any
// thread; the engine outlives every call and everything it hands out.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "engine/base/stop_token.h"
#include "engine/device/device.h"
#include "engine/layout/data_layout.h"
#include "engine/program/graph.h"
#include "engine/run/compile.h"
#include "engine/run/execute.h"
#include "engine/run/field_store.h"
#include "engine/run/mask_store.h"
#include "engine/run/transfer.h"

namespace layoutd {

class Scheduler;

struct EngineOptions {
  std::string device = "cpu";
  int64_t memory_limit_bytes = int64_t{8} << 30;
  int num_threads = 0;            // of the device; 0: the CPU quota
  int num_operation_threads = 4;  // operations that may run at once
  int vector_bits = 0;            // 0: the widest of this CPU; 128, 256, 512
};

struct FieldSpec {
  std::string id;
  LayoutSpec layout;
  std::map<std::string, std::string> attributes;
};

struct CompileRequest {
  std::variant<std::string, Program> program;   // text, or a graph
  std::map<std::string, std::string> bindings;  // name in the program -> field
};

struct ExecuteRequest {
  std::variant<std::string, Program> program;   // as above
  std::map<std::string, std::string> bindings;  // as above
  bool profile = false;                         // measure the run
};

struct EngineInfo {
  std::string version;
  std::string instance_id;  // random per process
  std::string device;
  std::string cpu;  // LLVM's name of this CPU
  int vector_bits = 0;
  int num_threads = 0;
  int64_t memory_limit_bytes = 0;
  int64_t memory_used_bytes = 0;
  DeviceMemory device_memory = {};  // what the device's pool holds for it
  int64_t num_fields = 0;
  int64_t num_kernels = 0;  // in the cache
  ProgramLimits limits;
};

template <typename T>
using Done = std::function<void(absl::StatusOr<T>)>;
using DoneStatus = std::function<void(absl::Status)>;

class Engine {
 public:
  // Errors: InvalidArgument (an option), Unavailable (DEVICE_NOT_FOUND;
  // CPU_TOO_OLD — the CPU lacks x86-64-v3, naming what is missing).
  static absl::StatusOr<std::unique_ptr<Engine>> Create(
      const EngineOptions& options);
  // Waits for what was submitted.
  ~Engine();

  // Fields.

  // With `validate_only` nothing is created.
  // Errors: see DataLayout::Create and FieldStore::Create.
  absl::StatusOr<FieldInfo> CreateField(const FieldSpec& spec,
                                        bool validate_only = false);
  absl::StatusOr<FieldInfo> GetField(absl::string_view id) const;
  // Up to `limit` fields with ids after `after`, sorted.
  std::vector<FieldInfo> ListFields(absl::string_view after,
                                    int64_t limit) const;
  void DeleteField(std::string id, std::string etag, DoneStatus done);
  // Sets every leaf of the field (or of `component`) to `value`, which may be
  // written as the literal of any scalar type: "0", "1.5", "nan", "true".
  // Errors: InvalidArgument (BAD_VALUE) — does not fit a leaf's type.
  void FillField(std::string id, std::string component, std::string value,
                 StopToken stop, Done<FieldInfo> done);

  // An upload takes its place in line when it is committed.
  absl::StatusOr<std::unique_ptr<Upload>> OpenUpload(absl::string_view id);
  // Publishes the upload, if whole.
  void CommitUpload(std::unique_ptr<Upload> upload, Done<FieldInfo> done);
  // A download sees every write submitted before it was opened.
  void OpenDownload(std::string id, std::string component,
                    Done<std::shared_ptr<Download>> done);

  // Masks.

  // Creates a mask, all columns active, over the columns of `shape`.
  absl::StatusOr<MaskInfo> CreateMask(absl::string_view id, const Shape& shape);
  absl::StatusOr<MaskInfo> GetMask(absl::string_view id) const;
  std::vector<MaskInfo> ListMasks(absl::string_view after, int64_t limit) const;
  void DeleteMask(std::string id, std::string etag, DoneStatus done);
  // A byte per column, i fastest, then j, then h.
  void SetMask(std::string id, std::vector<uint8_t> active,
               Done<MaskInfo> done);
  // Active where the bool expression `text` (one level) is true.
  void SetMaskWhere(std::string id, std::string text,
                    std::map<std::string, std::string> bindings, StopToken stop,
                    Done<MaskInfo> done);
  // The active columns as they are after every SetMask submitted before.
  void GetMaskColumns(std::string id, Done<PinnedMask> done);

  // Programs.

  // Says what a program would do and cost, and compiles its loops, so that a
  // later Execute finds them. Sees every write submitted before it.
  void Compile(CompileRequest request, StopToken stop, Done<CompileReply> done);
  void Execute(ExecuteRequest request, StopToken stop, Done<ExecuteReply> done);

  EngineInfo Info() const;
  // Waits until nothing is queued or running.
  void Drain();

 private:
  explicit Engine(const EngineOptions& options);
  absl::Status Open();
  // What operations run with.
  Runtime runtime();

  const EngineOptions options_;
  std::string instance_id_;
  std::unique_ptr<Device> device_;
  MemoryBudget budget_;
  std::unique_ptr<KernelCache> kernels_;
  PlanCache plans_;  // after the kernels it keeps
  std::unique_ptr<FieldStore> fields_;
  std::unique_ptr<MaskStore> masks_;
  std::unique_ptr<Scheduler> scheduler_;  // last: its threads use the others
};

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_ENGINE_H_
