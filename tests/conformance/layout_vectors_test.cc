// layout_vectors.json: where points and slots lie in the parent array.

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/layout/data_layout.h"
#include "engine/layout/plane.h"
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
  const bool has_inferred = c.Get<bool>("has_inferred_size");
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
  const LayoutKind kind = ParseLayoutName(name).value().kind;

  const Shape shape{{params.v.value(), params.i.value(), params.j.value(),
                     params.h.value_or(runtime_h)}};
  ASSERT_OK_AND_ASSIGN(const DataLayout layout,
                       DataLayout::Create({.kind = kind,
                                           .shape = shape,
                                           .type = F64s(num_slots),
                                           .static_h = params.h.has_value()}));
  const View view = layout.WholeView();
  const Integers extents(layout.shape().extents.begin(),
                         layout.shape().extents.end());

  EXPECT_EQ(extents, size);
  EXPECT_EQ(num_dims, 4);
  EXPECT_EQ(layout.vijh_params(), (VijhParams{vijh.v, vijh.i, vijh.j, vijh.h}));
  EXPECT_EQ(layout.inferred_size(), inferred);
  EXPECT_EQ(layout.has_inferred_size(), has_inferred);
  EXPECT_EQ(layout.buffer().num_axes, static_cast<int>(parent_size.size()));
  EXPECT_EQ(Integers(layout.buffer().shape.begin(),
                     layout.buffer().shape.begin() + layout.buffer().num_axes),
            parent_size);
  EXPECT_EQ(FDim(kind), f_dim);
  EXPECT_EQ(layout.num_components(), num_slots);
  EXPECT_EQ(layout.num_levels(), num_levels);
  EXPECT_EQ(layout.num_nodes(), num_nodes);
  EXPECT_EQ(layout.num_elements(), num_elements);
  EXPECT_EQ(shape.num_points(), length);
  ASSERT_EQ(strides.size(), 4u);
  for (size_t axis = 0; axis < 4; ++axis) {
    EXPECT_EQ(view.strides_bytes[axis], 8 * strides[axis]);
  }
  EXPECT_EQ(view.slot_stride_bytes, 8 * stride_f.value_or(0));
  EXPECT_EQ(layout.allows_linear_index(), linear_index);
  // A loop asks the extents at hand, so it may do more than the type allows.
  if (linear_index) {
    EXPECT_TRUE(WalksOneRow(layout));
  }
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

// Reads [first, last] of a key that may be left out: the whole extent.
Integers ReadRange(VectorRecord& r, const char* key, int64_t extent) {
  return r.Has(key) ? r.Get<Integers>(key) : Integers{1, extent};
}

// A part of a plane that a vector says lies in `rows` and `cols` of the parent.
void ExpectPart(const View& part, const Integers& rows, const Integers& cols,
                int64_t num_rows) {
  EXPECT_EQ(AddressOf(part, 0).base_bytes,
            8 * (rows[0] - 1 + (cols[0] - 1) * num_rows));
  EXPECT_EQ(part.shape.num_points(),
            (rows[1] - rows[0] + 1) * (cols[1] - cols[0] + 1));
}

