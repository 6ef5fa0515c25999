#include "engine/program/token_cursor.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "engine/base/error.h"
#include "engine/program/excerpt.h"

namespace layoutd {
namespace {

constexpr size_t kShownTokenBytes = 40;

std::string Describe(const Token& token) {
  switch (token.kind) {
    case Token::Kind::kEnd:
      return "the end of the text";
    case Token::Kind::kNewline:
      return "the end of the line";
    case Token::Kind::kAxis:
      return absl::StrCat("\"@", token.text, "\"");
    case Token::Kind::kName:
    case Token::Kind::kQuoted:
    case Token::Kind::kNumber:
    case Token::Kind::kDigits:
    case Token::Kind::kSymbol:
    case Token::Kind::kInvalid:
      break;
  }
  const bool cut = token.text.size() > kShownTokenBytes;
  return absl::StrCat("\"", token.text.substr(0, kShownTokenBytes),
                      cut ? "..." : "", "\"");
}

}  // namespace

TokenCursor::TokenCursor(absl::string_view text)
    : text_(text), tokens_(Lex(text)) {}

const Token& TokenCursor::Current() {
  if (list_depth_ > 0) SkipNewlines();
  return tokens_[at_];
}

const Token& TokenCursor::Following() {
  Current();
  size_t next = std::min(at_ + 1, tokens_.size() - 1);
  while (list_depth_ > 0 && tokens_[next].kind == Token::Kind::kNewline) ++next;
  return tokens_[next];
}

void TokenCursor::Advance() {
  Current();
  at_ = std::min(at_ + 1, tokens_.size() - 1);
}

bool TokenCursor::Accept(absl::string_view symbol) {
  if (!Current().IsSymbol(symbol)) return false;
  Advance();
  return true;
}

bool TokenCursor::AcceptName(absl::string_view name) {
  if (!Current().IsName(name)) return false;
  Advance();
  return true;
}

absl::Status TokenCursor::Expect(absl::string_view symbol) {
  if (Accept(symbol)) return absl::OkStatus();
  return Unexpected(absl::StrCat("\"", symbol, "\""));
}

absl::Status TokenCursor::Open(absl::string_view bracket) {
  if (absl::Status status = Expect(bracket); !status.ok()) return status;
  ++list_depth_;
  return absl::OkStatus();
}

absl::Status TokenCursor::Close(absl::string_view bracket) {
  if (!Current().IsSymbol(bracket)) {
    return Unexpected(absl::StrCat("\",\" or \"", bracket, "\""));
  }
  // First, so that a line end after the bracket counts again.
  --list_depth_;
  ++at_;
  return absl::OkStatus();
}

void TokenCursor::SkipNewlines() {
  while (tokens_[at_].kind == Token::Kind::kNewline) ++at_;
}

void TokenCursor::SkipSeparators() {
  while (tokens_[at_].kind == Token::Kind::kNewline ||
         tokens_[at_].IsSymbol(";")) {
    ++at_;
  }
}

absl::Status TokenCursor::ExpectSeparator(absl::string_view closer) {
  const Token& token = Current();
  if (token.kind == Token::Kind::kNewline || token.kind == Token::Kind::kEnd ||
      token.IsSymbol(";") || (!closer.empty() && token.IsSymbol(closer))) {
    return absl::OkStatus();
  }
  return Unexpected(token.IsSymbol("=")
                        ? "the end of the statement (\"==\" compares)"
                        : "the end of the statement");
}

absl::Status TokenCursor::Nesting::check() const {
  if (cursor_.nesting_depth_ <= kProgramLimits.max_nesting) {
    return absl::OkStatus();
  }
  return cursor_.ErrorAt(
      cursor_.tokens_[cursor_.at_].position, absl::StatusCode::kInvalidArgument,
      "PROGRAM_LIMIT",
      absl::StrCat("nested deeper than ", kProgramLimits.max_nesting));
}

absl::Status TokenCursor::Unexpected(absl::string_view expected) {
  const Token& token = Current();
  if (token.kind == Token::Kind::kInvalid) {
    return SyntaxError(token.position, token.fault);
  }
  return SyntaxError(token.position, absl::StrCat("expected ", expected,
                                                  ", found ", Describe(token)));
}

absl::Status TokenCursor::SyntaxError(SourcePosition position,
                                      absl::string_view message) const {
  return ErrorAt(position, absl::StatusCode::kInvalidArgument, "SYNTAX",
                 message);
}

absl::Status TokenCursor::UnsupportedError(SourcePosition position,
                                           absl::string_view construct) const {
  return ErrorAt(position, absl::StatusCode::kUnimplemented, "UNSUPPORTED",
                 absl::StrCat(construct, " is not supported by this version"));
}

absl::Status TokenCursor::ErrorAt(SourcePosition position,
                                  absl::StatusCode code,
                                  absl::string_view reason,
                                  absl::string_view message) const {
  return Error(
             code, reason,
             absl::StrCat("line ", position.line, ", column ", position.column,
                          ": ", message, "\n", Excerpt(text_, position)))
      .With("line", absl::StrCat(position.line))
      .With("column", absl::StrCat(position.column))
      .At(absl::StrCat("program.text:", position.line, ":", position.column));
}

}  // namespace layoutd
