// Long rows and many columns, which are stored past the cache
// (engine/program/loop_shape.cc).

#include <vector>

#include "gtest/gtest.h"
#include "tests/support/runtime_world.h"
#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

// Two fields of it are more than 32 MiB, and its end is no whole vector.
constexpr Shape kLong{{1, 1, 1, 2200007}};

TEST(StreamingTest, LongRowsHaveEveryValueUpToTheOddEnd) {
  for (const int threads : {1, 3}) {
    auto world = RuntimeWorld::Open({threads}).value();
    std::vector<Scalar> x;
    for (int64_t k = 0; k < kLong.num_points(); ++k) {
      x.push_back(Scalar::F64(static_cast<double>(k)));
    }
    const DataLayout layout =
        DataLayout::Create({LayoutKind::kVIJFH, kLong, ScalarType::kF64})
            .value();
    ASSERT_OK(world->AddField("x", layout, x));

    const absl::StatusOr<ExecuteReply> reply = world->Run(
        "new y = 2.0 * x\nnew z = f32(y)\nreduce { s = sum(y - 2.0 * x) }");

    ASSERT_OK(reply);
    EXPECT_EQ(reply->results[0].leaves[0].As<double>(), 0.0);
    const OracleField y = world->ReadField("y").value();
    const OracleField z = world->ReadField("z").value();
    int64_t wrong = 0;
    for (int64_t k = 0; k < kLong.num_points(); ++k) {
      const double want = 2.0 * static_cast<double>(k);
      const size_t at = static_cast<size_t>(k);
      wrong += y.leaves[at].As<double>() != want;
      wrong += z.leaves[at].As<float>() != static_cast<float>(want);
    }
    EXPECT_EQ(wrong, 0);
  }
}

// A running total is stored in whole columns; the last ones fill no group.
TEST(StreamingTest, ManyColumnsHaveEveryLevel) {
  for (const int64_t num_levels : {63, 70}) {
    const Shape shape{{num_levels, 1, 1, 35003}};
    auto world = RuntimeWorld::Open({2}).value();
    std::vector<Scalar> x;
    for (int64_t k = 0; k < shape.num_points(); ++k) {
      x.push_back(Scalar::F64(0.5 + static_cast<double>(k / num_levels)));
    }
    ASSERT_OK(world->AddField(
        "x", DataLayout::Create({LayoutKind::kVIJFH, shape}).value(), x));

    const absl::StatusOr<ExecuteReply> reply = world->Run(
        "new y = 0.0 * x\n"
        "foreach column { y = scan(+, x) }\n"
        "new z = f32(x)\n"
        "foreach column { z = f32(scan(+, x, flip = true)) }");

    ASSERT_OK(reply);
    const OracleField y = world->ReadField("y").value();
    const OracleField z = world->ReadField("z").value();
    int64_t wrong = 0;
    for (int64_t k = 0; k < shape.num_points(); ++k) {
      const auto v = static_cast<double>(k % num_levels);
      const double step = 0.5 + static_cast<double>(k / num_levels);
      const auto at = static_cast<size_t>(k);
      wrong += y.leaves[at].As<double>() != (v + 1) * step;
      wrong += z.leaves[at].As<float>() !=
               static_cast<float>((static_cast<double>(num_levels) - v) * step);
    }
    EXPECT_EQ(wrong, 0);
  }
}

}  // namespace
}  // namespace layoutd
