#ifndef LAYOUTD_TESTS_ENGINE_ENGINE_FIXTURE_H_
#define LAYOUTD_TESTS_ENGINE_ENGINE_FIXTURE_H_

// An engine of two threads, and its asynchronous calls as calls that wait.

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait.h"

namespace layoutd {

class EngineFixture : public testing::Test {
 protected:
  static constexpr int64_t kLimitBytes = 1 << 20;

  static std::unique_ptr<Engine> Open() {
    EngineOptions options;
    options.memory_limit_bytes = kLimitBytes;
    options.num_threads = 2;
    return *Engine::Create(options);
  }

  static FieldSpec Spec(const std::string& id, const Shape& shape,
                        ValueType type = ScalarType::kF64) {
    FieldSpec spec;
    spec.id = id;
    spec.layout.shape = shape;
    spec.layout.type = std::move(type);
    return spec;
  }

  absl::StatusOr<FieldInfo> Fill(const std::string& id,
                                 const std::string& component,
                                 const std::string& value) {
    return Wait<FieldInfo>([&](Done<FieldInfo> done) {
      engine_->FillField(id, component, value, StopToken(), std::move(done));
    });
  }

  absl::StatusOr<FieldInfo> Write(const std::string& id,
                                  const std::vector<double>& values) {
    absl::StatusOr<std::unique_ptr<Upload>> upload = engine_->OpenUpload(id);
    if (!upload.ok()) return upload.status();
    const absl::Status appended =
        (*upload)->Append({reinterpret_cast<const uint8_t*>(values.data()),
                           values.size() * sizeof(double)});
    if (!appended.ok()) return appended;
    return Wait<FieldInfo>([&](Done<FieldInfo> done) {
      engine_->CommitUpload(*std::move(upload), std::move(done));
    });
  }

  absl::StatusOr<std::vector<double>> Read(const std::string& id,
                                           const std::string& component = "") {
    absl::StatusOr<std::shared_ptr<Download>> download =
        Wait<std::shared_ptr<Download>>(
            [&](Done<std::shared_ptr<Download>> done) {
              engine_->OpenDownload(id, component, std::move(done));
            });
    if (!download.ok()) return download.status();
    std::vector<double> values(static_cast<size_t>((*download)->total_bytes()) /
                               sizeof(double));
    (*download)->Next(absl::MakeSpan(reinterpret_cast<uint8_t*>(values.data()),
                                     values.size() * sizeof(double)));
    return values;
  }

  absl::StatusOr<ExecuteReply> Run(
      const std::string& text,
      const std::map<std::string, std::string>& bindings = {},
      const StopToken& stop = StopToken()) {
    return Wait<ExecuteReply>([&](Done<ExecuteReply> done) {
      engine_->Execute({.program = text, .bindings = bindings}, stop,
                       std::move(done));
    });
  }

  absl::StatusOr<CompileReply> Compile(
      const std::string& text,
      const std::map<std::string, std::string>& bindings = {},
      const StopToken& stop = StopToken()) {
    return Wait<CompileReply>([&](Done<CompileReply> done) {
      engine_->Compile({.program = text, .bindings = bindings}, stop,
                       std::move(done));
    });
  }

  std::unique_ptr<Engine> engine_ = Open();
};

}  // namespace layoutd

#endif  // LAYOUTD_TESTS_ENGINE_ENGINE_FIXTURE_H_
