// struct_vectors.json: the C ABI form of values, their slots, and base types.

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/kernels/pack.h"
#include "engine/layout/data_layout.h"
#include "engine/layout/slice.h"
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
// What memory holds that nothing has written.
constexpr uint8_t kStale = 0xaa;

TEST(StructVectorsTest, EverySectionIsRead) {
  ExpectSections(kFile, {"vectors", "check_errors", "unsigned_fallback",
                         "placement", "reads", "bitcast"});
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

// Expects that the value set in an array of slots, alone, fills them.
void ExpectSet(const ValueType& type, ScalarType base, const Bytes& bytes,
               const std::vector<std::string>& slots) {
  Bytes want;
  for (const std::string& slot : slots) {
    const Bytes slot_bytes = BytesOfHex(slot);
    want.insert(want.end(), slot_bytes.begin(), slot_bytes.end());
  }
  const int64_t num_slots = NumSlots(base, type);
  ASSERT_OK_AND_ASSIGN(const StructView view, ViewStruct(num_slots, num_slots));
  const StructPlace place{base, view, type};
  Bytes memory(bytes.size(), kStale);

  ASSERT_OK(SetStruct(place, bytes, absl::MakeSpan(memory)));

  EXPECT_EQ(memory, want);
  for (int64_t k : PaddingOf(type)) memory[static_cast<size_t>(k)] = kStale;
  Bytes back(bytes.size(), kStale);
  ASSERT_OK(GetStruct(place, memory, absl::MakeSpan(back)));
  EXPECT_EQ(back, bytes);
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
  if (!want.base_valid) {
    EXPECT_EQ(CheckedValidBaseType(base, *type), DefaultBaseType(*type));
    return;
  }
  EXPECT_EQ(NumSlots(base, *type), want.num_slots);
  EXPECT_EQ(CheckedValidBaseType(base, *type), base);
  for (const StructVector::Field& field : want.fields) {
    SCOPED_TRACE(field.name);
    const absl::StatusOr<SlotRange> range = StructFieldView(
        base, *type,
        type->is_named() ? field.name : absl::StrCat(field.index - 1));
    if (field.view == "lazy") {
      EXPECT_THAT(range, IsError(absl::StatusCode::kInvalidArgument,
                                 "SHARED_SLOT", testing::_));
      continue;
    }
    ASSERT_EQ(field.view, "array");
    ASSERT_OK(range);
    EXPECT_EQ(field.first_slot, range->first + 1);
    EXPECT_EQ(field.num_slots, range->count);
  }

  const Bytes bytes = BytesOfValue(want.value, *type);
  EXPECT_EQ(bytes, BytesOfHex(want.bytes_hex));
  ASSERT_EQ(static_cast<int64_t>(want.slots_hex.size()), want.num_slots);
  for (const LayoutKind kind :
       {LayoutKind::kDataF, LayoutKind::kVIJFH, LayoutKind::kVIJHF}) {
    ExpectStored(kind, *type, base, bytes, want.slots_hex);
  }
  ExpectSet(*type, base, bytes, want.slots_hex);
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

}  // namespace
}  // namespace layoutd
