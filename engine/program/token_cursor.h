#ifndef LAYOUTD_ENGINE_PROGRAM_TOKEN_CURSOR_H_
#define LAYOUTD_ENGINE_PROGRAM_TOKEN_CURSOR_H_

// Walks the tokens of a program text for the parser: look-ahead, where line
// ends count, how deep the text is nested, and every error with its position.

#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "engine/program/lex.h"

namespace layoutd {

class TokenCursor {
 public:
  // `text` must outlive the cursor.
  explicit TokenCursor(absl::string_view text);

  // The token to read, and the one after it. Inside a list, line ends are
  // passed over.
  const Token& Current();
  const Token& Following();
  void Advance();

  // Advances and returns true when the current token is that.
  bool Accept(absl::string_view symbol);
  bool AcceptName(absl::string_view name);
  // Errors: SYNTAX — the current token is something else.
  absl::Status Expect(absl::string_view symbol);

  // Opens and closes a list, in which line ends do not count: the current token
  // must be the bracket.
  absl::Status Open(absl::string_view bracket);
  absl::Status Close(absl::string_view bracket);

  // After a binary operator an expression goes on in the next line.
  void SkipNewlines();
  // Skips line ends and ";".
  void SkipSeparators();
  // Errors: SYNTAX — the statement goes on where it should end; `closer` ends
  // its block ("" for none).
  absl::Status ExpectSeparator(absl::string_view closer);

  // Counts one level of nesting for the life of the object; check() fails when
  // that is one too many.
  class Nesting {
   public:
    explicit Nesting(TokenCursor& cursor) : cursor_(cursor) {
      ++cursor_.nesting_depth_;
    }
    ~Nesting() { --cursor_.nesting_depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;
    absl::Status check() const;

   private:
    TokenCursor& cursor_;
  };

  // Returns the SYNTAX error that the current token is not `expected`.
  absl::Status Unexpected(absl::string_view expected);
  // Return errors at `position`, with the line of the text and a caret.
  absl::Status SyntaxError(SourcePosition position,
                           absl::string_view message) const;
  absl::Status UnsupportedError(SourcePosition position,
                                absl::string_view construct) const;
  absl::Status ErrorAt(SourcePosition position, absl::StatusCode code,
                       absl::string_view reason,
                       absl::string_view message) const;

 private:
  absl::string_view text_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
  int list_depth_ = 0;
  int nesting_depth_ = 0;
};

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_PROGRAM_TOKEN_CURSOR_H_
