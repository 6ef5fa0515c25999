// ifield_vectors.json: shapes, strides, addresses and loops of universal
// buffers as pystencils makes them.

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "engine/layout/buffer_view.h"
#include "engine/layout/iteration_limits.h"
#include "engine/layout/tensor_buffer.h"
#include "tests/support/status_matchers.h"
#include "tests/support/vector_file.h"

namespace layoutd {
namespace {

using ::testing::_;
using Integers = std::vector<int64_t>;

constexpr char kFile[] = "ifield_vectors.json";
constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
constexpr auto kRange = absl::StatusCode::kOutOfRange;

TEST(IFieldVectorsTest, EverySectionIsRead) {
  ExpectSections(kFile, {"meta", "tensor_fields", "patch_data", "errors",
                         "legacy_layout_names", "aligned_alloc"});
}

// NumPy's name of a type. There is no f16; only its size matters to a buffer.
ScalarType ParseDtype(const std::string& name) {
  if (name == "float16") return ScalarType::kU16;
  const size_t digits = name.find_first_of("0123456789");
  const std::string kind = name.substr(0, digits);
  const std::string letter = kind == "float"  ? "f"
                             : kind == "int"  ? "i"
                             : kind == "uint" ? "u"
                                              : "";
  const auto type = letter.empty() || digits == std::string::npos
                        ? std::nullopt
                        : ParseScalarType(letter + name.substr(digits));
  if (!type) ADD_FAILURE() << "unknown dtype " << name;
  return type.value_or(ScalarType::kF64);
}

// The entries of the axes that a buffer has.
Integers Used(const BufferSpec& spec, const BufferSpec::Axes& axes) {
  return {axes.begin(), axes.begin() + spec.num_axes};
}

// The fields that every vector of a buffer begins with.
TensorBufferSpec ReadTensors(VectorRecord& c, const Integers& points) {
  const Integers ghosts(points.size(), c.Get<int64_t>("ghost_layers"));
  const auto order = ParseAxisOrder(c.Get<std::string>("layout"));
  EXPECT_OK(order.status());
  return {.base_type = ParseDtype(c.Get<std::string>("dtype")),
          .points = points,
          .tensor = c.Get<Integers>("tensor_shape"),
          .ghosts_low = ghosts,
          .ghosts_high = ghosts,
          .order = order.value_or(AxisOrder::kRightmost)};
}

void ExpectAddress(VectorRecord& address, const BufferSpec& spec) {
  const auto index = address.Get<Integers>("index");
  const auto relative = address.Get<int64_t>("rel_elements");
  const auto element = address.Get<int64_t>("alloc_elements");
  const std::string region = address.Get<std::string>("region");
  const BufferView view = InnerView(spec);
  const auto num_points =
      static_cast<size_t>(spec.num_axes - spec.order.num_tensor_axes);
  const absl::Span<const int64_t> all = index;

  ASSERT_OK_AND_ASSIGN(
      const Integers stepped,
      ComponentIndex(spec, Integers(num_points, 0), all.first(num_points),
                     all.subspan(num_points)));
  EXPECT_EQ(stepped, index);
  EXPECT_EQ(spec.RegionOf(index),
            region == "inner" ? BufferRegion::kInner : BufferRegion::kPadding);
  EXPECT_TRUE(region == "inner" || region == "padding") << region;
  EXPECT_EQ(spec.ElementOffset(index), element);
  EXPECT_EQ(view.ElementOffset(index), element);
  EXPECT_EQ(view.ElementOffset(index) - view.start, relative);
}

class TensorFieldVectorTest : public VectorTest {};

TEST_P(TensorFieldVectorTest, TheBufferIsWhatTheVectorSays) {
  VectorRecord c = Case();
  c.Ignore("id", "names the test");
  ASSERT_EQ(c.Get<std::string>("kind"), "TensorField");
  const TensorBufferSpec tensors =
      ReadTensors(c, c.Get<Integers>("spatial_shape"));

  ASSERT_OK_AND_ASSIGN(const BufferSpec spec, MakeTensorBuffer(tensors));

  EXPECT_EQ(absl::AsciiStrToUpper(Name(spec.order.axes)),
            c.Get<std::string>("layout_resolved"));
  const int64_t item_bytes = c.Get<int64_t>("itemsize");
  EXPECT_EQ(SizeBytes(spec.base_type), item_bytes);
  EXPECT_EQ(Used(spec, spec.alloc_shape), c.Get<Integers>("allocShape"));
  EXPECT_EQ(Used(spec, spec.shape), c.Get<Integers>("shape"));
  EXPECT_EQ(Used(spec, spec.offset), c.Get<Integers>("offset"));
  EXPECT_EQ(Used(spec, spec.strides), c.Get<Integers>("strides_elements"));
  Integers strides_bytes;
  for (int64_t stride : Used(spec, spec.strides)) {
    strides_bytes.push_back(stride * item_bytes);
  }
  EXPECT_EQ(strides_bytes, c.Get<Integers>("strides_bytes"));
  const std::vector<int> axes = AxesFromFastest(spec.order, spec.num_axes);
  EXPECT_EQ(Integers(axes.begin(), axes.end()),
            c.Get<Integers>("linearization_order_fast_to_slow"));
  EXPECT_EQ(InnerView(spec).start, c.Get<int64_t>("inner_offset_elements"));
  EXPECT_EQ(spec.num_elements(), c.Get<int64_t>("alloc_elements"));
  EXPECT_EQ(spec.size_bytes(), c.Get<int64_t>("alloc_bytes"));

  for (VectorRecord& address : c.Records("addresses")) {
    ExpectAddress(address, spec);
  }

  VectorRecord loop = c.Record("iteration_limits");
  const IterationLimits limits = LimitsOf(spec);
  EXPECT_EQ(limits.lower, loop.Get<Integers>("lower"));
  EXPECT_EQ(limits.upper, loop.Get<Integers>("upper_exclusive"));
  EXPECT_EQ(Integers(limits.loop_order.begin(), limits.loop_order.end()),
            loop.Get<Integers>("loop_order_slow_to_fast"));

  VectorRecord symbols = c.Record("buffer_spec");
  symbols.Ignore("base_ptr_name", "a name in generated code");
  symbols.Ignore("strides", "names in generated code");
  const auto extents = symbols.Get<std::vector<std::string>>("shape");
  ASSERT_EQ(extents.size(), static_cast<size_t>(spec.num_axes));
  for (size_t axis = tensors.points.size(); axis < extents.size(); ++axis) {
    int64_t extent = 0;
    EXPECT_TRUE(absl::SimpleAtoi(extents[axis], &extent)) << extents[axis];
    EXPECT_EQ(extent, spec.shape[axis]);
  }
}

LAYOUTD_VECTORS(TensorFieldVectorTest, kFile, "tensor_fields", "TensorField");

class PatchVectorTest : public VectorTest {};

TEST_P(PatchVectorTest, PlacementDecidesThePointsOfTheBuffer) {
  VectorRecord c = Case();
  c.Ignore("id", "names the test");
  c.Ignore("spacing", "fields have no coordinates");
  ASSERT_EQ(c.Get<std::string>("kind"), "PatchData");
  const auto cells = c.Get<Integers>("num_cells");
  const auto vertices = c.Get<Integers>("num_vertices");
  const std::string placement = c.Get<std::string>("placement");
  ASSERT_TRUE(placement == "CELLS" || placement == "VERTICES") << placement;
  Integers points = cells;
  for (int64_t& extent : points) ++extent;
  EXPECT_EQ(points, vertices);
  if (placement == "CELLS") points = cells;

  ASSERT_OK_AND_ASSIGN(const BufferSpec spec,
                       MakeTensorBuffer(ReadTensors(c, points)));

  EXPECT_EQ(Used(spec, spec.alloc_shape), c.Get<Integers>("allocShape"));
  EXPECT_EQ(Used(spec, spec.shape), c.Get<Integers>("shape"));
  EXPECT_EQ(Used(spec, spec.strides), c.Get<Integers>("strides_elements"));
}

LAYOUTD_VECTORS(PatchVectorTest, kFile, "patch_data", "Patch");

class IFieldErrorVectorTest : public VectorTest {};

TEST_P(IFieldErrorVectorTest, IsRefusedAsTheVectorSays) {
  VectorRecord c = Case();
  c.Ignore("message", "upstream's words");
  const std::string name = c.Get<std::string>("case");
  const bool is_error = c.Get<std::optional<std::string>>("error").has_value();
  // Points (4, 5) of vectors of three.
  const TensorBufferSpec good{.points = {4, 5}, .tensor = {3}};
  const BufferSpec buffer = MakeTensorBuffer(good).value();
  TensorBufferSpec tensors = good;

  if (name == "zero spatial extent, ghost layers 1") {
    EXPECT_FALSE(is_error);
    ASSERT_OK_AND_ASSIGN(
        const BufferSpec spec,
        MakeTensorBuffer(
            {.points = {0, 4}, .ghosts_low = {1, 1}, .ghosts_high = {1, 1}}));
    EXPECT_EQ(Used(spec, spec.alloc_shape), (Integers{2, 6}));
    EXPECT_EQ(Used(spec, spec.shape), (Integers{0, 4}));
    return;
  }
  EXPECT_TRUE(is_error);
  if (name == "tensor_shape containing 1") {
    tensors.tensor = {2, 1};
    EXPECT_THAT(MakeTensorBuffer(tensors), IsError(kInvalid, "BAD_SHAPE", _));
  } else if (name == "spatial rank 0") {
    tensors.points = {};
    EXPECT_THAT(MakeTensorBuffer(tensors), IsError(kInvalid, "BAD_SHAPE", _));
  } else if (name == "negative ghost layers") {
    tensors.ghosts_low = {-1, -1};
    EXPECT_THAT(MakeTensorBuffer(tensors), IsError(kInvalid, "BAD_HALO", _));
  } else if (name == "wrong spatial_shape length") {
    // The rank of a buffer is that of its points; only ghosts can differ.
    tensors.ghosts_low = {1, 1};
    tensors.points = {4, 5, 6};
    EXPECT_THAT(MakeTensorBuffer(tensors), IsError(kInvalid, "BAD_HALO", _));
  } else if (name == "unknown layout name reverse_numpy (TensorField)") {
    EXPECT_THAT(ParseAxisOrder("reverse_numpy"),
                IsError(kInvalid, "UNKNOWN_AXIS_ORDER", _));
  } else if (name == "unknown layout name f (TensorField)") {
    EXPECT_THAT(ParseAxisOrder("f"),
                IsError(kInvalid, "UNKNOWN_AXIS_ORDER", _));
  } else if (name == "tensor index out of range") {
    EXPECT_THAT(ComponentIndex(buffer, {0, 0}, {}, {3}),
                IsError(kRange, "INDEX_OUT_OF_RANGE", _));
  } else if (name == "negative tensor index") {
    EXPECT_THAT(ComponentIndex(buffer, {0, 0}, {}, {-1}),
                IsError(kRange, "INDEX_OUT_OF_RANGE", _));
  } else if (name == "wrong number of spatial offsets") {
    EXPECT_THAT(ComponentIndex(buffer, {0, 0}, {1}, {0}),
                IsError(kInvalid, "BAD_AXIS_COUNT", _));
  } else if (name == "dynamic dtype without dtype arg") {
    GTEST_SKIP() << "every buffer has a base type";
  } else if (name == "linearization_order ZYXF without spatial rank") {
    GTEST_SKIP() << "a buffer's order tells the number of its tensor axes";
  } else {
    ADD_FAILURE() << "unknown case " << name;
  }
}

LAYOUTD_VECTORS(IFieldErrorVectorTest, kFile, "errors", "IFieldError");

class OldOrderVectorTest : public VectorTest {};

TEST_P(OldOrderVectorTest, TheAxesFollowEachOtherAsTheVectorSays) {
  VectorRecord c = Case();
  ASSERT_OK_AND_ASSIGN(const AxisOrder order,
                       ParseOldAxisOrder(c.Get<std::string>("name")));
  const bool points_only = c.Has("spatial_dim");
  const auto num_axes = static_cast<int>(
      c.Get<int64_t>(points_only ? "spatial_dim" : "total_dim"));
  const auto want = c.Get<Integers>(points_only ? "spatial_layout_slow_to_fast"
                                                : "layout_slow_to_fast");

  std::vector<int> axes =
      AxesFromFastest({order, points_only ? 0 : 1}, num_axes);

  std::reverse(axes.begin(), axes.end());
  EXPECT_EQ(Integers(axes.begin(), axes.end()), want);
}

LAYOUTD_VECTORS(OldOrderVectorTest, kFile, "legacy_layout_names", "OldOrder");

// Returns the order whose axes are `slow_to_fast`.
std::optional<BufferOrder> OrderOf(const Integers& slow_to_fast) {
  const auto num_axes = static_cast<int>(slow_to_fast.size());
  for (AxisOrder axes :
       {AxisOrder::kLeftmost, AxisOrder::kRightmost, AxisOrder::kZyxf}) {
    for (int num_tensor = 0; num_tensor < num_axes; ++num_tensor) {
      const BufferOrder order{axes, num_tensor};
      const std::vector<int> found = AxesFromFastest(order, num_axes);
      if (Integers(found.rbegin(), found.rend()) == slow_to_fast) return order;
    }
  }
  return std::nullopt;
}

class AlignedBufferVectorTest : public VectorTest {};

TEST_P(AlignedBufferVectorTest, RowsArePaddedAndTheByteIsAligned) {
  VectorRecord c = Case();
  const auto shape = c.Get<Integers>("shape");
  const auto order = OrderOf(c.Get<Integers>("layout_slow_to_fast"));
  ASSERT_TRUE(order.has_value());
  const ScalarType base = ParseDtype(c.Get<std::string>("dtype"));
  const int64_t align_bytes = c.Get<int64_t>("alignment_bytes");
  const int64_t byte_offset = c.Get<int64_t>("byte_offset");

  ASSERT_OK_AND_ASSIGN(
      const BufferSpec spec,
      MakeBufferSpec(base, shape, {.align_bytes = align_bytes}, *order));
  ASSERT_OK_AND_ASSIGN(const BufferSpec unpadded,
                       MakeBufferSpec(base, shape, {}, *order));

  EXPECT_EQ(Used(spec, spec.shape), shape);
  EXPECT_EQ(Used(spec, spec.strides), c.Get<Integers>("strides_elements"));
  EXPECT_EQ(Used(unpadded, unpadded.strides),
            c.Get<Integers>("unpadded_strides"));
  const int64_t want = c.Get<int64_t>("base_mod_alignment");
  for (int64_t address : {0, 1, 48, 4095, 1 << 20}) {
    const int64_t skip =
        BytesToAlign(static_cast<uint64_t>(address), byte_offset, align_bytes);
    EXPECT_EQ((address + skip + byte_offset) % align_bytes, want);
    EXPECT_LT(skip, align_bytes);
  }
}

LAYOUTD_VECTORS(AlignedBufferVectorTest, kFile, "aligned_alloc", "Aligned");

}  // namespace
}  // namespace layoutd
