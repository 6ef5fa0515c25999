#ifndef LAYOUTD_CLIENT_CPP_LAYOUTCTL_PROGRESS_H_
#define LAYOUTD_CLIENT_CPP_LAYOUTCTL_PROGRESS_H_

// A progress bar on standard error: only on a terminal, and only once a
// transfer has taken a second. It is gone when the object is.

#include <cstdint>
#include <string>

#include "absl/time/time.h"

namespace layoutd::client {

class Progress {
 public:
  explicit Progress(std::string label);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void set_total_bytes(int64_t total_bytes) { total_bytes_ = total_bytes; }
  // Counts bytes that have passed.
  void Add(int64_t bytes);

 private:
  void Draw(absl::Duration elapsed);

  const std::string label_;
  const bool is_terminal_;
  const absl::Time start_;
  int64_t total_bytes_ = 0;
  int64_t done_bytes_ = 0;
  absl::Time next_draw_;
  bool is_drawn_ = false;
};

}  // namespace layoutd::client

#endif  // LAYOUTD_CLIENT_CPP_LAYOUTCTL_PROGRESS_H_
