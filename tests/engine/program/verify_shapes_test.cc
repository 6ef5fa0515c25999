#include "engine/program/verify.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/engine/program/verify_fixture.h"
#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

TEST(VerifyShapesTest, StoresBroadcastButNeverEnlarge) {
  EXPECT_OK(VerifyText("temp = area"));
  EXPECT_OK(VerifyText("temp = single"));
  EXPECT_OK(VerifyText("temp = 1.0"));
  EXPECT_THAT(
      VerifyText("area = temp"),
      IsError(absl::StatusCode::kInvalidArgument, "SHAPE_MISMATCH",
              AllOf(HasSubstr("(8, 2, 2, 3)"), HasSubstr("(1, 2, 2, 3)"))));
  EXPECT_EQ(ReasonOf(VerifyText("temp = temp + other").status()),
            "SHAPE_MISMATCH");
  EXPECT_EQ(ReasonOf(VerifyText("temp = face").status()), "SHAPE_MISMATCH");
}

TEST(VerifyShapesTest, AnExpressionOfOffsetsTakesTheLevelsOfItsDestination) {
  ASSERT_OK_AND_ASSIGN(
      const VerifiedProgram program,
      VerifyText("temp = (at(face, v + 1) - at(face, v)) * area"));

  EXPECT_TRUE(FirstValue(program).shape.v_relative);
  EXPECT_EQ(FirstValue(program).shape.shape, (Shape{{9, 2, 2, 3}}));
  EXPECT_EQ(program.statements[0].assignments[0].shape, (Shape{{8, 2, 2, 3}}));
}

TEST(VerifyShapesTest, ReadsBeyondTheLevelsNeedAnEdge) {
  const ErrorCase kCases[] = {
      {"temp = at(temp, v + 1)", "EDGE_NOT_COVERED"},
      {"temp = at(temp, v - 1)", "EDGE_NOT_COVERED"},
      {"temp = at(face, v + 2)", "EDGE_NOT_COVERED"},
      {"temp = at(area, v + 1)", "EDGE_NOT_COVERED"},
      {"face = at(temp, v)", "EDGE_NOT_COVERED"},
      {"let up = at(temp, v + 1)\ntemp = up", "EDGE_NOT_COVERED"},
      {"let up = at(temp, v + 1)", "EDGE_NOT_COVERED"},
      {"area = at(at(temp, v + 1), last)", "EDGE_NOT_COVERED"},
      {"temp = at(at(temp, v + 1), v, edge = clamp)", "EDGE_NOT_COVERED"},
      {"temp = at(empty, v + 1, edge = 0.0)", "EDGE_NOT_COVERED"},
      {"reduce { s = sum(at(temp, v + 1)) }", "EDGE_NOT_COVERED"},
      {"foreach column { area = fold(+, at(temp, v + 1)) }",
       "EDGE_NOT_COVERED"},
      {"area = at(temp, 8)", "INDEX_OUT_OF_RANGE"},
      {"area = at(empty, last)", "INDEX_OUT_OF_RANGE"},
      {"area = at(area, 1)", "INDEX_OUT_OF_RANGE"},
      {"temp = at(temp, v + 65, edge = clamp)", "PROGRAM_LIMIT"},
      {"temp = at(temp, v + 1, edge = salt)", "BAD_ARGUMENT"},
  };
  for (const ErrorCase& c : kCases) {
    EXPECT_EQ(ReasonOf(VerifyText(c.text).status()), c.reason) << c.text;
  }
}

TEST(VerifyShapesTest, ReadsInsideTheLevelsAreTaken) {
  for (const char* text : {
           "temp = at(temp, v + 1, edge = clamp)",
           "temp = at(temp, v - 1, edge = 0.0)",
           "face = at(temp, v - 1, edge = clamp)",
           "temp = at(face, v + 1) - at(face, v)",
           "area = at(temp, last) - at(temp, 0)",
           "area = at(temp, v + 7)",
           "temp = at(at(temp, v + 1), v - 1, edge = 0.0)",
           "area = at(at(temp, v + 1), 6)",
           "temp = at(area, v + 1, edge = clamp)",
           "empty = at(temp, v + 1)",
       }) {
    EXPECT_OK(VerifyText(text)) << text;
  }
}

