#include "client/cpp/json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "absl/strings/str_cat.h"

namespace layoutd::client {
namespace {

// Above it a reader that holds numbers in f64 loses digits.
constexpr uint64_t kExactInteger = uint64_t{1} << 53;

// Enough digits to give the number back bit for bit.
template <typename Float>
constexpr int kDigits = std::is_same_v<Float, float> ? 9 : 17;

template <typename Float>
std::string FiniteText(Float value) {
  char buffer[40];
  const std::to_chars_result end =
      std::to_chars(buffer, buffer + sizeof(buffer), value,
                    std::chars_format::general, kDigits<Float>);
  std::string text(buffer, end.ptr);
  // An integer in JSON would come back as one.
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string UnsignedText(unsigned __int128 value) {
  std::string digits;
  do {
    digits += static_cast<char>('0' + static_cast<int>(value % 10));
    value /= 10;
  } while (value != 0);
  std::reverse(digits.begin(), digits.end());
  return digits;
}

template <typename Integer>
unsigned __int128 Magnitude(Integer value) {
  const auto bits = static_cast<unsigned __int128>(value);
  return value < 0 ? -bits : bits;
}

template <typename Integer>
std::string IntegerText(Integer value) {
  return absl::StrCat(value < 0 ? "-" : "", UnsignedText(Magnitude(value)));
}

// The text of one scalar; special floats as `nan_name`, `infinity_name`.
// `quoted` says whether JSON needs it as a string.
struct ScalarText {
  std::string text;
  bool quoted;
};

ScalarText TextOf(Scalar scalar, const char* bytes, const char* nan_name,
                  const char* infinity_name) {
  return VisitScalar(scalar, [&](auto tag) -> ScalarText {
    using T = decltype(tag);
    if constexpr (std::is_same_v<T, bool>) {
      return {*bytes != 0 ? "true" : "false", false};
    } else {
      T value;
      std::memcpy(&value, bytes, sizeof(T));
      if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
        if (std::isnan(value)) return {nan_name, true};
        if (std::isinf(value)) {
          return {absl::StrCat(value < 0 ? "-" : "", infinity_name), true};
        }
        return {FiniteText(value), false};
      } else {
        return {IntegerText(value), Magnitude(value) > kExactInteger};
      }
    }
  });
}

}  // namespace

void JsonWriter::Separate() {
  if (keyed_) {
    keyed_ = false;
    return;
  }
  if (!first_) text_ += ", ";
  first_ = false;
}

void JsonWriter::Open(char bracket) {
  Separate();
  text_ += bracket;
  first_ = true;
}

void JsonWriter::Close(char bracket) {
  text_ += bracket;
  first_ = false;
}

void JsonWriter::Raw(absl::string_view token) {
  Separate();
  absl::StrAppend(&text_, token);
}

void JsonWriter::Key(absl::string_view key) {
  String(key);
  text_ += ": ";
  keyed_ = true;
}

void JsonWriter::String(absl::string_view text) {
  // Replaces bytes that are no UTF-8: a file name may hold any.
  Raw(nlohmann::json(std::string(text))
          .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void JsonWriter::Integer(int64_t value) {
  const std::string text = IntegerText(value);
  Magnitude(value) > kExactInteger ? String(text) : Raw(text);
}

void JsonWriter::Float(double value) {
  Value(ValueType{.scalar = Scalar::kF64, .members = {}, .size_bytes = 8},
        reinterpret_cast<const char*>(&value));
}

void JsonWriter::Bool(bool value) { Raw(value ? "true" : "false"); }

void JsonWriter::Null() { Raw("null"); }

void JsonWriter::Value(const ValueType& type, const char* bytes) {
  if (type.is_scalar()) {
    const ScalarText scalar = TextOf(type.scalar, bytes, "NaN", "Infinity");
    scalar.quoted ? String(scalar.text) : Raw(scalar.text);
    return;
  }
  type.is_named() ? BeginObject() : BeginArray();
  for (const ValueMember& member : type.members) {
    if (type.is_named()) Key(member.name);
    Value(member.type, bytes + member.offset_bytes);
  }
  type.is_named() ? EndObject() : EndArray();
}

void JsonWriter::StringMap(const std::map<std::string, std::string>& entries) {
  BeginObject();
  for (const auto& [key, value] : entries) {
    Key(key);
    String(value);
  }
  EndObject();
}

std::string ErrorJson(const Error& error) {
  JsonWriter json;
  json.BeginObject();
  json.Key("error");
  json.BeginObject();
  json.Key("code");
  json.String(absl::StatusCodeToString(error.code));
  json.Key("reason");
  json.String(error.reason);
  json.Key("message");
  json.String(error.message);
  json.Key("metadata");
  json.StringMap(error.metadata);
  json.Key("violations");
  json.BeginArray();
  for (const Violation& violation : error.violations) {
    json.BeginObject();
    json.Key("field");
    json.String(violation.field);
    json.Key("description");
    json.String(violation.description);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  json.EndObject();
  return json.text();
}

std::string ValueText(const ValueType& type, const char* bytes) {
  if (type.is_scalar()) return TextOf(type.scalar, bytes, "nan", "inf").text;
  std::string text = type.is_named() ? "{" : "(";
  const char* separator = "";
  for (const ValueMember& member : type.members) {
    absl::StrAppend(&text, separator, member.name,
                    member.name.empty() ? "" : ": ",
                    ValueText(member.type, bytes + member.offset_bytes));
    separator = ", ";
  }
  return text + (type.is_named() ? "}" : ")");
}

}  // namespace layoutd::client
