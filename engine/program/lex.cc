#include "engine/program/lex.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace layoutd {
namespace {

constexpr absl::string_view kReservedWords[] = {
    "and", "or", "not", "true", "false",   "nan",
    "inf", "pi", "let", "new",  "foreach", "reduce"};

// Longest first, so that "<=" is not read as "<".
constexpr absl::string_view kSymbols[] = {
    "==", "<=", ">=", "<<", ">>", "->", "**", "//", "(", ")", "{", "}", ",",
    ";",  ":",  "=",  "<",  ">",  "+",  "-",  "*",  "/", "&", "|", "~", "."};

// What other languages write, and what to write here.
struct ForeignSymbol {
  absl::string_view symbol;
  absl::string_view hint;
};
constexpr ForeignSymbol kForeignSymbols[] = {
    {"&&", "use \"and\""},
    {"||", "use \"or\""},
    {"%", "use \"mod\" or \"rem\""},
    {"^", "use \"**\""},
    {"!", "use \"not\""},
    {"[", "use \"at(x, 0)\" for a level, \"x.0\" for a component"},
    {"]", "use \"at(x, 0)\" for a level, \"x.0\" for a component"},
    {"'", "an id is quoted with \""},
};

bool IsNameStart(char c) { return absl::ascii_isalpha(c) || c == '_'; }
bool IsNameChar(char c) { return absl::ascii_isalnum(c) || c == '_'; }

class Lexer {
 public:
  explicit Lexer(absl::string_view text) : text_(text) {}

  std::vector<Token> Run() {
    std::vector<Token> tokens;
    do {
      tokens.push_back(Next());
      after_dot_ = tokens.back().IsSymbol(".");
      // Nothing after a fault is read: it is the first error at the latest.
    } while (tokens.back().kind != Token::Kind::kEnd &&
             tokens.back().kind != Token::Kind::kInvalid);
    return tokens;
  }

 private:
  Token Next() {
    SkipBlanks();
    if (at_ == text_.size()) return Take(Token::Kind::kEnd, 0);
    const char c = text_[at_];
    if (c == '\n') return TakeNewlines();
    if (IsNameStart(c)) return Take(Token::Kind::kName, CountWhile(IsNameChar));
    if (absl::ascii_isdigit(c)) {
      return after_dot_
                 ? Take(Token::Kind::kDigits, CountWhile(absl::ascii_isdigit))
                 : TakeNumber();
    }
    if (c == '"') return TakeQuoted();
    if (c == '@') return TakeAxis();
    return TakeSymbol();
  }

  // Takes the next `size` bytes, which lie on one line.
  Token Take(Token::Kind kind, size_t size) {
    Token token;
    token.kind = kind;
    token.text = text_.substr(at_, size);
    token.position = {line_, column_};
    Advance(size);
    return token;
  }

  Token Fault(size_t size, std::string fault) {
    Token token = Take(Token::Kind::kInvalid, size);
    token.fault = std::move(fault);
    return token;
  }

  Token TakeNewlines() {
    Token token = Take(Token::Kind::kNewline, 0);
    while (at_ < text_.size() && text_[at_] == '\n') {
      ++at_;
      ++line_;
      column_ = 1;
      SkipBlanks();
    }
    return token;
  }

  Token TakeQuoted() {
    const size_t close = text_.find_first_of("\"\n", at_ + 1);
    if (close == absl::string_view::npos || text_[close] == '\n') {
      return Fault(1, "unterminated quote");
    }
    const absl::string_view id = text_.substr(at_ + 1, close - at_ - 1);
    if (id.empty()) return Fault(2, "an empty id");
    if (!std::all_of(id.begin(), id.end(), absl::ascii_isprint)) {
      return Fault(1, "an id with a character outside printable ASCII");
    }
    Token token = Take(Token::Kind::kQuoted, id.size() + 2);
    token.text = id;
    return token;
  }

  Token TakeAxis() {
    const absl::string_view rest = text_.substr(at_ + 1);
    const bool is_axis = !rest.empty() &&
                         absl::string_view(kAxisNames).find(rest[0]) !=
                             absl::string_view::npos &&
                         (rest.size() == 1 || !IsNameChar(rest[1]));
    if (!is_axis)
      return Fault(1, "\"@\" without an axis: use @v, @i, @j or @h");
    Token token = Take(Token::Kind::kAxis, 2);
    token.text.remove_prefix(1);
    return token;
  }

