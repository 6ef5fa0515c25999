#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "engine/program/evaluate.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/engine/program/oracle_world.h"
#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr int64_t kMaxI64 = std::numeric_limits<int64_t>::max();

OracleWorld::Generator Constant(double value) {
  return [value](int64_t, int64_t, int64_t, int64_t) { return value; };
}

OracleField Integers(const std::vector<int64_t>& values) {
  OracleField field = {ValueType(ScalarType::kI64),
                       {{1, 1, 1, static_cast<int64_t>(values.size())}},
                       {}};
  for (const int64_t value : values) {
    field.leaves.push_back(Scalar::I64(value));
  }
  return field;
}

TEST(EvaluateReduceTest, NoPaddingJoinsTheMinimumOfAPositiveField) {
  OracleWorld world;
  world.Add("x", "f64", {{7, 3, 3, 5}},
            [](int64_t v, int64_t i, int64_t j, int64_t h) {
              const int64_t k = ((v * 3 + i) * 3 + j) * 5 + h;
              return 1 + 0.01 * static_cast<double>(k);
            });
  world.Add("ones", "f64", {{1, 4, 4, 16641}}, Constant(1));

  ASSERT_OK(world.Run(R"(reduce {
    low = min(x)
    high = max(-x)
    total = sum(x)
    one = min(ones)
  })"));

  EXPECT_EQ(world.Number("low"), 1.0);
  EXPECT_EQ(world.Number("high"), -1.0);
  EXPECT_NEAR(world.Number("total"), 809.55, 1e-11);
  EXPECT_EQ(world.Number("one"), 1.0);
}

TEST(EvaluateReduceTest, NanWinsAndIsCounted) {
  OracleWorld world;
  world.AddLine("x", "f64", {3, kNan, 1, kNan, 2});
  world.AddLine("y", "f64", {kNan, 1, 2, 3});
  world.AddLine("z", "f64", {kInf, -kInf});

  ASSERT_OK(world.Run(R"(reduce {
    low = min(x)
    high = max(x)
    nans = count(isnan(y))
    total = sum(select(isnan(y), 0, y))
    unequal = count(y != y)
    cancelled = sum(z)
    finite = min(x, where = isfinite(x))
  })"));

  EXPECT_TRUE(std::isnan(world.Number("low")));
  EXPECT_TRUE(std::isnan(world.Number("high")));
  EXPECT_EQ(world.Number("nans"), 1);
  EXPECT_EQ(world.Number("total"), 6.0);
  EXPECT_EQ(world.Number("unequal"), 1);
  EXPECT_TRUE(std::isnan(world.Number("cancelled")));
  EXPECT_EQ(world.Number("finite"), 1.0);
}

TEST(EvaluateReduceTest, SumsOfSmallTypesAreWideAndTheirMeansExact) {
  OracleWorld world;
  world.Add("i8", "i8", {{1, 1, 1, 10000}}, Constant(100));
  world.Add("u8", "u8", {{1, 1, 1, 10000}}, Constant(200));
  world.Add("i32", "i32", {{1, 1, 1, 5}}, Constant(2147483647));
  world.Add("truth", "bool", {{1, 1, 1, 100000}},
            [](int64_t, int64_t, int64_t, int64_t h) { return h > 1; });

  ASSERT_OK(world.Run(R"(reduce {
    a = sum("i8")
    b = sum("u8")
    c = sum("i32")
    d = sum(truth)
    am = mean("i8")
    bm = mean("u8")
    cm = mean("i32")
    any1 = any(truth)
    all1 = all(truth)
  })"));

  EXPECT_TRUE(SameBits(world.Result("a"), Scalar::I64(1000000)));
  EXPECT_TRUE(SameBits(world.Result("b"),
                       Scalar::Of<uint64_t>(ScalarType::kU64, 2000000)));
  EXPECT_TRUE(SameBits(world.Result("c"), Scalar::I64(10737418235)));
  EXPECT_TRUE(SameBits(world.Result("d"), Scalar::I64(99998)));
  EXPECT_TRUE(SameBits(world.Result("am"), Scalar::F64(100)));
  EXPECT_TRUE(SameBits(world.Result("bm"), Scalar::F64(200)));
  EXPECT_TRUE(SameBits(world.Result("cm"), Scalar::F64(2147483647)));
  EXPECT_TRUE(SameBits(world.Result("any1"), Scalar::Bool(true)));
  EXPECT_TRUE(SameBits(world.Result("all1"), Scalar::Bool(false)));
}

