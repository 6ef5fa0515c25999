// broadcast_vectors.json: how shapes, layouts and struct values combine.

#include <map>
#include <regex>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "engine/layout/shape.h"
#include "engine/program/parse.h"
#include "engine/program/plan.h"
#include "tests/support/julia_type.h"
#include "tests/support/program_world.h"
#include "tests/support/status_matchers.h"
#include "tests/support/vector_file.h"

namespace layoutd {
namespace {

constexpr char kFile[] = "broadcast_vectors.json";
using MaybeIntegers = std::vector<std::optional<int64_t>>;

TEST(BroadcastVectorsTest, EverySectionIsRead) {
  ExpectSections(kFile,
                 {"shape_combination", "style_combination", "nested_values",
                  "assignment", "expression_linear_index"});
}

// Returns the shape with `dynamic` in place of null.
Shape ShapeOf(const MaybeIntegers& extents, int64_t dynamic) {
  Shape shape;
  EXPECT_EQ(extents.size(), 4u);
  for (size_t k = 0; k < 4 && k < extents.size(); ++k) {
    shape.extents[k] = extents[k].value_or(dynamic);
  }
  return shape;
}

Catalog CatalogOf(
    const std::vector<std::pair<std::string, DataLayout>>& fields) {
  Catalog catalog;
  for (const auto& [id, layout] : fields) {
    catalog.fields.emplace(id, Catalog::FieldEntry{id, layout});
  }
  return catalog;
}

class ShapeVectorTest : public VectorTest {};

TEST_P(ShapeVectorTest, ShapesCombineOrAreRefused) {
  VectorRecord c = Case();
  c.Ignore("name", "for readers");
  const auto a = c.Get<MaybeIntegers>("a");
  const auto b = c.Get<MaybeIntegers>("b");
  const auto result = c.Get<nlohmann::json>("type_level_result");
  // A dynamic extent is known only at run time; give it that of the other side
  // where that is known, so that the two agree.
  int64_t dynamic = 6;
  if (a[3].has_value() != b[3].has_value()) {
    const int64_t known = a[3] ? *a[3] : *b[3];
    if (known > 1) dynamic = known;
  }

  const absl::StatusOr<Shape> got =
      BroadcastShapes(ShapeOf(a, dynamic), ShapeOf(b, dynamic));

  if (result.is_string()) {
    EXPECT_EQ(result.get<std::string>(), "DimensionMismatch");
    EXPECT_THAT(got, IsError(absl::StatusCode::kInvalidArgument,
                             "SHAPE_MISMATCH", testing::_));
    return;
  }
  ASSERT_OK(got);
  MaybeIntegers want;
  for (const nlohmann::json& extent : result) {
    want.push_back(extent.is_null()
                       ? std::nullopt
                       : std::optional<int64_t>(extent.get<int64_t>()));
  }
  EXPECT_EQ(*got, ShapeOf(want, dynamic));
}

LAYOUTD_VECTORS(ShapeVectorTest, kFile, "shape_combination", "Shape");

Shape ShapeFor(LayoutKind kind) {
  switch (FamilyOf(kind)) {
    case LayoutFamily::kDataF:
      return {};
    case LayoutFamily::kVIJH:
      return {{2, 3, 3, 4}};
    case LayoutFamily::kVIH1:
      return {{2, 3, 1, 1}};
    case LayoutFamily::kIH1JH2:
      return {{1, 3, 3, 1}};
  }
  return {};
}

class StyleVectorTest : public VectorTest {};

TEST_P(StyleVectorTest, TheLayoutOfAResultFollowsItsOperands) {
  VectorRecord c = Case();
  c.Ignore("note", "for readers");
  const std::string names[] = {c.Get<std::string>("left"),
                               c.Get<std::string>("right")};
  const auto kind_name = c.Find<std::string>("kind");
  const auto f_dim = c.Find<int64_t>("F");
  const auto error = c.Find<std::string>("error");
  std::vector<std::pair<std::string, DataLayout>> fields;
  for (const std::string& name : names) {
    if (name == "scalar") continue;
    const LayoutKind kind =
        ParseLayoutName(name.substr(0, name.find(' '))).value().kind;
    fields.emplace_back(
        fields.empty() ? "a" : "b",
        DataLayout::Create({kind, ShapeFor(kind), ScalarType::kF64}).value());
  }
  const std::string other = fields.size() == 2 ? "b" : "1.5";

  for (const std::string& text : {absl::StrCat("new z = a + ", other),
                                  absl::StrCat("new z = ", other, " + a")}) {
    if (error) {
      EXPECT_THAT(VerifyProgram(ParseProgram(text).value(), CatalogOf(fields)),
                  IsError(absl::StatusCode::kInvalidArgument, "LAYOUT_MISMATCH",
                          testing::_));
      continue;
    }
    ASSERT_OK_AND_ASSIGN(
        const VerifiedProgram program,
        VerifyProgram(ParseProgram(text).value(), CatalogOf(fields)));
    LayoutKind got = LayoutKind::kDataF;
    for (const FieldUse& use : program.fields) {
      if (use.created) got = use.layout.kind();
    }
    EXPECT_EQ(kind_name.value(), FamilyOf(got) == LayoutFamily::kVIJH
                                     ? "VIJHWithF"
                                     : std::string(Name(got)));
    if (got == LayoutKind::kVIJH) continue;  // ours: as the note says
    if (f_dim) {
      EXPECT_EQ(FDim(got), *f_dim) << text;
    }
  }
}

LAYOUTD_VECTORS(StyleVectorTest, kFile, "style_combination", "Style");

// Returns an expression of the vectors in layoutd's language: `[a, b]` is a
// tuple, `(a = 1)` a named one; a number is made the value of a field, so that
// the expression has a shape.
std::string Translate(const std::string& text) {
  std::string result;
  std::vector<bool> is_named;
  for (size_t k = 0; k < text.size(); ++k) {
    const char letter = text[k];
    if (absl::ascii_isdigit(static_cast<unsigned char>(letter))) {
      size_t end = k;
      bool is_float = false;
      while (end < text.size() &&
             (absl::ascii_isdigit(static_cast<unsigned char>(text[end])) ||
              text[end] == '.')) {
        is_float |= text[end++] == '.';
      }
      absl::StrAppend(&result, "(", text.substr(k, end - k),
                      is_float ? " + zero_f64)" : " + zero_i64)");
      k = end - 1;
    } else if (letter == '(' || letter == '[') {
      const bool named =
          letter == '(' &&
          std::regex_search(text.substr(k), std::regex("^\\([a-z]+="));
      is_named.push_back(named);
      result += named ? '{' : '(';
    } else if (letter == ')' || letter == ']') {
      result += is_named.back() ? '}' : ')';
      is_named.pop_back();
    } else {
      result += letter == '=' ? ':' : letter;
    }
  }
  return result;
}

// Appends the numbers of a nested result, and its type.
void Flatten(const nlohmann::json& value, std::vector<double>& numbers,
             std::string& type) {
  if (value.is_number()) {
    numbers.push_back(value.get<double>());
    type += value.is_number_integer() ? "i64" : "f64";
    return;
  }
  type += value.is_object() ? "{" : "(";
  for (const auto& item : value.items()) {
    if (value.is_object()) absl::StrAppend(&type, item.key(), ": ");
    Flatten(item.value(), numbers, type);
    type += ", ";
  }
  type += value.is_object() ? "}" : ")";
}

class NestedVectorTest : public VectorTest {};

TEST_P(NestedVectorTest, OperationsGoThroughStructs) {
  VectorRecord c = Case();
  c.Ignore("note", "for readers");
  c.Ignore("source", "says where the vector comes from");
  std::string text = c.Get<std::string>("expr");
  const auto result = c.Find<nlohmann::json>("result");
  const auto error = c.Find<std::string>("error");
  if (absl::StrContains(text, "Vec")) {
    GTEST_SKIP() << "layoutd has no vectors that are leaves";
  }
  text = std::regex_replace(text, std::regex(" \\([a-z ]+\\)$"), "");
  std::string program;
  const std::pair<std::string, std::string> parts =
      absl::StrSplit(text, absl::MaxSplits(" with ", 1));
  if (!parts.second.empty()) {
    const std::pair<std::string, std::string> let =
        absl::StrSplit(parts.second, absl::MaxSplits("=", 1));
    absl::StrAppend(&program, "let ", let.first, " = ", Translate(let.second),
                    "\n");
  }
  absl::StrAppend(&program, "new r = ", Translate(parts.first));

  ProgramWorld world;
  world.AddConstant("zero_i64", "i64", {{3, 2, 2, 2}}, 0);
  world.AddConstant("zero_f64", "f64", {{3, 2, 2, 2}}, 0);
  const absl::Status status = world.Run(program);

  if (error) {
    EXPECT_THAT(status, IsError(absl::StatusCode::kInvalidArgument,
                                "TYPE_MISMATCH", testing::_));
    return;
  }
  ASSERT_OK(status) << program;
  std::vector<double> want;
  std::string type;
  Flatten(result.value(), want, type);
  EXPECT_EQ(world.Field("r").type, ValueType::Parse(type).value()) << type;
  const std::vector<double> got = world.Values("r");
  ASSERT_EQ(got.size(), want.size() * 24);
  for (size_t k = 0; k < got.size(); ++k) {
    EXPECT_EQ(got[k], want[k % want.size()]) << "leaf " << k;
  }
}

LAYOUTD_VECTORS(NestedVectorTest, kFile, "nested_values", "Nested");

class AssignmentVectorTest : public VectorTest {};

TEST_P(AssignmentVectorTest, ASmallerValueIsStoredAndALargerOneRefused) {
  VectorRecord c = Case();
  c.Ignore("note", "for readers");
  const auto dest = c.Get<nlohmann::json>("dest");
  const auto src = c.Get<nlohmann::json>("src");
  const bool ok = c.Find<bool>("ok").value_or(false);
  EXPECT_NE(ok, c.Find<std::string>("error").has_value());
  if (src == "tuple of 2") {
    GTEST_SKIP() << "levels(a, b), a tuple along v, is not built";
  }

  ProgramWorld world;
  const auto shape_of = [](const nlohmann::json& json) {
    Shape shape;
    for (size_t k = 0; k < json.size(); ++k) {
      shape.extents[k] = json[k].get<int64_t>();
    }
    return shape;
  };
  if (dest.is_array() || dest == "DataF") {
    world.AddConstant("y", "f64", dest.is_array() ? shape_of(dest) : Shape(),
                      7);
    world.AddConstant("x", "f64", src.is_array() ? shape_of(src) : Shape(), 3);
    const absl::Status status =
        world.Run(src == "1-tuple" ? "y = (x,)" : "y = x");
    if (ok) {
      ASSERT_OK(status);
    } else {
      EXPECT_THAT(status, IsError(absl::StatusCode::kInvalidArgument,
                                  "SHAPE_MISMATCH", testing::_));
    }
    for (double value : world.Values("y")) EXPECT_EQ(value, ok ? 3 : 7);
    return;
  }

  // A type on the left, a value on the right.
  ASSERT_OK_AND_ASSIGN(const ValueType type,
                       ParseJuliaType(dest.get<std::string>() == "F32"
                                          ? "Float32"
                                          : dest.get<std::string>()));
  world.AddConstant("y", type.ToString(), {{2, 2, 2, 2}}, 7);
  world.AddConstant("zero_f64", "f64", {{2, 2, 2, 2}}, 0);
  world.AddConstant("zero_i64", "i64", {{2, 2, 2, 2}}, 0);
  std::string value = src.is_string() ? src.get<std::string>() : src.dump();
  value =
      std::regex_replace(value, std::regex("Float64\\(([0-9]+)\\)"), "$1.0");
  const absl::Status status = world.Run("y = " + Translate(value));
  if (ok) {
    ASSERT_OK(status);
    for (double number : world.Values("y")) EXPECT_EQ(number, std::stod(value));
  } else {
    EXPECT_THAT(status, IsError(absl::StatusCode::kInvalidArgument,
                                "TYPE_MISMATCH", testing::_));
    for (double number : world.Values("y")) EXPECT_EQ(number, 7);
  }
}

LAYOUTD_VECTORS(AssignmentVectorTest, kFile, "assignment", "Assignment");

class LinearVectorTest : public VectorTest {};

TEST_P(LinearVectorTest, ALoopWalksOneRowWhereAllShapesAreTheSame) {
  VectorRecord c = Case();
  const auto args = c.Get<std::vector<std::string>>("args");
  const bool linear = c.Get<bool>("linear");
  const Shape volume{{10, 4, 4, 5}};
  const auto layout = [](LayoutKind kind, const Shape& shape) {
    return DataLayout::Create({kind, shape, ScalarType::kF64}).value();
  };
  for (const LayoutKind kind : {LayoutKind::kVIJFH, LayoutKind::kVIJHF}) {
    const Catalog catalog = CatalogOf({
        {"dest", layout(kind, volume)},
        {"vol", layout(kind, volume)},
        {"sur", layout(kind, volume.WithV(1))},
        {"point", layout(LayoutKind::kDataF, Shape())},
    });
    std::string sum;
    for (const std::string& arg : args) {
      absl::StrAppend(&sum, sum.empty() ? "" : " + ", arg);
    }
    const std::string text = "dest = " + sum;
    ASSERT_OK_AND_ASSIGN(const VerifiedProgram program,
                         VerifyProgram(ParseProgram(text).value(), catalog));
    ASSERT_OK_AND_ASSIGN(const ExecutionPlan plan, PlanProgram(program));
    ASSERT_EQ(plan.steps.size(), 1u);
    EXPECT_EQ(plan.steps[0].loop.num_dimensions == 1, linear)
        << text << ", " << std::string(Name(kind));
  }
}

LAYOUTD_VECTORS(LinearVectorTest, kFile, "expression_linear_index", "Linear");

}  // namespace
}  // namespace layoutd
