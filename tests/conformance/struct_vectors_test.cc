// struct_vectors.json: the C ABI form of values, their slots, and base types.

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "engine/kernels/pack.h"
#include "engine/layout/data_layout.h"
#include "engine/layout/slice.h"
#include "engine/layout/struct_storage.h"
#include "engine/run/fill.h"
#include "tests/support/julia_type.h"
#include "tests/support/status_matchers.h"
#include "tests/support/vector_file.h"

namespace layoutd {
namespace {

using testing::HasSubstr;
using Bytes = std::vector<uint8_t>;

constexpr char kFile[] = "struct_vectors.json";
// What memory holds that nothing has written.
constexpr uint8_t kStale = 0xaa;

TEST(StructVectorsTest, EverySectionIsRead) {
  ExpectSections(kFile, {"vectors", "check_errors", "unsigned_fallback",
                         "placement", "reads", "bitcast"});
}

std::string TextOf(const nlohmann::json& number) {
  return number.is_string() ? number.get<std::string>() : number.dump();
}

Bytes BytesOfHex(const std::string& hex) {
  const std::string bytes = absl::HexStringToBytes(hex);
  return {bytes.begin(), bytes.end()};
}

// Appends the leaves of a value given as a tree of numbers.
void AppendLeaves(const nlohmann::json& value, const ValueType& type,
                  std::vector<Scalar>& leaves) {
  if (type.is_scalar()) {
    ASSERT_OK_AND_ASSIGN(const Scalar leaf,
                         ParseScalar(TextOf(value), type.scalar()));
    leaves.push_back(leaf);
    return;
  }
  ASSERT_TRUE(value.is_array()) << value.dump();
  ASSERT_EQ(static_cast<int>(value.size()), type.num_members());
  for (int m = 0; m < type.num_members(); ++m) {
    AppendLeaves(value[static_cast<size_t>(m)], type.member(m), leaves);
  }
}

// Returns the C ABI bytes of a value, padding zero.
Bytes BytesOfValue(const nlohmann::json& value, const ValueType& type) {
  std::vector<Scalar> leaves;
  AppendLeaves(value, type, leaves);
  Bytes bytes(static_cast<size_t>(type.size_bytes()));
  for (size_t k = 0; k < leaves.size(); ++k) {
    const Leaf& leaf = type.leaves()[k];
    std::memcpy(bytes.data() + leaf.offset_bytes, leaves[k].bytes,
                static_cast<size_t>(SizeBytes(leaf.type)));
  }
  return bytes;
}

std::vector<int64_t> PaddingOf(const ValueType& type) {
  std::vector<bool> is_leaf(static_cast<size_t>(type.size_bytes()));
  for (const Leaf& leaf : type.leaves()) {
    std::fill_n(is_leaf.begin() + leaf.offset_bytes, SizeBytes(leaf.type),
                true);
  }
  std::vector<int64_t> padding;
  for (size_t k = 0; k < is_leaf.size(); ++k) {
    if (!is_leaf[k]) padding.push_back(static_cast<int64_t>(k));
  }
  return padding;
}

struct StructVector {
  nlohmann::json type, value;
  int64_t size, align, leaf_gcd, base_size, num_slots;
  bool packed, base_valid;
  std::vector<int64_t> padding;
  std::string default_base, base, bytes_hex;
  std::vector<std::string> slots_hex;
  std::optional<std::vector<std::string>> slots_value;
  struct Field {
    int64_t index, offset, size;
    std::string name, view;
    std::optional<int64_t> first_slot, num_slots;
  };
  std::vector<Field> fields;
};

StructVector ReadStruct(VectorRecord c) {
  c.Ignore("id", "the name of the test");
  c.Ignore("source", "says where the vector comes from");
  c.Ignore("type", "type_json says the same");
  c.Ignore("default_basetype_upstream",
           "may be a composite type; layoutd's base types are scalars");
  StructVector s = {
      .type = c.Get<nlohmann::json>("type_json"),
      .value = c.Get<nlohmann::json>("value"),
      .size = c.Get<int64_t>("sizeof"),
      .align = c.Get<int64_t>("alignof"),
      .leaf_gcd = c.Get<int64_t>("leaf_size_gcd"),
      .base_size = c.Get<int64_t>("basetype_size"),
      .num_slots = c.Get<int64_t>("Nf"),
      .packed = c.Get<bool>("packed"),
      .base_valid = c.Get<bool>("basetype_valid"),
      .padding = c.Get<std::vector<int64_t>>("padding_byte_offsets"),
      .default_base = c.Get<std::string>("default_basetype_ours"),
      .base = c.Get<std::string>("basetype"),
      .bytes_hex = c.Get<std::string>("bytes_hex"),
      .slots_hex = c.Get<std::vector<std::string>>("slots_hex_le"),
      .slots_value = c.Find<std::vector<std::string>>("slots_value"),
      .fields = {}};
  for (VectorRecord& f : c.Records("fields")) {
    f.Ignore("type", "type_json of the whole says the same");
    s.fields.push_back(
        {.index = f.Get<int64_t>("index"),
         .offset = f.Get<int64_t>("byte_offset"),
         .size = f.Get<int64_t>("sizeof"),
         .name = f.Get<std::string>("name"),
         .view = f.Get<std::string>("view"),
         .first_slot = f.Get<std::optional<int64_t>>("slot_first"),
         .num_slots = f.Get<std::optional<int64_t>>("slot_count")});
  }
  return s;
}

// Expects that writing `bytes` at one point of a field of `kind` fills exactly
// the slots of that point, and that they read back, whatever padding holds.
void ExpectStored(LayoutKind kind, const ValueType& type, ScalarType base,
                  const Bytes& bytes, const std::vector<std::string>& slots) {
  SCOPED_TRACE(std::string(Name(kind)));
  const bool single = kind == LayoutKind::kDataF;
  const Shape shape = single ? Shape() : Shape{{2, 3, 3, 2}};
  ASSERT_OK_AND_ASSIGN(const DataLayout layout,
                       DataLayout::Create({kind, shape, type, base}));
  ASSERT_OK_AND_ASSIGN(const View point,
                       single ? absl::StatusOr<View>(layout.WholeView())
                              : Point(layout.WholeView(), 1, 2, 0, 1));
  Bytes memory(static_cast<size_t>(layout.size_bytes()), kStale);
  Bytes want = memory;
  for (size_t k = 0; k < slots.size(); ++k) {
    const Bytes slot = BytesOfHex(slots[k]);
    std::copy(slot.begin(), slot.end(),
              want.begin() + point.offset_bytes +
                  static_cast<int64_t>(k) * point.slot_stride_bytes);
  }

  ASSERT_OK(UnpackPoints(point, memory.data(), 0, bytes));

  EXPECT_EQ(memory, want);
  for (int64_t k : PaddingOf(type)) {
    const LeafPlace place = PlaceLeaf(k, 1, SizeBytes(base));
    memory[static_cast<size_t>(point.offset_bytes +
                               place.slot * point.slot_stride_bytes +
                               place.offset_in_slot)] = kStale;
  }
  Bytes back(bytes.size(), kStale);
  PackPoints(point, memory.data(), 0, absl::MakeSpan(back));
  EXPECT_EQ(back, bytes);
  for (int m = 0; m < type.num_members(); ++m) {
    const std::string path =
        type.is_named() ? std::string(type.member_name(m)) : absl::StrCat(m);
    ASSERT_OK_AND_ASSIGN(const View member, PropertyView(point, path));
    Bytes part(static_cast<size_t>(type.member(m).size_bytes()));
    PackPoints(member, memory.data(), 0, absl::MakeSpan(part));
    const auto begin = bytes.begin() + type.member_offset_bytes(m);
    EXPECT_EQ(part, Bytes(begin, begin + static_cast<int64_t>(part.size())))
        << "member " << path;
  }
}

class StructVectorTest : public VectorTest {};

TEST_P(StructVectorTest, AValueIsStoredAsTheVectorSays) {
  const StructVector want = ReadStruct(Case());
  const absl::StatusOr<ValueType> type = ValueTypeOfJson(want.type);
  if (absl::IsUnimplemented(type.status())) {
    GTEST_SKIP() << type.status().message();
  }
  ASSERT_OK(type);
  ASSERT_OK_AND_ASSIGN(const ValueType default_base,
                       ParseJuliaType(want.default_base));
  const absl::StatusOr<ValueType> parsed_base = ParseJuliaType(want.base);
  ASSERT_OK(parsed_base);

  EXPECT_EQ(type->size_bytes(), want.size);
  EXPECT_EQ(type->align_bytes(), want.align);
  EXPECT_EQ(PaddingOf(*type), want.padding);
  EXPECT_EQ(PaddingOf(*type).empty(), want.packed);
  EXPECT_EQ(ValueType(DefaultBaseType(*type)), default_base);
  EXPECT_EQ(SizeBytes(DefaultBaseType(*type)), want.leaf_gcd);
  ASSERT_EQ(static_cast<size_t>(type->num_members()), want.fields.size());
  for (int m = 0; m < type->num_members(); ++m) {
    const StructVector::Field& field = want.fields[static_cast<size_t>(m)];
    EXPECT_EQ(field.index, m + 1);
    EXPECT_EQ(field.name, type->is_named() ? std::string(type->member_name(m))
                                           : absl::StrCat(m + 1));
    EXPECT_EQ(field.offset, type->member_offset_bytes(m));
    EXPECT_EQ(field.size, type->member(m).size_bytes());
  }
  if (!parsed_base->is_scalar()) {
    GTEST_SKIP() << "slots of the composite base type " << want.base
                 << ": base types of layoutd are scalars (all else is tested)";
  }

  const ScalarType base = parsed_base->scalar();
  const int64_t base_bytes = SizeBytes(base);
  EXPECT_EQ(base_bytes, want.base_size);
  EXPECT_EQ(IsValidBaseType(base, *type), want.base_valid);
  EXPECT_EQ(CheckBaseType(base, *type).ok(), want.base_valid);
  if (!want.base_valid) return;
  EXPECT_EQ(NumSlots(base, *type), want.num_slots);
  for (const StructVector::Field& field : want.fields) {
    // Elsewhere a member shares its slots with others.
    const bool whole_slots =
        field.offset % base_bytes == 0 && field.size % base_bytes == 0;
    EXPECT_EQ(field.view, whole_slots ? "array" : "lazy") << field.name;
    if (!whole_slots) continue;
    const LeafPlace place = PlaceLeaf(field.offset, base_bytes, base_bytes);
    EXPECT_EQ(field.first_slot, place.slot + 1) << field.name;
    EXPECT_EQ(field.num_slots, field.size / base_bytes) << field.name;
  }

  const Bytes bytes = BytesOfValue(want.value, *type);
  EXPECT_EQ(bytes, BytesOfHex(want.bytes_hex));
  ASSERT_EQ(static_cast<int64_t>(want.slots_hex.size()), want.num_slots);
  for (const LayoutKind kind :
       {LayoutKind::kDataF, LayoutKind::kVIJFH, LayoutKind::kVIJHF}) {
    ExpectStored(kind, *type, base, bytes, want.slots_hex);
  }
  if (!want.slots_value) return;
  ASSERT_EQ(want.slots_value->size(), want.slots_hex.size());
  for (size_t k = 0; k < want.slots_hex.size(); ++k) {
    ASSERT_OK_AND_ASSIGN(const Scalar slot,
                         ParseScalar((*want.slots_value)[k], base));
    EXPECT_EQ(Bytes(slot.bytes, slot.bytes + base_bytes),
              BytesOfHex(want.slots_hex[k]));
  }
}

LAYOUTD_VECTORS(StructVectorTest, kFile, "vectors", "Struct");

class BaseTypeVectorTest : public VectorTest {};

TEST_P(BaseTypeVectorTest, ABadBaseTypeNamesTheOffender) {
  VectorRecord c = Case();
  c.Ignore("id", "the name of the test");
  c.Ignore("source", "says where the vector comes from");
  c.Ignore("error", "ArgumentError throughout; ours is BAD_BASE_TYPE");
  const std::string base_text = c.Get<std::string>("basetype");
  const int64_t base_bytes = c.Get<int64_t>("basetype_size");
  const std::string type_text = c.Get<std::string>("type");
  const int64_t type_bytes = c.Get<int64_t>("sizeof");
  const std::string offender_text = c.Get<std::string>("offending_type");
  const int64_t offender_bytes = c.Get<int64_t>("offending_sizeof");
  const absl::StatusOr<ValueType> base = ParseJuliaType(base_text);
  if (absl::IsUnimplemented(base.status()) ||
      (base.ok() && !base->is_scalar())) {
    GTEST_SKIP() << "the composite or empty base type " << base_text
                 << ": base types of layoutd are scalars";
  }
  ASSERT_OK(base);
  ASSERT_OK_AND_ASSIGN(const ValueType type, ParseJuliaType(type_text));
  ASSERT_OK_AND_ASSIGN(const ValueType offender, ParseJuliaType(offender_text));

  EXPECT_EQ(base->size_bytes(), base_bytes);
  EXPECT_EQ(type.size_bytes(), type_bytes);
  EXPECT_EQ(offender.size_bytes(), offender_bytes);
  EXPECT_THAT(CheckBaseType(base->scalar(), type),
              IsError(absl::StatusCode::kInvalidArgument, "BAD_BASE_TYPE",
                      HasSubstr(absl::StrCat(
                          "base type ", base->ToString(), " (", base_bytes,
                          " bytes) does not divide ", offender.ToString(), " (",
                          offender_bytes, " bytes)"))));
}

LAYOUTD_VECTORS(BaseTypeVectorTest, kFile, "check_errors", "BaseType");

class FallbackVectorTest : public VectorTest {};

TEST_P(FallbackVectorTest, IsOfTypesThatLayoutdDoesNotHave) {
  VectorRecord c = Case();
  c.Ignore("note", "for readers");
  c.Ignore("leaf_size_gcd", "of a type that layoutd does not have");
  c.Ignore("sizeof", "of a type that layoutd does not have");
  c.Ignore("default_basetype", "of a type that layoutd does not have");
  const absl::StatusOr<ValueType> type =
      ParseJuliaType(c.Get<std::string>("type"));

  ASSERT_TRUE(absl::IsUnimplemented(type.status())) << type.status();
  GTEST_SKIP() << type.status().message();
}

LAYOUTD_VECTORS(FallbackVectorTest, kFile, "unsigned_fallback", "Fallback");

// The parent arrays of placement and reads have the slots along any axis. Axes
// before it and axes after it are merged into v and h of a VIJFH layout, whose
// memory is the same.
struct MergedArray {
  int64_t before = 1;
  int64_t num_slots = 1;
  int64_t after = 1;
  std::vector<int64_t> point_dims;  // without F

