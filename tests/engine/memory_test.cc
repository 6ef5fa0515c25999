// Memory over many operations: nothing is kept that was given back, and the
// limit holds whoever asks at once.

#include <dirent.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/engine/engine_fixture.h"

namespace layoutd {
namespace {

using testing::Each;
using testing::HasSubstr;

// A sanitizer keeps freed memory for a while and its own beside it, and takes
// several times as long.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

// One arena, as in the daemon: with more, the first large request that happens
// to meet another thread's opens one, of a megabyte, whatever the cycle.
const bool kHasOneArena = mallopt(M_ARENA_MAX, 1) == 1;

int NumOpenFiles() {
  int count = 0;
  DIR* const folder = opendir("/proc/self/fd");
  while (readdir(folder) != nullptr) ++count;
  closedir(folder);
  return count;
}

int64_t ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  int64_t total_pages = 0;
  int64_t resident_pages = 0;
  statm >> total_pages >> resident_pages;
  return resident_pages * sysconf(_SC_PAGESIZE);
}

class MemoryTest : public EngineFixture {
 protected:
  absl::Status Delete(const std::string& id) {
    return Wait<bool>([&](Done<bool> done) {
             engine_->DeleteField(id, "", [done](const absl::Status& status) {
               if (status.ok()) return done(true);
               done(status);
             });
           })
        .status();
  }
};

TEST_F(MemoryTest, TenThousandCyclesReturnToTheBaseline) {
  ASSERT_TRUE(kHasOneArena || kSanitized);
  const int num_cycles = kSanitized ? 2000 : 10000;
  const int num_warm_cycles = num_cycles / 10;
  const std::vector<double> ones(600, 1.0);
  EngineInfo before;
  int files_before = 0;
  int64_t resident_before = 0;

  for (int cycle = 0; cycle < num_cycles; ++cycle) {
    // Names that come once: whatever is kept by name would pile up.
    const std::string id = absl::StrCat("cycle", cycle);
    ASSERT_OK(engine_->CreateField(Spec(id, Shape{{6, 2, 2, 25}})));
    ASSERT_OK(Write(id, ones));
    ASSERT_OK_AND_ASSIGN(const ExecuteReply reply,
                         Run("f = f + 1.0\nnew g = 2.0 * f\n"
                             "reduce { total = sum(g) }",
                             {{"f", id}}));
    ASSERT_EQ(reply.results[0].leaves[0].As<double>(), 2400);
    ASSERT_OK(Delete(id));
    ASSERT_OK(Delete("g"));
    if (cycle == num_warm_cycles) {
      engine_->Drain();
      before = engine_->Info();
      files_before = NumOpenFiles();
      resident_before = ResidentBytes();
    }
  }

  engine_->Drain();
  const EngineInfo after = engine_->Info();
  EXPECT_EQ(after.memory_used_bytes, 0);
  EXPECT_EQ(after.device_memory.live_bytes, 0);
  EXPECT_EQ(after.device_memory.cached_bytes,
            before.device_memory.cached_bytes);
  EXPECT_EQ(after.num_fields, 0);
  EXPECT_EQ(after.num_kernels, before.num_kernels);
  EXPECT_EQ(NumOpenFiles(), files_before);
  const int64_t grown = ResidentBytes() - resident_before;
  RecordProperty("resident_bytes_grown", absl::StrCat(grown));
  // 30 bytes a cycle would be 270 kB.
  if (!kSanitized) {
    EXPECT_LT(grown, 256 << 10);
  }
}

// What a client of the limit test may hold, in order of the draw.
constexpr Shape kShapes[] = {{{8, 2, 2, 16}},     // 4 KiB
                             {{8, 2, 2, 64}},     // 16 KiB
                             {{8, 2, 2, 256}},    // 64 KiB
                             {{8, 2, 2, 1024}}};  // 256 KiB

TEST_F(MemoryTest, TheLimitHoldsUnderConcurrentUploadsAndRuns) {
  constexpr int kNumClients = 8;
  const int num_rounds = kSanitized ? 40 : 150;
  std::atomic<int64_t> num_done = 0;
  std::atomic<int64_t> num_refused = 0;

  // Counts how a call ended; only memory may have been missing.
  const auto count = [&](const absl::Status& status) {
    if (status.ok()) {
      ++num_done;
      return true;
    }
    ++num_refused;
    EXPECT_THAT(status, IsError(absl::StatusCode::kResourceExhausted,
                                "MEMORY_LIMIT", HasSubstr("needs")));
    int64_t needed = -1;
    int64_t free = -1;
    for (const auto& [key, value] : DetailOf(status).metadata) {
      if (key == "needed_bytes") needed = std::stoll(value);
      if (key == "free_bytes") free = std::stoll(value);
    }
    EXPECT_GT(needed, free);
    EXPECT_GE(free, 0);
    EXPECT_LE(free, kLimitBytes);
    return false;
  };
  const auto client = [&](unsigned seed) {
    std::mt19937 random(seed);
    const std::string id = absl::StrCat("f", seed);
    const std::string made = absl::StrCat("g", seed);
    for (int round = 0; round < num_rounds; ++round) {
      const Shape& shape = kShapes[random() % std::size(kShapes)];
      const auto points = static_cast<size_t>(shape.num_points());
      if (!count(engine_->CreateField(Spec(id, shape)).status())) continue;
      const double value = round + seed;
      const bool written =
          count(Write(id, std::vector<double>(points, value)).status());
      if (written && random() % 2 == 0) {
        // An upload that is given up halfway.
        absl::StatusOr<std::unique_ptr<Upload>> upload =
            engine_->OpenUpload(id);
        if (count(upload.status())) {
          EXPECT_OK((*upload)->Append(std::vector<uint8_t>(points)));
        }
      }
      if (count(Run("f = 2.0 * f + 1.0", {{"f", id}}).status())) {
        const double want = written ? 2 * value + 1 : 1;
        EXPECT_THAT(*Read(id), Each(want));
      }
      if (count(Run(absl::StrCat("new ", made, " = f - 1.0"), {{"f", id}})
                    .status())) {
        EXPECT_OK(Delete(made));
      }
      count(Run("reduce { total = sum(f) }", {{"f", id}}).status());
      EXPECT_OK(Delete(id));
    }
  };

  std::atomic<bool> over = false;
  int64_t most_used = 0;
  int64_t most_live = 0;
  std::thread watcher([&] {
    while (!over) {
      const EngineInfo info = engine_->Info();
      most_used = std::max(most_used, info.memory_used_bytes);
      most_live = std::max(most_live, info.device_memory.live_bytes);
      std::this_thread::yield();
    }
  });
  std::vector<std::thread> clients;
  for (unsigned seed = 0; seed < kNumClients; ++seed) {
    clients.emplace_back(client, seed);
  }
  for (std::thread& thread : clients) thread.join();
  over = true;
  watcher.join();
  engine_->Drain();

  EXPECT_GT(num_done, 0);
  EXPECT_GT(num_refused, 0);
  EXPECT_LE(most_used, kLimitBytes);
  // The shapes fill whole pages; only the partials of a run, one to each
  // operation thread, are rounded up to one.
  EXPECT_LE(most_live, kLimitBytes + 4 * 4096);
  EXPECT_GT(most_live, kLimitBytes / 2);
  EXPECT_EQ(engine_->Info().memory_used_bytes, 0);
  EXPECT_EQ(engine_->Info().device_memory.live_bytes, 0);
  EXPECT_EQ(engine_->Info().num_fields, 0);
}

}  // namespace
}  // namespace layoutd
