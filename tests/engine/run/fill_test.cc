#include "engine/run/fill.h"

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "engine/kernels/pack.h"
#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

using testing::AllOf;
using testing::HasSubstr;

struct Spelling {
  const char* text;
  ScalarType type;
  Scalar want;
};

TEST(ParseScalarTest, ReadsTheLiteralsOfEveryType) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const Spelling cases[] = {
      {"true", ScalarType::kBool, Scalar::Bool(true)},
      {"0", ScalarType::kBool, Scalar::Bool(false)},
      {"1.0", ScalarType::kBool, Scalar::Bool(true)},
      {"-128", ScalarType::kI8, Scalar::Of<int8_t>(ScalarType::kI8, -128)},
      {"127", ScalarType::kI8, Scalar::Of<int8_t>(ScalarType::kI8, 127)},
      {"+255", ScalarType::kU8, Scalar::Of<uint8_t>(ScalarType::kU8, 255)},
      {"1e3", ScalarType::kI32, Scalar::Of<int32_t>(ScalarType::kI32, 1000)},
      {"-0", ScalarType::kU32, Scalar::Of<uint32_t>(ScalarType::kU32, 0)},
      {"-9223372036854775808", ScalarType::kI64,
       Scalar::I64(std::numeric_limits<int64_t>::min())},
      {"18446744073709551615", ScalarType::kU64,
       Scalar::Of<uint64_t>(ScalarType::kU64, ~uint64_t{0})},
      {"340282366920938463463374607431768211455", ScalarType::kU128,
       Scalar::Of<Uint128>(ScalarType::kU128, ~Uint128{0})},
      {"-170141183460469231731687303715884105728", ScalarType::kI128,
       Scalar::Of<Uint128>(ScalarType::kI128, Uint128{1} << 127)},
      {"1.5", ScalarType::kF32, Scalar::Of<float>(ScalarType::kF32, 1.5F)},
      {"16777217", ScalarType::kF32,
       Scalar::Of<float>(ScalarType::kF32, 16777216.0F)},
      {"-2.5e-3", ScalarType::kF64, Scalar::F64(-2.5e-3)},
      {"-0", ScalarType::kF64, Scalar::F64(-0.0)},
      {"1e-400", ScalarType::kF64, Scalar::F64(0)},
      {"nan", ScalarType::kF64, Scalar::F64(std::nan(""))},
      {"-inf", ScalarType::kF64, Scalar::F64(-kInf)},
  };
  for (const Spelling& spelling : cases) {
    ASSERT_OK_AND_ASSIGN(const Scalar got,
                         ParseScalar(spelling.text, spelling.type));
    EXPECT_TRUE(SameBits(got, spelling.want))
        << spelling.text << " as " << Name(spelling.type);
  }
}

TEST(ParseScalarTest, RefusesWhatDoesNotFitTheType) {
  const std::pair<const char*, ScalarType> cases[] = {
      {"2", ScalarType::kBool},
      {"-1", ScalarType::kBool},
      {"nan", ScalarType::kBool},
      {"true", ScalarType::kF64},
      {"false", ScalarType::kI32},
      {"128", ScalarType::kI8},
      {"-129", ScalarType::kI8},
      {"-1", ScalarType::kU64},
      {"1.5", ScalarType::kI32},
      {"nan", ScalarType::kI64},
      {"inf", ScalarType::kI64},
      {"9223372036854775808", ScalarType::kI64},
      {"1e39", ScalarType::kU128},
      {"340282366920938463463374607431768211456", ScalarType::kU128},
      {"1e39", ScalarType::kF32},
      {"1e400", ScalarType::kF64},
  };
  for (const auto& [text, type] : cases) {
    EXPECT_THAT(
        ParseScalar(text, type),
        IsError(absl::StatusCode::kInvalidArgument, "BAD_VALUE",
                AllOf(HasSubstr(text), HasSubstr(std::string(Name(type))))))
        << text;
  }
}

TEST(ParseScalarTest, RefusesWhatIsNoLiteral) {
  for (const char* text :
       {"", "-", "--1", "1.", ".5", "1e", "1e+", "0x10", "1 ", " 1", "1,5",
        "NaN", "infinity", "True", "1_f32", "1.5.2", "\n"}) {
    EXPECT_THAT(ParseScalar(text, ScalarType::kF64),
                IsError(absl::StatusCode::kInvalidArgument, "BAD_VALUE",
                        HasSubstr("no number")))
        << text;
  }
}

