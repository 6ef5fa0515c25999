#include "client/cpp/layoutctl/progress.h"

#include <unistd.h>

#include <cstdio>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/time/clock.h"

namespace layoutd::client {
namespace {

constexpr absl::Duration kDelay = absl::Seconds(1);
constexpr absl::Duration kInterval = absl::Milliseconds(100);
constexpr int kBarWidth = 30;
constexpr double kMebibyte = 1 << 20;

}  // namespace

Progress::Progress(std::string label)
    : label_(std::move(label)),
      is_terminal_(isatty(STDERR_FILENO) != 0),
      start_(absl::Now()),
      next_draw_(start_ + kDelay) {}

Progress::~Progress() {
  if (is_drawn_) std::fputs("\r\x1b[K", stderr);  // clears the line
}

void Progress::Add(int64_t bytes) {
  done_bytes_ += bytes;
  if (!is_terminal_) return;
  const absl::Time now = absl::Now();
  if (now < next_draw_) return;
  next_draw_ = now + kInterval;
  Draw(now - start_);
}

void Progress::Draw(absl::Duration elapsed) {
  const double part = total_bytes_ > 0 ? static_cast<double>(done_bytes_) /
                                             static_cast<double>(total_bytes_)
                                       : 1.0;
  const auto filled = static_cast<size_t>(part * kBarWidth);
  const std::string bar(filled, '#');
  const double mebibytes = static_cast<double>(done_bytes_) / kMebibyte;
  const std::string line = absl::StrFormat(
      "\r%s [%-*s] %3.0f%%  %.0f MiB  %.0f MiB/s\x1b[K", label_, kBarWidth, bar,
      100 * part, mebibytes, mebibytes / absl::ToDoubleSeconds(elapsed));
  std::fputs(line.c_str(), stderr);
  is_drawn_ = true;
}

}  // namespace layoutd::client