TEST(VerifyShapesTest, AnEdgeErrorStandsAtTheOffsetAndNamesTheLevels) {
  const auto program = VerifyText("salt = temp\ntemp = 1.0 + at(salt, v + 1)");

  EXPECT_THAT(program,
              IsError(absl::StatusCode::kInvalidArgument, "EDGE_NOT_COVERED",
                      AllOf(StartsWith("line 2, column 14: "),
                            HasSubstr("levels 1 to 8 of \"salt\""),
                            HasSubstr("[0, 8)"), HasSubstr("edge = clamp"))));
}

TEST(VerifyForeachTest, StoresOfALoopWalkTheSameSlices) {
  const ErrorCase kCases[] = {
      {"foreach column { temp = salt\n area = at(temp, 0)\n face = 1.0 }",
       "OK"},
      {"foreach point { temp = salt\n cold = temp }", "OK"},
      {"foreach point { let a = area }", "OK"},
      {"foreach point { temp = salt\n area = at(salt, 0) }", "SHAPE_MISMATCH"},
      {"foreach column { temp = salt\n other = 1.0 }", "SHAPE_MISMATCH"},
      {"foreach column { temp = salt\n single = 1.0 }", "SHAPE_MISMATCH"},
      {"foreach point mask ocean { temp = salt }", "OK"},
      {"foreach column mask ocean and not ice { temp = salt }", "OK"},
      {"foreach column mask ocean { let a = temp }", "OK"},
      {"foreach column mask lake { temp = salt }", "MASK_SHAPE_MISMATCH"},
      {"foreach column mask ocean or lake { temp = salt }",
       "MASK_SHAPE_MISMATCH"},
      {"foreach column mask ocean { single = 1.0 }", "MASK_SHAPE_MISMATCH"},
      {"foreach column mask sea { temp = salt }", "MASK_NOT_FOUND"},
  };
  for (const ErrorCase& c : kCases) {
    EXPECT_EQ(ReasonOf(VerifyText(c.text).status()), c.reason) << c.text;
  }
}

TEST(VerifyForeachTest, MasksAreListedPerTerm) {
  ASSERT_OK_AND_ASSIGN(
      const VerifiedProgram program,
      VerifyText("foreach point mask ice and (ocean or ice) { temp = 1.0 }"));

  ASSERT_THAT(program.masks, SizeIs(2));
  EXPECT_EQ(program.masks[0].id, "ice");
  EXPECT_THAT(program.statements[0].masks, testing::ElementsAre(0, 1, 0));
  EXPECT_EQ(program.statements[0].mask_shape, (Shape{{1, 2, 2, 3}}));
}