class FillFieldTest : public testing::Test {
 protected:
  void Create(const std::string& type, const Shape& shape,
              LayoutKind kind = LayoutKind::kVIJFH) {
    ASSERT_OK(store_.Create(
        "x", *DataLayout::Create({kind, shape, *ValueType::Parse(type)}), {}));
  }
  absl::StatusOr<FieldInfo> Fill(const std::string& component,
                                 const std::string& value) {
    return FillField(device_.get(), &store_, "x", component, value,
                     StopToken());
  }
  template <typename T>
  std::vector<T> Read() {
    const PinnedField field = *store_.Pin("x", false);
    const View view = field.info.layout.WholeView();
    std::vector<T> out(static_cast<size_t>(view.shape.num_points()));
    PackPoints(view, field.revision->buffer->data(), 0,
               absl::MakeSpan(reinterpret_cast<uint8_t*>(out.data()),
                              out.size() * sizeof(T)));
    return out;
  }

  std::unique_ptr<Device> device_ =
      *OpenDevice({.name = "cpu", .num_threads = 3});
  MemoryBudget budget_{64 << 20};
  FieldStore store_{device_.get(), &budget_};
};

TEST_F(FillFieldTest, SetsEveryPointOfAFieldOfManyRanges) {
  Create("f64", Shape{{63, 4, 4, 200}}, LayoutKind::kVIJHF);

  ASSERT_OK_AND_ASSIGN(const FieldInfo info, Fill("", "-1.25"));

  EXPECT_EQ(info.revision, 1);
  EXPECT_THAT(Read<double>(), testing::Each(-1.25));
  EXPECT_EQ(budget_.used_bytes(), info.size_bytes());
}

struct Record {
  double rho;
  int32_t u[2];
};

TEST_F(FillFieldTest, AComponentLeavesTheOthersAsTheyWere) {
  Create("{rho: f64, u: (i32, i32)}", Shape{{5, 2, 2, 3}});
  ASSERT_OK(Fill("", "7"));
  ASSERT_OK(Fill("u.1", "-3"));
  ASSERT_OK_AND_ASSIGN(const FieldInfo info, Fill("rho", "0.5"));

  EXPECT_EQ(info.revision, 3);
  for (const Record& record : Read<Record>()) {
    ASSERT_EQ(record.rho, 0.5);
    ASSERT_EQ(record.u[0], 7);
    ASSERT_EQ(record.u[1], -3);
  }
}

TEST_F(FillFieldTest, TheRestOfANeverWrittenFieldIsZero) {
  Create("{rho: f64, u: (i32, i32)}", Shape{{5, 2, 2, 3}});
  ASSERT_OK(Fill("u", "9"));

  for (const Record& record : Read<Record>()) {
    ASSERT_EQ(record.rho, 0);
    ASSERT_EQ(record.u[0], 9);
    ASSERT_EQ(record.u[1], 9);
  }
}

TEST_F(FillFieldTest, LeavesWiderThanASlotAreWhole) {
  Create("(i128, u8)", Shape{{3, 1, 1, 2}});
  ASSERT_OK(Fill("0", "-2"));

  struct Wide {
    Int128 first;
    uint8_t second;
  };
  for (const Wide& value : Read<Wide>()) {
    ASSERT_TRUE(value.first == -2);
    ASSERT_EQ(value.second, 0);
  }
}

TEST_F(FillFieldTest, ABadValueOrComponentChangesNothing) {
  Create("(f64, i8)", Shape{{3, 1, 1, 2}});

  EXPECT_THAT(Fill("", "200"),
              IsError(absl::StatusCode::kInvalidArgument, "BAD_VALUE",
                      AllOf(HasSubstr("200"), HasSubstr("i8"))));
  EXPECT_THAT(Fill("2", "0"), IsError(absl::StatusCode::kNotFound,
                                      "UNKNOWN_COMPONENT", HasSubstr("2")));
  EXPECT_EQ(store_.Get("x")->revision, 0);
  EXPECT_OK(Fill("0", "200"));
}

TEST_F(FillFieldTest, AStoppedFillChangesNothing) {
  Create("f64", Shape{{3, 1, 1, 2}});
  const StopToken stop;
  stop.Cancel();

  EXPECT_EQ(
      FillField(device_.get(), &store_, "x", "", "1", stop).status().code(),
      absl::StatusCode::kCancelled);
  EXPECT_EQ(store_.Get("x")->revision, 0);
}

TEST_F(FillFieldTest, FieldsWithoutPointsAreFilledAtOnce) {
  Create("f64", Shape{{0, 4, 4, 2}});

  EXPECT_EQ(Fill("", "1")->revision, 1);
}

}  // namespace
}  // namespace layoutd
