#include "engine/program/verify.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/engine/program/verify_fixture.h"
#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

struct TypeCase {
  const char* text;
  const char* type;
};

TEST(VerifyTypesTest, ExpressionsHaveTheTypeOfPromotion) {
  const TypeCase kCases[] = {
      {"let x = temp + cold", "f64"},
      {"let x = 0.5 * cold", "f32"},
      {"let x = 1 + number", "i32"},
      {"let x = number / 2", "f64"},
      {"let x = number + 0.5", "f64"},
      {"let x = temp > 20.0", "bool"},
      {"let x = isfinite(cold) and ok", "bool"},
      {"let x = sqrt(cold)", "f32"},
      {"let x = exp(number)", "f64"},
      {"let x = select(ok, cold, 0.0)", "f32"},
      {"let x = f32(temp)", "f32"},
      {"let x = @v", "i64"},
      {"let x = 1", "i64"},
      {"let x = 1 + 0.5", "f64"},
      {"let x = 2_f32", "f32"},
      {"let x = true", "bool"},
      {"let x = at(cold, v + 1, edge = 0.0)", "f32"},
      {"let x = (temp, 1, ok)", "(f64, i64, bool)"},
      {"let x = {a: cold, b: (number, temp)}", "{a: f32, b: (i32, f64)}"},
      {"let x = wind + 1", "{u: f64, v: f32}"},
      {"let x = wind * pair", "{u: f64, v: f64}"},
      {"let x = pair + (cold, number)", "(f64, f64)"},
      {"let x = wind > 0.0", "{u: bool, v: bool}"},
      {"let x = select(wind > 0.0, wind, 0.0)", "{u: f64, v: f32}"},
      {"let x = select(ok, wind, pair)", "{u: f64, v: f64}"},
      {"let x = i32(wind)", "{u: i32, v: i32}"},
      {"let x = wind.v", "f32"},
      {"let x = pair.1", "f64"},
      {"let x = abs(wind).v", "f32"},
  };
  for (const TypeCase& c : kCases) {
    const auto program = VerifyText(c.text);
    ASSERT_TRUE(program.ok()) << c.text << ": " << program.status();
    EXPECT_EQ(FirstValue(*program).type.ToString(), c.type) << c.text;
  }
}

struct ErrorCase {
  const char* text;
  const char* reason;
};

TEST(VerifyTypesTest, WhatHasNoTypeIsRefused) {
  const ErrorCase kCases[] = {
      {"let x = ok + ok", "TYPE_MISMATCH"},
      {"let x = temp and ok", "TYPE_MISMATCH"},
      {"let x = not temp", "TYPE_MISMATCH"},
      {"let x = select(temp, 1, 2)", "TYPE_MISMATCH"},
      {"let x = sqrt(ok)", "TYPE_MISMATCH"},
      {"let x = pair + (temp, temp, temp)", "TYPE_MISMATCH"},
      {"let x = wind + {u: temp, w: temp}", "TYPE_MISMATCH"},
      {"let x = (temp, pair) + (temp, (temp, temp, temp))", "TYPE_MISMATCH"},
      {"let x = temp.u", "UNKNOWN_COMPONENT"},
      {"let x = wind.w", "UNKNOWN_COMPONENT"},
      {"let x = wind.0", "UNKNOWN_COMPONENT"},
      {"let x = pair.2", "UNKNOWN_COMPONENT"},
      {"let x = at(cold, v + 1, edge = 0.0_f64)", "TYPE_MISMATCH"},
      {"let x = at(number, v + 1, edge = 0.5)", "TYPE_MISMATCH"},
      {"number = temp", "TYPE_MISMATCH"},
      {"number = 0.5", "TYPE_MISMATCH"},
      {"ok = number", "TYPE_MISMATCH"},
      {"ok = 1", "TYPE_MISMATCH"},
      {"temp = pair", "TYPE_MISMATCH"},
      {"pair = temp", "TYPE_MISMATCH"},
      {"pair = (temp, temp, temp)", "TYPE_MISMATCH"},
      {"wind = {v: temp, u: temp}", "TYPE_MISMATCH"},
      {"wind.w = temp", "UNKNOWN_COMPONENT"},
  };
  for (const ErrorCase& c : kCases) {
    EXPECT_EQ(ReasonOf(VerifyText(c.text).status()), c.reason) << c.text;
  }
}

TEST(VerifyTypesTest, ValuesThatConvertMayBeStored) {
  for (const char* text :
       {"cold = temp", "temp = number", "byte = number", "number = ok",
        "wind = (temp, temp)", "pair = wind", "pair.1 = cold",
        "number = i32(temp)", "temp = 1", "cold = 0.1", "wind.v = 1",
        "temp = gravity", "temp = @v", "cold = inf"}) {
    EXPECT_OK(VerifyText(text)) << text;
  }
}

