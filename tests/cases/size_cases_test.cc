// Cases from public bug reports that need many points. Those beyond about
// 100 MB run only when LAYOUTD_LARGE_TESTS is set.

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/runtime_world.h"
#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

bool AreLargeTestsOn() {
  const char* on = std::getenv("LAYOUTD_LARGE_TESTS");
  return on != nullptr && *on != '\0' && std::string(on) != "0";
}

// Publishes a content of a scalar field, all zeros but what `write` stores: the
// values of a layout of one scalar lie in canonical order.
template <typename T>
void AddDense(RuntimeWorld& world, const std::string& id, LayoutKind kind,
              const Shape& shape, ScalarType type,
              const std::function<void(T* values)>& write) {
  ASSERT_EQ(SizeBytes(type), static_cast<int64_t>(sizeof(T)));
  const DataLayout layout = DataLayout::Create({kind, shape, type}).value();
  FieldStore& store = *world.runtime().fields;
  ASSERT_OK(store.Create(id, layout, {}));
  ASSERT_OK_AND_ASSIGN(PrivateBuffer content,
                       store.Prepare(id, /*zeroed=*/true));
  write(reinterpret_cast<T*>(content.revision->buffer->data()));
  std::vector<PrivateBuffer> contents;
  contents.push_back(std::move(content));
  ASSERT_OK(store.Publish(std::move(contents), {}));
}

template <typename T>
std::function<void(T*)> Each(int64_t count, T (*value)(int64_t)) {
  return [=](T* values) {
    for (int64_t k = 0; k < count; ++k) values[k] = value(k);
  };
}

struct Configuration {
  LayoutKind kind;
  int num_threads;
};

class SizeCaseTest : public testing::TestWithParam<Configuration> {
 protected:
  static LayoutKind Kind() { return GetParam().kind; }
  static std::unique_ptr<RuntimeWorld> Open() {
    return RuntimeWorld::Open({.num_threads = GetParam().num_threads,
                               .memory_limit_bytes = int64_t{8} << 30})
        .value();
  }
  // Returns result `index` of `text`, which must run.
  static Scalar ResultOf(RuntimeWorld& world, const std::string& text,
                         size_t index = 0) {
    const absl::StatusOr<ExecuteReply> reply = world.Run(text);
    if (!reply.ok()) {
      ADD_FAILURE() << reply.status();
      return {};
    }
    return reply->results[index].leaves[0];
  }
};

TEST_P(SizeCaseTest, K01TheMinimumOfAPlaneOfOnesIsOne) {
  const std::unique_ptr<RuntimeWorld> world = Open();
  AddDense<double>(*world, "x", Kind(), {{1, 4, 4, 16641}}, ScalarType::kF64,
                   Each<double>(16 * 16641, [](int64_t) { return 1.0; }));

  EXPECT_EQ(ResultOf(*world, "reduce { low = min(x) }").As<double>(), 1.0);
}

TEST_P(SizeCaseTest, K09MeanAndVarianceOfTenMillionFloatsKeepTheirDigits) {
  constexpr int64_t kCount = 10485760;
  const std::unique_ptr<RuntimeWorld> world = Open();
  AddDense<float>(*world, "x", Kind(), {{1, 1, 1, kCount}}, ScalarType::kF32,
                  Each<float>(kCount, [](int64_t k) {
                    return 300 + 0.125f * static_cast<float>(k % 7);
                  }));

  const absl::StatusOr<ExecuteReply> reply = world->Run(R"(
    reduce { m = mean(x) }
    reduce { variance = mean((x - m) * (x - m)) }
  )");
  ASSERT_OK(reply);

  EXPECT_EQ(reply->results[0].leaves[0].As<float>(), 300.375f);
  // The exact value; an f32 sum of 4096 chunks of 64 lanes is within a few
  // units of its last place.
  EXPECT_NEAR(reply->results[1].leaves[0].As<float>(), 0.06249999254941372,
              4 * 3.725e-9);
}

TEST_P(SizeCaseTest, K10AFloatMeanDividesByTheExactCount) {
  constexpr int64_t kCount = 16777217;
  const std::unique_ptr<RuntimeWorld> world = Open();
  AddDense<float>(*world, "x", Kind(), {{1, 1, 1, kCount}}, ScalarType::kF32,
                  [](float* values) { values[0] = 16777215; });

  EXPECT_EQ(ResultOf(*world, "reduce { m = mean(x) }").As<uint32_t>(),
            0x3f7ffffeu);
}

INSTANTIATE_TEST_SUITE_P(Cases, SizeCaseTest,
                         testing::Values(Configuration{LayoutKind::kVIJFH, 1},
                                         Configuration{LayoutKind::kVIJHF, 3}),
                         [](const auto& row) {
                           return std::string(Name(row.param.kind)) +
                                  std::to_string(row.param.num_threads);
                         });

