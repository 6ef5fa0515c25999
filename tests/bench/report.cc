#include "tests/bench/report.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"

namespace layoutd {
namespace {

std::string Time(double seconds) {
  if (seconds == 0) return "";
  if (seconds < 1e-3) return absl::StrFormat("%.1f us", seconds * 1e6);
  return absl::StrFormat("%.2f ms", seconds * 1e3);
}

std::string GoalText(const Goal& goal) {
  return absl::StrFormat("%s %.4g", goal.at_least ? ">=" : "<=", goal.bound);
}

bool Meets(const Goal& goal, double value) {
  return goal.at_least ? value >= goal.bound : value <= goal.bound;
}

}  // namespace

void Report::Add(benchmark::State& state, absl::string_view counter, Row row) {
  state.counters[std::string(counter)] = row.value;
  if (row.goal.has_value()) {
    state.counters[absl::StrCat(counter, "_goal")] = row.goal->bound;
  }
  rows_.push_back(std::move(row));
}

void Report::Stop(benchmark::State& state, const std::string& name,
                  const absl::Status& why) {
  // Of a message with an excerpt, the first line says what is wrong.
  const std::vector<std::string> lines = absl::StrSplit(why.message(), '\n');
  const bool wrong = why.code() == absl::StatusCode::kInternal;
  failed_ = failed_ || wrong;
  state.SkipWithError(lines[0].c_str());
  Row row;
  row.name = name;
  row.note = absl::StrCat(wrong ? "**FAILED**: " : "skipped: ", lines[0]);
  rows_.push_back(std::move(row));
}

std::string Report::Table() const {
  std::string table =
      "| case | measure | median | goal | | engine | other | GB/s | note |\n"
      "|---|---|---|---|---|---|---|---|---|\n";
  for (const Row& row : rows_) {
    std::string value;
    std::string goal;
    std::string verdict;
    std::string rate;
    if (!row.measure.empty()) value = absl::StrFormat("%.3g", row.value);
    if (row.goal.has_value()) {
      goal = GoalText(*row.goal);
      verdict = Meets(*row.goal, row.value) ? "pass" : "**miss**";
    }
    if (row.bytes > 0 && row.engine_seconds > 0) {
      rate = absl::StrFormat("%.1f", row.bytes / row.engine_seconds * 1e-9);
    }
    absl::StrAppend(&table, "| ", row.name, " | ", row.measure, " | ", value,
                    " | ", goal, " | ", verdict, " | ",
                    Time(row.engine_seconds), " | ", Time(row.other_seconds),
                    " | ", rate, " | ", row.note, " |\n");
  }
  return table;
}

Report& TheReport() {
  static Report& report = *new Report();
  return report;
}

}  // namespace layoutd