TEST(EvaluateReduceTest, MeansOfLargeIntegersDoNotWrap) {
  OracleWorld world;
  world.AddField("a", Integers({kMaxI64, 1}));
  world.AddField("b", Integers(std::vector<int64_t>(10, kMaxI64)));
  world.AddField("c", Integers({-1303487490025821099, -8371390547526583103,
                                -2572374159461887095}));

  ASSERT_OK(world.Run("reduce { a = mean(a)\n b = mean(b)\n c = mean(c) }"));

  EXPECT_DOUBLE_EQ(world.Number("a"), 4.611686018427388e+18);
  EXPECT_DOUBLE_EQ(world.Number("b"), 9.223372036854776e+18);
  EXPECT_DOUBLE_EQ(world.Number("c"), -4.0824173990047636e+18);
}

TEST(EvaluateReduceTest, AFloatMeanDividesByTheExactCount) {
  const Scalar total = Scalar::Of(ScalarType::kF32, 16777215.0f);

  const Scalar mean =
      FinishMean(total, Scalar::I64(16777217), ScalarType::kF32);

  EXPECT_EQ(mean.type, ScalarType::kF32);
  EXPECT_EQ(mean.As<uint32_t>(), 0x3f7ffffeu);
}

TEST(EvaluateReduceTest, SignsOfZerosSurvive) {
  OracleWorld world;
  world.AddLine("x", "f64", {-0.0, -0.0});
  world.AddLine("y", "f64", {0.0, -0.0});
  world.AddLine("z", "f64", {-0.0, 0.0});

  ASSERT_OK(world.Run(R"(reduce {
    total = sum(x)
    inverse = 1 / sum(x)
    a = min(y)
    b = min(z)
    c = max(y)
    d = max(z)
  })"));

  EXPECT_TRUE(SameBits(world.Result("total"), Scalar::F64(-0.0)));
  EXPECT_EQ(world.Number("inverse"), -kInf);
  EXPECT_TRUE(SameBits(world.Result("a"), Scalar::F64(-0.0)));
  EXPECT_TRUE(SameBits(world.Result("b"), Scalar::F64(-0.0)));
  EXPECT_TRUE(SameBits(world.Result("c"), Scalar::F64(0.0)));
  EXPECT_TRUE(SameBits(world.Result("d"), Scalar::F64(0.0)));
}

