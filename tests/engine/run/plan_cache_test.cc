#include "engine/run/plan_cache.h"

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/program/parse.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/runtime_world.h"
#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

constexpr Shape kShape = {{3, 2, 2, 4}};

DataLayout LayoutOf(LayoutKind kind, const Shape& shape, ScalarType type) {
  return *DataLayout::Create({kind, shape, type});
}

// Fields x, y, w of one layout, and a mask m over their columns.
Catalog CatalogOf(LayoutKind kind = LayoutKind::kVIJFH,
                  const Shape& shape = kShape,
                  ScalarType type = ScalarType::kF64) {
  Catalog catalog;
  for (const char* id : {"x", "y", "w"}) {
    catalog.fields.emplace(
        id, Catalog::FieldEntry{id, LayoutOf(kind, shape, type)});
  }
  catalog.masks.emplace("m", shape.WithV(1));
  return catalog;
}

std::shared_ptr<const PlannedProgram> Get(PlanCache& cache,
                                          const std::string& text,
                                          const Catalog& catalog) {
  const absl::StatusOr<std::shared_ptr<const PlannedProgram>> planned =
      cache.Get(*ParseProgram(text), catalog);
  EXPECT_TRUE(planned.ok()) << planned.status();
  return planned.ok() ? *planned : nullptr;
}

TEST(PlanCacheTest, AProgramIsPlannedOnce) {
  PlanCache cache;
  const auto first = Get(cache, "w = x * y", CatalogOf());

  EXPECT_EQ(Get(cache, "w = x * y", CatalogOf()), first);
  EXPECT_EQ(cache.size(), 1);
}

TEST(PlanCacheTest, AnotherMeaningOfANameIsPlannedAnew) {
  const std::string text = "foreach point mask m { w = x * y }";
  PlanCache cache;
  const auto first = Get(cache, text, CatalogOf());
  Catalog other_id = CatalogOf();
  other_id.fields.at("x").id = "model/x";
  const Catalog others[] = {
      CatalogOf(LayoutKind::kVIJHF),
      CatalogOf(LayoutKind::kVIJFH, {{4, 2, 2, 4}}),
      CatalogOf(LayoutKind::kVIJFH, kShape, ScalarType::kF32), other_id};
  for (const Catalog& other : others) {
    const auto planned = Get(cache, text, other);
    EXPECT_NE(planned, first);
    EXPECT_EQ(planned->program().fields[0].layout, other.fields.at("x").layout);
  }
  EXPECT_EQ(cache.size(), 5);
  EXPECT_EQ(Get(cache, text, CatalogOf()), first);
}

TEST(PlanCacheTest, AProgramAtOtherPositionsIsPlannedAnew) {
  PlanCache cache;
  const auto first = Get(cache, "w = x * y", CatalogOf());

  EXPECT_NE(Get(cache, "w = x *  y", CatalogOf()), first);
}

TEST(PlanCacheTest, NumbersThatDifferOnlyInTheSignOfZeroArePlannedApart) {
  PlanCache cache;
  Program program = *ParseProgram("w = x * 0.0");
  Program negative = program;
  for (Node& node : negative.nodes) {
    if (node.op == Opcode::kLiteral) node.literal.real = -0.0;
  }
  const auto first = cache.Get(program, CatalogOf());
  const auto second = cache.Get(negative, CatalogOf());
  ASSERT_TRUE(first.ok() && second.ok());

  EXPECT_NE(*first, *second);
}

TEST(PlanCacheTest, WarningsAreAsTheFirstTime) {
  const std::string text = "reduce { m = mean(x) }";
  PlanCache cache;
  const size_t warnings =
      Get(cache, text, CatalogOf())->program().warnings.size();

  EXPECT_EQ(warnings, 1U);
  EXPECT_EQ(Get(cache, text, CatalogOf())->program().warnings.size(), warnings);
}

TEST(PlanCacheTest, ErrorsAreNotKept) {
  PlanCache cache;
  Catalog catalog = CatalogOf();
  catalog.fields.erase("y");
  for (int k = 0; k < 2; ++k) {
    EXPECT_EQ(cache.Get(*ParseProgram("w = x * y"), catalog).status().code(),
              absl::StatusCode::kNotFound);
  }
  EXPECT_EQ(cache.size(), 0);
}

