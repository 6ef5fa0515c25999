#ifndef LAYOUTD_TESTS_BENCH_BENCH_WORLD_H_
#define LAYOUTD_TESTS_BENCH_BENCH_WORLD_H_

// The same numbers twice: as arrays for the hand loops, and as fields x, y, z,
// w, s and masks m10, m50, m100 of an engine with as many threads.

#include <map>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tests/bench/dataset.h"
#include "tests/bench/hand_threads.h"
#include "tests/bench/setting.h"
#include "tests/bench/waiting_engine.h"
#include "tests/support/runtime_world.h"

namespace layoutd {

template <typename T>
class BenchWorld {
 public:
  static absl::StatusOr<std::unique_ptr<BenchWorld>> Open(
      const Setting& setting);

  const Setting& setting() const { return setting_; }
  const Shape& shape() const { return shape_; }
  Dataset<T>& data() { return data_; }
  HandThreads& threads() { return threads_; }
  WaitingEngine& engine() { return engine_; }
  const ActiveColumns& mask(int percent) const { return masks_.at(percent); }

  // Returns a runtime with the same fields, for loops alone. It is made when
  // first asked for; only for fields of the smallest size.
  absl::StatusOr<const Runtime*> runtime();

 private:
  BenchWorld(const Setting& setting, WaitingEngine engine);
  absl::Status FillEngine();
  absl::Status FillRuntime();

  const Setting setting_;
  const Shape shape_;
  Dataset<T> data_;
  HandThreads threads_;
  WaitingEngine engine_;
  std::map<int, ActiveColumns> masks_;  // by percent
  std::unique_ptr<RuntimeWorld> runtime_;
};

// Returns the world of `setting`, which takes the place of the one before it:
// there is memory for one.
template <typename T>
absl::StatusOr<BenchWorld<T>*> WorldOf(const Setting& setting);
// Gives the memory of the last world back.
void DropWorlds();

}  // namespace layoutd

#endif  // LAYOUTD_TESTS_BENCH_BENCH_WORLD_H_
