#include <atomic>
#include <thread>
#include <vector>

#include "engine/base/error.h"
#include "engine/jit/compiler.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

using testing::HasSubstr;

class NoKernel : public Kernel {
 public:
  KernelEntry entry() const override { return nullptr; }
  int num_lanes() const override { return 1; }
};

// Counts what it is asked for, and fails when told to.
class CountingCompiler : public Compiler {
 public:
  CountingCompiler(std::atomic<int>* compiles, std::atomic<bool>* fails)
      : compiles_(compiles), fails_(fails) {}

  absl::StatusOr<std::unique_ptr<Kernel>> Compile(const LoopPlan&) override {
    ++*compiles_;
    if (*fails_) {
      return Error(absl::StatusCode::kInternal, "COMPILER", "told to fail");
    }
    return std::make_unique<NoKernel>();
  }
  std::string target() const override { return "none"; }
  int vector_bits() const override { return 128; }

 private:
  std::atomic<int>* compiles_;
  std::atomic<bool>* fails_;
};

LoopPlan LoopNumber(int number) {
  LoopPlan loop;
  loop.parameters.resize(static_cast<size_t>(number));
  return loop;
}

class KernelCacheTest : public testing::Test {
 protected:
  std::unique_ptr<KernelCache> MakeCache(int64_t max_kernels) {
    return std::make_unique<KernelCache>(
        std::make_unique<CountingCompiler>(&compiles_, &fails_), max_kernels);
  }

  std::atomic<int> compiles_ = 0;
  std::atomic<bool> fails_ = false;
};

TEST_F(KernelCacheTest, ManyCallersOfOneLoopShareOneCompile) {
  const auto cache = MakeCache(8);
  std::vector<std::thread> callers;
  for (int k = 0; k < 8; ++k) {
    callers.emplace_back([&] { EXPECT_OK(cache->Get(LoopNumber(1))); });
  }
  for (std::thread& caller : callers) caller.join();

  EXPECT_EQ(compiles_, 1);
  EXPECT_EQ(cache->num_compiled(), 1);
}

TEST_F(KernelCacheTest, TheLeastRecentlyUsedKernelGoesFirst) {
  const auto cache = MakeCache(2);
  ASSERT_OK(cache->Get(LoopNumber(1)));
  ASSERT_OK(cache->Get(LoopNumber(2)));
  ASSERT_OK(cache->Get(LoopNumber(1)));
  ASSERT_OK(cache->Get(LoopNumber(3)));  // evicts 2
  EXPECT_EQ(cache->size(), 2);

  ASSERT_OK(cache->Get(LoopNumber(1)));
  EXPECT_EQ(compiles_, 3);
  ASSERT_OK(cache->Get(LoopNumber(2)));
  EXPECT_EQ(compiles_, 4);
}

TEST_F(KernelCacheTest, AnEvictedKernelLivesUntilItsHolderLetsGo) {
  const auto cache = MakeCache(1);
  ASSERT_OK_AND_ASSIGN(std::shared_ptr<const Kernel> held,
                       cache->Get(LoopNumber(1)));
  ASSERT_OK(cache->Get(LoopNumber(2)));

  EXPECT_EQ(held.use_count(), 1);
  EXPECT_EQ(held->num_lanes(), 1);
}

TEST_F(KernelCacheTest, ContainsWhatIsReadyAndCompilesNothing) {
  const auto cache = MakeCache(8);
  EXPECT_FALSE(cache->Contains(LoopNumber(1)));
  ASSERT_OK(cache->Get(LoopNumber(1)));

  EXPECT_TRUE(cache->Contains(LoopNumber(1)));
  EXPECT_FALSE(cache->Contains(LoopNumber(2)));
  EXPECT_EQ(compiles_, 1);
}

TEST_F(KernelCacheTest, AFailedCompileIsReportedAndTriedAgain) {
  const auto cache = MakeCache(8);
  fails_ = true;
  EXPECT_THAT(cache->Get(LoopNumber(1)),
              IsError(absl::StatusCode::kInternal, "COMPILER",
                      HasSubstr("told to fail")));
  fails_ = false;

  EXPECT_OK(cache->Get(LoopNumber(1)));
  EXPECT_EQ(cache->size(), 1);
}

}  // namespace
}  // namespace layoutd
