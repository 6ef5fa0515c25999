#include "engine/kernels/pack.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "engine/layout/slice.h"
#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;

using Bytes = std::vector<uint8_t>;

constexpr uint8_t kSentinel = 0xAB;

DataLayout MakeLayout(LayoutKind kind, const Shape& shape,
                      absl::string_view type,
                      std::optional<ScalarType> base = std::nullopt) {
  return *DataLayout::Create({kind, shape, *ValueType::Parse(type), base});
}

size_t ByteCount(int64_t bytes) { return static_cast<size_t>(bytes); }

Bytes RandomBytes(int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  Bytes bytes(ByteCount(count));
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
  return bytes;
}

// Returns which bytes of a value of `type` belong to a leaf.
std::vector<bool> LeafBytes(const ValueType& type) {
  std::vector<bool> is_leaf(ByteCount(type.size_bytes()), false);
  for (const Leaf& leaf : type.leaves()) {
    for (int64_t k = 0; k < SizeBytes(leaf.type); ++k) {
      is_leaf[ByteCount(leaf.offset_bytes + k)] = true;
    }
  }
  return is_leaf;
}

// Returns where byte `byte` of the value at canonical point `point` lies.
int64_t MemoryByte(const View& view, int64_t point, int64_t byte) {
  int64_t at = view.offset_bytes;
  for (size_t axis = 0; axis < 4; ++axis) {
    at += point % view.shape.extents[axis] * view.strides_bytes[axis];
    point /= view.shape.extents[axis];
  }
  const int64_t slot_bytes = SizeBytes(view.base_type);
  const int64_t in_value = view.value_offset_bytes + byte;
  return at + in_value / slot_bytes * view.slot_stride_bytes +
         in_value % slot_bytes;
}

// The oracle: one byte at a time.
Bytes PackByteByByte(const View& view, const Bytes& memory, int64_t first_point,
                     int64_t num_points) {
  const std::vector<bool> is_leaf = LeafBytes(view.type);
  Bytes out;
  for (int64_t p = first_point; p < first_point + num_points; ++p) {
    for (int64_t b = 0; b < view.type.size_bytes(); ++b) {
      out.push_back(is_leaf[ByteCount(b)]
                        ? memory[ByteCount(MemoryByte(view, p, b))]
                        : 0);
    }
  }
  return out;
}

void UnpackByteByByte(const View& view, Bytes& memory, int64_t first_point,
                      const Bytes& in) {
  const std::vector<bool> is_leaf = LeafBytes(view.type);
  for (size_t k = 0; k < in.size(); ++k) {
    const int64_t point =
        first_point + static_cast<int64_t>(k) / view.type.size_bytes();
    const int64_t byte = static_cast<int64_t>(k) % view.type.size_bytes();
    memory[ByteCount(MemoryByte(view, point, byte))] =
        is_leaf[ByteCount(byte)] ? in[k] : 0;
  }
}

// Compares both directions with the oracle for points [first, first + num).
void CheckRange(const View& view, int64_t size_bytes, int64_t first,
                int64_t num) {
  const Bytes memory = RandomBytes(size_bytes, 7);
  Bytes out(ByteCount(num * view.type.size_bytes()) + 16, kSentinel);

  PackPoints(view, memory.data(), first,
             absl::MakeSpan(out).subspan(8, out.size() - 16));

  EXPECT_EQ(Bytes(out.begin() + 8, out.end() - 8),
            PackByteByByte(view, memory, first, num));
  EXPECT_THAT(Bytes(out.begin(), out.begin() + 8), Each(kSentinel));
  EXPECT_THAT(Bytes(out.end() - 8, out.end()), Each(kSentinel));

  const Bytes in = RandomBytes(num * view.type.size_bytes(), 11);
  Bytes want = memory;
  UnpackByteByByte(view, want, first, in);
  Bytes got = memory;

  EXPECT_OK(UnpackPoints(view, got.data(), first, in));

  EXPECT_EQ(got, want);
}

struct TypeCase {
  const char* name;
  const char* type;
  std::optional<ScalarType> base;
};

class PackTest : public testing::TestWithParam<TypeCase> {
 protected:
  DataLayout Layout(LayoutKind kind, const Shape& shape) const {
    return MakeLayout(kind, shape, GetParam().type, GetParam().base);
  }
};