TEST(VerifyTypesTest, LiteralsOutOfRangeAreRefused) {
  for (const char* text : {
           "let x = byte + 128",
           "let x = byte + (-129)",
           "let x = wide + (-1)",
           "let x = 128_i8",
           "let x = 256_u8",
           "let x = 1.5_i32",
           "let x = 1e39_f32",
           "let x = cold + 1e39",
           "let x = cold * (1e30 * 1e30)",
           "byte = 128",
           "byte = 100 + 28",
           "wide = -1",
           "let x = (9223372036854775808, temp)",
           "new x = select(ok, 9223372036854775808, 0)",
           "let x = 170141183460469231731687303715884105728",
           "let x = 100000000000000000000 * 100000000000000000000",
       }) {
    EXPECT_EQ(ReasonOf(VerifyText(text).status()), "LITERAL_RANGE") << text;
  }
}

TEST(VerifyTypesTest, LiteralsInRangeAreTaken) {
  for (const char* text : {
           "let x = byte + 127",
           "let x = byte + (-128)",
           "let x = -128_i8",
           "byte = 100 + 27",
           "wide = 18446744073709551615",
           "let x = u64(18446744073709551615)",
           "let x = cold + 16777217",
           "let x = cold + inf",
           "let x = cold + nan",
           "let x = 1_f32",
       }) {
    EXPECT_OK(VerifyText(text)) << text;
  }
}

TEST(VerifyTypesTest, ArithmeticOnNumbersAloneIsFoldedAndStaysWeak) {
  ASSERT_OK_AND_ASSIGN(const VerifiedProgram integer,
                       VerifyText("let x = -(2 * 3 + 1)"));
  ASSERT_OK_AND_ASSIGN(const VerifiedProgram quotient,
                       VerifyText("let x = 1 / 4"));

  EXPECT_TRUE(FirstValue(integer).weak);
  EXPECT_TRUE(FirstValue(integer).constant->As<Int128>() == -7);
  EXPECT_TRUE(FirstValue(quotient).weak);
  EXPECT_EQ(FirstValue(quotient).constant->As<double>(), 0.25);
}

TEST(VerifyTypesTest, AWeakLetTakesTheTypeOfWhatItMeets) {
  ASSERT_OK_AND_ASSIGN(const VerifiedProgram program,
                       VerifyText("let half = 0.5\nnew x = half * cold"));

  EXPECT_EQ(program.fields.back().layout.type().ToString(), "f32");
}

