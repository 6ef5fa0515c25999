// What a masked run leaves, whichever way it writes: compact columns or a copy.

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/program/parse.h"
#include "tests/support/runtime_world.h"
#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

constexpr char kProgram[] = "foreach point mask m { x = x * 2 + y }";

// Fields x and y of (9, 2, 2, 8) and a mask of `num_active` of the 32 columns.
class MaskedWriteTest : public testing::Test {
 protected:
  static constexpr int64_t kLevels = 9;
  static constexpr int64_t kColumns = 32;

  void Open(int64_t num_active, int64_t memory_limit_bytes = 1 << 20) {
    world_ = *RuntimeWorld::Open(
        {.num_threads = 2, .memory_limit_bytes = memory_limit_bytes});
    const Shape shape{{kLevels, 2, 2, 8}};
    const DataLayout layout = *DataLayout::Create({.shape = shape});
    std::vector<Scalar> x;
    std::vector<Scalar> y;
    for (int64_t k = 0; k < shape.num_points(); ++k) {
      x.push_back(Scalar::F64(static_cast<double>(k)));
      y.push_back(Scalar::F64(0.5));
    }
    ASSERT_OK(world_->AddField("x", layout, x));
    ASSERT_OK(world_->AddField("y", layout, y));
    active_.assign(static_cast<size_t>(kColumns), 0);
    for (int64_t n = 0; n < num_active; ++n) {
      active_[static_cast<size_t>(n * 5 % kColumns)] = 1;
    }
    ASSERT_OK(world_->AddMask("m", shape.WithV(1), active_));
  }

  std::vector<double> ReadX() { return Read("x"); }
  std::vector<double> Read(const std::string& id) {
    std::vector<double> values;
    const OracleField field = world_->ReadField(id).value();
    for (const Scalar& leaf : field.leaves) {
      values.push_back(leaf.As<double>());
    }
    return values;
  }
  std::vector<double> Expected(int runs) const {
    std::vector<double> values;
    for (int64_t k = 0; k < kLevels * kColumns; ++k) {
      double value = static_cast<double>(k);
      for (int run = 0; run < runs; ++run) {
        if (active_[static_cast<size_t>(k / kLevels)] != 0) {
          value = value * 2 + 0.5;
        }
      }
      values.push_back(value);
    }
    return values;
  }
  // The bytes that a run of kProgram would take now.
  int64_t ScratchBytes() {
    return world_->Compile(kProgram)->estimate.peak_scratch_bytes;
  }

  int64_t RevisionOf(const std::string& id) {
    return world_->runtime().fields->Get(id)->revision;
  }
  // Runs `text`; `started` is called when all is reserved and nothing has run.
  absl::Status RunAnd(const std::string& text,
                      const std::function<void()>& started,
                      const StopToken& stop = StopToken()) {
    return ExecuteProgram(world_->runtime(), ParseProgram(text).value(), {},
                          stop, started, /*profiled=*/false)
        .status();
  }

  std::unique_ptr<RuntimeWorld> world_;
  std::vector<uint8_t> active_;
};

TEST_F(MaskedWriteTest, FewColumnsTakeTheirOwnBytesOnly) {
  Open(4);
  const int64_t used = world_->budget().used_bytes();

  EXPECT_EQ(ScratchBytes(), 4 * kLevels * 8);
  ASSERT_OK_AND_ASSIGN(const ExecuteReply reply, world_->Run(kProgram));

  EXPECT_EQ(reply.fields.at(0).revision, 2);
  EXPECT_EQ(ReadX(), Expected(1));
  ASSERT_OK(world_->Run(kProgram).status());
  EXPECT_EQ(ReadX(), Expected(2));
  EXPECT_EQ(world_->budget().used_bytes(), used);
}

TEST_F(MaskedWriteTest, NoColumnAtAllStillMakesARevision) {
  Open(0);

  ASSERT_OK_AND_ASSIGN(const ExecuteReply reply, world_->Run(kProgram));

  EXPECT_EQ(reply.fields.at(0).revision, 2);
  EXPECT_EQ(ReadX(), Expected(1));
}

TEST_F(MaskedWriteTest, ManyColumnsAreWrittenIntoACopy) {
  Open(20);

  EXPECT_EQ(ScratchBytes(), kLevels * kColumns * 8);
  ASSERT_OK(world_->Run(kProgram).status());

  EXPECT_EQ(ReadX(), Expected(1));
}

TEST_F(MaskedWriteTest, WhoPinnedTheFieldKeepsTheOldContent) {
  Open(4);
  FieldStore& fields = *world_->runtime().fields;
  ASSERT_OK_AND_ASSIGN(const PinnedField pin, fields.Pin("x", false));
  const double before =
      reinterpret_cast<const double*>(pin.revision->buffer->data())[1];

  EXPECT_EQ(ScratchBytes(), kLevels * kColumns * 8);
  ASSERT_OK(world_->Run(kProgram).status());

  EXPECT_EQ(ReadX(), Expected(1));
  EXPECT_EQ(reinterpret_cast<const double*>(pin.revision->buffer->data())[1],
            before);
}