TEST(PlanCacheTest, TheLeastRecentlyUsedProgramGoesFirst) {
  PlanCache cache(/*max_programs=*/2);
  const auto a = Get(cache, "w = x", CatalogOf());
  const auto b = Get(cache, "w = y", CatalogOf());
  EXPECT_EQ(Get(cache, "w = x", CatalogOf()), a);
  Get(cache, "w = x + y", CatalogOf());

  EXPECT_EQ(cache.size(), 2);
  EXPECT_EQ(Get(cache, "w = x", CatalogOf()), a);
  EXPECT_NE(Get(cache, "w = y", CatalogOf()), b);
}

TEST(PlanCacheTest, TheMemoryOfAllProgramsIsBounded) {
  PlanCache measure;
  const int64_t bytes = Get(measure, "w = x + 1.0", CatalogOf())->size_bytes();
  PlanCache cache(/*max_programs=*/100, /*max_bytes=*/3 * bytes);
  for (int k = 0; k < 9; ++k) {
    Get(cache, "w = x + " + std::to_string(k) + ".0", CatalogOf());
  }
  EXPECT_EQ(cache.size(), 3);

  // One that is larger than all is run, and leaves the others in place.
  std::string large = "w = x";
  for (int k = 0; k < 100; ++k) large += " + x";
  EXPECT_NE(Get(cache, large, CatalogOf()), nullptr);
  EXPECT_EQ(cache.size(), 3);
}

TEST(PlanCacheTest, SixteenThreadsGetTheProgramsTheyAskFor) {
  // Fewer places than programs: finding, planning and evicting meet.
  PlanCache cache(/*max_programs=*/3);
  std::vector<std::thread> threads;
  for (int t = 0; t < 16; ++t) {
    threads.emplace_back([&cache, t] {
      for (int k = 0; k < 100; ++k) {
        const Program program =
            *ParseProgram("w = x + " + std::to_string((t + k) % 5) + ".0");
        const auto planned = cache.Get(program, CatalogOf());
        ASSERT_TRUE(planned.ok());
        ASSERT_EQ((*planned)->program().program, program);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();

  EXPECT_LE(cache.size(), 3);
}

TEST(PlanCacheTest, KernelsAreLookedUpOnce) {
  const auto world = RuntimeWorld::Open();
  ASSERT_TRUE(world.ok());
  KernelCache& kernels = *(*world)->runtime().kernels;
  PlanCache cache;
  const auto planned = Get(cache, "w = x * y", CatalogOf());
  EXPECT_FALSE(planned->HasKernel(0, kernels));
  const auto first = planned->KernelOf(0, kernels);
  const auto second = planned->KernelOf(0, kernels);
  ASSERT_TRUE(first.ok() && second.ok());

  EXPECT_TRUE(planned->HasKernel(0, kernels));
  EXPECT_EQ(*first, *second);
  EXPECT_EQ(kernels.num_compiled(), 1);
}

TEST(PlanCacheTest, AFieldThatIsThereMeanwhileIsNotCreatedAgain) {
  const auto world = RuntimeWorld::Open();
  ASSERT_TRUE(world.ok());
  const DataLayout layout =
      LayoutOf(LayoutKind::kVIJFH, kShape, ScalarType::kF64);
  const std::vector<Scalar> ones(static_cast<size_t>(kShape.num_points()),
                                 Scalar::F64(1));
  ASSERT_TRUE((*world)->AddField("x", layout, ones).ok());
  ASSERT_TRUE((*world)->Run("new made = x + 1.0").ok());
  EXPECT_EQ((*world)->Run("new made = x + 1.0").status().code(),
            absl::StatusCode::kAlreadyExists);
  ASSERT_TRUE((*world)->runtime().fields->Delete("made", "").ok());

  const auto reply = (*world)->Run("new made = x + 1.0");
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_TRUE(reply->fields[0].created);
  EXPECT_EQ((*world)->ReadField("made")->leaves[0].As<double>(), 2.0);
}

}  // namespace
}  // namespace layoutd
