#include <vector>

#include "engine/jit/compiler.h"
#include "engine/jit/kernel_arguments.h"
#include "engine/program/plan.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

using testing::ElementsAreArray;
using testing::HasSubstr;

// y = x + 1 over one row of `length` f64.
LoopPlan AddOne(int64_t length) {
  LoopPlan loop;
  loop.kind = LoopKind::kPoints;
  loop.num_dimensions = 1;
  loop.extents = {length, 1, 1, 1};
  loop.dimension_of_axis = {0, -1, -1, -1};
  loop.shape = Shape{{length, 1, 1, 1}};
  LoopAccess access;
  access.lanes = LaneStride::kUnit;
  access.strides = {8, 0, 0, 0};
  loop.accesses = {access, access};
  LoopParameter one;
  one.constant = Scalar::F64(1.0);
  loop.parameters = {one};
  LoopBlock block;
  block.ops = {
      {.kind = LoopOp::Kind::kLoad, .index = 0, .result = 0},
      {.kind = LoopOp::Kind::kParameter, .index = 0, .result = 1},
      {.kind = LoopOp::Kind::kOperation,
       .opcode = Opcode::kAdd,
       .a = 0,
       .b = 1,
       .result = 2},
      {.kind = LoopOp::Kind::kStore, .index = 1, .a = 2},
  };
  loop.blocks = {block};
  loop.num_values = 3;
  return loop;
}

TEST(OrcTest, EveryLengthAroundTheLanesWritesItsPointsAndNothingElse) {
  for (const int bits : {128, 256}) {
    CompilerOptions options;
    options.vector_bits = bits;
    ASSERT_OK_AND_ASSIGN(const std::unique_ptr<Compiler> compiler,
                         OpenCompiler(options));
    ASSERT_OK_AND_ASSIGN(const std::unique_ptr<Kernel> kernel,
                         compiler->Compile(AddOne(1)));
    for (int64_t length = 1; length <= 19; ++length) {
      std::vector<double> x(24);
      std::vector<double> want(24, -7.0);
      for (size_t k = 0; k < x.size(); ++k) {
        x[k] = static_cast<double>(k) / 3.0;
        if (k < static_cast<size_t>(length)) want[k] = x[k] + 1.0;
      }
      std::vector<double> y(24, -7.0);
      const AccessArguments accesses[] = {
          {reinterpret_cast<uint8_t*>(x.data()), {8, 0, 0, 0}, 0, 0},
          {reinterpret_cast<uint8_t*>(y.data()), {8, 0, 0, 0}, 0, 0}};
      ParameterSlot one = {};
      const Scalar value = Scalar::F64(1.0);
      std::copy(std::begin(value.bytes), std::end(value.bytes), one.bytes);
      KernelArguments arguments = {};
      arguments.accesses = accesses;
      arguments.parameters = &one;
      arguments.extents[0] = length;
      arguments.block_length = length;
      arguments.blocks_per_row = 1;

      kernel->entry()(&arguments, 0, 1);

      EXPECT_THAT(y, ElementsAreArray(want))
          << "length " << length << ", " << bits << " bits";
    }
  }
}

TEST(OrcTest, RefusesAWidthThatNoRegisterHas) {
  CompilerOptions options;
  options.vector_bits = 192;

  EXPECT_THAT(OpenCompiler(options), IsError(absl::StatusCode::kInvalidArgument,
                                             "BAD_OPTION", HasSubstr("192")));
}

TEST(OrcTest, RefusesADeviceItDoesNotKnow) {
  CompilerOptions options;
  options.device = "cuda:0";

  EXPECT_THAT(OpenCompiler(options),
              IsError(absl::StatusCode::kInvalidArgument, "UNKNOWN_DEVICE",
                      HasSubstr("cuda:0")));
}

TEST(LoopPlanTest, ExtentsStridesAndConstantsAreNoPartOfTheKey) {
  LoopPlan a = AddOne(7);
  LoopPlan b = AddOne(4099);
  b.parameters[0].constant = Scalar::F64(-2.5);
  b.accesses[0].base_bytes = 640;

  EXPECT_EQ(a.Key(), b.Key());
}

TEST(LoopPlanTest, WhatChangesTheCodeChangesTheKey) {
  const LoopPlan plain = AddOne(7);
  LoopPlan strided = plain;
  strided.accesses[0].lanes = LaneStride::kStrided;
  LoopPlan subtracts = plain;
  subtracts.blocks[0].ops[2].opcode = Opcode::kSub;
  LoopPlan narrow = plain;
  narrow.accesses[1].type = ScalarType::kF32;

  EXPECT_NE(plain.Key(), strided.Key());
  EXPECT_NE(plain.Key(), subtracts.Key());
  EXPECT_NE(plain.Key(), narrow.Key());
}

}  // namespace
}  // namespace layoutd
