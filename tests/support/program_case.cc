#include "tests/support/program_case.h"

#include <cctype>
#include <cstdlib>
#include <string>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "engine/layout/mask_map.h"

namespace layoutd {
namespace {

std::string IntegerText(const Scalar& value) {
  const Uint128 bits = Convert(value, ScalarType::kI128).As<Uint128>();
  const bool is_negative =
      IsSignedInteger(value.type) && static_cast<Int128>(bits) < 0;
  Uint128 rest = is_negative ? -bits : bits;
  std::string digits;
  do {
    digits.insert(digits.begin(), static_cast<char>('0' + int(rest % 10)));
    rest /= 10;
  } while (rest != 0);
  return is_negative ? "-" + digits : digits;
}

// Equal words next to each other become one with its count.
std::string LeavesText(const std::vector<Scalar>& leaves) {
  std::string text;
  for (size_t k = 0; k < leaves.size();) {
    const std::string word = ScalarText(leaves[k]);
    size_t end = k + 1;
    while (end < leaves.size() && ScalarText(leaves[end]) == word) ++end;
    absl::StrAppend(&text, k > 0 ? " " : "", word);
    if (end - k > 1) absl::StrAppend(&text, "*", end - k);
    k = end;
  }
  return text;
}

std::string ShapeText(const Shape& shape) {
  return absl::StrCat("{{", absl::StrJoin(shape.extents, ", "), "}}");
}

std::string EnumName(const char* type, absl::string_view name) {
  std::string capital(name);
  if (type == std::string("ScalarType")) {
    capital[0] = static_cast<char>(std::toupper(capital[0]));
  }
  return absl::StrCat(type, "::k", capital);
}

}  // namespace

Catalog CatalogOf(const ProgramCase& program) {
  Catalog catalog;
  for (const CaseField& field : program.fields) {
    catalog.fields.emplace(field.id,
                           Catalog::FieldEntry{field.id, LayoutOf(field)});
  }
  for (const CaseMask& mask : program.masks) {
    catalog.masks.emplace(mask.id, mask.shape);
  }
  return catalog;
}

OracleState StateOf(const ProgramCase& program) {
  OracleState state;
  for (const CaseField& field : program.fields) {
    state.fields.emplace(field.id,
                         OracleField{field.type, field.shape, field.leaves});
  }
  for (const CaseMask& mask : program.masks) {
    state.masks.emplace(mask.id, MakeColumnMap(mask.shape, mask.active));
  }
  return state;
}

DataLayout LayoutOf(const CaseField& field) {
  return DataLayout::Create(
             {field.kind, field.shape, field.type, field.base_type})
      .value();
}

std::string ScalarText(const Scalar& value) {
  if (value.type == ScalarType::kBool) return value.IsTrue() ? "true" : "false";
  if (!IsFloat(value.type)) return IntegerText(value);
  return absl::StrFormat("%a", Convert(value, ScalarType::kF64).As<double>());
}

Scalar ParseScalarText(ScalarType type, absl::string_view text) {
  if (type == ScalarType::kBool) return Scalar::Bool(text == "true");
  if (IsFloat(type)) {
    return Convert(Scalar::F64(std::strtod(std::string(text).c_str(), nullptr)),
                   type);
  }
  const bool is_negative = text.substr(0, 1) == "-";
  Uint128 value = 0;
  for (char digit : text.substr(is_negative ? 1 : 0)) {
    value = value * 10 + static_cast<Uint128>(digit - '0');
  }
  if (is_negative) value = -value;
  return Convert(Scalar::Of(ScalarType::kU128, value), type);
}

std::vector<Scalar> Leaves(absl::string_view type, absl::string_view words) {
  const ValueType value_type = ValueType::Parse(type).value();
  std::vector<Scalar> leaves;
  for (absl::string_view word :
       absl::StrSplit(words, ' ', absl::SkipWhitespace())) {
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(word, absl::MaxSplits('*', 1));
    int count = 1;
    if (!parts.second.empty() && !absl::SimpleAtoi(parts.second, &count)) {
      return {};
    }
    for (int n = 0; n < count; ++n) {
      const size_t leaf =
          leaves.size() % static_cast<size_t>(value_type.num_leaves());
      leaves.push_back(
          ParseScalarText(value_type.leaves()[leaf].type, parts.first));
    }
  }
  return leaves;
}

std::string TestSource(const ProgramCase& program, absl::string_view name,
                       int num_threads, int vector_bits) {
  std::string text = absl::StrCat("TEST(DifferentialTest, ", name,
                                  ") {\n  ProgramCase program;\n"
                                  "  program.text = R\"(\n",
                                  program.text, ")\";\n");
  for (const CaseField& field : program.fields) {
    const std::string type = field.type.ToString();
    const std::string base =
        field.base_type.has_value()
            ? EnumName("ScalarType", Name(*field.base_type))
            : "std::nullopt";
    absl::StrAppend(&text, "  program.fields.push_back({\"", field.id,
                    "\", ValueType::Parse(\"", type, "\").value(), ",
                    ShapeText(field.shape), ", ",
                    EnumName("LayoutKind", Name(field.kind)), ", ", base,
                    ", Leaves(\"", type, "\", \"", LeavesText(field.leaves),
                    "\")});\n");
  }
  for (const CaseMask& mask : program.masks) {
    absl::StrAppend(&text, "  program.masks.push_back({\"", mask.id, "\", ",
                    ShapeText(mask.shape), ", {",
                    absl::StrJoin(mask.active, ", "), "}});\n");
  }
  absl::StrAppend(&text, "  ExpectSameAsOracle(program, {", num_threads, ", ",
                  vector_bits, "});\n}\n");
  return text;
}

}  // namespace layoutd
