#include "client/cpp/layoutctl/argument.h"

#include <algorithm>

#include "client/cpp/target.h"

namespace layoutd::client {

FieldReference ParseFieldReference(const std::string& text) {
  const size_t dot = text.find('.');
  if (dot == std::string::npos) return {text, ""};
  return {text.substr(0, dot), text.substr(dot + 1)};
}

std::string CheckNotEmpty(const std::string& text) {
  return text.empty() ? "must not be empty" : "";
}

std::string CheckFieldReference(const std::string& text) {
  const FieldReference reference = ParseFieldReference(text);
  const bool has_dot = reference.id.size() < text.size();
  if (reference.id.empty() || (has_dot && reference.component.empty())) {
    return "\"" + text + "\" is neither ID nor ID.COMPONENT";
  }
  return "";
}

std::string CheckTargetArgument(const std::string& text) {
  return std::string(CheckTarget(text).message());
}

std::vector<std::string> ReadArguments(int argc, char** argv) {
  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  const auto end = std::find(arguments.begin(), arguments.end(), "--");
  const auto fill = std::find(arguments.begin(), end, "fill");
  const auto value = std::find_if(fill, end, [](const std::string& text) {
    return text == "-inf" || text == "-nan";
  });
  if (value == end) return arguments;
  if (end == arguments.end()) {
    std::rotate(value, value + 1, end);
    arguments.insert(arguments.end() - 1, "--");
  } else {
    std::rotate(value, value + 1, arguments.end());
  }
  return arguments;
}

}  // namespace layoutd::client
