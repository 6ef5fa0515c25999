#include "engine/run/mask_store.h"

#include <limits>
#include <string>
#include <vector>

#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

constexpr Shape kShape = {{7, 2, 1, 3}};
constexpr int64_t kLimitBytes = 10000;

class MaskStoreTest : public testing::Test {
 protected:
  MemoryBudget budget_{kLimitBytes};
  MaskStore store_{&budget_};
};

TEST_F(MaskStoreTest, ANewMaskIsOfColumnsAndAllActive) {
  ASSERT_OK_AND_ASSIGN(const MaskInfo info, store_.Create("ocean", kShape));
  ASSERT_OK_AND_ASSIGN(const PinnedMask mask, store_.Pin("ocean"));

  EXPECT_EQ(info.shape, kShape.WithV(1));
  EXPECT_EQ(info.revision, 0);
  EXPECT_EQ(info.active_columns, 6);
  EXPECT_THAT(mask.map->active, ElementsAre(1, 1, 1, 1, 1, 1));
  EXPECT_THAT(mask.map->h, ElementsAre(0, 0, 1, 1, 2, 2));
}

TEST_F(MaskStoreTest, SettingReplacesBitsAndMapsTogether) {
  ASSERT_OK_AND_ASSIGN(const MaskInfo before, store_.Create("ocean", kShape));
  ASSERT_OK_AND_ASSIGN(const PinnedMask pinned, store_.Pin("ocean"));

  ASSERT_OK_AND_ASSIGN(const MaskInfo after,
                       store_.Set("ocean", {0, 1, 0, 0, 1, 0}));

  EXPECT_EQ(after.revision, 1);
  EXPECT_EQ(after.active_columns, 2);
  EXPECT_NE(after.etag, before.etag);
  ASSERT_OK_AND_ASSIGN(const PinnedMask mask, store_.Pin("ocean"));
  EXPECT_THAT(mask.map->active, ElementsAre(0, 1, 0, 0, 1, 0));
  EXPECT_THAT(mask.map->i, ElementsAre(1, 0));
  EXPECT_THAT(mask.map->h, ElementsAre(0, 2));
  EXPECT_EQ(pinned.map->num_active(), 6);
}

TEST_F(MaskStoreTest, TheMemoryOfEveryHeldMapIsInTheBudget) {
  constexpr int64_t kAllBytes = 6 * (1 + 3 * 8);
  ASSERT_OK(store_.Create("ocean", kShape));
  EXPECT_EQ(budget_.used_bytes(), kAllBytes);
  {
    ASSERT_OK_AND_ASSIGN(const PinnedMask pinned, store_.Pin("ocean"));
    ASSERT_OK(store_.Set("ocean", {0, 0, 0, 0, 0, 1}));
    EXPECT_EQ(budget_.used_bytes(), kAllBytes + 6 + 24);
  }
  EXPECT_EQ(budget_.used_bytes(), 6 + 24);

  ASSERT_OK(store_.Delete("ocean", ""));
  EXPECT_EQ(budget_.used_bytes(), 0);
}

TEST_F(MaskStoreTest, RefusesWhatIsNotAByteOfZeroOrOnePerColumn) {
  ASSERT_OK(store_.Create("ocean", kShape));

  EXPECT_THAT(store_.Set("ocean", {1, 1, 1}),
              IsError(absl::StatusCode::kInvalidArgument, "MASK_SHAPE_MISMATCH",
                      AllOf(HasSubstr("6"), HasSubstr("3"))));
  EXPECT_THAT(store_.Set("ocean", {1, 1, 1, 2, 1, 1}),
              IsError(absl::StatusCode::kInvalidArgument, "BAD_BOOL",
                      AllOf(HasSubstr("column 3"), HasSubstr("2"))));
  EXPECT_EQ(store_.Get("ocean")->revision, 0);
}

TEST_F(MaskStoreTest, RefusesImpossibleShapesAndIds) {
  EXPECT_THAT(store_.Create("ocean", Shape{{1, 2, -1, 1}}),
              IsError(absl::StatusCode::kInvalidArgument, "BAD_EXTENT",
                      HasSubstr("-1")));
  constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();
  EXPECT_THAT(store_.Create("ocean", Shape{{1, 4, 4, kHuge}}),
              IsError(absl::StatusCode::kOutOfRange, "SIZE_OVERFLOW",
                      HasSubstr("mask")));
  EXPECT_THAT(store_.Create("ocean", Shape{{1, 4, 4, 1 << 20}}),
              IsError(absl::StatusCode::kResourceExhausted, "MEMORY_LIMIT",
                      HasSubstr("ocean")));
  EXPECT_THAT(store_.Create("Ocean", kShape),
              IsError(absl::StatusCode::kInvalidArgument, "BAD_ID",
                      HasSubstr("Ocean")));
  ASSERT_OK(store_.Create("ocean", kShape));
  EXPECT_THAT(store_.Create("ocean", kShape),
              IsError(absl::StatusCode::kAlreadyExists, "MASK_EXISTS",
                      HasSubstr("ocean")));
  EXPECT_EQ(store_.List("", 10).size(), 1U);
}

TEST_F(MaskStoreTest, MasksWithoutColumnsAreLegal) {
  ASSERT_OK(store_.Create("none", Shape{{1, 4, 4, 0}}));
  ASSERT_OK_AND_ASSIGN(const MaskInfo info, store_.Set("none", {}));

  EXPECT_EQ(info.active_columns, 0);
  EXPECT_EQ(info.revision, 1);
}

TEST_F(MaskStoreTest, AnUnknownMaskIsReportedWithTheNearest) {
  ASSERT_OK(store_.Create("ocean", kShape));

  const absl::Status status = store_.Pin("oceans").status();

  EXPECT_THAT(status, IsError(absl::StatusCode::kNotFound, "MASK_NOT_FOUND",
                              HasSubstr("ocean")));
  EXPECT_THAT(DetailOf(status).metadata,
              Contains(Pair("suggestions", "ocean")));
  EXPECT_THAT(store_.Set("land", {}),
              IsError(absl::StatusCode::kNotFound, "MASK_NOT_FOUND",
                      HasSubstr("land")));
}

TEST_F(MaskStoreTest, DeletesOnlyTheVersionThatWasSeen) {
  ASSERT_OK_AND_ASSIGN(const MaskInfo info, store_.Create("ocean", kShape));
  ASSERT_OK(store_.Set("ocean", {0, 0, 0, 0, 0, 0}));

  EXPECT_THAT(
      store_.Delete("ocean", info.etag),
      IsError(absl::StatusCode::kAborted, "ETAG_MISMATCH", HasSubstr("ocean")));
  EXPECT_OK(store_.Delete("ocean", store_.Get("ocean")->etag));
  EXPECT_THAT(store_.List("", 10), IsEmpty());
}

TEST_F(MaskStoreTest, ListsSortedPages) {
  for (const char* id : {"c", "a", "b"}) ASSERT_OK(store_.Create(id, kShape));

  EXPECT_EQ(store_.List("", 2)[1].id, "b");
  EXPECT_EQ(store_.List("b", 2)[0].id, "c");
  EXPECT_EQ(store_.List("b", 2).size(), 1U);
}

}  // namespace
}  // namespace layoutd
