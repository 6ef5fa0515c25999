#ifndef LAYOUTD_TESTS_BENCH_CASES_H_
#define LAYOUTD_TESTS_BENCH_CASES_H_

// The work that is measured: each case as a program for the engine and as a
// loop by hand.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/bench/bench_world.h"
#include "tests/bench/report.h"
#include "tests/bench/setting.h"

namespace layoutd {

template <typename T>
struct Case {
  std::string name;
  std::string program;
  // What it leaves: field "w" or "s", or empty: the result in `hand`'s answer.
  std::string output = {};
  // Reads and writes of one point that the program states.
  double values_per_point = 2;
  // How far the hand loop may be from the engine: see WaitingEngine::Check. 0:
  // the same bits.
  double tolerance = 0;
  // Does the same by hand; returns the result, if the program has one.
  std::function<double(BenchWorld<T>&)> hand;
  // Whether the goals for a program against its hand loop hold.
  bool has_hand_goal = true;
  std::optional<double> hand_goal = {};  // another than the size's own

  // What else the engine is compared with in the same rounds: another program,
  // or a hand loop.
  struct Other {
    std::string measure;  // "masked / unmasked"
    std::string counter;  // its name in the JSON output
    std::string program;
    std::function<double(BenchWorld<T>&)> hand;
    bool engine_over_other = false;  // else other / engine
    std::optional<Goal> goal;
  };
  std::optional<Other> other = {};
};

template <typename T>
std::vector<Case<T>> AllCases();

}  // namespace layoutd

#endif  // LAYOUTD_TESTS_BENCH_CASES_H_
