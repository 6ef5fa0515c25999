#include "engine/program/compact_writes.h"

#include <string>

#include "engine/program/parse.h"
#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

// Fields x, y (f64) and u (f64, f64) of (20, 4, 4, 6), c of the same shape in
// FVIJH with two slots; mask m.
class CompactWritesTest : public testing::Test {
 protected:
  static DataLayout LayoutOf(LayoutKind kind, const char* type) {
    return *DataLayout::Create(
        {kind, Shape{{20, 4, 4, 6}}, *ValueType::Parse(type)});
  }

  // Returns how many buffers of the plan of `text` are made compact.
  static int CountCompact(const std::string& text) {
    Catalog catalog;
    const auto add = [&](const char* id, LayoutKind kind, const char* type) {
      catalog.fields.emplace(id, Catalog::FieldEntry{id, LayoutOf(kind, type)});
    };
    add("x", LayoutKind::kVIJFH, "f64");
    add("y", LayoutKind::kVIJFH, "f64");
    add("u", LayoutKind::kVIJFH, "(f64, f64)");
    add("c", LayoutKind::kFVIJH, "(f64, f64)");
    catalog.masks.emplace("m", Shape{{1, 4, 4, 6}});
    const VerifiedProgram program =
        VerifyProgram(ParseProgram(text).value(), catalog).value();
    const std::optional<ExecutionPlan> plan =
        CompactPlan(program, PlanProgram(program).value());
    if (!plan) return 0;
    int count = 0;
    for (const PlanBuffer& buffer : plan->buffers) {
      count += buffer.start == PlanBuffer::Start::kCompact ? 1 : 0;
    }
    return count;
  }
};

TEST_F(CompactWritesTest, AMaskedWriteOfWholeValuesIsCompact) {
  EXPECT_EQ(CountCompact("foreach point mask m { x = y + 1 }"), 1);
  EXPECT_EQ(CountCompact("foreach point mask m { x = x + 1 }"), 1);
  EXPECT_EQ(CountCompact("foreach point mask m { u = (x, y)\ny = x }"), 2);
}

TEST_F(CompactWritesTest, WhatIsReadLaterIsNot) {
  EXPECT_EQ(CountCompact("foreach point mask m { x = y }\ny = x"), 0);
  EXPECT_EQ(CountCompact("foreach point mask m { x = y }\n"
                         "reduce { s = sum(x) }"),
            0);
}

TEST_F(CompactWritesTest, PartsOfValuesColumnsAndOtherLayoutsAreNot) {
  EXPECT_EQ(CountCompact("foreach point mask m { u.0 = x }"), 0);
  EXPECT_EQ(CountCompact("foreach column mask m { x = scan(+, y) }"), 0);
  EXPECT_EQ(CountCompact("foreach point mask m { c = (x, y) }"), 0);
  EXPECT_EQ(CountCompact("x = y"), 0);
}

TEST_F(CompactWritesTest, AProgramThatCreatesAFieldHasNone) {
  EXPECT_EQ(CountCompact("foreach point mask m { x = y }\nnew z = y"), 0);
}

TEST_F(CompactWritesTest, ABufferHoldsItsColumnsOneAfterAnother) {
  const DataLayout layout = LayoutOf(LayoutKind::kVIJHF, "(f64, f64)");

  const View view = CompactView(layout, 3);

  EXPECT_EQ(view.shape, (Shape{{20, 1, 1, 3}}));
  EXPECT_EQ(view.slot_stride_bytes, 20 * 8);
  EXPECT_EQ(view.strides_bytes[3], 2 * 20 * 8);
  EXPECT_EQ(CompactBytes(layout, 3), 3 * 2 * 20 * 8);
}

}  // namespace
}  // namespace layoutd
