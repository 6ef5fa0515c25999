#ifndef LAYOUTD_ENGINE_PROGRAM_PARSE_EXPRESSION_H_
#define LAYOUTD_ENGINE_PROGRAM_PARSE_EXPRESSION_H_

// Parses the expressions of a program text into nodes, by precedence climbing
// over the operators of opcode.h. One part of the parser; see parse.h.

#include <vector>

#include "absl/status/statusor.h"
#include "engine/program/graph.h"
#include "engine/program/token_cursor.h"

namespace layoutd {

class ExpressionParser {
 public:
  // Reads from `cursor` and appends to `program`; both outlive the parser.
  ExpressionParser(TokenCursor& cursor, Program& program)
      : cursor_(cursor), program_(program) {}

  // Parses one expression and returns its node. Nodes that no node refers to
  // may be left in the program.
  // Errors: as ParseProgram.
  absl::StatusOr<NodeIndex> Parse();

 private:
  // One argument of a call; `name` is empty for a positional one.
  struct Argument {
    absl::string_view name;
    SourcePosition position;
    NodeIndex value = 0;
  };

  absl::StatusOr<NodeIndex> ParseBinary(int min_precedence);
  absl::StatusOr<NodeIndex> ParseNot(int min_precedence);
  absl::StatusOr<NodeIndex> ParseUnary();
  absl::StatusOr<NodeIndex> ParsePower();
  absl::StatusOr<NodeIndex> ParsePostfix();
  absl::StatusOr<NodeIndex> ParsePrimary();
  absl::StatusOr<NodeIndex> ParseWord();
  absl::StatusOr<NodeIndex> ParseParentheses();
  absl::StatusOr<NodeIndex> ParseNamedTuple();

  // Calls: parse_call.cc.
  absl::StatusOr<NodeIndex> ParseCall();
  absl::StatusOr<NodeIndex> ParseFunction(const Token& name);
  absl::StatusOr<NodeIndex> ParseAt(const Token& name);
  absl::StatusOr<NodeIndex> ParseFold(const Token& name, Opcode op);
  absl::StatusOr<AtPosition> ParseAtPosition();
  absl::StatusOr<Opcode> ParseFoldOperation();
  absl::StatusOr<NodeIndex> MakeFunction(
      Opcode op, const Token& name, const std::vector<Argument>& arguments);
  absl::StatusOr<NodeIndex> MakeReduction(
      Reduction reduction, const Token& name,
      const std::vector<Argument>& arguments);
  // Parses what is left of an argument list, and its ")".
  absl::StatusOr<std::vector<Argument>> ParseArguments();
  absl::Status UnknownFunction(const Token& name) const;

  // Errors: PROGRAM_LIMIT — too many nodes, or too many above each other.
  absl::StatusOr<NodeIndex> Append(Node node);

  TokenCursor& cursor_;
  Program& program_;
  std::vector<int64_t> depths_;  // per node: of the expression below it
};

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_PROGRAM_PARSE_EXPRESSION_H_
