// scope_vectors.json: how the indices of a loop are divided.

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/layout/mask_map.h"
#include "engine/layout/scope_division.h"
#include "engine/layout/slice.h"
#include "tests/support/program_world.h"
#include "tests/support/status_matchers.h"
#include "tests/support/vector_file.h"

namespace layoutd {
namespace {

constexpr char kFile[] = "scope_vectors.json";
using Integers = std::vector<int64_t>;

TEST(ScopeVectorsTest, EverySectionIsRead) {
  ExpectSections(
      kFile,
      {"contiguous", "strided", "subscope_rank", "slice_subscope_from_kernel",
       "slice_subscope_from_subblock16_C", "slice_subscope_cpu_pool",
       "pool_division", "combine", "slice_index_order"});
}

class ContiguousVectorTest : public VectorTest {};

TEST_P(ContiguousVectorTest, EachMemberTakesOneRun) {
  VectorRecord c = Case();
  const int64_t length = c.Get<int64_t>("length");
  const int64_t members = c.Get<int64_t>("n");
  const auto ranges = c.Get<std::vector<Integers>>("ranges");
  ASSERT_EQ(static_cast<int64_t>(ranges.size()), members);
  for (int64_t rank = 0; rank < members; ++rank) {
    const IndexShare share = ContiguousShare(length, members, rank);
    // First and last, counted from 1: an empty run ends before it begins.
    EXPECT_EQ((Integers{share.begin + 1, share.end}),
              ranges[static_cast<size_t>(rank)]);
  }
}

LAYOUTD_VECTORS(ContiguousVectorTest, kFile, "contiguous", "Contiguous");

class StridedVectorTest : public VectorTest {};

TEST_P(StridedVectorTest, EachMemberTakesEveryNth) {
  VectorRecord c = Case();
  const int64_t length = c.Get<int64_t>("length");
  const int64_t members = c.Get<int64_t>("n");
  const auto sets = c.Get<std::vector<Integers>>("sets");
  ASSERT_EQ(static_cast<int64_t>(sets.size()), members);
  for (int64_t rank = 0; rank < members; ++rank) {
    const IndexShare share = StridedShare(length, members, rank);
    Integers indices;
    for (int64_t k = share.begin; k < share.end; k += share.step) {
      indices.push_back(k + 1);
    }
    EXPECT_EQ(indices, sets[static_cast<size_t>(rank)]);
    EXPECT_EQ(share.size(), static_cast<int64_t>(indices.size()));
  }
}

LAYOUTD_VECTORS(StridedVectorTest, kFile, "strided", "Strided");

class SubscopeRankVectorTest : public VectorTest {};

TEST_P(SubscopeRankVectorTest, IsThatOfTheThread) {
  VectorRecord c = Case();
  const int64_t scope_threads = c.Get<int64_t>("scope_threads");
  const int64_t sub_threads = c.Get<int64_t>("sub_threads");
  const int64_t thread_rank = c.Get<int64_t>("thread_rank");
  const int64_t rank = c.Get<int64_t>("rank");

  EXPECT_EQ(SubscopeRank(thread_rank - 1, sub_threads) + 1, rank);
  EXPECT_LE(rank, NumSubscopes(scope_threads, sub_threads));
}

LAYOUTD_VECTORS(SubscopeRankVectorTest, kFile, "subscope_rank", "SubscopeRank");

class PoolVectorTest : public VectorTest {};

TEST_P(PoolVectorTest, WaitsForAPoolOfClaims) {
  VectorRecord c = Case();
  c.Get<int64_t>("P");
  for (VectorRecord& event : c.Records("log")) {
    event.Get<std::string>("event");
    event.Get<int64_t>("pending");
    event.Get<int64_t>("in_use");
    for (const char* key : {"share", "claimed", "runs_on"}) {
      event.Find<int64_t>(key);
    }
  }
  GTEST_SKIP() << "loops share the workers of one oneTBB arena; nothing claims "
                  "threads for a loop";
}

LAYOUTD_VECTORS(PoolVectorTest, kFile, "pool_division", "Pool");

class CombineVectorTest : public VectorTest {};

TEST_P(CombineVectorTest, WaitsForTheScopesOfAGpu) {
  VectorRecord c = Case();
  c.Get<std::vector<std::string>>("args");
  c.Find<std::string>("result");
  c.Find<std::string>("error");
  GTEST_SKIP() << "the hierarchy of scopes is not built; the one device is cpu";
}

LAYOUTD_VECTORS(CombineVectorTest, kFile, "combine", "Combine");

// Returns the whole file as a record, after the sections that other tests read.
class ScopeFileTest : public testing::Test {
 protected:
  void SetUp() override {
    file_ = ReadVectorFile(kFile);
    if (!file_.missing.empty()) GTEST_SKIP() << file_.missing;
    ASSERT_EQ(file_.fault, "");
  }

