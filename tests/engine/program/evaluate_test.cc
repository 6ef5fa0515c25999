#include "engine/program/evaluate.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/engine/program/oracle_world.h"
#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

using testing::Each;
using testing::ElementsAre;

double Level(int64_t v, int64_t, int64_t, int64_t) {
  return static_cast<double>(v);
}
double Element(int64_t, int64_t, int64_t, int64_t h) {
  return static_cast<double>(h);
}
OracleWorld::Generator Constant(double value) {
  return [value](int64_t, int64_t, int64_t, int64_t) { return value; };
}

// Statements

TEST(EvaluateTest, AnAssignmentComputesAllValuesBeforeItStoresAny) {
  OracleWorld world;
  world.AddColumn("x", "f64", {1, 2, 3, 4, 5, 6, 7, 8});

  ASSERT_OK(world.Run("foreach column { x = x + at(x, v - 1, edge = 0) }"));

  EXPECT_THAT(world.Values("x"), ElementsAre(1, 3, 5, 7, 9, 11, 13, 15));
}

TEST(EvaluateTest, SmoothingOnesInPlaceKeepsOnes) {
  OracleWorld world;
  world.Add("x", "f64", {{20000, 1, 1, 1}}, Constant(1));

  ASSERT_OK(world.Run("x = 0.5 * (x + at(x, v - 1, edge = clamp))"));

  EXPECT_THAT(world.Values("x"), Each(1.0));
}

TEST(EvaluateTest, LaterStatementsOfAColumnSeeEarlierOnes) {
  OracleWorld world;
  world.AddColumn("x", "f64", {1, 2, 3});
  world.AddColumn("y", "f64", {0, 0, 0});

  ASSERT_OK(world.Run(R"(foreach column {
    x = 10 * x
    y = at(x, v + 1, edge = -1)
  })"));

  EXPECT_THAT(world.Values("y"), ElementsAre(20, 30, -1));
}

