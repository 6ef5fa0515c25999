#include "tests/support/julia_type.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "engine/base/error.h"
#include "engine/base/status_macros.h"

namespace layoutd {
namespace {

absl::Status NoBytes(absl::string_view text) {
  return Unsupported(absl::StrCat("a type of no bytes, ", text,
                                  ": values of layoutd have a scalar"));
}

absl::StatusOr<ValueType> Primitive(absl::string_view name) {
  if (name == "Nothing" || name == "Tuple{}" || name == "@NamedTuple{}") {
    return NoBytes(name);
  }
  const std::pair<absl::string_view, absl::string_view> prefixes[] = {
      {"UInt", "u"}, {"Int", "i"}, {"Float", "f"}, {"Bool", "bool"}};
  for (const auto& [julia, ours] : prefixes) {
    if (!absl::StartsWith(name, julia)) continue;
    const auto type =
        ParseScalarType(absl::StrCat(ours, name.substr(julia.size())));
    if (type) return ValueType(*type);
  }
  return Unsupported(absl::StrCat("layoutd has no scalar ", name));
}

// Cuts "A, B{C, D}" at the commas that stand outside braces.
std::vector<absl::string_view> SplitArguments(absl::string_view text) {
  std::vector<absl::string_view> parts;
  int depth = 0;
  size_t begin = 0;
  for (size_t k = 0; k <= text.size(); ++k) {
    if (k < text.size() && text[k] == '{') ++depth;
    if (k < text.size() && text[k] == '}') --depth;
    if (k < text.size() && (text[k] != ',' || depth > 0)) continue;
    const absl::string_view part =
        absl::StripAsciiWhitespace(text.substr(begin, k - begin));
    if (!part.empty()) parts.push_back(part);
    begin = k + 1;
  }
  return parts;
}

}  // namespace

absl::StatusOr<ValueType> ParseJuliaType(absl::string_view text) {
  text = absl::StripAsciiWhitespace(text);
  const size_t brace = text.find('{');
  if (brace == absl::string_view::npos) return Primitive(text);
  if (text.back() != '}') {
    return InvalidArgument("BAD_TYPE", absl::StrCat("no Julia type: ", text));
  }
  const absl::string_view head = text.substr(0, brace);
  std::vector<absl::string_view> arguments =
      SplitArguments(text.substr(brace + 1, text.size() - brace - 2));
  if (arguments.empty()) return NoBytes(text);

  int64_t count = 0;
  if (head == "NTuple" && arguments.size() == 2 &&
      absl::SimpleAtoi(arguments[0], &count) && count > 0) {
    ASSIGN_OR_RETURN(const ValueType member, ParseJuliaType(arguments[1]));
    return ValueType::Tuple(
        std::vector<ValueType>(static_cast<size_t>(count), member));
  }
  std::vector<std::string> names;
  if ((head == "Complex" || head == "Foo") && arguments.size() == 1) {
    names = head == "Foo" ? std::vector<std::string>{"x", "y"}
                          : std::vector<std::string>{"re", "im"};
    arguments.push_back(arguments[0]);
  } else if (head == "@NamedTuple") {
    for (absl::string_view& argument : arguments) {
      const size_t colons = argument.find("::");
      if (colons == absl::string_view::npos) {
        return InvalidArgument("BAD_TYPE",
                               absl::StrCat("no member: ", argument));
      }
      names.emplace_back(argument.substr(0, colons));
      argument = argument.substr(colons + 2);
    }
  } else if (head != "Tuple") {
    return InvalidArgument("BAD_TYPE", absl::StrCat("no Julia type: ", text));
  }
  std::vector<ValueType> members;
  for (absl::string_view argument : arguments) {
    ASSIGN_OR_RETURN(ValueType member, ParseJuliaType(argument));
    members.push_back(std::move(member));
  }
  if (names.empty()) return ValueType::Tuple(std::move(members));
  return ValueType::NamedTuple(std::move(names), std::move(members));
}

absl::StatusOr<ValueType> ValueTypeOfJson(const nlohmann::json& json) {
  if (json.is_string()) return Primitive(json.get<std::string>());
  if (json.is_object() && json.size() == 1 && json.contains("singleton")) {
    return NoBytes(json["singleton"].dump());
  }
  std::vector<ValueType> members;
  std::vector<std::string> names;
  for (const auto& [key, value] : json.items()) {
    if (key == "struct" && value.is_array()) {
      for (const nlohmann::json& member : value) {
        absl::StatusOr<ValueType> type = ValueTypeOfJson(member);
        if (!type.ok()) return type.status();
        members.push_back(*std::move(type));
      }
    } else if (key == "names" && value.is_array()) {
      for (const nlohmann::json& name : value) {
        if (name.is_string()) names.push_back(name.get<std::string>());
      }
    } else if (key != "name") {  // Julia's name of a struct means nothing here
      return InvalidArgument(
          "BAD_TYPE", absl::StrCat("unknown key \"", key, "\" of a type"));
    }
  }
  if (!json.contains("names")) return ValueType::Tuple(std::move(members));
  if (names.size() != members.size()) {
    return InvalidArgument("BAD_TYPE", "not a name for each member");
  }
  return ValueType::NamedTuple(std::move(names), std::move(members));
}

}  // namespace layoutd
