#include "engine/access.h"

#include "engine/program/parse.h"
#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

using testing::Contains;
using testing::IsSupersetOf;
using testing::UnorderedElementsAre;

TEST(AccessOfTest, TargetsAreWrittenAndOtherNamesRead) {
  ASSERT_OK_AND_ASSIGN(const Program program, ParseProgram(R"(
      let warm = temp > 20.0
      new heat = at(temp, 0)
      foreach column mask ocean and not ice {
        d20 = fold(max, select(warm, depth, 0.0))
        "out/x".u = salt
      }
      reduce mask ocean { total = sum(heat * area) }
  )"));

  const AccessSet access = AccessOf(program, {});

  EXPECT_THAT(access.writes, UnorderedElementsAre("fields/heat", "fields/d20",
                                                  "fields/out/x"));
  EXPECT_THAT(access.reads,
              IsSupersetOf({"fields/temp", "fields/depth", "fields/salt",
                            "fields/area", "masks/ocean", "masks/ice"}));
  EXPECT_THAT(access.reads, testing::Not(Contains("fields/warm")));
}

TEST(AccessOfTest, BindingsStandForTheirFields) {
  ASSERT_OK_AND_ASSIGN(const Program program, ParseProgram("x = y + z"));

  const AccessSet access =
      AccessOf(program, {{"x", "out/x"}, {"y", "in/y"}, {"unused", "u"}});

  EXPECT_THAT(access.writes, UnorderedElementsAre("fields/out/x"));
  EXPECT_THAT(access.reads, IsSupersetOf({"fields/in/y", "fields/z"}));
}

}  // namespace
}  // namespace layoutd