TEST_P(PackTest, EveryRangeOfPointsEqualsTheByteByByteCopy) {
  for (LayoutKind kind : {LayoutKind::kVIJFH, LayoutKind::kVIJHF}) {
    for (const Shape& shape :
         {Shape{{3, 2, 2, 3}}, Shape{{1, 3, 1, 5}}, Shape{{7, 1, 1, 1}},
          Shape{{1, 1, 1, 4}}, Shape{}}) {
      const DataLayout layout = Layout(kind, shape);
      const int64_t num_points = shape.num_points();
      for (int64_t first = 0; first <= num_points; first += 5) {
        for (int64_t num : {int64_t{0}, int64_t{1}, (num_points - first) / 2,
                            num_points - first}) {
          if (first + num > num_points) continue;
          CheckRange(layout.WholeView(), layout.size_bytes(), first, num);
        }
      }
    }
  }
}

TEST_P(PackTest, DataFEqualsTheByteByByteCopy) {
  const DataLayout layout = Layout(LayoutKind::kDataF, Shape{});

  CheckRange(layout.WholeView(), layout.size_bytes(), 0, 1);
}

TEST_P(PackTest, ManyBlocksEqualTheByteByByteCopy) {
  const Shape shape{{67, 4, 4, 31}};
  const DataLayout layout = Layout(LayoutKind::kVIJFH, shape);

  CheckRange(layout.WholeView(), layout.size_bytes(), 5,
             shape.num_points() - 12);
}

