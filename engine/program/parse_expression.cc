#include "engine/program/parse_expression.h"

#include <algorithm>
#include <limits>
#include <numbers>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/base/status_macros.h"
#include "engine/program/opcode.h"

namespace layoutd {
namespace {

constexpr absl::string_view kUnsupportedInfix[] = {"//", "<<", ">>", "&", "|"};

// Returns the row of the binary operator that `token` spells, or nullptr.
const OpcodeInfo* FindInfix(const Token& token) {
  if (token.kind != Token::Kind::kSymbol && token.kind != Token::Kind::kName) {
    return nullptr;
  }
  for (const OpcodeInfo& info : AllOpcodes()) {
    if (info.precedence > 0 && info.min_operands == 2 &&
        info.symbol == token.text) {
      return &info;
    }
  }
  return nullptr;
}

bool IsUnsupportedInfix(const Token& token) {
  for (absl::string_view symbol : kUnsupportedInfix) {
    if (token.IsSymbol(symbol)) return true;
  }
  return false;
}

Node MakeNode(Opcode op, SourcePosition position,
              std::vector<NodeIndex> operands = {}) {
  Node node;
  node.op = op;
  node.position = position;
  node.operands = std::move(operands);
  return node;
}

// Returns the literal that a word stands for.
std::optional<Literal> FindLiteral(absl::string_view word) {
  Literal literal;
  if (word == "true" || word == "false") {
    literal.kind = Literal::Kind::kBool;
    literal.integer = word == "true" ? 1 : 0;
  } else if (word == "nan") {
    literal.real = std::numeric_limits<double>::quiet_NaN();
  } else if (word == "inf") {
    literal.real = std::numeric_limits<double>::infinity();
  } else if (word == "pi") {
    literal.real = std::numbers::pi;
  } else {
    return std::nullopt;
  }
  return literal;
}

}  // namespace

absl::StatusOr<NodeIndex> ExpressionParser::Parse() { return ParseBinary(1); }

absl::StatusOr<NodeIndex> ExpressionParser::ParseBinary(int min_precedence) {
  ASSIGN_OR_RETURN(NodeIndex left, ParseNot(min_precedence));
  while (true) {
    const Token& token = cursor_.Current();
    const SourcePosition position = token.position;
    if (IsUnsupportedInfix(token)) {
      return cursor_.UnsupportedError(
          position, absl::StrCat("the operator \"", token.text, "\""));
    }
    const OpcodeInfo* infix = FindInfix(token);
    if (infix == nullptr || infix->precedence < min_precedence) return left;
    cursor_.Advance();
    cursor_.SkipNewlines();

    ASSIGN_OR_RETURN(const NodeIndex right, ParseBinary(infix->precedence + 1));
    ASSIGN_OR_RETURN(left,
                     Append(MakeNode(infix->opcode, position, {left, right})));
    const OpcodeInfo* next = FindInfix(cursor_.Current());
    if (infix->rule == TypeRule::kCompare && next != nullptr &&
        next->rule == TypeRule::kCompare) {
      return cursor_.SyntaxError(
          cursor_.Current().position,
          "comparisons do not chain: write \"a < b and b < c\"");
    }
  }
}

absl::StatusOr<NodeIndex> ExpressionParser::ParseNot(int min_precedence) {
  const Token& token = cursor_.Current();
  const SourcePosition position = token.position;
  const int precedence = Info(Opcode::kNot).precedence;
  if (!token.IsName("not")) return ParseUnary();
  if (min_precedence > precedence) {
    return cursor_.SyntaxError(position, "\"not\" needs parentheses here");
  }
  const TokenCursor::Nesting nesting(cursor_);
  RETURN_IF_ERROR(nesting.check());
  cursor_.Advance();
  ASSIGN_OR_RETURN(const NodeIndex operand, ParseBinary(precedence));
  return Append(MakeNode(Opcode::kNot, position, {operand}));
}

absl::StatusOr<NodeIndex> ExpressionParser::ParseUnary() {
  const Token& token = cursor_.Current();
  const SourcePosition position = token.position;
  if (token.IsSymbol("~")) {
    return cursor_.UnsupportedError(position, "the operator \"~\"");
  }
  const bool negate = token.IsSymbol("-");
  if (!negate && !token.IsSymbol("+")) return ParsePower();
  const TokenCursor::Nesting nesting(cursor_);
  RETURN_IF_ERROR(nesting.check());
  cursor_.Advance();
  ASSIGN_OR_RETURN(const NodeIndex operand, ParseUnary());
  if (!negate) return operand;
  return Append(MakeNode(Opcode::kNeg, position, {operand}));
}

// Binds tighter than a sign before it and less than one after: -x ** -y is
// -(x ** (-y)).
absl::StatusOr<NodeIndex> ExpressionParser::ParsePower() {
  ASSIGN_OR_RETURN(const NodeIndex base, ParsePostfix());
  const OpcodeInfo& power = Info(Opcode::kPow);
  const SourcePosition position = cursor_.Current().position;
  if (!cursor_.Accept(power.symbol)) return base;
  cursor_.SkipNewlines();
  const TokenCursor::Nesting nesting(cursor_);
  RETURN_IF_ERROR(nesting.check());
  ASSIGN_OR_RETURN(const NodeIndex exponent, ParseUnary());
  return Append(MakeNode(power.opcode, position, {base, exponent}));
}

absl::StatusOr<NodeIndex> ExpressionParser::ParsePostfix() {
  ASSIGN_OR_RETURN(NodeIndex value, ParsePrimary());
  while (cursor_.Accept(".")) {
    const Token& token = cursor_.Current();
    if (token.kind != Token::Kind::kName &&
        token.kind != Token::Kind::kDigits) {
      return cursor_.Unexpected("a component: a name or a number");
    }
    Node member = MakeNode(Opcode::kMember, token.position, {value});
    member.name = std::string(token.text);
    cursor_.Advance();
    ASSIGN_OR_RETURN(value, Append(std::move(member)));
  }
  return value;
}

absl::StatusOr<NodeIndex> ExpressionParser::ParsePrimary() {
  const Token& token = cursor_.Current();
  Node node = MakeNode(Opcode::kLiteral, token.position);
  switch (token.kind) {
    case Token::Kind::kNumber:
      node.literal = token.literal;
      break;
    case Token::Kind::kAxis:
      node.op = Opcode::kIndex;
      node.axis =
          static_cast<Axis>(absl::string_view(kAxisNames).find(token.text[0]));
      break;
    case Token::Kind::kQuoted:
      node.op = Opcode::kName;
      node.name = std::string(token.text);
      break;
    case Token::Kind::kName:
      return ParseWord();
    case Token::Kind::kSymbol:
      if (token.text == "(") return ParseParentheses();
      if (token.text == "{") return ParseNamedTuple();
      return cursor_.Unexpected("an expression");
    case Token::Kind::kEnd:
    case Token::Kind::kNewline:
    case Token::Kind::kDigits:
    case Token::Kind::kInvalid:
      return cursor_.Unexpected("an expression");
  }
  cursor_.Advance();
  return Append(std::move(node));
}

absl::StatusOr<NodeIndex> ExpressionParser::ParseWord() {
  const Token& token = cursor_.Current();
  Node node = MakeNode(Opcode::kName, token.position);
  if (std::optional<Literal> literal = FindLiteral(token.text)) {
    node.op = Opcode::kLiteral;
    node.literal = *literal;
  } else if (IsReservedWord(token.text)) {
    return cursor_.Unexpected("an expression");
  } else if (cursor_.Following().IsSymbol("(")) {
    return ParseCall();
  } else {
    node.name = std::string(token.text);
  }
  cursor_.Advance();
  return Append(std::move(node));
}

absl::StatusOr<NodeIndex> ExpressionParser::ParseParentheses() {
  const TokenCursor::Nesting nesting(cursor_);
  RETURN_IF_ERROR(nesting.check());
  Node tuple = MakeNode(Opcode::kTuple, cursor_.Current().position);
  RETURN_IF_ERROR(cursor_.Open("("));
  ASSIGN_OR_RETURN(const NodeIndex first, Parse());
  if (!cursor_.Current().IsSymbol(",")) {
    RETURN_IF_ERROR(cursor_.Close(")"));
    return first;
  }
  tuple.operands.push_back(first);
  while (cursor_.Accept(",") && !cursor_.Current().IsSymbol(")")) {
    ASSIGN_OR_RETURN(const NodeIndex member, Parse());
    tuple.operands.push_back(member);
  }
  RETURN_IF_ERROR(cursor_.Close(")"));
  return Append(std::move(tuple));
}

absl::StatusOr<NodeIndex> ExpressionParser::ParseNamedTuple() {
  const TokenCursor::Nesting nesting(cursor_);
  RETURN_IF_ERROR(nesting.check());
  Node tuple = MakeNode(Opcode::kTuple, cursor_.Current().position);
  RETURN_IF_ERROR(cursor_.Open("{"));
  do {
    const Token& name = cursor_.Current();
    if (name.kind != Token::Kind::kName) {
      return cursor_.Unexpected("the name of a member");
    }
    tuple.member_names.emplace_back(name.text);
    cursor_.Advance();
    RETURN_IF_ERROR(cursor_.Expect(":"));
    ASSIGN_OR_RETURN(const NodeIndex member, Parse());
    tuple.operands.push_back(member);
  } while (cursor_.Accept(","));
  RETURN_IF_ERROR(cursor_.Close("}"));
  return Append(std::move(tuple));
}

absl::StatusOr<NodeIndex> ExpressionParser::Append(Node node) {
  const auto limit_error = [&](absl::string_view message) {
    return cursor_.ErrorAt(node.position, absl::StatusCode::kInvalidArgument,
                           "PROGRAM_LIMIT", message);
  };
  const int64_t num_nodes = static_cast<int64_t>(program_.nodes.size());
  if (num_nodes >= kProgramLimits.max_nodes) {
    return limit_error(
        absl::StrCat("more than ", kProgramLimits.max_nodes, " operations"));
  }
  // What walks expressions by recursion relies on this; chains such as
  // a + a + a are deep without being nested.
  int64_t depth = 1;
  for (NodeIndex operand : node.operands) {
    depth = std::max(depth, depths_[static_cast<size_t>(operand)] + 1);
  }
  if (depth > kProgramLimits.max_depth) {
    return limit_error(absl::StrCat("more than ", kProgramLimits.max_depth,
                                    " operations that need each other"));
  }
  depths_.push_back(depth);
  program_.nodes.push_back(std::move(node));
  return static_cast<NodeIndex>(num_nodes);
}

}  // namespace layoutd
