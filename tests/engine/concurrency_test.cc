// Sixteen callers of one engine at once, on fields and masks of their own and
// on shared ones: every value is right, whatever the order. Run under the
// thread sanitizer too (`tests/check.sh tsan`): then every store, the
// scheduler, the kernel cache and the device are watched for races. (Compiled
// kernels are not instrumented; what they touch is covered by the values.)

#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/engine/engine_fixture.h"

namespace layoutd {
namespace {

using testing::AnyOf;
using testing::Each;

constexpr int kNumCallers = 16;
constexpr Shape kShape = {{8, 2, 2, 40}};
constexpr int64_t kNumPoints = 8 * 4 * 40;
constexpr size_t kNumColumns = 4 * 40;

class ConcurrencyTest : public EngineFixture {
 protected:
  void SetUp() override {
    EngineOptions options;
    options.memory_limit_bytes = 64 << 20;
    options.num_threads = 4;
    options.num_operation_threads = 8;
    engine_ = *Engine::Create(options);
  }

  // Runs `body(caller)` on all callers at once, and waits for them.
  static void OnAllCallers(const std::function<void(int caller)>& body) {
    std::vector<std::thread> threads;
    for (int caller = 0; caller < kNumCallers; ++caller) {
      threads.emplace_back(body, caller);
    }
    for (std::thread& thread : threads) thread.join();
  }

  absl::StatusOr<bool> Delete(const std::string& id) {
    return Wait<bool>([&](Done<bool> done) {
      engine_->DeleteField(id, "", [done](const absl::Status& status) {
        if (status.ok()) return done(true);
        done(status);
      });
    });
  }

  absl::StatusOr<MaskInfo> SetMask(const std::string& id,
                                   std::vector<uint8_t> active) {
    return Wait<MaskInfo>([&](Done<MaskInfo> done) {
      engine_->SetMask(id, std::move(active), std::move(done));
    });
  }

