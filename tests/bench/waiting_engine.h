#ifndef LAYOUTD_TESTS_BENCH_WAITING_ENGINE_H_
#define LAYOUTD_TESTS_BENCH_WAITING_ENGINE_H_

// An engine whose calls wait: what a user in the same process sees. For scalar
// fields of T = float or double.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "engine/engine.h"

namespace layoutd {

class WaitingEngine {
 public:
  // Threads: of the engine's device.
  static absl::StatusOr<WaitingEngine> Open(int num_threads);

  // Creates the field; it reads as zeros.
  absl::Status Create(const std::string& id, const Shape& shape,
                      ScalarType type);
  // Replaces the whole field.
  template <typename T>
  absl::Status Write(const std::string& id, absl::Span<const T> values);
  absl::Status Clear(const std::string& id);
  absl::Status AddMask(const std::string& id, const Shape& shape,
                       const std::vector<uint8_t>& active);

  absl::StatusOr<ExecuteReply> Execute(const std::string& text);

  // Errors: Internal — a value differs from `expected` by more than `tolerance`
  // times 1 + its magnitude; names the first such.
  template <typename T>
  absl::Status Check(const std::string& id, absl::Span<const T> expected,
                     double tolerance);

  Engine& engine() { return *engine_; }

 private:
  explicit WaitingEngine(std::unique_ptr<Engine> engine)
      : engine_(std::move(engine)) {}

  std::unique_ptr<Engine> engine_;
};

// Returns whether `got` is `expected` within the tolerance of Check.
bool Near(double got, double expected, double tolerance);

}  // namespace layoutd

#endif  // LAYOUTD_TESTS_BENCH_WAITING_ENGINE_H_