TEST(VerifyNamesTest, NamesResolveToLetsThenResultsThenFields) {
  ASSERT_OK_AND_ASSIGN(const VerifiedProgram program, VerifyText(R"(
      let a = temp
      reduce { total = sum(temp) }
      let salt = a
      temp = salt + total + cold
  )"));

  EXPECT_THAT(program.fields, SizeIs(2));  // temp and cold: salt is a let
  EXPECT_EQ(program.fields[0].id, "temp");
  EXPECT_TRUE(program.fields[0].read);
  EXPECT_TRUE(program.fields[0].written);
  EXPECT_EQ(program.fields[1].id, "cold");
  EXPECT_FALSE(program.fields[1].written);
  ASSERT_THAT(program.results, SizeIs(1));
  EXPECT_EQ(program.results[0].name, "total");
}

TEST(VerifyNamesTest, ABlockLetEndsWithItsBlock) {
  const auto program = VerifyText(R"(
      foreach point { let warm = temp + 1.0
                      temp = warm }
      salt = warm
  )");

  EXPECT_THAT(program, IsError(absl::StatusCode::kNotFound, "NAME_NOT_FOUND",
                               HasSubstr("\"warm\"")));
}

TEST(VerifyNamesTest, AnUnknownNameComesWithTheNearestAndItsPlace) {
  const auto program = VerifyText("let tempo = temp\nsalt = temq + 1.0");

  EXPECT_THAT(program, IsError(absl::StatusCode::kNotFound, "NAME_NOT_FOUND",
                               AllOf(StartsWith("line 2, column 8: "),
                                     HasSubstr("\"temp\""))));
  const ErrorDetail detail = DetailOf(program.status());
  ASSERT_THAT(detail.violations, SizeIs(1));
  EXPECT_EQ(detail.violations[0].first, "program.text:2:8");
}

TEST(VerifyNamesTest, SuggestionsComeFromTheCatalogToo) {
  Catalog catalog = MakeCatalog();
  catalog.suggest_fields = [](absl::string_view) {
    return std::vector<std::string>{"density"};
  };
  ASSERT_OK_AND_ASSIGN(Program program, ParseProgram("temp = densitx"));

  EXPECT_THAT(VerifyProgram(program, catalog),
              IsError(absl::StatusCode::kNotFound, "NAME_NOT_FOUND",
                      HasSubstr("\"density\"")));
}

TEST(VerifyNamesTest, BindingsShareTheFieldTheyStandFor) {
  Catalog catalog = MakeCatalog();
  catalog.fields.insert({"x", catalog.fields.at("temp")});
  catalog.fields.insert({"y", catalog.fields.at("temp")});
  ASSERT_OK_AND_ASSIGN(Program program, ParseProgram("x = y + 1.0"));

  ASSERT_OK_AND_ASSIGN(const VerifiedProgram verified,
                       VerifyProgram(program, catalog));

  ASSERT_THAT(verified.fields, SizeIs(1));
  EXPECT_EQ(verified.fields[0].id, "temp");
}

TEST(VerifyNamesTest, NamesStandOnce) {
  for (const char* text : {
           "let a = temp\nlet a = salt",
           "let a = temp\nreduce { a = sum(temp) }",
           "reduce { a = sum(temp)\n a = max(temp) }",
           "reduce { a = sum(temp) }\nlet a = temp",
           "foreach point { let a = temp\n let a = salt }",
       }) {
    EXPECT_EQ(ReasonOf(VerifyText(text).status()), "DUPLICATE_NAME") << text;
  }
  EXPECT_OK(
      VerifyText("let a = temp\nforeach point { let a = salt\ntemp = a}"));
  EXPECT_OK(VerifyText("let temp = salt\ncold = temp"));
}

TEST(VerifyNewTest, TheFieldHasTheShapeAndTypeOfItsValue) {
  ASSERT_OK_AND_ASSIGN(const VerifiedProgram program,
                       VerifyText("new heat = at(temp, 0) * area\n"
                                  "new twice = heat + heat"));

  ASSERT_THAT(program.fields, SizeIs(4));
  const FieldUse& heat = program.fields[2];
  EXPECT_EQ(heat.id, "heat");
  EXPECT_TRUE(heat.created);
  EXPECT_TRUE(heat.written);
  EXPECT_TRUE(heat.read);
  EXPECT_EQ(heat.layout.shape(), (Shape{{1, 2, 2, 3}}));
  EXPECT_EQ(heat.layout.type().ToString(), "f64");
  EXPECT_EQ(program.statements[0].assignments[0].field, 2);
  EXPECT_EQ(program.statements[0].assignments[0].num_leaves, 1);
}

TEST(VerifyNewTest, TheLayoutIsThatOfTheLargestOperand) {
  const struct {
    const char* text;
    LayoutKind kind;
  } kCases[] = {
      {"new x = gravity * area * salt", LayoutKind::kVIJHF},
      {"new x = temp + salt", LayoutKind::kVIJFH},
      {"let s = salt\nnew x = s + temp", LayoutKind::kVIJHF},
      {"new x = gravity * 2.0", LayoutKind::kDataF},
  };
  for (const auto& c : kCases) {
    ASSERT_OK_AND_ASSIGN(const VerifiedProgram program, VerifyText(c.text));
    EXPECT_EQ(program.fields.back().layout.kind(), c.kind) << c.text;
  }
}

TEST(VerifyNewTest, WhatCannotBeCreatedIsRefused) {
  const ErrorCase kCases[] = {
      {"new temp = salt", "FIELD_EXISTS"},
      {"new x = temp\nnew x = temp", "FIELD_EXISTS"},
      {"new x = 1.0", "SHAPE_MISMATCH"},
      {"new x = @v", "SHAPE_MISMATCH"},
      {"new Big = temp", "BAD_ID"},
      {"new \"a//b\" = temp", "BAD_ID"},
      {"x = temp", "NAME_NOT_FOUND"},
  };
  for (const ErrorCase& c : kCases) {
    EXPECT_NE(ReasonOf(VerifyText(c.text).status()), "OK") << c.text;
    if (std::string(c.reason) == "BAD_ID") continue;  // the parser may say so
    EXPECT_EQ(ReasonOf(VerifyText(c.text).status()), c.reason) << c.text;
  }
  EXPECT_EQ(VerifyText("new temp = salt").status().code(),
            absl::StatusCode::kAlreadyExists);
}

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

TEST(VerifyTest, TheOceanDiagnosisIsTaken) {
  Catalog catalog = MakeCatalog();
  AddField(catalog, "dz", "f64", {{8, 1, 1, 1}});
  AddField(catalog, "depth", "f64", {{8, 1, 1, 1}});
  AddField(catalog, "d20", "f64", {{1, 2, 2, 3}});
  ASSERT_OK_AND_ASSIGN(Program program, ParseProgram(R"(
      new heat = at(temp, 0)
      foreach column mask ocean {
        let ok = isfinite(temp)
        heat   = fold(+, select(ok, 1025.0 * 3985.0 * temp * dz, 0.0))
        d20    = fold(max, select(ok and temp > 20.0, depth, 0.0))
      }
      reduce mask ocean {
        total = sum(heat * area)
        tmean = mean(temp, weight = area * dz, where = isfinite(temp))
        tmin  = min(temp, where = isfinite(temp))
        warm  = count(temp > 20.0)
      })"));

  ASSERT_OK_AND_ASSIGN(const VerifiedProgram verified,
                       VerifyProgram(program, catalog));

  ASSERT_THAT(verified.results, SizeIs(4));
  EXPECT_EQ(verified.results[3].type.ToString(), "i64");
  EXPECT_THAT(verified.warnings, IsEmpty());
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

TEST(VerifyReduceTest, ResultsHaveTheTypeOfTheirReduction) {
  const TypeCase kCases[] = {
      {"reduce { x = sum(number) }", "i64"},
      {"reduce { x = sum(ok) }", "i64"},
      {"reduce { x = sum(cold) }", "f32"},
      {"reduce { x = mean(number, weight = area) }", "f64"},
      {"reduce { x = mean(cold, weight = 2) }", "f32"},
      {"reduce { x = min(byte) }", "i8"},
      {"reduce { x = count(temp > 1.0) }", "i64"},
      {"reduce { x = any(ok) }", "bool"},
      {"reduce { x = max(wind) }", "{u: f64, v: f32}"},
      {"reduce { x = sqrt(mean(temp * temp, weight = area)) }", "f64"},
      {"reduce { x = sum(temp) / count(ok) }", "f64"},
      {"reduce { x = 5 }", "i64"},
      {"reduce { x = sum(temp, where = ok, init = 1) }", "f64"},
  };
  for (const TypeCase& c : kCases) {
    const auto program = VerifyText(c.text);
    ASSERT_TRUE(program.ok()) << c.text << ": " << program.status();
    EXPECT_EQ(program->results[0].type.ToString(), c.type) << c.text;
  }
}

TEST(VerifyReduceTest, ReductionsAreChecked) {
  const ErrorCase kCases[] = {
      {"reduce { x = sum(1.0) }", "CONSTANT_REDUCTION"},
      {"reduce { x = sum(@v) }", "CONSTANT_REDUCTION"},
      {"reduce { x = sum(temp) }\nreduce { y = sum(x) }", "CONSTANT_REDUCTION"},
      {"reduce { x = temp }", "BAD_ARGUMENT"},
      {"reduce { x = sum(temp) + area }", "BAD_ARGUMENT"},
      {"reduce { x = at(temp, 0) }", "BAD_ARGUMENT"},
      {"reduce { x = @v }", "BAD_ARGUMENT"},
      {"let a = @v\nreduce { x = a + sum(temp) }", "BAD_ARGUMENT"},
      {"let a = 2.0\nreduce { x = a * sum(temp) }", "OK"},
      {"let a = temp\nreduce { x = sum(a) }", "OK"},
      {"temp = sum(temp)", "BAD_GRAPH"},
      {"let a = sum(temp)", "BAD_GRAPH"},
      {"foreach column { temp = max(temp) }", "BAD_GRAPH"},
      {"reduce { x = sum(temp - mean(temp)) }", "BAD_GRAPH"},
      {"reduce { x = count(temp) }", "TYPE_MISMATCH"},
      {"reduce { x = all(number) }", "TYPE_MISMATCH"},
      {"reduce { x = min(ok) }", "TYPE_MISMATCH"},
      {"reduce { x = mean(temp, weight = ok) }", "TYPE_MISMATCH"},
      {"reduce { x = mean(temp, weight = pair) }", "TYPE_MISMATCH"},
      {"reduce { x = sum(temp, where = number) }", "TYPE_MISMATCH"},
      {"reduce { x = sum(temp, weight = area) }", "BAD_ARGUMENT"},
      {"reduce { x = count(ok, init = 1) }", "BAD_ARGUMENT"},
      {"reduce { x = mean(temp, init = 1.0) }", "BAD_ARGUMENT"},
      {"reduce { x = sum(temp, init = area) }", "BAD_ARGUMENT"},
      {"reduce { x = min(number, init = 0.5) }", "TYPE_MISMATCH"},
      {"reduce { x = min(byte, init = 300) }", "LITERAL_RANGE"},
      {"reduce { x = sum(area, where = ok) }", "SHAPE_MISMATCH"},
      {"reduce { x = mean(temp, weight = other) }", "SHAPE_MISMATCH"},
      {"reduce mask ocean { x = sum(temp)\n y = max(area) }", "OK"},
      {"reduce mask ocean { x = sum(single) }", "MASK_SHAPE_MISMATCH"},
      {"reduce mask lake { x = sum(temp) }", "MASK_SHAPE_MISMATCH"},
      {"reduce { m = mean(temp)\n x = sqrt(m) }", "OK"},
      {"reduce { m = mean(temp)\n x = sum(temp - m) }", "BAD_ARGUMENT"},
      {"reduce { m = mean(temp) }\nreduce { x = sum(temp - m, init = m) }",
       "OK"},
      {"reduce { m = max(temp) }\nsalt = temp - m", "OK"},
  };
  for (const ErrorCase& c : kCases) {
    EXPECT_EQ(ReasonOf(VerifyText(c.text).status()), c.reason) << c.text;
  }
}

TEST(VerifyReduceTest, AnUnweightedMeanOverElementsIsWarnedOf) {
  ASSERT_OK_AND_ASSIGN(const VerifiedProgram warned,
                       VerifyText("reduce { x = mean(temp) }"));
  ASSERT_OK_AND_ASSIGN(const VerifiedProgram weighted,
                       VerifyText("reduce { x = mean(temp, weight = area) }"));
  ASSERT_OK_AND_ASSIGN(const VerifiedProgram column,
                       VerifyText("reduce { x = mean(single) }"));

  ASSERT_THAT(warned.warnings, SizeIs(1));
  EXPECT_EQ(warned.warnings[0].code, "UNWEIGHTED_MEAN");
  EXPECT_THAT(warned.warnings[0].message, StartsWith("line 1, column 14: "));
  EXPECT_THAT(weighted.warnings, IsEmpty());
  EXPECT_THAT(column.warnings, IsEmpty());
}

TEST(VerifyStoreTest, AComponentIsARangeOfLeaves) {
  ASSERT_OK_AND_ASSIGN(const VerifiedProgram program,
                       VerifyText("wind.v = cold"));

  const AssignmentInfo& info = program.statements[0].assignments[0];
  EXPECT_EQ(info.first_leaf, 1);
  EXPECT_EQ(info.num_leaves, 1);
  EXPECT_EQ(info.shape, (Shape{{8, 2, 2, 3}}));
}

TEST(VerifyLimitsTest, StoresInputsAndReductionsAreCounted) {
  Catalog catalog = MakeCatalog();
  std::string inputs = "temp = temp";
  for (int k = 0; k < 64; ++k) {
    const std::string id = absl::StrCat("field", k);
    AddField(catalog, id, "f64", {{8, 2, 2, 3}});
    absl::StrAppend(&inputs, " + ", id);
  }
  std::string stores;
  for (int k = 0; k < 33; ++k) absl::StrAppend(&stores, "temp = 1.0\n");
  std::string reductions = "reduce {\n";
  for (int k = 0; k < 17; ++k) {
    absl::StrAppend(&reductions, "r", k, " = sum(temp)\n");
  }
  reductions += "}";

  for (const std::string& text : {inputs, stores, reductions}) {
    ASSERT_OK_AND_ASSIGN(Program program, ParseProgram(text));
    EXPECT_THAT(VerifyProgram(program, catalog),
                IsError(absl::StatusCode::kInvalidArgument, "PROGRAM_LIMIT",
                        HasSubstr("at most")));
  }
}

TEST(VerifyLimitsTest, LetsThatMultiplyAreRefused) {
  std::string text = "let a0 = temp\n";
  for (int k = 1; k < 60; ++k) {
    absl::StrAppend(&text, "let a", k, " = a", k - 1, " + a", k - 1, "\n");
  }
  text += "temp = a59";

  EXPECT_EQ(ReasonOf(VerifyText(text).status()), "PROGRAM_LIMIT");
}

TEST(VerifyLimitsTest, LetsThatNestDeeplyAreRefused) {
  std::string text = "let a0 = temp\n";
  for (int k = 1; k < 600; ++k) {
    absl::StrAppend(&text, "let a", k, " = a", k - 1, " + 1.0\n");
  }
  text += "temp = a599";

  EXPECT_EQ(ReasonOf(VerifyText(text).status()), "PROGRAM_LIMIT");
}

}  // namespace
}  // namespace layoutd
