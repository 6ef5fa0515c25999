#include "client/cpp/python_literal.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "client/cpp/error.h"
#include "client/cpp/status_macros.h"

namespace layoutd::client {
namespace {

constexpr int kMaxDepth = 64;

class Parser {
 public:
  explicit Parser(absl::string_view text) : text_(text) {}

  absl::StatusOr<PythonLiteral> ParseAll() {
    ASSIGN_OR_RETURN(PythonLiteral literal, ParseLiteral(0));
    SkipSpace();
    if (position_ != text_.size()) return Fail("expected the end");
    return literal;
  }

 private:
  using Kind = PythonLiteral::Kind;

  absl::Status Fail(absl::string_view what) const {
    return MakeError(
        absl::StatusCode::kInvalidArgument, "BAD_NPY",
        absl::StrCat("header, column ", position_ + 1, ": ", what));
  }

  bool AtEnd() const { return position_ == text_.size(); }
  unsigned char Peek() const {
    return static_cast<unsigned char>(text_[position_]);
  }

  void SkipSpace() {
    while (!AtEnd() && absl::ascii_isspace(Peek())) ++position_;
  }

  bool Take(char c) {
    SkipSpace();
    if (AtEnd() || text_[position_] != c) return false;
    ++position_;
    return true;
  }

  absl::StatusOr<PythonLiteral> ParseLiteral(int depth) {
    if (depth > kMaxDepth) return Fail("nested too deep");
    SkipSpace();
    if (AtEnd()) return Fail("unexpected end");
    if (Take('(')) return ParseItems(Kind::kTuple, ')', depth);
    if (Take('[')) return ParseItems(Kind::kList, ']', depth);
    if (Take('{')) return ParseItems(Kind::kDict, '}', depth);
    if (Peek() == '\'' || Peek() == '"') return ParseString();
    if (Peek() == '-' || absl::ascii_isdigit(Peek())) return ParseInteger();
    return ParseWord();
  }

  absl::StatusOr<PythonLiteral> ParseItems(Kind kind, char close, int depth) {
    PythonLiteral literal;
    literal.kind = kind;
    bool has_comma = true;  // before the next item
    while (!Take(close)) {
      if (!has_comma) return Fail("expected a comma");
      ASSIGN_OR_RETURN(PythonLiteral item, ParseLiteral(depth + 1));
      literal.items.push_back(std::move(item));
      if (kind == Kind::kDict) {
        if (!Take(':')) return Fail("expected a colon");
        ASSIGN_OR_RETURN(PythonLiteral value, ParseLiteral(depth + 1));
        literal.items.push_back(std::move(value));
      }
      has_comma = Take(',');
    }
    // `(x)` is x in brackets, `(x,)` a tuple.
    if (kind == Kind::kTuple && literal.items.size() == 1 && !has_comma) {
      PythonLiteral only = std::move(literal.items.front());
      return only;
    }
    return literal;
  }

  absl::StatusOr<PythonLiteral> ParseString() {
    PythonLiteral literal;
    literal.kind = Kind::kString;
    const char quote = text_[position_++];
    for (; !AtEnd(); ++position_) {
      char c = text_[position_];
      if (c == quote) {
        ++position_;
        return literal;
      }
      if (c == '\\') {
        ++position_;
        if (AtEnd()) break;
        c = text_[position_];
        if (c != '\\' && c != '\'' && c != '"') return Fail("unknown escape");
      }
      literal.string += c;
    }
    return Fail("string without an end");
  }

  absl::StatusOr<PythonLiteral> ParseInteger() {
    PythonLiteral literal;
    literal.kind = Kind::kInteger;
    const size_t start = position_++;
    while (!AtEnd() && absl::ascii_isdigit(Peek())) ++position_;
    const absl::string_view digits = text_.substr(start, position_ - start);
    if (!absl::SimpleAtoi(digits, &literal.integer)) {
      return Fail(absl::StrCat("integer ", digits, " does not fit 64 bits"));
    }
    // Python 2 wrote long integers as 20L.
    if (!AtEnd() && Peek() == 'L') ++position_;
    return literal;
  }

  absl::StatusOr<PythonLiteral> ParseWord() {
    PythonLiteral literal;
    const absl::string_view rest = text_.substr(position_);
    size_t length = 0;
    while (length < rest.size() &&
           absl::ascii_isalpha(static_cast<unsigned char>(rest[length]))) {
      ++length;
    }
    const absl::string_view word = rest.substr(0, length);
    if (word == "True" || word == "False") {
      literal.kind = Kind::kBool;
      literal.boolean = word == "True";
    } else if (word != "None") {
      return Fail("expected a literal");
    }
    position_ += length;
    return literal;
  }

  absl::string_view text_;
  size_t position_ = 0;
};

}  // namespace

absl::StatusOr<PythonLiteral> ParsePythonLiteral(absl::string_view text) {
  return Parser(text).ParseAll();
}

}  // namespace layoutd::client