class LargeCaseTest : public SizeCaseTest {
 protected:
  void SetUp() override {
    if (!AreLargeTestsOn()) GTEST_SKIP() << "LAYOUTD_LARGE_TESTS is not set";
  }
};

TEST_P(LargeCaseTest, K09AFloatSumOfOnesPassesTwoToThe24) {
  constexpr int64_t kCount = 100000000;
  const std::unique_ptr<RuntimeWorld> world = Open();
  AddDense<float>(*world, "x", Kind(), {{1, 1, 1, kCount}}, ScalarType::kF32,
                  Each<float>(kCount, [](int64_t) { return 1.0f; }));

  EXPECT_EQ(ResultOf(*world, "reduce { total = sum(x) }").As<float>(), 1e8f);
  EXPECT_NEAR(ResultOf(*world, "reduce { t = sum(0.1 * x) }").As<float>(),
              10000000.149011612, 60);
}

TEST_P(LargeCaseTest, K09EveryLevelSumsAlike) {
  constexpr int64_t kCount = 20000000;
  const std::unique_ptr<RuntimeWorld> world = Open();
  AddDense<float>(*world, "x", Kind(), {{2, 1, 1, kCount}}, ScalarType::kF32,
                  Each<float>(2 * kCount, [](int64_t) { return 1.0f; }));

  for (const char* level : {"at(x, 0)", "at(x, 1)"}) {
    const std::string text = std::string("reduce { total = sum(") + level +
                             ")\n m = mean(" + level + ") }";
    EXPECT_EQ(ResultOf(*world, text, 0).As<float>(), 2e7f);
    EXPECT_EQ(ResultOf(*world, text, 1).As<float>(), 1.0f);
  }
}

TEST_P(LargeCaseTest, K13MoreThanTwoToThe31Points) {
  constexpr int64_t kCount = 2147483664;
  const std::unique_ptr<RuntimeWorld> world = Open();
  AddDense<int8_t>(*world, "x", Kind(), {{1, 1, 1, kCount}}, ScalarType::kI8,
                   [](int8_t* values) {
                     values[0] = 1;
                     values[kCount - 1] = 7;
                   });

  const absl::StatusOr<ExecuteReply> reply = world->Run(R"(reduce {
    total = sum(x)
    high = max(x)
    n = count(x == 0)
    where_high = sum(select(x == 7, @h, 0))
    place = argmax(x)
  })");
  ASSERT_OK(reply);

  EXPECT_EQ(reply->results[0].leaves[0].As<int64_t>(), 8);
  EXPECT_EQ(reply->results[1].leaves[0].As<int8_t>(), 7);
  EXPECT_EQ(reply->results[2].leaves[0].As<int64_t>(), kCount - 2);
  EXPECT_EQ(reply->results[3].leaves[0].As<int64_t>(), kCount - 1);
  EXPECT_EQ(reply->results[4].leaves[4].As<int64_t>(), kCount - 1);
}

TEST_P(LargeCaseTest, K13BytesOffsetsBeyondTwoToThe31) {
  constexpr int64_t kCount = 268435459;  // 2147483672 bytes
  const std::unique_ptr<RuntimeWorld> world = Open();
  AddDense<double>(*world, "x", Kind(), {{1, 1, 1, kCount}}, ScalarType::kF64,
                   [](double* values) {
                     for (int64_t k = 0; k < kCount; ++k) values[k] = 1;
                     values[kCount - 1] = 5;
                   });

  const absl::StatusOr<ExecuteReply> reply = world->Run(R"(
    x = x + 0
    reduce {
      total = sum(x)
      where_high = sum(select(x == 5, @h, 0))
      last = sum(select(@h >= 268435456, x, 0.0))
      place = argmax(x)
    })");
  ASSERT_OK(reply);

  EXPECT_EQ(reply->results[0].leaves[0].As<double>(), 268435463.0);
  EXPECT_EQ(reply->results[1].leaves[0].As<int64_t>(), kCount - 1);
  EXPECT_EQ(reply->results[2].leaves[0].As<double>(), 7.0);
  EXPECT_EQ(reply->results[3].leaves[4].As<int64_t>(), kCount - 1);
  ASSERT_OK_AND_ASSIGN(const FieldInfo info, world->runtime().fields->Get("x"));
  EXPECT_EQ(info.size_bytes(), 2147483672);
}

INSTANTIATE_TEST_SUITE_P(Cases, LargeCaseTest,
                         testing::Values(Configuration{LayoutKind::kVIJFH, 1},
                                         Configuration{LayoutKind::kVIJHF, 3}),
                         [](const auto& row) {
                           return std::string(Name(row.param.kind)) +
                                  std::to_string(row.param.num_threads);
                         });

}  // namespace
}  // namespace layoutd
