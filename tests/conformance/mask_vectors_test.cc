// mask_vectors.json: the compacted lists of masks, and what masked loops visit.

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/layout/mask_map.h"
#include "tests/support/program_world.h"
#include "tests/support/status_matchers.h"
#include "tests/support/vector_file.h"

namespace layoutd {
namespace {

constexpr char kFile[] = "mask_vectors.json";
using Integers = std::vector<int64_t>;

TEST(MaskVectorsTest, EverySectionIsRead) {
  ExpectSections(kFile, {"masks", "valid_ops"});
}

Integers OneBased(const Integers& indices) {
  Integers result;
  for (int64_t index : indices) result.push_back(index + 1);
  return result;
}

class MaskVectorTest : public VectorTest {};

TEST_P(MaskVectorTest, ColumnsAreListedAndVisitedInOrder) {
  VectorRecord c = Case();
  c.Ignore("name", "for readers");
  const Shape shape{{c.Get<int64_t>("Nv"), c.Get<int64_t>("Ni"),
                     c.Get<int64_t>("Nj"), c.Get<int64_t>("Nh")}};
  const int64_t num_active = c.Get<int64_t>("N");
  const auto i_map = c.Get<Integers>("i_map");
  const auto j_map = c.Get<Integers>("j_map");
  const auto h_map = c.Get<Integers>("h_map");
  const int64_t capacity = c.Get<int64_t>("map_capacity");
  const auto first_points = c.Get<std::vector<Integers>>("active_points_first");
  const int64_t num_points = c.Get<int64_t>("active_points_count");
  const size_t columns = static_cast<size_t>(num_active);
  ASSERT_LE(columns, std::min({i_map.size(), j_map.size(), h_map.size()}));
  ASSERT_EQ(shape.num_columns(), capacity);

  std::vector<uint8_t> active(static_cast<size_t>(capacity));
  for (size_t k = 0; k < columns; ++k) {
    active[static_cast<size_t>(i_map[k] - 1 + shape.i() * (j_map[k] - 1) +
                               shape.i() * shape.j() * (h_map[k] - 1))] = 1;
  }
  const ColumnMap map = MakeColumnMap(shape, active);

  EXPECT_EQ(map.num_active(), num_active);
  // What the vector lists past N is stale.
  const auto upto_n = [&](const Integers& list) {
    return Integers(list.begin(), list.begin() + num_active);
  };
  EXPECT_EQ(OneBased(map.i), upto_n(i_map));
  EXPECT_EQ(OneBased(map.j), upto_n(j_map));
  EXPECT_EQ(OneBased(map.h), upto_n(h_map));
  for (size_t k = 0; k < first_points.size(); ++k) {
    const size_t column = k / static_cast<size_t>(shape.v());
    const int64_t v = static_cast<int64_t>(k) % shape.v();
    ASSERT_LT(column, columns);
    EXPECT_EQ((Integers{v + 1, map.i[column] + 1, map.j[column] + 1,
                        map.h[column] + 1}),
              first_points[k]);
  }

  ProgramWorld world;
  world.AddConstant("x", "f64", shape, 0);
  world.SetMask("m", shape, [&](int64_t i, int64_t j, int64_t h) {
    return active[static_cast<size_t>(i + shape.i() * (j + shape.j() * h))] !=
           0;
  });
  ASSERT_OK(world.Run(R"(
    foreach point mask m { x = x + 1 }
    foreach column mask m { x = x + 1 }
    reduce mask m { counted = count(x == 2) }
    reduce { total = sum(x) }
  )"));
  EXPECT_EQ(world.Number("counted"), static_cast<double>(num_points));
  EXPECT_EQ(world.Number("total"), static_cast<double>(2 * num_points));
}

LAYOUTD_VECTORS(MaskVectorTest, kFile, "masks", "Mask");

class MaskedSliceTest : public testing::TestWithParam<const char*> {};

TEST_P(MaskedSliceTest, TakesAMaskWhereTheVectorSays) {
  const VectorFile file = ReadVectorFile(kFile);
  if (!file.missing.empty()) GTEST_SKIP() << file.missing;
  ASSERT_TRUE(file.json.contains("valid_ops"));
  VectorRecord c(file.json["valid_ops"], "valid_ops");
  std::map<std::string, nlohmann::json> by_slice;
  for (const char* slice : {"view", "column", "slab", "level"}) {
    by_slice[slice] = c.Get<nlohmann::json>(slice);
  }
  const std::string slice = GetParam();
  ProgramWorld world;
  world.AddConstant("x", "f64", {{3, 2, 2, 2}}, 0);
  world.SetMask("m", {{1, 2, 2, 2}},
                [](int64_t i, int64_t, int64_t) { return i == 0; });

  const absl::Status status = world.Run(absl::StrCat(
      "foreach ", slice == "view" ? "point" : slice, " mask m { x = x + 1 }"));

  if (DetailOf(status).reason == "UNSUPPORTED") {
    GTEST_SKIP() << "foreach " << slice << " is not built";
  }
  if (by_slice[slice].is_boolean()) {
    EXPECT_EQ(status.ok(), by_slice[slice].get<bool>()) << status;
  } else {
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  }
}

INSTANTIATE_TEST_SUITE_P(Vectors, MaskedSliceTest,
                         testing::Values("view", "column", "slab", "level"),
                         [](const auto& row) { return row.param; });

}  // namespace
}  // namespace layoutd
