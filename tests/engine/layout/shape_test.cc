#include "engine/layout/shape.h"

#include <optional>
#include <vector>

#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(ShapeTest, TextFormListsVIJH) {
  EXPECT_EQ(ToString(Shape{{63, 4, 4, 5400}}), "(63, 4, 4, 5400)");
}

TEST(ShapeTest, PointsAndColumnsAreProducts) {
  const Shape shape{{63, 4, 4, 5400}};

  EXPECT_EQ(shape.num_points(), 5443200);
  EXPECT_EQ(shape.num_columns(), 86400);
  EXPECT_EQ(shape.WithV(1), (Shape{{1, 4, 4, 5400}}));
  EXPECT_EQ(shape[Axis::kH], 5400);
}

struct Case {
  const char* name;
  Shape a;
  Shape b;
  std::optional<Shape> want;  // none: no common shape
};

TEST(ShapeTest, ShapesBroadcastAsInTheReferenceTable) {
  const std::vector<Case> cases = {
      {"volume and surface",
       {{10, 4, 4, 5}},
       {{1, 4, 4, 5}},
       {{{10, 4, 4, 5}}}},
      {"volume and column",
       {{10, 4, 4, 5}},
       {{10, 1, 1, 1}},
       {{{10, 4, 4, 5}}}},
      {"surface and column",
       {{1, 4, 4, 5}},
       {{10, 1, 1, 1}},
       {{{10, 4, 4, 5}}}},
      {"column and point", {{10, 1, 1, 1}}, {{1, 1, 1, 1}}, {{{10, 1, 1, 1}}}},
      {"none and one", {{0, 4, 4, 5}}, {{1, 4, 4, 1}}, {{{0, 4, 4, 5}}}},
      {"other v", {{10, 4, 4, 5}}, {{11, 4, 4, 5}}, std::nullopt},
      {"other i and j", {{10, 4, 4, 5}}, {{10, 3, 3, 5}}, std::nullopt},
      {"other h", {{10, 4, 4, 5}}, {{10, 4, 4, 7}}, std::nullopt},
      {"none and two", {{0, 4, 4, 5}}, {{2, 4, 4, 5}}, std::nullopt},
  };
  for (const Case& c : cases) {
    for (const auto& result :
         {BroadcastShapes(c.a, c.b), BroadcastShapes(c.b, c.a)}) {
      EXPECT_EQ(result.ok(), c.want.has_value()) << c.name;
      if (result.ok()) {
        EXPECT_EQ(*result, *c.want) << c.name;
      }
    }
  }
}

TEST(ShapeTest, MismatchNamesBothShapesAndTheAxis) {
  const auto result =
      BroadcastShapes(Shape{{10, 4, 4, 5}}, Shape{{10, 4, 4, 7}});

  EXPECT_THAT(
      result,
      IsError(absl::StatusCode::kInvalidArgument, "SHAPE_MISMATCH",
              AllOf(HasSubstr("(10, 4, 4, 5)"), HasSubstr("(10, 4, 4, 7)"),
                    HasSubstr("along h: 5 and 7"))));
}

TEST(ShapeTest, DestinationIsNeverEnlarged) {
  const Shape volume{{10, 4, 4, 5}};

  EXPECT_TRUE(BroadcastsTo(volume, volume));
  EXPECT_TRUE(BroadcastsTo(Shape{{1, 4, 4, 5}}, volume));
  EXPECT_TRUE(BroadcastsTo(Shape{}, volume));
  EXPECT_TRUE(BroadcastsTo(Shape{}, Shape{{0, 1, 1, 0}}));
  EXPECT_FALSE(BroadcastsTo(volume, Shape{{1, 4, 4, 5}}));
  EXPECT_FALSE(BroadcastsTo(Shape{{10, 4, 4, 7}}, volume));
  EXPECT_FALSE(BroadcastsTo(volume, Shape{}));
  EXPECT_FALSE(BroadcastsTo(Shape{{0, 1, 1, 1}}, Shape{}));
}

}  // namespace
}  // namespace layoutd
