// The same bits for every layout kind, thread count, vector width and run.

#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/support/runtime_world.h"
#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

// 63 levels and 3 x 3 columns give 567 points an element: chunks of 8 elements,
// whose borders fall nowhere near a vector's.
constexpr Shape kShape{{63, 3, 3, 101}};

constexpr char kProgram[] = R"(
  new smooth = 0.25 * (at(x, v - 1, edge = clamp) + 2 * x
                       + at(x, v + 1, edge = clamp))
  new sink = at(x, 0)
  new floored = i32(x)
  foreach column mask m {
    sink = fold(+, exp(x / 300.0) * dz)
    new depth = scan(+, x * dz) - scan(+, dz, flip = true, exclusive = true)
    new next = at(scan(max, x), v + 1, edge = clamp)
  }
  reduce mask m {
    total = sum(x)
    weighted = mean(smooth, weight = dz, where = x > 280.0)
    narrow = sum(f32(x))
    lowest = min(smooth)
    highest = max(exp(x / 300.0))
    warm = count(x > 290.0)
    heat = sum(sink)
    first = argmin(floored, where = x > 280.0)
    last = argmax(depth)
    range = extrema(next)
  }
)";

struct Outcome {
  std::vector<Scalar> leaves;
};

Outcome RunOnce(LayoutKind kind, const WorldOptions& options) {
  Outcome outcome;
  auto world = RuntimeWorld::Open(options).value();
  std::vector<Scalar> x;
  for (int64_t k = 0; k < kShape.num_points(); ++k) {
    x.push_back(
        Scalar::F64(285.0 + 20.0 * std::sin(0.37 * static_cast<double>(k))));
  }
  std::vector<Scalar> dz;
  for (int v = 0; v < 63; ++v) dz.push_back(Scalar::F64(1.0 + 0.1 * v));
  std::vector<uint8_t> mask;
  for (int64_t c = 0; c < kShape.num_columns(); ++c) {
    mask.push_back(c % 7 == 3 || c % 5 == 0 ? 1 : 0);
  }
  auto layout = [&](const Shape& shape) {
    return DataLayout::Create({kind, shape, ScalarType::kF64}).value();
  };
  EXPECT_OK(world->AddField("x", layout(kShape), x));
  EXPECT_OK(world->AddField("dz", layout(Shape{{63, 1, 1, 1}}), dz));
  EXPECT_OK(world->AddMask("m", kShape.WithV(1), mask));
  const absl::StatusOr<ExecuteReply> reply = world->Run(kProgram);
  EXPECT_OK(reply);
  for (const ExecuteReply::Result& result : reply->results) {
    outcome.leaves.insert(outcome.leaves.end(), result.leaves.begin(),
                          result.leaves.end());
  }
  for (const char* field : {"smooth", "sink", "depth", "next"}) {
    const OracleField content = world->ReadField(field).value();
    outcome.leaves.insert(outcome.leaves.end(), content.leaves.begin(),
                          content.leaves.end());
  }
  return outcome;
}

TEST(DeterminismTest, LayoutsThreadsAndWidthsGiveTheSameBits) {
  const Outcome want = RunOnce(LayoutKind::kVIJFH, {1, 0});
  for (const LayoutKind kind : {LayoutKind::kVIJFH, LayoutKind::kVIJHF}) {
    for (const int threads : {1, 2, 7}) {
      for (const int bits : {0, 128, 256}) {
        SCOPED_TRACE(absl::StrCat(std::string(Name(kind)), ", ", threads,
                                  " threads, ", bits, " bits"));
        const Outcome got = RunOnce(kind, {threads, bits});
        ASSERT_EQ(got.leaves.size(), want.leaves.size());
        for (size_t k = 0; k < want.leaves.size(); ++k) {
          ASSERT_TRUE(SameBits(got.leaves[k], want.leaves[k])) << "leaf " << k;
        }
      }
    }
  }
}

TEST(DeterminismTest, RepeatedRunsGiveTheSameBits) {
  const Outcome want = RunOnce(LayoutKind::kVIJFH, {7, 0});
  for (int run = 0; run < 10; ++run) {
    const Outcome got = RunOnce(LayoutKind::kVIJFH, {7, 0});
    for (size_t k = 0; k < want.leaves.size(); ++k) {
      ASSERT_TRUE(SameBits(got.leaves[k], want.leaves[k])) << "leaf " << k;
    }
  }
}

}  // namespace
}  // namespace layoutd
