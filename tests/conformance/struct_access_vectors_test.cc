// struct_vectors.json: values in the slots of arrays by every way of saying
// where they are, and bit casts. The vectors count from 1.

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/layout/struct_access.h"
#include "engine/layout/struct_storage.h"
#include "engine/layout/struct_view.h"
#include "engine/run/fill.h"
#include "tests/conformance/struct_value.h"
#include "tests/support/julia_type.h"
#include "tests/support/status_matchers.h"
#include "tests/support/vector_file.h"

namespace layoutd {
namespace {

using testing::HasSubstr;

constexpr char kFile[] = "struct_vectors.json";

int64_t CountOf(const std::vector<int64_t>& dims) {
  int64_t count = 1;
  for (int64_t dim : dims) count *= dim;
  return count;
}

std::vector<int64_t> FromZero(std::vector<int64_t> index) {
  for (int64_t& k : index) --k;
  return index;
}

class PlacementVectorTest : public VectorTest {};

TEST_P(PlacementVectorTest, AValueLiesInItsSlots) {
  VectorRecord c = Case();
  c.Ignore("source", "says where the vector comes from");
  c.Ignore("note", "for readers");
  const auto dims = c.Get<std::vector<int64_t>>("dims");
  const SlotAxes axes{dims, static_cast<size_t>(c.Get<int64_t>("F") - 1)};
  const std::string type_text = c.Get<std::string>("type");
  const std::string base_text = c.Get<std::string>("basetype");
  const auto value = c.Get<nlohmann::json>("value");
  const auto memory_text = c.Get<std::vector<std::string>>("memory");
  const auto linear = c.Find<int64_t>("linear_index");
  const auto stride = c.Find<int64_t>("stride");
  const auto cartesian =
      c.Find<std::vector<int64_t>>("cartesian_index_without_F");
  ASSERT_NE(linear.has_value(), cartesian.has_value());
  ASSERT_OK_AND_ASSIGN(const ValueType type, ParseJuliaType(type_text));
  ASSERT_OK_AND_ASSIGN(const ValueType base_type, ParseJuliaType(base_text));
  ASSERT_TRUE(base_type.is_scalar());
  const ScalarType base = base_type.scalar();
  const int64_t num_slots = NumSlots(base, type);

  ASSERT_OK_AND_ASSIGN(const StructView view,
                       cartesian
                           ? ViewStruct(axes, num_slots, FromZero(*cartesian))
                           : ViewStruct(axes, num_slots, *linear - 1));
  if (stride) {
    ASSERT_OK_AND_ASSIGN(
        const StructView strided,
        ViewStruct(CountOf(dims), num_slots, *linear - 1, *stride));
    EXPECT_EQ(strided, view);
  }
  const StructPlace place{base, view, type};
  const Bytes bytes = BytesOfValue(value, type);
  Bytes memory(static_cast<size_t>(CountOf(dims) * SizeBytes(base)));
  ASSERT_OK(SetStruct(place, bytes, absl::MakeSpan(memory)));

  Bytes want;
  for (const std::string& text : memory_text) {
    ASSERT_OK_AND_ASSIGN(const Scalar slot, ParseScalar(text, base));
    want.insert(want.end(), slot.bytes, slot.bytes + SizeBytes(base));
  }
  EXPECT_EQ(memory, want);
  Bytes back(bytes.size());
  ASSERT_OK(GetStruct(place, memory, absl::MakeSpan(back)));
  EXPECT_EQ(back, bytes);
}

LAYOUTD_VECTORS(PlacementVectorTest, kFile, "placement", "Placement");

class ReadVectorTest : public VectorTest {};

TEST_P(ReadVectorTest, SlotsOfAPointAreAStrideApart) {
  VectorRecord c = Case();
  c.Ignore("source", "says where the vector comes from");
  c.Ignore("rule",
           "prose: element k of the pair at a point is the number of "
           "that point's slot k, counted in memory from 1");
  const auto dims = c.Get<std::vector<int64_t>>("dims");
  const auto slot_axis = static_cast<size_t>(c.Get<int64_t>("F") - 1);
  const std::string fill = c.Get<std::string>("fill");
  const auto out_of_bounds =
      c.Get<std::vector<nlohmann::json>>("bounds_error_at");
  const SlotAxes axes{dims, slot_axis};
  const int64_t num_elements = CountOf(dims);
  ASSERT_THAT(fill, HasSubstr(absl::StrCat("1..", num_elements)));
  int64_t before = 1;
  for (size_t axis = 0; axis < slot_axis; ++axis) before *= dims[axis];
  const int64_t num_slots = 2;

  const ValueType pair =
      ValueType::Tuple({ScalarType::kI64, ScalarType::kI64}).value();
  std::vector<int64_t> memory;
  for (int64_t k = 1; k <= num_elements; ++k) memory.push_back(k);
  const absl::Span<const uint8_t> array(
      reinterpret_cast<const uint8_t*>(memory.data()),
      memory.size() * sizeof(int64_t));
  std::vector<int64_t> point(dims.size() - 1, 0);
  for (int64_t k = 0; k < num_elements / dims[slot_axis]; ++k) {
    const int64_t first = k % before + k / before * before * dims[slot_axis];
    ASSERT_OK_AND_ASSIGN(const StructView view,
                         ViewStruct(axes, num_slots, point));
    ASSERT_OK_AND_ASSIGN(const StructView linear,
                         ViewStruct(axes, num_slots, first));
    EXPECT_EQ(view, linear);
    int64_t got[2] = {};
    ASSERT_OK(GetStruct(
        {ScalarType::kI64, view, pair}, array,
        absl::MakeSpan(reinterpret_cast<uint8_t*>(got), sizeof(got))));
    EXPECT_EQ(got[0], first + 1);
    EXPECT_EQ(got[1], first + 1 + before);
    // The next point in column-major order, without the slot axis.
    for (size_t axis = 0; axis < point.size(); ++axis) {
      if (++point[axis] < dims[axis < slot_axis ? axis : axis + 1]) break;
      point[axis] = 0;
    }
  }
  for (const nlohmann::json& index : out_of_bounds) {
    const absl::StatusOr<StructView> view =
        index.is_array()
            ? ViewStruct(axes, num_slots,
                         FromZero(index.get<std::vector<int64_t>>()))
            : ViewStruct(axes, num_slots, index.get<int64_t>() - 1);
    EXPECT_THAT(view, IsError(absl::StatusCode::kOutOfRange,
                              "INDEX_OUT_OF_RANGE", testing::_));
  }
}

LAYOUTD_VECTORS(ReadVectorTest, kFile, "reads", "Read");

class BitcastVectorTest : public VectorTest {};

TEST_P(BitcastVectorTest, BytesAreKept) {
  VectorRecord c = Case();
  c.Ignore("source", "says where the vector comes from");
  const std::string from_text = c.Get<std::string>("frm");
  const std::string to_text = c.Get<std::string>("to");
  const auto value = c.Get<nlohmann::json>("value");
  const auto result = c.Get<nlohmann::json>("result");
  ASSERT_OK_AND_ASSIGN(const ValueType from, ParseJuliaType(from_text));
  ASSERT_OK_AND_ASSIGN(const ValueType to, ParseJuliaType(to_text));

  const Bytes bytes = BytesOfValue(value, from);
  Bytes cast(static_cast<size_t>(to.size_bytes()));
  ASSERT_OK(BitcastStruct(from, bytes, to, absl::MakeSpan(cast)));

  if (result.is_string()) {
    EXPECT_THAT(result.get<std::string>(), HasSubstr("byte 0x03 kept"));
    EXPECT_EQ(cast, Bytes{3});
  } else {
    EXPECT_EQ(cast, BytesOfValue(result, to));
  }
  Bytes back(bytes.size());
  ASSERT_OK(BitcastStruct(to, cast, from, absl::MakeSpan(back)));
  EXPECT_EQ(back, bytes);
}

LAYOUTD_VECTORS(BitcastVectorTest, kFile, "bitcast", "Bitcast");

}  // namespace
}  // namespace layoutd