TEST(VerifyForeachTest, FoldsGiveOneValuePerColumn) {
  ASSERT_OK_AND_ASSIGN(const VerifiedProgram program, VerifyText(R"(
      foreach column mask ocean {
        let ok2 = isfinite(temp)
        area = fold(+, select(ok2, 1025.0 * 3985.0 * temp * salt, 0.0))
        temp = fold(max, temp, init = 0.0)
      })"));

  EXPECT_EQ(program.statements[0].assignments[1].shape, (Shape{{1, 2, 2, 3}}));
}

TEST(VerifyForeachTest, FoldsAreChecked) {
  const ErrorCase kCases[] = {
      {"area = fold(+, temp)", "BAD_GRAPH"},
      {"foreach point { temp = fold(+, temp) }", "BAD_GRAPH"},
      {"reduce { s = sum(fold(+, temp)) }", "BAD_GRAPH"},
      {"foreach column { area = fold(+, 1.0) }", "SHAPE_MISMATCH"},
      {"foreach column { area = fold(+, empty) }", "BAD_ARGUMENT"},
      {"foreach column { area = fold(+, empty, init = 0.0) }", "OK"},
      {"foreach column { area = fold(+, temp, init = salt) }",
       "SHAPE_MISMATCH"},
      {"foreach column { area = fold(+, temp, init = area) }", "OK"},
      {"foreach column { number = fold(max, number, init = 0.5) }",
       "TYPE_MISMATCH"},
      {"foreach column { ok = fold(and, temp) }", "TYPE_MISMATCH"},
      {"foreach column { ok = fold(max, ok) }", "TYPE_MISMATCH"},
      {"foreach column { ok = fold(or, ok) }", "OK"},
      {"foreach column { temp = fold(+, ok) }", "OK"},
      {"foreach column { area = fold(+, pair).0 }", "OK"},
      {"temp = scan(+, temp)", "BAD_GRAPH"},
      {"foreach column { temp = scan(+, temp) }", "OK"},
      {"foreach column { area = scan(+, temp) }", "SHAPE_MISMATCH"},
      {"foreach column { temp = scan(+, 1.0) }", "SHAPE_MISMATCH"},
      {"foreach column { temp = scan(max, temp, exclusive = true) }",
       "BAD_ARGUMENT"},
      {"foreach column { temp = scan(max, temp, exclusive = true, "
       "init = area) }",
       "OK"},
      {"foreach column { temp = at(scan(+, temp), v + 1) }",
       "EDGE_NOT_COVERED"},
      {"foreach column { temp = at(scan(+, temp), v + 1, edge = clamp) }",
       "OK"},
      {"foreach column { area = fold(+, pair, init = 1.0).0 }", "OK"},
  };
  for (const ErrorCase& c : kCases) {
    EXPECT_EQ(ReasonOf(VerifyText(c.text).status()), c.reason) << c.text;
  }
}

TEST(VerifyForeachTest, OtherPointsOfWhatALoopStoresAreOutOfReach) {
  const ErrorCase kCases[] = {
      {"foreach point { temp = 1.0\n salt = at(temp, v + 1, edge = clamp) }",
       "CROSS_SLICE_HAZARD"},
      {"foreach point { salt = at(temp, v + 1, edge = clamp)\n temp = 1.0 }",
       "CROSS_SLICE_HAZARD"},
      {"foreach point { let up = at(temp, 0)\n salt = up\n temp = 1.0 }",
       "CROSS_SLICE_HAZARD"},
      {"foreach point { let t = temp + 1.0\n salt = at(t, 0)\n temp = 1.0 }",
       "CROSS_SLICE_HAZARD"},
      {"foreach point { temp = at(temp, v + 1, edge = clamp) }", "OK"},
      {"foreach point { temp = 1.0\n salt = temp }", "OK"},
      {"foreach column { temp = 1.0\n salt = at(temp, v + 1, edge = clamp) }",
       "OK"},
      {"temp = 1.0\nsalt = at(temp, v + 1, edge = clamp)", "OK"},
  };
  for (const ErrorCase& c : kCases) {
    EXPECT_EQ(ReasonOf(VerifyText(c.text).status()), c.reason) << c.text;
  }
}

TEST(VerifyForeachTest, AHazardNamesBothStatements) {
  const auto program =
      VerifyText("foreach point {\n  temp = 1.0\n  salt = at(temp, 0)\n}");

  EXPECT_THAT(
      program,
      IsError(absl::StatusCode::kInvalidArgument, "CROSS_SLICE_HAZARD",
              AllOf(HasSubstr("line 2, column 3"), HasSubstr("\"temp\""),
                    HasSubstr("line 3, column 3"), HasSubstr("\"salt\""))));
}

}  // namespace
}  // namespace layoutd
