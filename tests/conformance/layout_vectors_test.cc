// layout_vectors.json: where points and slots lie in the parent array.

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/layout/data_layout.h"
#include "engine/layout/slice.h"
#include "engine/program/parse.h"
#include "engine/program/plan.h"
#include "tests/support/status_matchers.h"
#include "tests/support/vector_file.h"

namespace layoutd {
namespace {

constexpr char kFile[] = "layout_vectors.json";
using Integers = std::vector<int64_t>;
using MaybeIntegers = std::vector<std::optional<int64_t>>;

TEST(LayoutVectorsTest, EverySectionIsRead) {
  ExpectSections(kFile,
                 {"layouts", "planes", "invalid", "property_view_linear"});
}

// A value of `num_slots` slots of f64.
ValueType F64s(int64_t num_slots) {
  if (num_slots == 1) return ScalarType::kF64;
  return ValueType::Tuple(std::vector<ValueType>(static_cast<size_t>(num_slots),
                                                 ScalarType::kF64))
      .value();
}

// Extents of a kind: null is a dynamic one, known at run time only.
struct Params {
  std::optional<int64_t> v, i, j, h;
};

Params ReadParams(VectorRecord p) {
  const auto get = [&](const char* key) {
    return p.Has(key) ? p.Get<std::optional<int64_t>>(key) : std::nullopt;
  };
  return {get("Nv"), get("Ni"), get("Nj"), get("Nh")};
}

std::string WhyNotBuilt(const std::string& kind) {
  return absl::StrCat("the layout kind ", kind, " is not built");
}

// Expects that each known extent is that of the layout; the unknown ones are
// dynamic, a difference layoutd does not make.
void ExpectKnown(const MaybeIntegers& known, const Integers& extents) {
  ASSERT_EQ(known.size(), extents.size());
  for (size_t k = 0; k < known.size(); ++k) {
    if (known[k]) {
      EXPECT_EQ(*known[k], extents[k]);
    }
  }
}

// Returns whether a loop over all of the field's leaves walks one dimension.
bool WalksOneRow(const DataLayout& layout) {
  Catalog catalog;
  catalog.fields.emplace("x", Catalog::FieldEntry{"x", layout});
  const VerifiedProgram program =
      VerifyProgram(ParseProgram("x = x + x").value(), catalog).value();
  return PlanProgram(program).value().steps[0].loop.num_dimensions <= 1;
}

class LayoutVectorTest : public VectorTest {};

TEST_P(LayoutVectorTest, SlotsLieWhereTheVectorSays) {
  VectorRecord c = Case();
  const std::string name = c.Get<std::string>("kind");
  c.Ignore("F", "f_dim says the same");
  const Params params = ReadParams(c.Record("params"));
  const Params vijh = ReadParams(c.Record("vijh_params"));
  const int64_t runtime_h = c.Get<int64_t>("runtime_Nh");
  const int64_t num_slots = c.Get<int64_t>("Nf");
  const auto size = c.Get<Integers>("size");
  const auto parent_size = c.Get<Integers>("parent_size");
  const int64_t num_dims = c.Get<int64_t>("ndims");
  const auto f_dim = c.Get<std::optional<int64_t>>("f_dim");
  const auto inferred = c.Get<MaybeIntegers>("inferred_size");
  c.Ignore("has_inferred_size", "layoutd has no static sizes");
  const int64_t num_levels = c.Get<int64_t>("nlevels");
  const int64_t num_nodes = c.Get<int64_t>("nquadpoints");
  const int64_t num_elements = c.Get<int64_t>("nelems");
  const int64_t length = c.Get<int64_t>("length");
  const auto strides = c.Get<Integers>("strides_vijh");
  const auto stride_f = c.Get<std::optional<int64_t>>("stride_f");
  const bool linear_index = c.Get<bool>("linear_index");
  struct Probe {
    Integers index, offsets;
  };
  std::vector<Probe> probes;
  for (VectorRecord& p : c.Records("probe")) {
    probes.push_back(
        {p.Get<Integers>("index"), p.Get<Integers>("parent_offset_slot0")});
  }
  const absl::StatusOr<LayoutKind> kind = ParseLayoutKind(name);
  if (!kind.ok()) GTEST_SKIP() << WhyNotBuilt(name);

  const Shape shape{{params.v.value(), params.i.value(), params.j.value(),
                     params.h.value_or(runtime_h)}};
  ASSERT_OK_AND_ASSIGN(const DataLayout layout,
                       DataLayout::Create(*kind, shape, F64s(num_slots)));
  const View view = layout.WholeView();
  const Integers extents(layout.shape().extents.begin(),
                         layout.shape().extents.end());

  EXPECT_EQ(extents, size);
  EXPECT_EQ(num_dims, 4);
  ExpectKnown({vijh.v, vijh.i, vijh.j, vijh.h}, extents);
  ExpectKnown(inferred, extents);
  EXPECT_EQ(layout.buffer().num_axes, static_cast<int>(parent_size.size()));
  EXPECT_EQ(Integers(layout.buffer().shape.begin(),
                     layout.buffer().shape.begin() + layout.buffer().num_axes),
            parent_size);
  EXPECT_EQ(Name(*kind).find('F') + 1, static_cast<size_t>(f_dim.value()));
  EXPECT_EQ(layout.num_components(), num_slots);
  EXPECT_EQ(shape.v(), num_levels);
  EXPECT_EQ(shape.i() * shape.j(), num_nodes);
  EXPECT_EQ(shape.h(), num_elements);
  EXPECT_EQ(shape.num_points(), length);
  ASSERT_EQ(strides.size(), 4u);
  for (size_t axis = 0; axis < 4; ++axis) {
    EXPECT_EQ(view.strides_bytes[axis], 8 * strides[axis]);
  }
  EXPECT_EQ(view.slot_stride_bytes, 8 * stride_f.value());
  EXPECT_EQ(WalksOneRow(layout), linear_index);
  for (const Probe& p : probes) {
    ASSERT_EQ(p.index.size(), 4u);
    ASSERT_OK_AND_ASSIGN(const View point,
                         Point(view, p.index[0] - 1, p.index[1] - 1,
                               p.index[2] - 1, p.index[3] - 1));
    ASSERT_EQ(static_cast<int>(p.offsets.size()), point.type.num_leaves());
    for (size_t k = 0; k < p.offsets.size(); ++k) {
      EXPECT_EQ(AddressOf(point, static_cast<int>(k)).base_bytes,
                8 * p.offsets[k]);
    }
  }
}

LAYOUTD_VECTORS(LayoutVectorTest, kFile, "layouts", "Layout");

class PlaneVectorTest : public VectorTest {};

TEST_P(PlaneVectorTest, DataFIsOneValue) {
  VectorRecord c = Case();
  c.Ignore("note", "for readers");
  const std::string name = c.Get<std::string>("kind");
  const auto parent_size = c.Get<Integers>("parent_size");
  if (name != "DataF") {
    for (const char* key :
         {"params", "runtime_Nh1", "runtime_Nh2", "size", "f_dim", "Nf",
          "inferred_size", "vijh_params", "nelems", "nquadpoints", "slab_of",
          "column_of", "construct_from_type"}) {
      c.Ignore(key, "the kind is not built");
    }
    GTEST_SKIP() << WhyNotBuilt(name);
  }
  const int64_t num_slots = c.Get<int64_t>("Nf");
  const Params vijh = ReadParams(c.Record("vijh_params"));
  const auto size = c.Get<Integers>("size");
  const auto inferred = c.Get<Integers>("inferred_size");
  const int64_t num_dims = c.Get<int64_t>("ndims");
  const int64_t f_dim = c.Get<int64_t>("f_dim");
  const int64_t num_elements = c.Get<int64_t>("nelems");
  const int64_t num_nodes = c.Get<int64_t>("nquadpoints");

  const Shape shape{
      {vijh.v.value(), vijh.i.value(), vijh.j.value(), vijh.h.value()}};
  ASSERT_OK_AND_ASSIGN(
      const DataLayout layout,
      DataLayout::Create(LayoutKind::kDataF, shape, F64s(num_slots)));

  EXPECT_EQ(layout.buffer().num_axes, 1);
  EXPECT_EQ(Integers{layout.buffer().shape[0]}, parent_size);
  // Its logical size has no dimension; layoutd gives it four of extent 1.
  EXPECT_EQ(num_dims, 0);
  EXPECT_TRUE(size.empty());
  EXPECT_TRUE(inferred.empty());
  EXPECT_EQ(layout.shape(), Shape());
  EXPECT_EQ(f_dim, 1);
  EXPECT_EQ(shape.h(), num_elements);
  EXPECT_EQ(shape.i() * shape.j(), num_nodes);
}

LAYOUTD_VECTORS(PlaneVectorTest, kFile, "planes", "Plane");

class InvalidLayoutVectorTest : public VectorTest {};

TEST_P(InvalidLayoutVectorTest, IsRefused) {
  VectorRecord c = Case();
  const std::string name = c.Get<std::string>("kind");
  c.Ignore("Nf", "goes with a given parent");
  c.Ignore("error", "upstream's words; ours is BAD_SHAPE");
  const bool has_parent = c.Has("parent");
  c.Ignore("parent", "layoutd computes the parent, nobody gives it one");
  const auto construct = c.Find<std::string>("construct");
  const Params params =
      c.Has("params") ? ReadParams(c.Record("params")) : Params{1, 1, 1, 1};
  const absl::StatusOr<LayoutKind> kind = ParseLayoutKind(name);
  if (!kind.ok()) GTEST_SKIP() << WhyNotBuilt(name);
  if (has_parent) {
    GTEST_SKIP() << "a layout computes the size of its parent; none is given";
  }
  if (construct || !params.h) {
    GTEST_SKIP() << "layoutd has no dynamic extent that could be left out";
  }

  EXPECT_THAT(
      DataLayout::Create(
          *kind,
          {{params.v.value(), params.i.value(), params.j.value(), *params.h}},
          ScalarType::kF64),
      IsError(absl::StatusCode::kInvalidArgument, "BAD_SHAPE", testing::_));
}

LAYOUTD_VECTORS(InvalidLayoutVectorTest, kFile, "invalid", "Invalid");

class PropertyVectorTest : public VectorTest {};

TEST_P(PropertyVectorTest, ElementsOfAComponentLieWhereTheVectorSays) {
  VectorRecord c = Case();
  const std::string name = c.Get<std::string>("layout");
  const Shape shape{{c.Get<int64_t>("Nv"), c.Get<int64_t>("Ni"),
                     c.Get<int64_t>("Nj"), c.Get<int64_t>("Nh")}};
  const int64_t num_slots = c.Get<int64_t>("parent_Nf");
  const int64_t slot = c.Get<int64_t>("field_slot_offset");
  const auto pairs =
      c.Get<std::vector<Integers>>("linear_index_to_parent_linear_index");
  const absl::StatusOr<LayoutKind> kind = ParseLayoutKind(name);
  if (!kind.ok()) GTEST_SKIP() << WhyNotBuilt(name);

  ASSERT_OK_AND_ASSIGN(const DataLayout layout,
                       DataLayout::Create(*kind, shape, F64s(num_slots)));
  ASSERT_OK_AND_ASSIGN(const View component,
                       PropertyView(layout.WholeView(), absl::StrCat(slot)));
  for (const Integers& pair : pairs) {
    ASSERT_EQ(pair.size(), 2u);
    int64_t rest = pair[0] - 1;
    std::array<int64_t, 4> index;
    for (size_t axis = 0; axis < 4; ++axis) {
      index[axis] = rest % shape.extents[axis];
      rest /= shape.extents[axis];
    }
    ASSERT_OK_AND_ASSIGN(const View point, Point(component, index[0], index[1],
                                                 index[2], index[3]));
    EXPECT_EQ(AddressOf(point, 0).base_bytes, 8 * (pair[1] - 1));
  }
}

LAYOUTD_VECTORS(PropertyVectorTest, kFile, "property_view_linear", "Property");

}  // namespace
}  // namespace layoutd
