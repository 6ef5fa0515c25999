#include "engine/run/scheduler.h"

#include <atomic>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/synchronization/barrier.h"
#include "absl/synchronization/notification.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace layoutd {
namespace {

using testing::ElementsAre;

AccessSet Reads(std::vector<std::string> names) {
  return {.reads = std::move(names), .writes = {}};
}
AccessSet Writes(std::vector<std::string> names) {
  return {.reads = {}, .writes = std::move(names)};
}

// What happened, in order.
class Log {
 public:
  void Add(std::string entry) {
    absl::MutexLock lock(&mutex_);
    entries_.push_back(std::move(entry));
  }
  std::vector<std::string> entries() const {
    absl::MutexLock lock(&mutex_);
    return entries_;
  }

 private:
  mutable absl::Mutex mutex_;
  std::vector<std::string> entries_;
};

TEST(SchedulerTest, WritersOfOneFieldRunInTheOrderOfSubmission) {
  std::vector<int> order;  // guarded by the order itself
  Scheduler scheduler(4);
  for (int i = 0; i < 200; ++i) {
    scheduler.Submit(Writes({"fields/a"}),
                     [&order, i](const auto&) { order.push_back(i); });
  }
  scheduler.Drain();

  ASSERT_EQ(order.size(), 200U);
  for (int i = 0; i < 200; ++i) EXPECT_EQ(order[static_cast<size_t>(i)], i);
}

TEST(SchedulerTest, OperationsOnOtherFieldsRunAtTheSameTime) {
  absl::Notification a_runs;
  absl::Notification b_runs;
  Scheduler scheduler(2);
  // Each can end only while the other runs.
  scheduler.Submit(Writes({"fields/a"}), [&](const auto&) {
    a_runs.Notify();
    b_runs.WaitForNotification();
  });
  scheduler.Submit(Writes({"fields/b"}), [&](const auto&) {
    b_runs.Notify();
    a_runs.WaitForNotification();
  });
  scheduler.Drain();

  EXPECT_EQ(scheduler.num_unfinished(), 0);
}

TEST(SchedulerTest, ReadersOfOneFieldRunAtTheSameTime) {
  absl::Notification first_runs;
  absl::Notification second_runs;
  Scheduler scheduler(2);
  scheduler.Submit(Reads({"fields/a"}), [&](const auto&) {
    first_runs.Notify();
    second_runs.WaitForNotification();
  });
  scheduler.Submit(Reads({"fields/a"}), [&](const auto&) {
    second_runs.Notify();
    first_runs.WaitForNotification();
  });
  scheduler.Drain();
}

TEST(SchedulerTest, AReaderWaitsForTheWriterBeforeIt) {
  absl::Notification go;
  Log log;
  Scheduler scheduler(3);
  scheduler.Submit(Writes({"fields/a"}), [&](const auto&) {
    go.WaitForNotification();
    log.Add("write");
  });
  scheduler.Submit(Reads({"fields/a"}), [&](const auto&) { log.Add("read"); });
  scheduler.Submit({}, [&](const auto&) {
    log.Add("other");
    go.Notify();
  });
  scheduler.Drain();

  EXPECT_THAT(log.entries(), ElementsAre("other", "write", "read"));
}

TEST(SchedulerTest, AWriterWaitsForAReaderThatHasNotPinned) {
  absl::Notification go;
  Log log;
  Scheduler scheduler(3);
  scheduler.Submit(Reads({"fields/a"}), [&](const auto&) {
    go.WaitForNotification();
    log.Add("read");
  });
  scheduler.Submit(Writes({"fields/a"}),
                   [&](const auto&) { log.Add("write"); });
  scheduler.Submit({}, [&](const auto&) { go.Notify(); });
  scheduler.Drain();

  EXPECT_THAT(log.entries(), ElementsAre("read", "write"));
}

TEST(SchedulerTest, AReaderThatHasPinnedLetsTheWriterGo) {
  absl::Notification written;
  Log log;
  Scheduler scheduler(2);
  scheduler.Submit(Reads({"fields/a"}), [&](const auto& pinned) {
    log.Add("pin");
    pinned();
    pinned();  // once is enough, twice does no harm
    written.WaitForNotification();
    log.Add("read");
  });
  scheduler.Submit(Writes({"fields/a"}), [&](const auto&) {
    log.Add("write");
    written.Notify();
  });
  scheduler.Drain();

  EXPECT_THAT(log.entries(), ElementsAre("pin", "write", "read"));
}

TEST(SchedulerTest, PinningDoesNotReleaseWhatTheOperationWrites) {
  absl::Notification go;
  Log log;
  Scheduler scheduler(3);
  scheduler.Submit({.reads = {"fields/a", "fields/b"}, .writes = {"fields/b"}},
                   [&](const auto& pinned) {
                     pinned();
                     go.WaitForNotification();
                     log.Add("first");
                   });
  scheduler.Submit(Reads({"fields/b"}),
                   [&](const auto&) { log.Add("second"); });
  scheduler.Submit(Writes({"fields/a"}), [&](const auto&) { go.Notify(); });
  scheduler.Drain();

  EXPECT_THAT(log.entries(), ElementsAre("first", "second"));
}

TEST(SchedulerTest, AWriterWaitsOnlyOnceForANameThatStandsTwice) {
  Log log;
  Scheduler scheduler(2);
  for (const char* name : {"first", "second"}) {
    scheduler.Submit({.reads = {"a", "a"}, .writes = {"a", "b", "b"}},
                     [&log, name](const auto&) { log.Add(name); });
  }
  scheduler.Drain();

  EXPECT_THAT(log.entries(), ElementsAre("first", "second"));
}

TEST(SchedulerTest, AnOperationIsGoneBeforeThoseThatWaitedForIt) {
  auto held = std::make_shared<int>(1);
  const std::weak_ptr<int> seen = held;
  bool gone = false;
  Scheduler scheduler(2);
  scheduler.Submit(Writes({"a"}), [held = std::move(held)](const auto&) {});
  scheduler.Submit(Writes({"a"}), [&](const auto&) { gone = seen.expired(); });
  scheduler.Drain();

  EXPECT_TRUE(gone);
}

TEST(SchedulerTest, AllThatBecomesReadyAtOnceRunsAtTheSameTime) {
  constexpr int kThreads = 8;
  Scheduler scheduler(kThreads);
  for (int round = 0; round < 200; ++round) {
    // Each reader can end only while all the others run.
    absl::Barrier* const barrier = new absl::Barrier(kThreads);
    absl::Notification go;
    scheduler.Submit(Writes({"a"}),
                     [&](const auto&) { go.WaitForNotification(); });
    for (int k = 0; k < kThreads; ++k) {
      scheduler.Submit(Reads({"a"}), [barrier](const auto&) {
        if (barrier->Block()) delete barrier;
      });
    }
    go.Notify();
    scheduler.Drain();
  }
  EXPECT_EQ(scheduler.num_unfinished(), 0);
}

TEST(SchedulerTest, EveryOperationOfManySubmittersRuns) {
  constexpr int kSubmitters = 4;
  constexpr int kOperations = 2000;
  std::atomic<int> ran = 0;
  Scheduler scheduler(3);
  std::vector<std::thread> submitters;
  for (int s = 0; s < kSubmitters; ++s) {
    submitters.emplace_back([&scheduler, &ran] {
      for (int k = 0; k < kOperations; ++k) {
        // One at a time, so that threads fall idle and wake all along.
        absl::Notification done;
        scheduler.Submit(Reads({"a"}), [&](const auto& pinned) {
          pinned();
          ++ran;
          done.Notify();
        });
        done.WaitForNotification();
      }
    });
  }
  for (std::thread& submitter : submitters) submitter.join();
  scheduler.Drain();

  EXPECT_EQ(ran, kSubmitters * kOperations);
}

TEST(SchedulerTest, OperationsMaySubmitOthers) {
  Log log;
  Scheduler scheduler(1);
  scheduler.Submit(Writes({"a"}), [&](const auto&) {
    scheduler.Submit(Writes({"a"}), [&](const auto&) { log.Add("inner"); });
    log.Add("outer");
  });
  scheduler.Drain();

  EXPECT_THAT(log.entries(), ElementsAre("outer", "inner"));
}

TEST(SchedulerTest, DestructionWaitsForEverythingSubmitted) {
  std::atomic<int> ran = 0;
  {
    Scheduler scheduler(2);
    for (int i = 0; i < 100; ++i) {
      scheduler.Submit(Writes({"a"}), [&](const auto&) { ++ran; });
    }
  }
  EXPECT_EQ(ran, 100);
}

TEST(SchedulerTest, TensOfThousandsOfOperationsAreNoBurden) {
  constexpr int kOperations = 30000;
  std::atomic<int> ran = 0;
  absl::Notification go;
  Scheduler scheduler(4);
  scheduler.Submit(Writes({"a", "b", "c"}),
                   [&](const auto&) { go.WaitForNotification(); });
  for (int i = 0; i < kOperations; ++i) {
    AccessSet access = Reads({"a"});
    if (i % 100 == 0) access = Writes({"a", "c"});
    if (i % 3 == 0) access.reads.emplace_back("b");
    scheduler.Submit(std::move(access), [&](const auto&) { ++ran; });
  }
  EXPECT_EQ(scheduler.num_unfinished(), kOperations + 1);
  go.Notify();
  scheduler.Drain();

  EXPECT_EQ(ran, kOperations);
}

}  // namespace
}  // namespace layoutd
