#ifndef LAYOUTD_ENGINE_PROGRAM_LEX_H_
#define LAYOUTD_ENGINE_PROGRAM_LEX_H_

// The first step of parsing: text to tokens. A fault in the text becomes a
// token too (kInvalid), so that the parser reports whichever comes first.

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "engine/program/graph.h"

namespace layoutd {

struct Token {
  enum class Kind : uint8_t {
    kEnd,      // of the text
    kNewline,  // one or more line ends
    kName,
    kQuoted,   // text is without the quotes
    kNumber,   // literal is its value
    kDigits,   // after a ".": the number of a component
    kSymbol,   // an operator or a bracket
    kAxis,     // "@v"; text is the axis letter
    kInvalid,  // fault says why
  };
  Kind kind = Kind::kEnd;
  absl::string_view text;  // of the program: lives as long as it
  Literal literal;
  std::string fault;
  SourcePosition position;

  bool IsSymbol(absl::string_view symbol) const {
    return kind == Kind::kSymbol && text == symbol;
  }
  bool IsName(absl::string_view name) const {
    return kind == Kind::kName && text == name;
  }
};

// Returns the tokens of `text`, ending with kEnd or with the first
// kInvalid; never empty. Comments and
// white space are left out. Columns count characters, not bytes.
// Cost: linear in the text.
std::vector<Token> Lex(absl::string_view text);

// Returns whether `name` is a NAME of the grammar that stands for itself: a
// letter or "_", then letters, digits and "_", and no reserved word. Any other
// id is written in quotes.
bool IsPlainName(absl::string_view name);

// Returns whether `name` is a word of the grammar that cannot name a thing.
bool IsReservedWord(absl::string_view name);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_PROGRAM_LEX_H_
