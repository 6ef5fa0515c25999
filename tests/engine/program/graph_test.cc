#include "engine/program/graph.h"

#include <cmath>

#include "engine/program/parse.h"
#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

using testing::ElementsAre;

TEST(GraphTest, PositionsAreNotPartOfEquality) {
  ASSERT_OK_AND_ASSIGN(const Program a, ParseProgram("x = a + 1"));
  ASSERT_OK_AND_ASSIGN(const Program b, ParseProgram("\n\n x =  a+  1;"));
  ASSERT_OK_AND_ASSIGN(const Program c, ParseProgram("x = a + 2"));

  EXPECT_TRUE(a == b);
  EXPECT_FALSE(a == c);
}

TEST(GraphTest, NanEqualsNanAndZerosDiffer) {
  Literal nan;
  nan.real = std::nan("");
  Literal zero;
  Literal minus_zero;
  minus_zero.real = -0.0;

  EXPECT_TRUE(nan == nan);
  EXPECT_FALSE(zero == minus_zero);
}

TEST(GraphTest, ReferencedFieldsAreInFirstUseOrderWithoutLetsAndResults) {
  ASSERT_OK_AND_ASSIGN(const Program program, ParseProgram(R"(
    let k = 2 * c
    x = k * y + c
    foreach point mask m {
      let inner = z
      x.0 = inner
    }
    reduce { total = sum(x) }
    w = inner * total
  )"));

  EXPECT_THAT(ReferencedFields(program),
              ElementsAre("c", "y", "x", "z", "inner", "w"));
}

TEST(GraphTest, ReferencedMasksAreEachOnce) {
  ASSERT_OK_AND_ASSIGN(const Program program, ParseProgram(R"(
    foreach point mask not b and (a or "m/2") { x = 1 }
    reduce mask a { total = sum(x) }
  )"));

  EXPECT_THAT(ReferencedMasks(program), ElementsAre("b", "a", "m/2"));
}

TEST(GraphTest, ReferencedFieldsOfABadGraphIgnoresBadIndices) {
  Program program;
  Node node;
  node.op = Opcode::kAdd;
  node.operands = {-1, 7};
  program.nodes = {node};
  Assignment assignment;
  assignment.target = "x";
  assignment.value = 0;
  program.statements = {assignment};

  EXPECT_THAT(ReferencedFields(program), ElementsAre("x"));
}

}  // namespace
}  // namespace layoutd
