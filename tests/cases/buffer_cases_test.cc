// Cases from public bug reports: loops over buffers with ghost layers and
// padded rows, walked by their description alone.

#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/layout/buffer_view.h"
#include "engine/layout/iteration_limits.h"
#include "engine/layout/tensor_buffer.h"
#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

constexpr AxisOrder kOrders[] = {AxisOrder::kLeftmost, AxisOrder::kRightmost,
                                 AxisOrder::kZyxf};

// Calls `body` with every index of `limits`, the outermost loop first.
template <typename Body>
void WalkPoints(const IterationLimits& limits, const Body& body,
                std::vector<int64_t>& index, size_t depth = 0) {
  if (depth == limits.loop_order.size()) {
    body(index);
    return;
  }
  const auto axis = static_cast<size_t>(limits.loop_order[depth]);
  for (int64_t at = limits.lower[axis]; at < limits.upper[axis]; ++at) {
    index[axis] = at;
    WalkPoints(limits, body, index, depth + 1);
  }
}

TEST(BufferCasesTest, K16EveryPointIsWrittenAndNoPaddingIs) {
  struct Case {
    std::vector<int64_t> points;
    int64_t num_points;
  };
  const Case cases[] = {{{13, 4, 4, 19}, 3952}, {{7, 3, 3, 5}, 315},
                        {{1, 1, 1, 1}, 1},      {{1, 1, 1, 31}, 31},
                        {{1, 1, 1, 33}, 33},    {{63, 4, 4, 1}, 1008}};
  for (AxisOrder order : kOrders) {
    for (const Case& c : cases) {
      SCOPED_TRACE(absl::StrCat(Name(order), " of ", c.num_points));
      ASSERT_OK_AND_ASSIGN(const BufferSpec spec,
                           MakeTensorBuffer({.points = c.points,
                                             .ghosts_low = {2, 0, 1, 1},
                                             .ghosts_high = {1, 3, 0, 1},
                                             .order = order,
                                             .align_bytes = 64}));
      std::vector<double> y(static_cast<size_t>(spec.num_elements()), -7);
      const BufferView view = InnerView(spec);

      std::vector<int64_t> index(c.points.size());
      WalkPoints(
          LimitsOf(spec),
          [&](const auto& at) {
            y[static_cast<size_t>(view.ElementOffset(at))] = 0 + 1;
          },
          index);

      int64_t num_written = 0;
      for (double value : y) {
        ASSERT_TRUE(value == 1 || value == -7);
        num_written += value == 1 ? 1 : 0;
      }
      EXPECT_EQ(num_written, c.num_points);
    }
  }
}

TEST(BufferCasesTest, K25TwoLevelsBackDoesNotDependOnTheGhosts) {
  for (int64_t ghosts : {0, 3, 8}) {
    SCOPED_TRACE(ghosts);
    ASSERT_OK_AND_ASSIGN(
        const BufferSpec spec,
        MakeTensorBuffer(
            {.points = {6}, .ghosts_low = {ghosts}, .ghosts_high = {ghosts}}));
    std::vector<double> x(static_cast<size_t>(spec.num_elements()), 1e30);
    const auto place = [&](int64_t v) {
      return static_cast<size_t>(spec.ElementOffset({v}));
    };
    for (int64_t v = 0; v < 6; ++v) x[place(v)] = static_cast<double>(v);

    std::vector<double> y;
    for (int64_t v = 0; v < 6; ++v) {
      const auto back = ComponentIndex(spec, {v}, {-2}, {});
      EXPECT_EQ(back.ok(), v >= 2 || ghosts > 0);
      y.push_back(v >= 2 ? 1 - x[place(back.value()[0])] : x[place(v)]);
    }

    EXPECT_THAT(y, testing::ElementsAre(0, 1, 1, 0, -1, -2));
  }
}

}  // namespace
}  // namespace layoutd