  VectorRecord Section(const char* name) { return {file_.json.at(name), name}; }

  VectorFile file_;
};

TEST_F(ScopeFileTest, SubscopesOfAKernelWaitForTheScopesOfAGpu) {
  VectorRecord c = Section("slice_subscope_from_kernel");
  for (const char* version : {"A", "B", "C"}) {
    VectorRecord table = c.Record(version);
    table.Get<std::string>("what");
    table.Get<nlohmann::json>("table");
  }
  GTEST_SKIP() << "the hierarchy of scopes is not built; the one device is cpu";
}

TEST_F(ScopeFileTest, SubscopesOfASubBlockAndAPoolWaitForScopes) {
  EXPECT_TRUE(file_.json["slice_subscope_from_subblock16_C"].is_object());
  EXPECT_EQ(file_.json["slice_subscope_cpu_pool"], "always Thread");
  GTEST_SKIP() << "the hierarchy of scopes is not built; the one device is cpu";
}

TEST_F(ScopeFileTest, SlicesAreVisitedInOrder) {
  VectorRecord c = Section("slice_index_order");
  const auto points = c.Get<std::vector<Integers>>("view_2x2x1x2");
  const auto slabs = c.Get<std::vector<Integers>>("slab_Nv2_Nh3");
  const auto columns = c.Get<std::vector<Integers>>("column_2x2x2");
  const auto levels = c.Get<std::vector<Integers>>("level_Nv3");

  // Points: the order of streams and of values of a field.
  ProgramWorld world;
  world.AddConstant("x", "i64", {{2, 2, 1, 2}}, 0);
  ASSERT_OK(world.Run("new index = (@v + 1 + 0 * x, @i + 1, @j + 1, @h + 1)"));
  Integers got, want;
  for (const Scalar& leaf : world.Field("index").leaves) {
    got.push_back(leaf.As<int64_t>());
  }
  for (const Integers& point : points) {
    want.insert(want.end(), point.begin(), point.end());
  }
  EXPECT_EQ(got, want);

  // Columns: the compacted list of a mask with all of them active.
  const Shape shape{{1, 2, 2, 2}};
  const ColumnMap map = MakeColumnMap(shape, std::vector<uint8_t>(8, 1));
  ASSERT_EQ(columns.size(), map.i.size());
  for (size_t k = 0; k < columns.size(); ++k) {
    EXPECT_EQ((Integers{map.i[k] + 1, map.j[k] + 1, map.h[k] + 1}), columns[k]);
  }

  // Slabs and levels: no loop visits them yet; their memory has that order.
  const View view =
      DataLayout::Create({LayoutKind::kVIJFH, {{2, 1, 1, 3}}, ScalarType::kF64})
          .value()
          .WholeView();
  for (size_t k = 0; k < slabs.size(); ++k) {
    ASSERT_OK_AND_ASSIGN(const View slab,
                         Slab(view, slabs[k][0] - 1, slabs[k][1] - 1));
    EXPECT_EQ(slab.offset_bytes, static_cast<int64_t>(8 * k));
  }
  const View column =
      DataLayout::Create({LayoutKind::kVIJFH, {{3, 1, 1, 1}}, ScalarType::kF64})
          .value()
          .WholeView();
  for (size_t k = 0; k < levels.size(); ++k) {
    ASSERT_OK_AND_ASSIGN(const View level, Level(column, levels[k][0] - 1));
    EXPECT_EQ(level.offset_bytes, static_cast<int64_t>(8 * k));
  }
}

}  // namespace
}  // namespace layoutd