TEST(EvaluateReduceTest, NoPointsGiveTheIdentityOrAnError) {
  OracleWorld world;
  world.Add("x", "f64", {{5, 1, 1, 0}}, Constant(1));
  world.Add("s", "f64", {{5, 1, 1, 1}}, Constant(1));

  ASSERT_OK(world.Run(R"(
    new y = x + s
    reduce {
      total = sum(y)
      n = count(y > 0)
      some = any(y > 0)
      every = all(y > 0)
      low = min(y, init = 3)
      begun = sum(y, init = 4)
    })"));

  EXPECT_EQ(world.Field("y").shape, (Shape{{5, 1, 1, 0}}));
  EXPECT_TRUE(SameBits(world.Result("total"), Scalar::F64(0.0)));
  EXPECT_TRUE(SameBits(world.Result("n"), Scalar::I64(0)));
  EXPECT_FALSE(world.Result("some").IsTrue());
  EXPECT_TRUE(world.Result("every").IsTrue());
  EXPECT_EQ(world.Number("low"), 3);
  EXPECT_EQ(world.Number("begun"), 4);
  for (const char* reduction : {"min", "max", "mean"}) {
    EXPECT_THAT(
        world.Run(std::string("reduce { lost = ") + reduction + "(x) }"),
        IsError(absl::StatusCode::kFailedPrecondition, "NO_ACTIVE_POINT",
                HasSubstr("\"lost\"")));
  }
}

TEST(EvaluateReduceTest, AnErrorLeavesEverythingAsItWas) {
  OracleWorld world;
  world.AddLine("x", "f64", {1, 2});

  EXPECT_THAT(world.Run(R"(
    x = 7
    new y = x
    reduce { lost = max(x, where = x < 0) }
  )"),
              IsError(absl::StatusCode::kFailedPrecondition, "NO_ACTIVE_POINT",
                      HasSubstr("max")));

  EXPECT_THAT(world.Values("x"), ElementsAre(1, 2));
  EXPECT_FALSE(world.HasField("y"));
}

TEST(EvaluateReduceTest, InitEntersOnceAfterAllPoints) {
  OracleWorld world;
  world.Add("x", "f64", {{1, 1, 1, 20000}}, Constant(1));

  ASSERT_OK(world.Run(R"(reduce {
    total = sum(x, init = 0.5)
    low = min(x, init = 0)
    high = max(x, init = 0)
  })"));

  EXPECT_EQ(world.Number("total"), 20000.5);
  EXPECT_EQ(world.Number("low"), 0);
  EXPECT_EQ(world.Number("high"), 1);
}

TEST(EvaluateReduceTest, WeightsAndConditionsSelectPoints) {
  OracleWorld world;
  world.AddLine("x", "f64", {1, 2, 3, kNan});
  world.AddLine("w", "f64", {1, 1, 2, 5});
  world.AddLine("k", "i32", {1, 2, 4, 4});

  ASSERT_OK(world.Run(R"(reduce {
    m = mean(x, weight = w, where = isfinite(x))
    n = mean(k, weight = w)
    plain = mean(x, where = isfinite(x))
    same = mean(k, weight = 2)
    total = sum(x, weight = w, where = isfinite(x))
    whole = sum(k, weight = 2)
    half = sum(k, weight = 0.5)
  })"));

  EXPECT_EQ(world.Number("m"), 9.0 / 4.0);
  EXPECT_EQ(world.Number("n"), 31.0 / 9.0);
  EXPECT_EQ(world.Number("plain"), 2.0);
  EXPECT_EQ(world.Number("same"), 11.0 / 4.0);
  EXPECT_EQ(world.Number("total"), 9.0);
  EXPECT_EQ(world.Number("whole"), 22);
  EXPECT_EQ(world.Number("half"), 5.5);
}

// K09 of the collected reports: a one-pass variance of these is 0.
TEST(EvaluateReduceTest, ResultsAreScalarsInLaterResultsOfTheirStatement) {
  OracleWorld world;
  world.AddLine("x", "f64", {1e9, 1e9 + 1, 1e9 + 2});

  ASSERT_OK(world.Run(R"(reduce {
    m = mean(x)
    variance = mean((x - m) * (x - m))
    deviation = sqrt(variance)
  })"));

  EXPECT_EQ(world.Number("m"), 1e9 + 1);
  EXPECT_EQ(world.Number("variance"), 2.0 / 3.0);
  EXPECT_EQ(world.Number("deviation"), std::sqrt(2.0 / 3.0));
}

TEST(EvaluateReduceTest, ResultsAreScalarsInLaterStatements) {
  OracleWorld world;
  world.AddLine("x", "f64", {1, 2, 3, 6});

  ASSERT_OK(world.Run(R"(
    reduce { m = mean(x) }
    let d = x - m
    reduce { rms = sqrt(mean(d * d))
      twice = 2 * rms }
    new y = x + m
  )"));

  EXPECT_EQ(world.Number("m"), 3.0);
  EXPECT_EQ(world.Number("rms"), std::sqrt(3.5));
  EXPECT_EQ(world.Number("twice"), 2 * std::sqrt(3.5));
  EXPECT_THAT(world.Values("y"), ElementsAre(4, 5, 6, 9));
}

// The order of reduction_order.h, written down again in another way: partial
// results as a tree over a list in which nothing may be skipped.
float ChunkSum(const std::vector<float>& x, size_t begin, size_t end) {
  std::vector<float> lanes;
  for (size_t lane = begin; lane < std::min(end, begin + 64); ++lane) {
    float sum = x[lane];
    for (size_t k = lane + 64; k < end; k += 64) sum += x[k];
    lanes.push_back(sum);
  }
  for (size_t half = 32; half > 0; half /= 2) {
    for (size_t l = 0; l < half; ++l) {
      if (l + half < lanes.size()) lanes[l] += lanes[l + half];
    }
  }
  return lanes[0];
}

float PairwiseSum(std::vector<float> sums) {
  while (sums.size() > 1) {
    std::vector<float> next;
    for (size_t m = 0; m < sums.size(); m += 2) {
      next.push_back(m + 1 < sums.size() ? sums[m] + sums[m + 1] : sums[m]);
    }
    sums = next;
  }
  return sums[0];
}

// Values whose f32 sum depends on the order.
float Uneven(size_t k) {
  return 1.0f / static_cast<float>(1 + (k * 2654435761u) % 9973);
}

TEST(EvaluateReduceTest, SumsFollowTheCanonicalOrder) {
  struct Case {
    Shape shape;
    std::vector<size_t> chunk_ends;  // by hand from the definition
  };
  const Case cases[] = {
      // P = 1: 4096 elements a chunk.
      {{{1, 1, 1, 10000}}, {4096, 8192, 10000}},
      // P = 48: ceil(4096 / 48) = 86 elements, 4128 points a chunk.
      {{{3, 4, 4, 200}}, {4128, 8256, 9600}},
      // P = 5000: pieces of 4096 and 904 in each of 3 elements.
      {{{5000, 1, 1, 3}}, {4096, 5000, 9096, 10000, 14096, 15000}},
      // Fewer points than lanes.
      {{{1, 1, 1, 33}}, {33}},
      {{{1, 1, 1, 1}}, {1}},
  };
  for (const Case& c : cases) {
    OracleWorld world;
    std::vector<float> x;
    OracleField field = {ValueType(ScalarType::kF32), c.shape, {}};
    for (int64_t k = 0; k < c.shape.num_points(); ++k) {
      x.push_back(Uneven(static_cast<size_t>(k)));
      field.leaves.push_back(Scalar::Of(ScalarType::kF32, x.back()));
    }
    world.AddField("x", field);
    std::vector<float> chunks;
    size_t begin = 0;
    for (const size_t end : c.chunk_ends) {
      chunks.push_back(ChunkSum(x, begin, end));
      begin = end;
    }
    ASSERT_EQ(begin, x.size());

    ASSERT_OK(world.Run("reduce { total = sum(x) }"));

    EXPECT_EQ(world.Result("total").As<float>(), PairwiseSum(chunks))
        << ToString(c.shape);
  }
}

TEST(EvaluateReduceTest, SkippedPointsKeepTheLanesOfTheOthers) {
  OracleWorld world;
  // Lane 0 holds points 0, 64, 128; with point 64 inactive the others must
  // still meet in lane 0: (1e8 + -1e8) + 1 = 1, not 1e8 + (1 + -1e8) = 0 in
  // f32.
  std::vector<double> x(129, 0.0);
  x[0] = 1e8;
  x[64] = 5;
  x[128] = -1e8;
  x[1] = 1;
  world.AddLine("x", "f32", x);

  ASSERT_OK(world.Run("reduce { total = sum(x, where = x != 5) }"));

  EXPECT_EQ(world.Number("total"), 1.0);
}

TEST(EvaluateReduceTest, ArgminAndArgmaxTellTheFirstPoint) {
  OracleWorld world;
  world.Add("x", "f64", {{2000, 1, 1, 1}},
            [](int64_t v, int64_t, int64_t, int64_t) {
              return static_cast<double>(v % 3);
            });
  world.Add("y", "i32", {{3, 2, 2, 5}},
            [](int64_t v, int64_t i, int64_t j, int64_t h) {
              return static_cast<double>(100 - v - 10 * i + 3 * j - h);
            });

  ASSERT_OK(world.Run(R"(reduce {
    low = argmin(x)
    high = argmax(x)
    least = argmin(y)
    most = argmax(y, where = y < 90)
    level = argmax(x).index.0
    range = extrema(y)
  })"));

  EXPECT_THAT(world.Results("low"), ElementsAre(0, 0, 0, 0, 0));
  EXPECT_THAT(world.Results("high"), ElementsAre(2, 2, 0, 0, 0));
  EXPECT_THAT(world.Results("least"), ElementsAre(84, 2, 1, 0, 4));
  EXPECT_THAT(world.Results("most"), ElementsAre(89, 1, 1, 0, 0));
  EXPECT_THAT(world.Results("range"), ElementsAre(84, 103));
  EXPECT_EQ(world.Number("level"), 2);
}

TEST(EvaluateReduceTest, ArgminTakesNanFirstAndMinusZeroBeforeZero) {
  OracleWorld world;
  world.AddLine("x", "f64", {3, kNan, 1, kNan, 2});
  world.AddLine("z", "f64", {0.0, -0.0, 0.0, -0.0});

  ASSERT_OK(world.Run(R"(reduce {
    low = argmin(x)
    high = argmax(x)
    zero = argmin(z)
    range = extrema(x)
  })"));

  EXPECT_TRUE(std::isnan(world.Number("low")));
  EXPECT_EQ(world.Results("low")[4], 1);
  EXPECT_EQ(world.Results("high")[4], 1);
  EXPECT_EQ(world.Results("zero")[4], 1);
  EXPECT_TRUE(std::isnan(world.Results("range")[0]));
  EXPECT_TRUE(std::isnan(world.Results("range")[1]));
}

TEST(EvaluateReduceTest, ArgminOfTuplesWorksComponentwise) {
  OracleWorld world;
  world.Add("p", "{a: f64, b: (i16, f32)}", {{4, 1, 1, 1}},
            {[](int64_t v, int64_t, int64_t, int64_t) {
               return static_cast<double>(v);
             },
             [](int64_t v, int64_t, int64_t, int64_t) {
               return static_cast<double>(-v);
             },
             [](int64_t v, int64_t, int64_t, int64_t) {
               return static_cast<double>((v - 2) * (v - 2));
             }});

  ASSERT_OK(world.Run("reduce { low = argmin(p); range = extrema(p) }"));

  EXPECT_THAT(world.Results("low"),
              ElementsAre(0, -3, 0, 0, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0));
  EXPECT_THAT(world.Results("range"), ElementsAre(0, -3, 0, 3, 0, 4));
}

TEST(EvaluateReduceTest, ArgminNeedsAPointAndTakesNoInit) {
  OracleWorld world;
  world.AddLine("x", "f64", {1, 2});

  EXPECT_THAT(world.Run("reduce { low = argmin(x, where = x > 5.0) }"),
              IsError(absl::StatusCode::kFailedPrecondition, "NO_ACTIVE_POINT",
                      HasSubstr("argmin over no active point")));
  EXPECT_THAT(world.Run("reduce { low = extrema(x, init = 5.0) }"),
              IsError(absl::StatusCode::kInvalidArgument, "BAD_ARGUMENT",
                      HasSubstr("extrema takes no init")));
}

}  // namespace
}  // namespace layoutd
