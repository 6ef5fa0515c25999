#include "tests/bench/waiting_engine.h"

#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/base/status_macros.h"
#include "tests/support/wait.h"

namespace layoutd {
namespace {

constexpr int64_t kMemoryLimitBytes = int64_t{16} << 30;
constexpr int64_t kDownloadBytes = int64_t{4} << 20;

}  // namespace

bool Near(double got, double expected, double tolerance) {
  return std::abs(got - expected) <= tolerance * (1 + std::abs(expected));
}

absl::StatusOr<WaitingEngine> WaitingEngine::Open(int num_threads) {
  EngineOptions options;
  options.num_threads = num_threads;
  options.memory_limit_bytes = kMemoryLimitBytes;
  ASSIGN_OR_RETURN(std::unique_ptr<Engine> engine, Engine::Create(options));
  return WaitingEngine(std::move(engine));
}

absl::Status WaitingEngine::Create(const std::string& id, const Shape& shape,
                                   ScalarType type) {
  FieldSpec spec;
  spec.id = id;
  spec.layout.shape = shape;
  spec.layout.type = type;
  return engine_->CreateField(spec).status();
}

template <typename T>
absl::Status WaitingEngine::Write(const std::string& id,
                                  absl::Span<const T> values) {
  ASSIGN_OR_RETURN(std::unique_ptr<Upload> upload, engine_->OpenUpload(id));
  RETURN_IF_ERROR(
      upload->Append({reinterpret_cast<const uint8_t*>(values.data()),
                      values.size() * sizeof(T)}));
  return Wait<FieldInfo>([&](Done<FieldInfo> done) {
           engine_->CommitUpload(std::move(upload), std::move(done));
         })
      .status();
}

absl::Status WaitingEngine::Clear(const std::string& id) {
  return Wait<FieldInfo>([&](Done<FieldInfo> done) {
           engine_->FillField(id, "", "0", StopToken(), std::move(done));
         })
      .status();
}

absl::Status WaitingEngine::AddMask(const std::string& id, const Shape& shape,
                                    const std::vector<uint8_t>& active) {
  RETURN_IF_ERROR(engine_->CreateMask(id, shape).status());
  return Wait<MaskInfo>([&](Done<MaskInfo> done) {
           engine_->SetMask(id, active, std::move(done));
         })
      .status();
}

absl::StatusOr<ExecuteReply> WaitingEngine::Execute(const std::string& text) {
  return Wait<ExecuteReply>([&](Done<ExecuteReply> done) {
    engine_->Execute({.program = text, .bindings = {}}, StopToken(),
                     std::move(done));
  });
}

template <typename T>
absl::Status WaitingEngine::Check(const std::string& id,
                                  absl::Span<const T> expected,
                                  double tolerance) {
  ASSIGN_OR_RETURN(const std::shared_ptr<Download> download,
                   Wait<std::shared_ptr<Download>>(
                       [&](Done<std::shared_ptr<Download>> done) {
                         engine_->OpenDownload(id, "", std::move(done));
                       }));
  std::vector<T> piece(kDownloadBytes / sizeof(T));
  size_t at = 0;
  while (!download->done()) {
    const int64_t bytes = download->Next(
        {reinterpret_cast<uint8_t*>(piece.data()), piece.size() * sizeof(T)});
    const size_t count = static_cast<size_t>(bytes) / sizeof(T);
    for (size_t k = 0; k < count; ++k, ++at) {
      if (!Near(double{piece[k]}, double{expected[at]}, tolerance)) {
        return absl::InternalError(
            absl::StrCat("value ", at, " of ", id, " is ", piece[k],
                         " where the hand loop has ", expected[at]));
      }
    }
  }
  if (at == expected.size()) return absl::OkStatus();
  return absl::InternalError(
      absl::StrCat(id, " has ", at, " values of ", expected.size()));
}

template absl::Status WaitingEngine::Write<float>(const std::string&,
                                                  absl::Span<const float>);
template absl::Status WaitingEngine::Write<double>(const std::string&,
                                                   absl::Span<const double>);
template absl::Status WaitingEngine::Check<float>(const std::string&,
                                                  absl::Span<const float>,
                                                  double);
template absl::Status WaitingEngine::Check<double>(const std::string&,
                                                   absl::Span<const double>,
                                                   double);

}  // namespace layoutd