  MergedArray(const std::vector<int64_t>& dims, int64_t f_dim) {
    for (size_t k = 0; k < dims.size(); ++k) {
      const int64_t axis = static_cast<int64_t>(k) + 1;
      if (axis == f_dim) {
        num_slots = dims[k];
        continue;
      }
      (axis < f_dim ? before : after) *= dims[k];
      point_dims.push_back(dims[k]);
    }
  }
  DataLayout Layout(const ValueType& type, ScalarType base) const {
    return DataLayout::Create(
               {LayoutKind::kVIJFH, {{before, 1, 1, after}}, type, base})
        .value();
  }
  // Returns the point at a 1-based index with an entry per axis but F.
  absl::StatusOr<View> PointAt(const View& whole,
                               const std::vector<int64_t>& index) const {
    int64_t linear = 0;
    int64_t stride = 1;
    for (size_t k = 0; k < point_dims.size(); ++k) {
      if (index[k] < 1 || index[k] > point_dims[k]) {
        // Past one axis is past the layout, not the next row of it.
        return Point(whole, before, 0, 0, after);
      }
      linear += (index[k] - 1) * stride;
      stride *= point_dims[k];
    }
    return Point(whole, linear % before, 0, 0, linear / before);
  }
};

class PlacementVectorTest : public VectorTest {};

TEST_P(PlacementVectorTest, AValueLiesInItsSlots) {
  VectorRecord c = Case();
  c.Ignore("source", "says where the vector comes from");
  c.Ignore("note", "for readers");
  const MergedArray array(c.Get<std::vector<int64_t>>("dims"),
                          c.Get<int64_t>("F"));
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
  ASSERT_OK_AND_ASSIGN(const ValueType base, ParseJuliaType(base_text));
  ASSERT_TRUE(base.is_scalar());
  const int64_t base_bytes = base.size_bytes();

  const DataLayout layout = array.Layout(type, base.scalar());
  const View whole = layout.WholeView();
  ASSERT_EQ(layout.num_components(), array.num_slots);
  if (stride) {
    EXPECT_EQ(whole.slot_stride_bytes, *stride * base_bytes);
  }
  const int64_t row = array.before * array.num_slots;
  ASSERT_OK_AND_ASSIGN(
      const View point,
      cartesian ? array.PointAt(whole, *cartesian)
                : Point(whole, (*linear - 1) % row, 0, 0, (*linear - 1) / row));
  Bytes memory(static_cast<size_t>(layout.size_bytes()));
  ASSERT_OK(UnpackPoints(point, memory.data(), 0, BytesOfValue(value, type)));

  Bytes want;
  for (const std::string& text : memory_text) {
    ASSERT_OK_AND_ASSIGN(const Scalar slot, ParseScalar(text, base.scalar()));
    want.insert(want.end(), slot.bytes, slot.bytes + base_bytes);
  }
  EXPECT_EQ(memory, want);
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
  const MergedArray array(dims, c.Get<int64_t>("F"));
  const std::string fill = c.Get<std::string>("fill");
  const auto out_of_bounds =
      c.Get<std::vector<nlohmann::json>>("bounds_error_at");
  const int64_t num_points = array.before * array.after;
  const int64_t num_elements = num_points * array.num_slots;
  ASSERT_THAT(fill, HasSubstr(absl::StrCat("1..", num_elements)));
  ASSERT_EQ(array.num_slots, 2);

  const ValueType pair =
      ValueType::Tuple({ScalarType::kI64, ScalarType::kI64}).value();
  const View whole = array.Layout(pair, ScalarType::kI64).WholeView();
  std::vector<int64_t> memory;
  for (int64_t k = 1; k <= num_elements; ++k) memory.push_back(k);
  for (int64_t k = 0; k < num_points; ++k) {
    int64_t got[2] = {};
    ASSERT_OK_AND_ASSIGN(const View point, Point(whole, k % array.before, 0, 0,
                                                 k / array.before));
    PackPoints(point, reinterpret_cast<const uint8_t*>(memory.data()), 0,
               absl::MakeSpan(reinterpret_cast<uint8_t*>(got), sizeof(got)));
    const int64_t first =
        k % array.before + k / array.before * array.before * 2 + 1;
    EXPECT_EQ(got[0], first);
    EXPECT_EQ(got[1], first + array.before);
  }
  for (const nlohmann::json& index : out_of_bounds) {
    const absl::Status status =
        index.is_array()
            ? array.PointAt(whole, index.get<std::vector<int64_t>>()).status()
            : Point(whole, index.get<int64_t>() - 1, 0, 0, 0).status();
    EXPECT_THAT(status, IsError(absl::StatusCode::kOutOfRange,
                                "INDEX_OUT_OF_RANGE", testing::_));
  }
}

LAYOUTD_VECTORS(ReadVectorTest, kFile, "reads", "Read");

class BitcastVectorTest : public VectorTest {};

TEST_P(BitcastVectorTest, WaitsForBitcast) {
  VectorRecord c = Case();
  c.Ignore("source", "says where the vector comes from");
  for (const char* key : {"frm", "value", "to", "result"}) {
    c.Get<nlohmann::json>(key);
  }
  GTEST_SKIP() << "the function bitcast is not built";
}

LAYOUTD_VECTORS(BitcastVectorTest, kFile, "bitcast", "Bitcast");

}  // namespace
}  // namespace layoutd
