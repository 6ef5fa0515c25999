#include "engine/layout/scope_division.h"

#include <limits>

#include "gtest/gtest.h"

namespace layoutd {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

TEST(ScopeDivisionTest, ContiguousSharesCoverEveryIndexOnceInOrder) {
  for (int64_t length : {0, 1, 2, 7, 64, 1000}) {
    for (int64_t members : {1, 2, 3, 7, 64}) {
      int64_t next = 0;
      for (int64_t rank = 0; rank < members; ++rank) {
        const IndexShare share = ContiguousShare(length, members, rank);
        EXPECT_EQ(share.begin, next);
        EXPECT_GE(share.size(), length / members);
        EXPECT_LE(share.size(), CeilDiv(length, members));
        next = share.end;
      }
      EXPECT_EQ(next, length);
    }
  }
}

TEST(ScopeDivisionTest, StridedSharesCoverEveryIndexOnce) {
  for (int64_t length : {0, 1, 2, 7, 64, 1000}) {
    for (int64_t members : {1, 2, 3, 7, 64}) {
      int64_t total = 0;
      for (int64_t rank = 0; rank < members; ++rank) {
        const IndexShare share = StridedShare(length, members, rank);
        total += share.size();
        if (share.size() > 0) {
          EXPECT_LT(share.begin + (share.size() - 1) * share.step, length);
        }
      }
      EXPECT_EQ(total, length);
    }
  }
}

TEST(ScopeDivisionTest, TheLongestLoopIsDividedWithoutOverflow) {
  EXPECT_EQ(ContiguousShare(kMax, 1024, 1023).end, kMax);
  EXPECT_EQ(ContiguousShare(kMax, 1024, 0).size(), kMax / 1024);
}

TEST(ScopeDivisionTest, TheLastSubscopeMayBeShort) {
  static_assert(NumSubscopes(100, 32) == 4);
  EXPECT_EQ(SubscopeRank(31, 32), 0);
  EXPECT_EQ(SubscopeRank(32, 32), 1);
  EXPECT_EQ(SubscopeRank(99, 32), 3);
}

}  // namespace
}  // namespace layoutd