TEST_P(PlaneVectorTest, PointsLieWhereTheVectorSays) {
  VectorRecord c = Case();
  c.Ignore("note", "for readers");
  const std::string name = c.Get<std::string>("kind");
  const LayoutKind kind = ParseLayoutName(name).value().kind;
  const auto parent_size = c.Get<Integers>("parent_size");
  LayoutSpec spec{.kind = kind};
  if (c.Has("construct_from_type")) {
    VectorRecord from = c.Record("construct_from_type");
    const int64_t nodes = from.Get<int64_t>("Ni");
    spec.plane_nodes = {nodes, from.Get<int64_t>("Nj")};
    // All elements along the first axis: what whoever makes the shape chooses.
    spec.shape = {
        {1, nodes * from.Get<int64_t>("Nh_dynamic"), spec.plane_nodes.j, 1}};
    ASSERT_OK_AND_ASSIGN(const DataLayout layout, DataLayout::Create(spec));
    EXPECT_EQ(layout.buffer().shape[0], parent_size[0]);
    EXPECT_EQ(layout.buffer().shape[1], parent_size[1]);
    return;
  }
  const auto size = c.Get<Integers>("size");
  const auto f_dim = c.Find<std::optional<int64_t>>("f_dim");
  const int64_t num_slots = c.Find<int64_t>("Nf").value_or(1);
  spec.type = F64s(num_slots);
  const int64_t num_elements = c.Get<int64_t>("nelems");
  const auto num_nodes = c.Find<int64_t>("nquadpoints");
  const auto inferred = c.Get<MaybeIntegers>("inferred_size");
  std::optional<Params> vijh;
  if (c.Has("vijh_params")) vijh = ReadParams(c.Record("vijh_params"));
  c.Ignore("runtime_Nh1", "the size says it");
  c.Ignore("runtime_Nh2", "the size says it");
  c.Ignore("ndims", "the size says it");
  if (c.Has("params")) {
    const Params params = ReadParams(c.Record("params"));
    spec.static_h = params.h.has_value();
    spec.plane_nodes = {params.i.value(), params.j.value_or(0)};
    spec.shape = kind == LayoutKind::kVIH1 ? Shape{{size[0], size[1], 1, 1}}
                                           : Shape{{1, size[0], size[1], 1}};
  }
  struct Part {
    Integers place, rows, cols;
  };
  std::vector<Part> slabs;
  if (c.Has("slab_of")) {
    for (VectorRecord& r : c.Records("slab_of")) {
      r.Ignore("note", "for readers");
      slabs.push_back({{r.Get<int64_t>("v"), r.Get<int64_t>("h")},
                       ReadRange(r, "parent_rows", parent_size[0]),
                       ReadRange(r, "parent_cols", parent_size[1])});
    }
  }
  std::vector<Part> columns;
  if (c.Has("column_of")) {
    for (VectorRecord& r : c.Records("column_of")) {
      columns.push_back(
          {{r.Get<int64_t>("i"), r.Get<int64_t>("j"), r.Get<int64_t>("h")},
           ReadRange(r, "parent_rows", parent_size[0]),
           ReadRange(r, "parent_cols", parent_size[1])});
    }
  }

  ASSERT_OK_AND_ASSIGN(const DataLayout layout, DataLayout::Create(spec));

  const BufferSpec& buffer = layout.buffer();
  EXPECT_EQ(
      Integers(buffer.shape.begin(), buffer.shape.begin() + buffer.num_axes),
      parent_size);
  EXPECT_EQ(layout.inferred_size(), inferred);
  EXPECT_EQ(layout.num_elements(), num_elements);
  if (num_nodes) {
    EXPECT_EQ(layout.num_nodes(), *num_nodes);
  }
  if (f_dim) {
    EXPECT_EQ(FDim(kind), *f_dim);
  }
  if (vijh) {
    EXPECT_EQ(layout.vijh_params(),
              (VijhParams{vijh->v, vijh->i, vijh->j, vijh->h}));
  }
  for (const Part& slab : slabs) {
    ASSERT_OK_AND_ASSIGN(const View part, PlaneSlab(layout, slab.place[0] - 1,
                                                    slab.place[1] - 1));
    ExpectPart(part, slab.rows, slab.cols, parent_size[0]);
  }
  for (const Part& column : columns) {
    ASSERT_OK_AND_ASSIGN(const View part,
                         PlaneColumn(layout, column.place[0] - 1,
                                     column.place[1] - 1, column.place[2] - 1));
    ExpectPart(part, column.rows, column.cols, parent_size[0]);
  }
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
  const LayoutKind kind = ParseLayoutName(name).value().kind;
  if (has_parent) {
    GTEST_SKIP() << "a layout computes the size of its parent; none is given";
  }
  if (construct || !params.h) {
    GTEST_SKIP() << "layoutd has no dynamic extent that could be left out";
  }

  LayoutSpec spec{.kind = kind, .static_h = true};
  const int64_t ni = params.i.value();
  const int64_t nj = params.j.value_or(1);
  if (FamilyOf(kind) == LayoutFamily::kVIJH) {
    spec.shape = {{params.v.value(), ni, nj, *params.h}};
  } else {
    spec.plane_nodes = {ni, nj};
    spec.shape = {{params.v.value_or(1), ni * *params.h, nj, 1}};
  }
  EXPECT_THAT(
      DataLayout::Create(spec),
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
  const LayoutKind kind = ParseLayoutName(name).value().kind;

  ASSERT_OK_AND_ASSIGN(const DataLayout layout,
                       DataLayout::Create({kind, shape, F64s(num_slots)}));
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