TEST(EvaluateTest, ALetKeepsTheValueItHadAtItsStatement) {
  OracleWorld world;
  world.AddColumn("x", "f64", {1, 2, 3});
  world.AddColumn("y", "f64", {0, 0, 0});

  ASSERT_OK(world.Run(R"(
    let before = x + 1
    x = 10 * x
    let after = x + before
    x = 0
    y = before + 1000 * after
  )"));

  EXPECT_THAT(world.Values("y"), ElementsAre(12002, 23003, 34004));
}

TEST(EvaluateTest, ALetOfALoopIsReadAtOtherLevelsAsItWas) {
  OracleWorld world;
  world.AddColumn("x", "f64", {1, 2, 3});
  world.AddColumn("y", "f64", {0, 0, 0});

  ASSERT_OK(world.Run(R"(foreach column {
    let old = x
    x = -x
    y = x + at(old, v + 1, edge = 100)
  })"));

  EXPECT_THAT(world.Values("y"), ElementsAre(1, 1, 97));
}

TEST(EvaluateTest, TheSameLetNameInTwoLoopsIsTwoLets) {
  OracleWorld world;
  world.AddColumn("x", "f64", {1, 2});
  world.AddColumn("y", "f64", {0, 0});

  ASSERT_OK(world.Run(R"(
    foreach column { let a = x + 1
      x = a }
    foreach column { let a = x * 10
      x = 0
      y = a }
  )"));

  EXPECT_THAT(world.Values("y"), ElementsAre(20, 30));
}

TEST(EvaluateTest, ALetOfALoopHidesAnOuterOneInTheLoopOnly) {
  OracleWorld world;
  world.AddColumn("x", "f64", {1, 2});
  world.AddColumn("y", "f64", {0, 0});

  ASSERT_OK(world.Run(R"(
    let a = x
    x = 10 * x
    foreach column { let a = x + 5
      y = a }
    y = y + 100 * a
  )"));

  EXPECT_THAT(world.Values("y"), ElementsAre(115, 225));
}

TEST(EvaluateTest, ANewFieldTakesShapeAndTypeOfItsValue) {
  OracleWorld world;
  world.Add("x", "f32", {{3, 2, 2, 2}}, Level);

  ASSERT_OK(world.Run("new top = at(x, last)\nnew flag = x > 1"));

  EXPECT_EQ(world.Field("top").shape, (Shape{{1, 2, 2, 2}}));
  EXPECT_EQ(world.Field("top").type, ValueType(ScalarType::kF32));
  EXPECT_THAT(world.Values("top"), Each(2.0));
  EXPECT_EQ(world.Field("flag").type, ValueType(ScalarType::kBool));
}

TEST(EvaluateTest, StoresConvertToTheFieldsType) {
  OracleWorld world;
  world.AddColumn("f", "f32", {0, 0});
  world.AddColumn("i", "u8", {0, 0});
  world.AddColumn("x", "f64", {0.1, 300.7});

  ASSERT_OK(world.Run("f = x\ni = i32(x)"));

  EXPECT_THAT(world.Values("f"), ElementsAre(0.1f, 300.7f));
  EXPECT_THAT(world.Values("i"), ElementsAre(0, 44));
}

// Broadcasting

TEST(EvaluateTest, LevelsAndColumnsBroadcast) {
  OracleWorld world;
  world.Add("a", "f64", {{5, 1, 1, 1}}, Level);
  world.Add("b", "f64", {{1, 4, 4, 3}},
            [](int64_t, int64_t i, int64_t j, int64_t h) {
              return static_cast<double>(10 * i + 100 * j + 1000 * h);
            });
  world.Add("y", "f64", {{5, 4, 4, 3}}, Constant(-1));

  ASSERT_OK(world.Run(R"(
    y = a + b
    reduce { total = sum(y)
      average = mean(y)
      lazy = sum(a + b) }
  )"));

  EXPECT_EQ(world.Number("total"), 280080.0);
  EXPECT_EQ(world.Number("lazy"), 280080.0);
  EXPECT_EQ(world.Number("average"), 1167.0);
  EXPECT_EQ(world.Values("y").back(), 2334.0);
}

TEST(EvaluateTest, IndicesAreThoseOfThePoint) {
  OracleWorld world;
  world.Add("y", "i64", {{2, 3, 3, 2}}, Constant(0));

  ASSERT_OK(world.Run("y = @v + 10 * @i + 100 * @j + 1000 * @h"));

  const std::vector<double> values = world.Values("y");
  EXPECT_EQ(values[1], 1);
  EXPECT_EQ(values[2], 10);
  EXPECT_EQ(values[6], 100);
  EXPECT_EQ(values[18], 1000);
  EXPECT_EQ(values.back(), 1221);
}

// at

TEST(EvaluateTest, TwoLevelsBackGivesTheEdgeValueAtTheFirstTwo) {
  OracleWorld world;
  world.AddColumn("x", "f64", {0, 1, 2, 3, 4, 5});
  world.AddColumn("y", "f64", {9, 9, 9, 9, 9, 9});

  ASSERT_OK(world.Run("y = select(@v >= 2, 1 - at(x, v - 2, edge = 1e30), x)"));

  EXPECT_THAT(world.Values("y"), ElementsAre(0, 1, 1, 0, -1, -2));
}

TEST(EvaluateTest, AShiftedExpressionIsTheShiftedStoredValue) {
  OracleWorld world;
  world.AddColumn("a", "f64", {1, 2, 3, 4, 5, 6});

  ASSERT_OK(world.Run(R"(
    new b = a * a
    new y = at(a * b, v + 1, edge = clamp)
    new z = at(a, v + 1, edge = clamp) * at(b, v + 1, edge = clamp)
    new c = a * b
    new w = at(c, v + 1, edge = clamp)
    reduce { total = sum(y) }
  )"));

  EXPECT_THAT(world.Values("y"), ElementsAre(8, 27, 64, 125, 216, 216));
  EXPECT_EQ(world.Values("z"), world.Values("y"));
  EXPECT_EQ(world.Values("w"), world.Values("y"));
  EXPECT_EQ(world.Number("total"), 656.0);
}

TEST(EvaluateTest, OffsetsPastTheColumnClampOrTakeTheValue) {
  OracleWorld world;
  world.AddColumn("x", "f64", {1, 2, 3, 4, 5});

  ASSERT_OK(world.Run(R"(
    new up = at(x, v + 64, edge = clamp)
    new down = at(x, v - 64, edge = clamp)
    new out = at(x, v + 64, edge = 7)
  )"));

  EXPECT_THAT(world.Values("up"), Each(5.0));
  EXPECT_THAT(world.Values("down"), Each(1.0));
  EXPECT_THAT(world.Values("out"), Each(7.0));
}

TEST(EvaluateTest, NestedShiftsCompose) {
  OracleWorld world;
  world.AddColumn("x", "f64", {1, 2, 3, 4});
  world.AddColumn("y", "f64", {0, 0, 0, 0});
  world.AddColumn("z", "f64", {0, 0, 0, 0});

  ASSERT_OK(world.Run(R"(
    y = at(at(x, v + 1, edge = 10), v - 2, edge = 20)
    z = at(at(x, v + 1), v - 1)
  )"));

  EXPECT_THAT(world.Values("y"), ElementsAre(20, 20, 2, 3));
  EXPECT_THAT(world.Values("z"), ElementsAre(1, 2, 3, 4));
}

TEST(EvaluateTest, FacesAreReadFromCentres) {
  OracleWorld world;
  world.AddColumn("face", "f64", {1, 4, 9, 16});
  world.AddColumn("centre", "f64", {0, 0, 0});

  ASSERT_OK(world.Run("centre = at(face, v + 1) - at(face, v)"));

  EXPECT_THAT(world.Values("centre"), ElementsAre(3, 5, 7));
}

TEST(EvaluateTest, AFixedLevelFillsTheColumn) {
  OracleWorld world;
  world.AddColumn("x", "f64", {1, 2, 4});

  ASSERT_OK(world.Run("x = x + 10 * at(x, 1) + 100 * at(x, last)"));

  EXPECT_THAT(world.Values("x"), ElementsAre(421, 422, 424));
}

// fold

TEST(EvaluateTest, FoldsRunInLevelOrderOrFlipped) {
  OracleWorld world;
  world.AddColumn("x", "f64", {1, 2, 4, 8});
  for (const char* id : {"a", "b", "c", "d"}) world.AddColumn(id, "f64", {0});

  ASSERT_OK(world.Run(R"(foreach column {
    a = fold(+, x)
    b = fold(max, -x, flip = true)
    c = fold(*, x, init = 10)
    d = fold(min, x, init = 0.5, flip = true)
  })"));

  EXPECT_THAT(world.Values("a"), ElementsAre(15));
  EXPECT_THAT(world.Values("b"), ElementsAre(-1));
  EXPECT_THAT(world.Values("c"), ElementsAre(640));
  EXPECT_THAT(world.Values("d"), ElementsAre(0.5));
}

TEST(EvaluateTest, FoldsThatAreNotAssociativeShowTheirOrder) {
  OracleWorld world;
  world.AddColumn("x", "f64", {1, 2, 4, 8});
  for (const char* id : {"a", "b", "c", "d"}) world.AddColumn(id, "f64", {0});

  ASSERT_OK(world.Run(R"(foreach column {
    a = fold(-, x)
    b = fold(-, x, flip = true)
    c = fold(-, x, init = 10)
    d = fold(-, x, init = 10, flip = true)
  })"));

  EXPECT_THAT(world.Values("a"), ElementsAre(1 - 2 - 4 - 8));
  EXPECT_THAT(world.Values("b"), ElementsAre(1 - (2 - (4 - 8))));
  EXPECT_THAT(world.Values("c"), ElementsAre(10 - 1 - 2 - 4 - 8));
  EXPECT_THAT(world.Values("d"), ElementsAre(1 - (2 - (4 - (8 - 10)))));
}

TEST(EvaluateTest, FoldsOfSmallIntegersAreWide) {
  OracleWorld world;
  world.AddColumn("x", "u8", {250, 250});

  ASSERT_OK(world.Run("foreach column { new y = fold(+, x) }"));

  EXPECT_EQ(world.Field("y").type, ValueType(ScalarType::kU64));
  EXPECT_THAT(world.Values("y"), ElementsAre(500));
}

TEST(EvaluateTest, AFoldFillsAllLevelsAndSeesTheColumnAlone) {
  OracleWorld world;
  world.Add("x", "f64", {{2, 1, 1, 3}},
            [](int64_t v, int64_t, int64_t, int64_t h) {
              return static_cast<double>(10 * h + v);
            });
  world.Add("y", "f64", {{2, 1, 1, 3}}, Constant(0));

  ASSERT_OK(world.Run("foreach column { y = x - fold(+, x) }"));

  EXPECT_THAT(world.Values("y"), ElementsAre(-1, 0, -11, -10, -21, -20));
}

TEST(EvaluateTest, ColumnReduceIsTheOtherNameOfFold) {
  OracleWorld world;
  world.AddColumn("x", "f64", {1, 2, 4});
  world.AddColumn("y", "f64", {0, 0});

  ASSERT_OK(world.Run(
      "foreach column { y = column_reduce(-, x, flip = true, init = 10.0) }"));

  EXPECT_THAT(world.Values("y"), ElementsAre(-7, -7));
}

// scan

TEST(EvaluateTest, ScansKeepTheRunningValueOfEveryLevel) {
  OracleWorld world;
  world.AddColumn("x", "f64", {1, 2, 4, 8});

  ASSERT_OK(world.Run(R"(foreach column {
    new up = scan(+, x)
    new down = scan(+, x, flip = true)
    new from = scan(+, x, init = 10.0)
    new before = scan(+, x, exclusive = true)
    new above = scan(+, x, flip = true, exclusive = true, init = 0.5)
    new product = scan(*, x, exclusive = true)
    new left = scan(-, x)
    new right = scan(-, x, flip = true)
  })"));

  EXPECT_THAT(world.Values("up"), ElementsAre(1, 3, 7, 15));
  EXPECT_THAT(world.Values("down"), ElementsAre(15, 14, 12, 8));
  EXPECT_THAT(world.Values("from"), ElementsAre(11, 13, 17, 25));
  EXPECT_THAT(world.Values("before"), ElementsAre(0, 1, 3, 7));
  EXPECT_THAT(world.Values("above"), ElementsAre(14.5, 12.5, 8.5, 0.5));
  EXPECT_THAT(world.Values("product"), ElementsAre(1, 1, 2, 8));
  EXPECT_THAT(world.Values("left"), ElementsAre(1, -1, -5, -13));
  EXPECT_THAT(world.Values("right"), ElementsAre(-5, 6, -4, 8));
}

TEST(EvaluateTest, ScansMeetOtherPassesAndNeighbours) {
  OracleWorld world;
  world.AddColumn("x", "f64", {1, 2, 4, 8});
  world.AddColumn("one", "f64", {3});

  ASSERT_OK(world.Run(R"(foreach column {
    new both = scan(+, x) + scan(+, x, flip = true)
    new share = scan(+, x) / fold(+, x)
    new twice = scan(+, scan(+, x))
    new next = at(scan(+, x), v + 1, edge = -1.0)
    new ends = at(scan(+, x), last) - at(scan(+, x), 0)
    new most = fold(max, scan(-, x, flip = true))
    new single = scan(+, one, init = 1.0)
  })"));

  EXPECT_THAT(world.Values("both"), ElementsAre(16, 17, 19, 23));
  EXPECT_THAT(world.Values("share"),
              ElementsAre(1 / 15.0, 3 / 15.0, 7 / 15.0, 1));
  EXPECT_THAT(world.Values("twice"), ElementsAre(1, 4, 11, 26));
  EXPECT_THAT(world.Values("next"), ElementsAre(3, 7, 15, -1));
  EXPECT_THAT(world.Values("ends"), ElementsAre(14));
  EXPECT_THAT(world.Values("most"), ElementsAre(8));
  EXPECT_THAT(world.Values("single"), ElementsAre(4));
}

TEST(EvaluateTest, ScansOfSmallIntegersAreWide) {
  OracleWorld world;
  world.AddColumn("x", "u8", {250, 250});
  world.AddColumn("b", "bool", {1, 1});

  ASSERT_OK(
      world.Run("foreach column { new y = scan(+, x); new c = scan(and, b) }"));

  EXPECT_EQ(world.Field("y").type, ValueType(ScalarType::kU64));
  EXPECT_THAT(world.Values("y"), ElementsAre(250, 500));
  EXPECT_EQ(world.Field("c").type, ValueType(ScalarType::kBool));
}

// Types

TEST(EvaluateTest, MixedTypesGiveThePromotedValue) {
  OracleWorld world;
  world.AddColumn("i", "i64", {16777217});
  world.AddColumn("f", "f32", {1});
  world.AddColumn("k", "i32", {1});
  world.AddColumn("half", "f32", {0.5});
  world.AddColumn("s", "i16", {3});

  ASSERT_OK(world.Run(R"(
    new a = i + f
    new b = half / k
    new c = 0.5 * f
    new d = s + f
  )"));

  EXPECT_EQ(world.Field("a").type, ValueType(ScalarType::kF64));
  EXPECT_THAT(world.Values("a"), ElementsAre(16777218.0));
  EXPECT_EQ(world.Field("b").type, ValueType(ScalarType::kF64));
  EXPECT_THAT(world.Values("b"), ElementsAre(0.5));
  EXPECT_EQ(world.Field("c").type, ValueType(ScalarType::kF32));
  EXPECT_EQ(world.Field("d").type, ValueType(ScalarType::kF32));
}

TEST(EvaluateTest, PowersTakeTheTypeOfTheirOperands) {
  OracleWorld world;
  world.AddColumn("f", "f32", {3});
  world.AddColumn("k", "i32", {-2});
  world.AddColumn("b", "i8", {10});

  ASSERT_OK(world.Run(R"(
    new a = f ** 2
    new b2 = -f ** 2.0
    new c = k ** 3
    new d = 2 ** k
    new e = b ** 3
    new g = 2.0 ** k
    new l = log(f ** 0)
  )"));

  EXPECT_EQ(world.Field("a").type, ValueType(ScalarType::kF32));
  EXPECT_THAT(world.Values("a"), ElementsAre(9));
  EXPECT_THAT(world.Values("b2"), ElementsAre(-9));
  EXPECT_EQ(world.Field("c").type, ValueType(ScalarType::kI32));
  EXPECT_THAT(world.Values("c"), ElementsAre(-8));
  EXPECT_THAT(world.Values("d"), ElementsAre(0));
  EXPECT_EQ(world.Field("e").type, ValueType(ScalarType::kI8));
  EXPECT_THAT(world.Values("e"), ElementsAre(1000 - 4 * 256));  // wraps
  EXPECT_THAT(world.Values("g"), ElementsAre(0.25));
  EXPECT_THAT(world.Values("l"), ElementsAre(0));
}

TEST(EvaluateTest, ComparisonsOfSignedWithUnsignedAreExact) {
  OracleWorld world;
  OracleField u = {ValueType(ScalarType::kU64), {{2, 1, 1, 1}}, {}};
  u.leaves = {Scalar::Of<uint64_t>(ScalarType::kU64, ~uint64_t{0}),
              Scalar::Of<uint64_t>(ScalarType::kU64, uint64_t{1} << 63)};
  OracleField s = {ValueType(ScalarType::kI64), {{2, 1, 1, 1}}, {}};
  s.leaves = {Scalar::I64(-1),
              Scalar::I64(std::numeric_limits<int64_t>::max())};
  world.AddField("u", u);
  world.AddField("s", s);

  ASSERT_OK(world.Run("new equal = u == s\nnew less = s < u"));

  EXPECT_THAT(world.Values("equal"), ElementsAre(0, 0));
  EXPECT_THAT(world.Values("less"), ElementsAre(1, 1));
}

TEST(EvaluateTest, MinAndMaxPropagateNan) {
  OracleWorld world;
  world.AddColumn("x", "f64", {std::nan(""), 1});

  ASSERT_OK(world.Run("new a = min(x, 2)\nnew b = max(2, x)"));

  EXPECT_TRUE(std::isnan(world.Values("a")[0]));
  EXPECT_TRUE(std::isnan(world.Values("b")[0]));
  EXPECT_EQ(world.Values("b")[1], 2);
}

// Structs

TEST(EvaluateTest, OperationsGoThroughStructsComponentwise) {
  OracleWorld world;
  world.Add("s", "{a: f64, u: (f32, i32)}", {{1, 1, 1, 2}},
            {Constant(1.5), Constant(2), Element});

  ASSERT_OK(world.Run("new t = 2 * s + s\nnew m = s.u.1"));

  EXPECT_EQ(world.Field("t").type.ToString(), "{a: f64, u: (f32, i32)}");
  EXPECT_THAT(world.Values("t"), ElementsAre(4.5, 6, 0, 4.5, 6, 3));
  EXPECT_THAT(world.Values("m"), ElementsAre(0, 1));
}

TEST(EvaluateTest, AScalarMemberStandsForAWholeMember) {
  OracleWorld world;
  world.Add("s", "{a: f64, b: f64}", {{1, 1, 1, 1}},
            {Constant(1), Constant(2)});
  world.Add("t", "{a: (f64, f64), b: f64}", {{1, 1, 1, 1}},
            {Constant(10), Constant(20), Constant(30)});

  ASSERT_OK(world.Run("new r = s + t"));

  EXPECT_THAT(world.Values("r"), ElementsAre(11, 21, 32));
}

TEST(EvaluateTest, AComponentIsStoredAlone) {
  OracleWorld world;
  world.Add("s", "{a: f64, b: f64}", {{1, 4, 1, 3}},
            {Constant(-1), Constant(-1)});

  ASSERT_OK(world.Run(R"(
    s.a = @i + 10 * @h
    s.b = 100 + s.a
    reduce { both = sum(s) }
  )"));

  EXPECT_THAT(world.Results("both"), ElementsAre(138, 1338));
  EXPECT_EQ(world.Values("s").back(), 123);
}

TEST(EvaluateTest, TuplesAreBuiltOrderedAndFolded) {
  OracleWorld world;
  world.AddColumn("x", "f64", {1, 2, 3});

  ASSERT_OK(world.Run(R"(
    foreach column { new p = fold(+, (x, x * x, 1, f32(x))) }
  )"));

  EXPECT_EQ(world.Field("p").type.ToString(), "(f64, f64, i64, f32)");
  EXPECT_THAT(world.Values("p"), ElementsAre(6, 14, 3, 6));
}

// Masks

TEST(EvaluateTest, AMaskedLoopLeavesTheOtherColumnsAlone) {
  OracleWorld world;
  const Shape shape = {{3, 4, 4, 300}};
  world.Add("x", "f64", shape, Element);
  world.Add("y", "f64", shape, Constant(-1));
  std::vector<uint8_t> active(4 * 4 * 300, 0);
  for (size_t k = 290 * 16; k < active.size(); ++k) active[k] = 1;
  world.AddMask("m", {{1, 4, 4, 300}}, active);

  ASSERT_OK(world.Run(R"(
    foreach point mask m { y = 2 * x }
    reduce { all = sum(y)
      low = min(y)
      high = max(y)
      untouched = count(y == -1) }
    reduce mask m { some = sum(y)
      active = count(y == y) }
  )"));

  EXPECT_EQ(world.Number("all"), 268800.0);
  EXPECT_EQ(world.Number("low"), -1.0);
  EXPECT_EQ(world.Number("high"), 598.0);
  EXPECT_EQ(world.Number("untouched"), 13920);
  EXPECT_EQ(world.Number("some"), 282720.0);
  EXPECT_EQ(world.Number("active"), 480);
}

TEST(EvaluateTest, MaskExpressionsCombineColumns) {
  OracleWorld world;
  world.Add("x", "f64", {{1, 1, 1, 4}}, Constant(0));
  world.AddMask("a", {{1, 1, 1, 4}}, {1, 1, 0, 0});
  world.AddMask("b", {{1, 1, 1, 4}}, {1, 0, 1, 0});

  ASSERT_OK(world.Run(R"(
    foreach point mask a and not b { x = x + 1 }
    foreach point mask a or b { x = x + 10 }
    foreach point mask not (a or b) { x = x + 100 }
  )"));

  EXPECT_THAT(world.Values("x"), ElementsAre(10, 11, 10, 100));
}

TEST(EvaluateTest, ANewFieldOfAMaskedLoopIsZeroElsewhere) {
  OracleWorld world;
  world.Add("x", "f64", {{2, 1, 1, 3}}, Constant(5));
  world.AddMask("m", {{1, 1, 1, 3}}, {0, 1, 0});

  ASSERT_OK(world.Run("foreach column mask m { new y = x }"));

  EXPECT_THAT(world.Values("y"), ElementsAre(0, 0, 5, 5, 0, 0));
}

}  // namespace
}  // namespace layoutd