  double Total(const std::string& id) {
    const absl::StatusOr<ExecuteReply> reply =
        Run("reduce { total = sum(f) }", {{"f", id}});
    EXPECT_OK(reply.status());
    return reply.ok() ? reply->results[0].leaves[0].As<double>() : -1;
  }
};

TEST_F(ConcurrencyTest, CallersWithFieldsOfTheirOwnDoNotMeet) {
  OnAllCallers([&](int caller) {
    const std::string id = absl::StrCat("own", caller);
    const std::string made = absl::StrCat("made", caller);
    for (int round = 0; round < 10; ++round) {
      const double value = 100 * caller + round;
      ASSERT_OK(engine_->CreateField(Spec(id, kShape)));
      ASSERT_OK(Write(id, std::vector<double>(kNumPoints, value)));
      // Each caller brings a program of its own, and all bring one that is the
      // same: kernels are compiled and found at once.
      std::string sum = "f";
      for (int k = 0; k <= caller; ++k) absl::StrAppend(&sum, " + f");
      ASSERT_OK(Run(absl::StrCat("f = ", sum), {{"f", id}}));
      ASSERT_OK(Run(absl::StrCat("new ", made, " = f + 1.0"), {{"f", id}}));
      const double want = value * (caller + 2);
      EXPECT_THAT(*Read(id), Each(want));
      EXPECT_THAT(*Read(made), Each(want + 1));
      EXPECT_EQ(Total(made), kNumPoints * (want + 1));
      ASSERT_OK(Delete(made));
      ASSERT_OK(Delete(id));
    }
  });

  engine_->Drain();
  EXPECT_EQ(engine_->Info().num_fields, 0);
  EXPECT_EQ(engine_->Info().memory_used_bytes, 0);
  EXPECT_EQ(engine_->Info().device_memory.live_bytes, 0);
}

TEST_F(ConcurrencyTest, NoStepOnASharedFieldIsLostOrSeenHalfDone) {
  constexpr int kRounds = 15;
  ASSERT_OK(engine_->CreateField(Spec("shared", kShape)));

  OnAllCallers([&](int caller) {
    for (int round = 0; round < kRounds; ++round) {
      ASSERT_OK(Run("shared = shared + 1.0"));
      if ((caller + round) % 2 == 0) {
        ASSERT_OK_AND_ASSIGN(const std::vector<double> values, Read("shared"));
        EXPECT_THAT(values, Each(values[0]));
      } else {
        const double total = Total("shared");
        EXPECT_EQ(total, kNumPoints * static_cast<int64_t>(total / kNumPoints));
      }
    }
  });

  EXPECT_THAT(*Read("shared"), Each(kNumCallers * kRounds));
  EXPECT_EQ(engine_->GetField("shared")->revision, kNumCallers * kRounds);
}

TEST_F(ConcurrencyTest, NoMaskedStepIsLostOrSeenHalfDone) {
  constexpr int kRounds = 15;
  std::vector<uint8_t> few(kNumColumns, 0);
  for (size_t column = 0; column < kNumColumns; column += 7) few[column] = 1;
  ASSERT_OK(engine_->CreateMask("few", kShape));
  ASSERT_OK(SetMask("few", few));
  ASSERT_OK(engine_->CreateField(Spec("shared", kShape)));
  const auto expect_one_step = [&](const std::vector<double>& values) {
    for (size_t k = 0; k < values.size(); ++k) {
      ASSERT_EQ(values[k], few[k / 8] != 0 ? values[0] : 0) << k;
    }
  };

  OnAllCallers([&](int caller) {
    for (int round = 0; round < kRounds; ++round) {
      // In place when nobody has the field pinned, else into a copy.
      ASSERT_OK(Run("foreach point mask few { shared = shared + 1.0 }"));
      if ((caller + round) % 3 == 0) {
        ASSERT_OK_AND_ASSIGN(const std::vector<double> values, Read("shared"));
        expect_one_step(values);
      }
    }
  });

  ASSERT_OK_AND_ASSIGN(const std::vector<double> values, Read("shared"));
  expect_one_step(values);
  EXPECT_EQ(values[0], kNumCallers * kRounds);
  EXPECT_EQ(engine_->GetField("shared")->revision, kNumCallers * kRounds);
}

TEST_F(ConcurrencyTest, AFieldThatComesAndGoesIsWholeOrNotThere) {
  OnAllCallers([&](int caller) {
    for (int round = 0; round < 15; ++round) {
      const auto expect_ok_or = [&](const absl::Status& status) {
        EXPECT_THAT(
            DetailOf(status).reason,
            AnyOf("", "FIELD_EXISTS", "FIELD_NOT_FOUND", "NAME_NOT_FOUND"))
            << status;
      };
      expect_ok_or(engine_->CreateField(Spec("door", kShape)).status());
      expect_ok_or(
          Write("door", std::vector<double>(kNumPoints, caller)).status());
      expect_ok_or(Run("door = door + 1.0").status());
      const absl::StatusOr<std::vector<double>> values = Read("door");
      expect_ok_or(values.status());
      if (values.ok()) {
        EXPECT_THAT(*values, Each((*values)[0]));
      }
      engine_->ListFields("", 10);
      if (round % 3 == 0) expect_ok_or(Delete("door").status());
    }
  });
  Delete("door").IgnoreError();

  engine_->Drain();
  EXPECT_EQ(engine_->Info().memory_used_bytes, 0);
  EXPECT_EQ(engine_->Info().device_memory.live_bytes, 0);
}

TEST_F(ConcurrencyTest, ARunSeesOneRevisionOfASharedMask) {
  std::vector<uint8_t> few(kNumColumns, 0);
  few[3] = few[77] = 1;
  std::vector<uint8_t> many(kNumColumns, 1);
  many[5] = 0;
  ASSERT_OK(engine_->CreateMask("shared", kShape));
  ASSERT_OK(SetMask("shared", few));
  ASSERT_OK(engine_->CreateField(Spec("ones", kShape)));
  ASSERT_OK(Fill("ones", "", "1"));

  OnAllCallers([&](int caller) {
    for (int round = 0; round < 15; ++round) {
      if (caller % 4 == 0) {
        ASSERT_OK(SetMask("shared", round % 2 == 0 ? many : few));
        continue;
      }
      // Both statements of a program see the same columns.
      const std::string made = absl::StrCat("made", caller);
      ASSERT_OK_AND_ASSIGN(
          const ExecuteReply reply,
          Run(absl::StrCat("new ", made, " = 0.0 * ones\n",
                           "foreach column mask shared { ", made, " = ones }\n",
                           "reduce mask shared { n = sum(ones) }\n",
                           "reduce { m = sum(", made, ") }")));
      const auto n = reply.results[0].leaves[0].As<double>();
      EXPECT_THAT(n, AnyOf(2 * 8, (kNumColumns - 1) * 8));
      EXPECT_EQ(reply.results[1].leaves[0].As<double>(), n);
      ASSERT_OK(Delete(made));
    }
  });
}

TEST_F(ConcurrencyTest, ACancelledRunPublishesAllOrNothing) {
  constexpr int kRounds = 15;
  ASSERT_OK(engine_->CreateField(Spec("shared", kShape)));
  std::atomic<int> num_published = 0;

  OnAllCallers([&](int caller) {
    for (int round = 0; round < kRounds; ++round) {
      const StopToken stop;
      // Cancelled while it waits, runs, or is long done.
      std::thread canceller([&stop] { stop.Cancel(); });
      const absl::Status status =
          Run("shared = shared + 1.0", {}, stop).status();
      canceller.join();
      if (status.ok()) {
        ++num_published;
      } else {
        EXPECT_EQ(DetailOf(status).reason, "CANCELLED") << caller;
      }
    }
  });

  EXPECT_THAT(*Read("shared"), Each(num_published.load()));
  EXPECT_EQ(engine_->GetField("shared")->revision, num_published);
}

}  // namespace
}  // namespace layoutd
