// reduce_vectors.json: folds of columns and reductions, as programs.

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/support/program_world.h"
#include "tests/support/status_matchers.h"
#include "tests/support/vector_file.h"

namespace layoutd {
namespace {

constexpr char kFile[] = "reduce_vectors.json";

TEST(ReduceVectorsTest, EverySectionIsRead) {
  ExpectSections(kFile, {"pairwise", "column_reduce", "gpu_cases", "masked"});
}

// The operations that fold a column to one value; all mean the same.
constexpr const char* kColumnFolds[] = {"fold", "column_reduce"};

class ColumnReduceVectorTest : public VectorTest {};

TEST_P(ColumnReduceVectorTest, FoldsTheColumn) {
  VectorRecord c = Case();
  c.Ignore("meaning", "for readers");
  c.Ignore("upstream_actual", "upstream's order where it is not ours");
  c.Ignore("upstream_meaning", "upstream's order where it is not ours");
  const std::string op = c.Get<std::string>("op");
  const auto levels = c.Get<std::vector<int64_t>>("levels");
  const bool flip = c.Find<bool>("flip").value_or(false);
  const auto init = c.Find<int64_t>("init");
  const auto error = c.Find<std::string>("error");
  const auto ours = c.Find<int64_t>("ours");
  const auto result = c.Find<int64_t>("result");

  for (const char* fold : kColumnFolds) {
    for (const char* type : {"f64", "i64", "f32"}) {
      ProgramWorld world;
      world.AddColumn("x", type, {levels.begin(), levels.end()});
      world.AddConstant("y", type, {{1, 1, 1, 1}}, 0);
      world.AddConstant("all", type, {{5, 1, 1, 1}}, 0);
      const std::string text =
          absl::StrCat(fold, "(", op, ", x", flip ? ", flip = true" : "",
                       init ? absl::StrCat(", init = ", *init) : "", ")");
      SCOPED_TRACE(absl::StrCat(text, " of ", type));
      const absl::Status status =
          world.Run(absl::StrCat("foreach column { y = ", text,
                                 " }\nforeach column { all = ", text, " }"));
      if (error) {
        EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
        continue;
      }
      ASSERT_OK(status);
      ASSERT_TRUE(ours || result);
      const double want = static_cast<double>(ours ? *ours : *result);
      EXPECT_EQ(world.Values("y"), std::vector<double>{want});
      EXPECT_EQ(world.Values("all"), std::vector<double>(5, want));
    }
  }
}

LAYOUTD_VECTORS(ColumnReduceVectorTest, kFile, "column_reduce", "ColumnReduce");

class PairwiseVectorTest : public VectorTest {};

TEST_P(PairwiseVectorTest, IsUpstreamsOrder) {
  VectorRecord c = Case();
  c.Get<int64_t>("n");
  c.Get<std::vector<std::vector<int64_t>>>("leaf_blocks");
  GTEST_SKIP() << "the order of upstream; layoutd's is defined in "
                  "engine/program/reduction_order.h";
}

LAYOUTD_VECTORS(PairwiseVectorTest, kFile, "pairwise", "Pairwise");

class MaskedReduceVectorTest : public VectorTest {};

TEST_P(MaskedReduceVectorTest, NeedsInitOnlyWithoutActivePoints) {
  VectorRecord c = Case();
  const std::string device = c.Get<std::string>("device");
  const std::string mask = c.Get<std::string>("mask");
  const bool has_init = c.Get<bool>("init");
  c.Ignore("ok", "the absence of error says the same");
  const bool fails = c.Has("error");
  c.Ignore("error", "upstream's words; ours is NO_ACTIVE_POINT");
  const auto result = c.Find<std::string>("result");
  if (device == "gpu") {
    GTEST_SKIP() << "upstream's rule for a GPU, which layoutd does not have";
  }
  const bool is_empty = mask == "none active";

  ProgramWorld world;
  const Shape shape{{3, 4, 4, 5}};
  world.Add("x", "f64", shape, [](int64_t v, int64_t, int64_t, int64_t h) {
    return static_cast<double>(v + 10 * h);
  });
  world.SetMask("m", shape, [&](int64_t i, int64_t, int64_t) {
    return !is_empty && i == 1;
  });
  const absl::Status status = world.Run(absl::StrCat(
      "reduce mask m { r = max(x", has_init ? ", init = -5" : "", ") }"));

  if (fails) {
    EXPECT_THAT(status, IsError(absl::StatusCode::kFailedPrecondition,
                                "NO_ACTIVE_POINT", testing::_));
    return;
  }
  ASSERT_OK(status);
  EXPECT_EQ(world.Number("r"), is_empty ? -5 : 42);
  if (result) {
    EXPECT_EQ(*result, "init");
  }
}

LAYOUTD_VECTORS(MaskedReduceVectorTest, kFile, "masked", "Masked");

class SizeVectorTest : public VectorTest {
 protected:
  // Reductions that padding or unused lanes would change.
  static void ExpectReductions(const Shape& shape) {
    SCOPED_TRACE(ToString(shape));
    ProgramWorld world;
    world.Add(
        "x", "f64", shape, [](int64_t v, int64_t i, int64_t j, int64_t h) {
          return static_cast<double>(2 + (v + 3 * i + 5 * j + 7 * h) % 11);
        });
    world.AddConstant("one", "f64", shape, 1);
    ASSERT_OK(world.Run(R"(reduce {
      low = min(one)
      high = max(-x)
      total = sum(one)
      n = count(x > 1)
    })"));
    EXPECT_EQ(world.Number("low"), 1);
    EXPECT_EQ(world.Number("high"), -2);
    EXPECT_EQ(world.Number("total"), static_cast<double>(shape.num_points()));
    EXPECT_EQ(world.Number("n"), static_cast<double>(shape.num_points()));
  }
};

TEST_P(SizeVectorTest, NothingButThePointsJoins) {
  // Prose; each sentence stands for the sizes it names.
  ASSERT_TRUE(GetParam().json.is_string());
  const std::string text = GetParam().json.get<std::string>();
  if (text == "Nv in 33,63,100 with Ni=Nj=4,Nh=5") {
    for (int64_t nv : {33, 63, 100}) ExpectReductions({{nv, 4, 4, 5}});
  } else if (text == "129x129 elements, 4x4 points, min of ones = 1") {
    ExpectReductions({{1, 4, 4, 129 * 129}});
  } else if (text == "2x2 elements, 2x2 points (fewer points than a block)") {
    ExpectReductions({{1, 2, 2, 4}});
  } else if (text == "pair-valued minimum = pair of minima") {
    ProgramWorld world;
    std::vector<Scalar> leaves;
    for (int k = 0; k < 300; ++k) {
      leaves.push_back(Scalar::F64(1 + (k + 7) % 101));
      leaves.push_back(Scalar::F64(-3 - (k + 13) % 103));
    }
    world.AddField("p", "(f64, f64)", {{1, 1, 1, 300}}, leaves);
    ASSERT_OK(world.Run("reduce { low = min(p) }"));
    EXPECT_EQ(world.Values("low"), (std::vector<double>{1, -105}));
  } else {
    FAIL() << "no test stands for \"" << text << "\"";
  }
}

LAYOUTD_VECTORS(SizeVectorTest, kFile, "gpu_cases", "Size");

}  // namespace
}  // namespace layoutd
