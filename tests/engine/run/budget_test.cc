#include "engine/run/budget.h"

#include <limits>
#include <utility>

#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Pair;

TEST(MemoryBudgetTest, CountsWhatIsReservedUntilItIsGivenBack) {
  MemoryBudget budget(100);
  {
    ASSERT_OK_AND_ASSIGN(const Reservation a, budget.Reserve(60, "a"));
    ASSERT_OK_AND_ASSIGN(const Reservation b, budget.Reserve(40, "b"));
    EXPECT_EQ(a.bytes(), 60);
    EXPECT_EQ(budget.used_bytes(), 100);
  }

  EXPECT_EQ(budget.used_bytes(), 0);
}

TEST(MemoryBudgetTest, RefusalNamesNeededFreeAndLimit) {
  MemoryBudget budget(100);
  ASSERT_OK_AND_ASSIGN(const Reservation held, budget.Reserve(70, "held"));

  const absl::Status status = budget.Reserve(31, "field \"temp\"").status();

  EXPECT_THAT(status,
              IsError(absl::StatusCode::kResourceExhausted, "MEMORY_LIMIT",
                      AllOf(HasSubstr("field \"temp\""), HasSubstr("31"),
                            HasSubstr("30"), HasSubstr("100"))));
  EXPECT_THAT(DetailOf(status).metadata,
              AllOf(Contains(Pair("needed_bytes", "31")),
                    Contains(Pair("free_bytes", "30")),
                    Contains(Pair("limit_bytes", "100"))));
  EXPECT_EQ(budget.used_bytes(), 70);
}

TEST(MemoryBudgetTest, HugeRequestsDoNotOverflow) {
  MemoryBudget budget(std::numeric_limits<int64_t>::max());
  ASSERT_OK_AND_ASSIGN(const Reservation held, budget.Reserve(1, "held"));

  EXPECT_FALSE(
      budget.Reserve(std::numeric_limits<int64_t>::max(), "huge").ok());
  EXPECT_EQ(budget.used_bytes(), 1);
}

TEST(MemoryBudgetTest, NoBytesAreAlwaysFree) {
  MemoryBudget budget(10);
  ASSERT_OK_AND_ASSIGN(const Reservation all, budget.Reserve(10, "all"));

  EXPECT_OK(budget.Reserve(0, "nothing"));
}

TEST(ReservationTest, MovesWithoutBeingGivenBack) {
  MemoryBudget budget(100);
  ASSERT_OK_AND_ASSIGN(Reservation a, budget.Reserve(60, "a"));
  ASSERT_OK_AND_ASSIGN(Reservation b, budget.Reserve(40, "b"));

  b = std::move(a);  // gives b's 40 back

  EXPECT_EQ(budget.used_bytes(), 60);
  EXPECT_EQ(b.bytes(), 60);
  EXPECT_EQ(a.bytes(), 0);  // NOLINT(bugprone-use-after-move)
}

TEST(ReservationTest, SplitsIntoPartsThatLiveAlone) {
  MemoryBudget budget(100);
  ASSERT_OK_AND_ASSIGN(Reservation whole, budget.Reserve(60, "whole"));
  {
    const Reservation part = whole.Take(25);
    EXPECT_EQ(part.bytes(), 25);
    EXPECT_EQ(whole.bytes(), 35);
    EXPECT_EQ(budget.used_bytes(), 60);
  }

  EXPECT_EQ(budget.used_bytes(), 35);
}

}  // namespace
}  // namespace layoutd
