#ifndef LAYOUTD_CLIENT_CPP_PYTHON_LITERAL_H_
#define LAYOUTD_CLIENT_CPP_PYTHON_LITERAL_H_

// The Python literals that stand in .npy headers: strings, integers, True and
// False, None, tuples, lists and dicts of them. Nothing is evaluated.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace layoutd::client {

struct PythonLiteral {
  enum class Kind { kNone, kBool, kInteger, kString, kTuple, kList, kDict };

  Kind kind = Kind::kNone;
  bool boolean = false;
  int64_t integer = 0;
  std::string string;
  // Of a tuple or list; of a dict: key, value, key, value ...
  std::vector<PythonLiteral> items;
};

// Parses `text`, which is one literal and white space.
// Errors: InvalidArgument (BAD_NPY) — names the column, or an integer that
// does not fit 64 bits, or nesting deeper than 64.
absl::StatusOr<PythonLiteral> ParsePythonLiteral(absl::string_view text);

}  // namespace layoutd::client

#endif  // LAYOUTD_CLIENT_CPP_PYTHON_LITERAL_H_
