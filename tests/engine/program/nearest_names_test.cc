#include "engine/program/nearest_names.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace layoutd {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(NearestNamesTest, NearestComesFirst) {
  EXPECT_THAT(NearestNames("temperatur",
                           {"temperate", "pressure", "temperature", "temp"}),
              ElementsAre("temperature", "temperate"));
}

TEST(NearestNamesTest, ShortNamesMayDifferInOneCharacter) {
  EXPECT_THAT(NearestNames("u", {"v", "uv", "vw"}), ElementsAre("uv", "v"));
}

TEST(NearestNamesTest, NeighboursSwappedAreOneEdit) {
  EXPECT_THAT(NearestNames("tmep", {"temp", "salt"}), ElementsAre("temp"));
  EXPECT_THAT(NearestNames("atlt", {"salt"}), IsEmpty());
  EXPECT_THAT(NearestNames("ba", {"ab"}), ElementsAre("ab"));
}

TEST(NearestNamesTest, AtMostThreeEachOnce) {
  EXPECT_THAT(NearestNames("ab", {"ab", "ad", "ac", "ab", "ae"}),
              ElementsAre("ab", "ac", "ad"));
}

TEST(NearestNamesTest, FarNamesAreLeftOut) {
  EXPECT_THAT(NearestNames("salinity", {"temp", "heat"}), IsEmpty());
  EXPECT_THAT(NearestNames(std::string(100000, 'x'), {"x"}), IsEmpty());
}

TEST(NearestNamesTest, DidYouMeanListsThem) {
  EXPECT_EQ(DidYouMean({}), "");
  EXPECT_EQ(DidYouMean({"a"}), "; did you mean \"a\"?");
  EXPECT_EQ(DidYouMean({"a", "b", "c"}),
            "; did you mean \"a\", \"b\" or \"c\"?");
}

}  // namespace
}  // namespace layoutd