TEST_F(MaskedWriteTest, AFieldThatWasNeverWrittenStartsFromZeros) {
  Open(4);
  FieldStore& fields = *world_->runtime().fields;
  ASSERT_OK(
      fields.Create("z", *DataLayout::Create({.shape = {{9, 2, 2, 8}}}), {}));

  ASSERT_OK(world_->Run("foreach point mask m { z = y }").status());

  double sum = 0;
  const OracleField field = world_->ReadField("z").value();
  for (const Scalar& leaf : field.leaves) {
    sum += leaf.As<double>();
  }
  EXPECT_EQ(sum, 4 * kLevels * 0.5);
}

TEST_F(MaskedWriteTest, ARunThatFailsChangesNothing) {
  Open(4);
  ASSERT_OK(world_->AddMask("none", {{1, 2, 2, 8}},
                            std::vector<uint8_t>(kColumns, 0)));
  const StopToken stop;
  stop.Cancel();

  EXPECT_FALSE(world_->Run(kProgram, stop).ok());
  EXPECT_FALSE(
      world_->Run(absl::StrCat(kProgram, "\nreduce mask none { s = min(y) }"))
          .ok());

  EXPECT_EQ(ReadX(), Expected(0));
  EXPECT_EQ(world_->runtime().fields->Get("x")->revision, 1);
}

TEST_F(MaskedWriteTest, AStoppedRunDropsItsColumns) {
  Open(4);
  const int64_t used = world_->budget().used_bytes();
  const StopToken stop;

  const absl::Status status = RunAnd(
      kProgram, [&] { stop.Cancel(); }, stop);

  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(ReadX(), Expected(0));
  EXPECT_EQ(RevisionOf("x"), 1);
  EXPECT_EQ(world_->budget().used_bytes(), used);
}

TEST_F(MaskedWriteTest, APinThatComesDuringTheRunKeepsTheOldContent) {
  Open(4);
  FieldStore& fields = *world_->runtime().fields;
  const int64_t used = world_->budget().used_bytes();
  std::optional<PinnedField> pin;

  ASSERT_OK(RunAnd(kProgram, [&] { pin = *fields.Pin("x", false); }));

  EXPECT_EQ(ReadX(), Expected(1));
  EXPECT_EQ(RevisionOf("x"), 2);
  const auto* old =
      reinterpret_cast<const double*>(pin->revision->buffer->data());
  const std::vector<double> before = Expected(0);
  EXPECT_TRUE(std::equal(before.begin(), before.end(), old));
  pin.reset();
  EXPECT_EQ(world_->budget().used_bytes(), used);
}

TEST_F(MaskedWriteTest, WithoutMemoryForACopyNoneOfTheFieldsChanges) {
  constexpr int64_t kFieldBytes = kLevels * kColumns * 8;
  // Both fields, the columns of both, and less than another field.
  Open(4, 3 * kFieldBytes);
  FieldStore& fields = *world_->runtime().fields;
  const std::vector<double> y = Read("y");
  std::optional<PinnedField> pin;

  // x could be taken; y, which comes after it, can be neither taken nor copied.
  const absl::Status status = RunAnd("foreach point mask m { x = 1\ny = 2 }",
                                     [&] { pin = *fields.Pin("y", false); });

  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
  EXPECT_EQ(ReadX(), Expected(0));
  EXPECT_EQ(Read("y"), y);
  EXPECT_EQ(RevisionOf("x"), 1);
  EXPECT_EQ(RevisionOf("y"), 1);
}

TEST_F(MaskedWriteTest, SeveralFieldsArePutInPlaceTogether) {
  Open(4);
  constexpr char kSwap[] =
      "foreach point mask m { let old = x\nx = y\ny = old }";
  const std::vector<double> x = ReadX();
  const std::vector<double> y = Read("y");
  EXPECT_EQ(world_->Compile(kSwap)->estimate.peak_scratch_bytes,
            2 * 4 * kLevels * 8);

  ASSERT_OK(world_->Run(kSwap).status());

  const std::vector<double> new_x = ReadX();
  const std::vector<double> new_y = Read("y");
  for (size_t k = 0; k < x.size(); ++k) {
    const bool is_active = active_[k / kLevels] != 0;
    EXPECT_EQ(new_x[k], is_active ? y[k] : x[k]) << k;
    EXPECT_EQ(new_y[k], is_active ? x[k] : y[k]) << k;
  }
}

TEST_F(MaskedWriteTest, TwoWritesOfOneFieldFollowEachOther) {
  Open(4);

  ASSERT_OK(world_->Run(absl::StrCat(kProgram, "\n", kProgram)).status());

  EXPECT_EQ(ReadX(), Expected(2));
  EXPECT_EQ(RevisionOf("x"), 2);
}

TEST_F(MaskedWriteTest, ALaterReadOfTheProgramSeesTheNewContent) {
  Open(4);
  double total = 0;
  for (double value : Expected(1)) total += value;

  ASSERT_OK_AND_ASSIGN(
      const ExecuteReply reply,
      world_->Run(absl::StrCat(kProgram, "\nreduce { s = sum(x) }")));

  EXPECT_EQ(reply.results[0].leaves[0].As<double>(), total);
  EXPECT_EQ(ReadX(), Expected(1));
}

