#ifndef LAYOUTD_CLIENT_CPP_JSON_H_
#define LAYOUTD_CLIENT_CPP_JSON_H_

// JSON documents in the fixed form that scripts depend on: keys in the order
// written; floats with `.` or `e` and 17 significant digits (9 for f32), the
// special ones as strings; integers beyond 2^53 as strings, which every reader
// keeps exact.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "client/cpp/error.h"
#include "client/cpp/value_type.h"

namespace layoutd::client {

// Appends one document to a string, from the front to the end. The calls must
// nest well; separators are the writer's.
class JsonWriter {
 public:
  void BeginObject() { Open('{'); }
  void EndObject() { Close('}'); }
  void BeginArray() { Open('['); }
  void EndArray() { Close(']'); }
  // Inside an object, before each value.
  void Key(absl::string_view key);

  void String(absl::string_view text);
  void Integer(int64_t value);
  void Float(double value);
  void Bool(bool value);
  void Null();
  // A value in its C ABI form: a scalar, an array for a tuple, an object for a
  // named tuple. `bytes` must hold type.size_bytes.
  void Value(const ValueType& type, const char* bytes);
  void StringMap(const std::map<std::string, std::string>& entries);

  // Returns the document.
  const std::string& text() const { return text_; }

 private:
  void Open(char bracket);
  void Close(char bracket);
  void Separate();  // before a key, or a value that has none
  void Raw(absl::string_view token);

  std::string text_;
  bool first_ = true;   // no element in the innermost bracket so far
  bool keyed_ = false;  // a key waits for its value
};

// Returns {"error": {...}} of a failed call.
std::string ErrorJson(const Error& error);

// Returns a value for people: numbers as in JSON but integers plain, `nan`,
// `inf`, `(1.0, 2.0)`, `{rho: 1.0}`.
std::string ValueText(const ValueType& type, const char* bytes);

}  // namespace layoutd::client

#endif  // LAYOUTD_CLIENT_CPP_JSON_H_