TEST_P(PackTest, SlicesAndComponentsTouchOnlyThemselves) {
  const Shape shape{{5, 2, 2, 3}};
  for (LayoutKind kind : {LayoutKind::kVIJFH, LayoutKind::kVIJHF}) {
    const DataLayout layout = Layout(kind, shape);
    const View whole = layout.WholeView();
    std::vector<View> views = {*Level(whole, 3), *Slab(whole, 1, 2),
                               *Column(whole, 1, 0, 2),
                               *Point(whole, 4, 1, 1, 1)};
    for (int m = 0; m < whole.type.num_members(); ++m) {
      const std::string path = whole.type.is_named()
                                   ? std::string(whole.type.member_name(m))
                                   : std::to_string(m);
      views.push_back(*PropertyView(whole, path));
      views.push_back(*Level(views.back(), 2));
    }
    for (const View& view : views) {
      CheckRange(view, layout.size_bytes(), 0, view.shape.num_points());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Types, PackTest,
    testing::Values(
        TypeCase{"F64", "f64", std::nullopt}, TypeCase{"U8", "u8", {}},
        TypeCase{"I16", "i16", {}}, TypeCase{"I128", "i128", {}},
        TypeCase{"I128OverI64", "i128", ScalarType::kI64},
        TypeCase{"I128OverU8", "i128", ScalarType::kU8},
        TypeCase{"F64OverF32", "f64", ScalarType::kF32},
        TypeCase{"Vector", "(f64, f64, f64)", {}},
        TypeCase{"Padded", "(f64, f32)", {}},
        TypeCase{"PaddedOverF64", "(f64, f32)", ScalarType::kF64},
        TypeCase{"NarrowAndWide", "(i32, i32, i128)", ScalarType::kI64},
        TypeCase{"Straddling", "(i32, (i32, i32), i32)", ScalarType::kI64},
        TypeCase{"SevenBytesOfPadding", "(i8, i64)", ScalarType::kI64},
        TypeCase{"WidePadding", "(u128, u8)", ScalarType::kU128},
        TypeCase{"Nested", "{a: ((f64, f32), i8), b: f32}", {}},
        TypeCase{"NestedOverF64", "{a: ((f64, f32), i8), b: f32}",
                 ScalarType::kF64}),
    [](const auto& row) { return row.param.name; });

TEST(PackReferenceTest, ValueIsCutIntoTheReferenceSlots) {
  // (Int32, Int32, Int128) = (2, 0, 1) over Int64 is the slots 2, 0, 1, 0.
  const DataLayout layout = MakeLayout(LayoutKind::kVIJFH, {{3, 1, 1, 1}},
                                       "(i32, i32, i128)", ScalarType::kI64);
  const std::string value = absl::HexStringToBytes(
      "0200000000000000000000000000000001000000000000000000000000000000");
  const Bytes in(value.begin(), value.end());
  std::vector<int64_t> memory(12, 0);

  EXPECT_OK(UnpackPoints(layout.WholeView(),
                         reinterpret_cast<uint8_t*>(memory.data()), 1, in));

  EXPECT_EQ(memory, (std::vector<int64_t>{0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0}));
}

TEST(PackReferenceTest, TwoFloatsLandWhereTheReferencePutsThem) {
  // 2 x 2 x 2 x (2 slots) x 2, point (0, 1, 0, 1).
  const DataLayout layout =
      MakeLayout(LayoutKind::kVIJFH, {{2, 2, 2, 2}}, "{x: f32, y: f32}");
  const float value[2] = {7, 14};
  Bytes in(8);
  std::memcpy(in.data(), value, 8);
  std::vector<float> memory(32, 0);
  std::vector<float> want(32, 0);
  want[18] = 7;
  want[26] = 14;

  ASSERT_OK_AND_ASSIGN(const View point, Point(layout.WholeView(), 0, 1, 0, 1));
  EXPECT_OK(
      UnpackPoints(point, reinterpret_cast<uint8_t*>(memory.data()), 0, in));

  EXPECT_EQ(memory, want);
}

TEST(PackReferenceTest, StreamIsTheSameForEveryLayout) {
  const Shape shape{{3, 2, 2, 4}};
  const DataLayout a =
      MakeLayout(LayoutKind::kVIJFH, shape, "(f64, f32)", ScalarType::kF64);
  const DataLayout b =
      MakeLayout(LayoutKind::kVIJHF, shape, "(f64, f32)", ScalarType::kF32);
  const Bytes in = RandomBytes(a.size_bytes(), 3);
  Bytes memory_a(ByteCount(a.size_bytes()), kSentinel);
  Bytes memory_b(ByteCount(b.size_bytes()), kSentinel);
  Bytes out_a(in.size());
  Bytes out_b(in.size());

  EXPECT_OK(UnpackPoints(a.WholeView(), memory_a.data(), 0, in));
  EXPECT_OK(UnpackPoints(b.WholeView(), memory_b.data(), 0, in));
  PackPoints(a.WholeView(), memory_a.data(), 0, absl::MakeSpan(out_a));
  PackPoints(b.WholeView(), memory_b.data(), 0, absl::MakeSpan(out_b));

  EXPECT_EQ(out_a, out_b);
}

TEST(PackMemoryTest, AbsentMemoryReadsAsZeros) {
  const DataLayout layout =
      MakeLayout(LayoutKind::kVIJFH, {{3, 1, 1, 1}}, "f64");
  Bytes out(24, kSentinel);

  PackPoints(layout.WholeView(), nullptr, 0, absl::MakeSpan(out));

  EXPECT_THAT(out, Each(0));
}

TEST(UnpackBoolTest, BadBoolIsNamedAndEarlierPointsAreStored) {
  const DataLayout layout = MakeLayout(LayoutKind::kVIJFH, {{5, 2, 2, 3}},
                                       "{n: u8, ok: (bool, bool)}");
  Bytes in(3 * 40, 1);
  in[3 * 33 + 1] = 2;    // point 33, ok.0
  in[3 * 32 + 2] = 255;  // point 32, ok.1: the first
  Bytes memory(ByteCount(layout.size_bytes()), 0);

  const absl::Status status =
      UnpackPoints(layout.WholeView(), memory.data(), 4, in);

  EXPECT_THAT(status, IsError(absl::StatusCode::kInvalidArgument, "BAD_BOOL",
                              AllOf(HasSubstr("\"ok.1\""),
                                    HasSubstr("point 36 (v 1, i 1, j 1, h 1)"),
                                    HasSubstr("byte 255"))));
  Bytes want(memory.size(), 0);
  UnpackByteByByte(layout.WholeView(), want, 4, Bytes(3 * 32, 1));
  EXPECT_EQ(memory, want);
}

TEST(UnpackBoolTest, GoodBoolsAreStoredAcrossBlocks) {
  const DataLayout layout =
      MakeLayout(LayoutKind::kVIJHF, {{63, 4, 4, 40}}, "bool");
  Bytes in = RandomBytes(layout.size_bytes(), 5);
  for (uint8_t& byte : in) byte &= 1;
  Bytes memory(in.size(), kSentinel);

  EXPECT_OK(UnpackPoints(layout.WholeView(), memory.data(), 0, in));

  EXPECT_EQ(memory, in);
}

TEST(UnpackBoolTest, BadBoolInALaterBlockLeavesTheRestAlone) {
  const DataLayout layout =
      MakeLayout(LayoutKind::kVIJHF, {{63, 4, 4, 40}}, "bool");
  Bytes in(ByteCount(layout.size_bytes()), 1);
  in[30000] = 7;
  Bytes memory(in.size(), kSentinel);

  EXPECT_THAT(UnpackPoints(layout.WholeView(), memory.data(), 0, in),
              IsError(absl::StatusCode::kInvalidArgument, "BAD_BOOL",
                      HasSubstr("bool of point 30000 (v 12, ")));

  EXPECT_EQ(std::count(memory.begin(), memory.end(), 1), 30000);
  EXPECT_THAT(Bytes(memory.begin() + 30000, memory.end()), Each(kSentinel));
}

}  // namespace
}  // namespace layoutd
