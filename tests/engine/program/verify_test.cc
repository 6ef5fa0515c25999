#include "engine/program/verify.h"

#include <string>
#include <vector>

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
      // Both are the largest; the order does not matter.
      {"new x = temp + salt", LayoutKind::kVIJHF},
      {"new x = salt + temp", LayoutKind::kVIJHF},
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
      {"reduce { x = sum(temp, weight = area) }", "OK"},
      {"reduce { x = max(temp, weight = area) }", "BAD_ARGUMENT"},
      {"reduce { x = count(ok, weight = area) }", "BAD_ARGUMENT"},
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
      {"reduce { m = mean(temp)\n x = sum(temp - m) }", "OK"},
      {"reduce { x = sum(temp - m)\n m = mean(temp) }", "NAME_NOT_FOUND"},
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