TEST_F(MaskedWriteTest, AnEarlierReadOfTheProgramSeesTheOldContent) {
  Open(4);
  double total = 0;
  for (double value : Expected(0)) total += value;

  ASSERT_OK_AND_ASSIGN(
      const ExecuteReply reply,
      world_->Run(absl::StrCat("reduce { s = sum(x) }\n", kProgram)));

  EXPECT_EQ(reply.results[0].leaves[0].As<double>(), total);
  EXPECT_EQ(ReadX(), Expected(1));
}

TEST_F(MaskedWriteTest, OtherLevelsOfTheFieldAreReadAsTheyWere) {
  Open(4);
  const std::vector<double> x = ReadX();

  ASSERT_OK(
      world_->Run("foreach point mask m { x = at(x, v - 1, edge = clamp) }")
          .status());

  const std::vector<double> got = ReadX();
  for (size_t k = 0; k < x.size(); ++k) {
    const bool is_moved = active_[k / kLevels] != 0 && k % kLevels != 0;
    EXPECT_EQ(got[k], is_moved ? x[k - 1] : x[k]) << k;
  }
}

TEST_F(MaskedWriteTest, TwoNamesOfOneFieldAreOneField) {
  Open(4);
  const Program program =
      ParseProgram("foreach point mask m { a = b * 2 + y }").value();

  ASSERT_OK(ExecuteProgram(
                world_->runtime(), program, {{"a", "x"}, {"b", "x"}},
                StopToken(), [] {}, /*profiled=*/false)
                .status());

  EXPECT_EQ(ReadX(), Expected(1));
}

// Fields u of every layout that a masked write may leave bytes of untouched in:
// slots apart, padding inside values, rows with padding, ghost points.
class MaskedLayoutTest : public MaskedWriteTest,
                         public testing::WithParamInterface<LayoutSpec> {
 protected:
  // Runs `text` on a field u of the layout, which is pinned meanwhile when
  // `pinned`, and returns what u is then.
  std::vector<Scalar> Run(const std::string& text, bool pinned) {
    Open(4);
    const DataLayout layout = *DataLayout::Create(GetParam());
    std::vector<Scalar> leaves;
    for (int64_t k = 0; k < kLevels * kColumns; ++k) {
      leaves.push_back(Scalar::Of(ScalarType::kI32, static_cast<int32_t>(k)));
      leaves.push_back(Scalar::F64(static_cast<double>(k) / 4));
    }
    EXPECT_OK(world_->AddField("u", layout, leaves));
    std::optional<PinnedField> pin;
    if (pinned) pin = *world_->runtime().fields->Pin("u", false);
    scratch_bytes_ = world_->Compile(text)->estimate.peak_scratch_bytes;
    field_bytes_ = layout.size_bytes();
    EXPECT_OK(world_->Run(text).status());
    return world_->ReadField("u")->leaves;
  }

  static bool SameLeaves(const std::vector<Scalar>& a,
                         const std::vector<Scalar>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), SameBits);
  }

  int64_t scratch_bytes_ = 0;  // of the last run
  int64_t field_bytes_ = 0;
};

TEST_P(MaskedLayoutTest, WholeValuesAreTheSameInPlaceAndInACopy) {
  constexpr char kWhole[] = "foreach point mask m { u = (u.0 + 1, x) }";

  const std::vector<Scalar> copied = Run(kWhole, /*pinned=*/true);
  EXPECT_GE(scratch_bytes_, field_bytes_);
  const std::vector<Scalar> placed = Run(kWhole, /*pinned=*/false);

  EXPECT_LT(scratch_bytes_, field_bytes_);
  EXPECT_TRUE(SameLeaves(placed, copied));
}

TEST_P(MaskedLayoutTest, AComponentIsWrittenIntoACopy) {
  constexpr char kComponent[] = "foreach point mask m { u.1 = x }";

  const std::vector<Scalar> pinned = Run(kComponent, /*pinned=*/true);
  const std::vector<Scalar> free = Run(kComponent, /*pinned=*/false);

  EXPECT_GE(scratch_bytes_, field_bytes_);
  EXPECT_TRUE(SameLeaves(free, pinned));
}

LayoutSpec SpecOf(LayoutKind kind, Halo halo = {}, int64_t align_bytes = 0) {
  LayoutSpec spec;
  spec.kind = kind;
  spec.shape = {{9, 2, 2, 8}};
  spec.type = *ValueType::Parse("(i32, f64)");
  spec.halo = halo;
  spec.align_bytes = align_bytes;
  return spec;
}

INSTANTIATE_TEST_SUITE_P(
    Layouts, MaskedLayoutTest,
    testing::Values(SpecOf(LayoutKind::kVIJFH), SpecOf(LayoutKind::kVIJHF),
                    SpecOf(LayoutKind::kVFIJH),
                    SpecOf(LayoutKind::kVIJFH, {}, 64),
                    SpecOf(LayoutKind::kVIJFH, {{1, 0, 0, 1}, {2, 0, 0, 1}})));

}  // namespace
}  // namespace layoutd
