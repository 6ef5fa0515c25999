// What a masked run leaves, whichever way it writes: compact columns or a copy.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
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

  void Open(int64_t num_active) {
    world_ = *RuntimeWorld::Open({.num_threads = 2});
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

  std::vector<double> ReadX() {
    std::vector<double> values;
    const OracleField field = world_->ReadField("x").value();
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

}  // namespace
}  // namespace layoutd