  Token TakeSymbol() {
    const absl::string_view rest = text_.substr(at_);
    if (absl::StartsWith(rest, "!=")) return Take(Token::Kind::kSymbol, 2);
    for (const ForeignSymbol& foreign : kForeignSymbols) {
      if (absl::StartsWith(rest, foreign.symbol)) {
        return Fault(foreign.symbol.size(),
                     absl::StrCat("\"", foreign.symbol, "\": ", foreign.hint));
      }
    }
    for (absl::string_view symbol : kSymbols) {
      if (absl::StartsWith(rest, symbol)) {
        return Take(Token::Kind::kSymbol, symbol.size());
      }
    }
    if (absl::ascii_isprint(rest[0])) {
      return Fault(1, absl::StrCat("character \"", rest.substr(0, 1), "\""));
    }
    return Fault(1, absl::StrFormat("byte 0x%02X", rest[0] & 0xFF));
  }

  // NUMBER = DIGITS ["." DIGITS] [("e"|"E") ["+"|"-"] DIGITS] [["_"] TYPE].
  Token TakeNumber() {
    size_t end = DigitsEnd(at_);
    bool is_float = false;
    if (DigitsEnd(end + 1) > end + 1 && text_[end] == '.') {
      is_float = true;
      end = DigitsEnd(end + 1);
    }
    if (end < text_.size() && (text_[end] == 'e' || text_[end] == 'E')) {
      size_t digits = end + 1;
      if (digits < text_.size() &&
          (text_[digits] == '+' || text_[digits] == '-')) {
        ++digits;
      }
      if (DigitsEnd(digits) > digits) {
        is_float = true;
        end = DigitsEnd(digits);
      }
    }
    const absl::string_view number = text_.substr(at_, end - at_);
    size_t suffix_end = end;
    while (suffix_end < text_.size() && IsNameChar(text_[suffix_end])) {
      ++suffix_end;
    }
    const absl::string_view suffix = text_.substr(end, suffix_end - end);
    const size_t size = suffix_end - at_;

    Literal literal;
    if (!suffix.empty()) {
      literal.type =
          ParseScalarType(suffix[0] == '_' ? suffix.substr(1) : suffix);
      if (!literal.type || literal.type == ScalarType::kBool) {
        return Fault(size, absl::StrCat("number with the unknown type \"",
                                        suffix.substr(0, 32), "\""));
      }
    }
    if (is_float) {
      literal.kind = Literal::Kind::kFloat;
      if (!ReadFloat(number, literal)) {
        return Fault(size, "number too large for f64");
      }
    } else {
      literal.kind = Literal::Kind::kInteger;
      if (!ReadInteger(number, literal.integer)) {
        return Fault(size, "integer too large for u128");
      }
    }
    Token token = Take(Token::Kind::kNumber, size);
    token.literal = literal;
    return token;
  }

  // Returns the first position at or after `begin` that is no digit.
  size_t DigitsEnd(size_t begin) const {
    while (begin < text_.size() && absl::ascii_isdigit(text_[begin])) ++begin;
    return begin;
  }

  static bool ReadFloat(absl::string_view number, Literal& literal) {
    // A number written for f32 is rounded once, from decimal; one that f32
    // cannot hold stays as it is for the verifier to refuse.
    float single = 0.0F;
    if (literal.type == ScalarType::kF32 && absl::SimpleAtof(number, &single) &&
        std::isfinite(single)) {
      literal.real = static_cast<double>(single);
      return true;
    }
    return absl::SimpleAtod(number, &literal.real) &&
           std::isfinite(literal.real);
  }

  static bool ReadInteger(absl::string_view digits, Uint128& value) {
    for (char digit : digits) {
      if (__builtin_mul_overflow(value, Uint128{10}, &value) ||
          __builtin_add_overflow(value, static_cast<Uint128>(digit - '0'),
                                 &value)) {
        return false;
      }
    }
    return true;
  }

  template <typename Predicate>
  size_t CountWhile(Predicate predicate) const {
    size_t size = 0;
    while (at_ + size < text_.size() && predicate(text_[at_ + size])) ++size;
    return size;
  }

  void SkipBlanks() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == ' ' || c == '\t' || c == '\r') {
        Advance(1);
      } else if (c == '#') {
        Advance(std::min(text_.find('\n', at_), text_.size()) - at_);
      } else {
        return;
      }
    }
  }

  void Advance(size_t size) {
    for (; size > 0; --size, ++at_) {
      // Continuation bytes of UTF-8 belong to the character before.
      if ((text_[at_] & 0xC0) != 0x80) ++column_;
    }
  }

  absl::string_view text_;
  size_t at_ = 0;
  int line_ = 1;
  int column_ = 1;
  bool after_dot_ = false;
};

}  // namespace

std::vector<Token> Lex(absl::string_view text) { return Lexer(text).Run(); }

bool IsPlainName(absl::string_view name) {
  return !name.empty() && IsNameStart(name[0]) &&
         std::all_of(name.begin(), name.end(), IsNameChar) &&
         !IsReservedWord(name);
}

bool IsReservedWord(absl::string_view name) {
  return std::find(std::begin(kReservedWords), std::end(kReservedWords),
                   name) != std::end(kReservedWords);
}

}  // namespace layoutd
