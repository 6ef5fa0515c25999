#include "engine/program/parse.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/base/error.h"
#include "engine/base/status_macros.h"
#include "engine/program/parse_expression.h"
#include "engine/program/token_cursor.h"

namespace layoutd {
namespace {

class StatementParser {
 public:
  explicit StatementParser(absl::string_view text)
      : cursor_(text), expressions_(cursor_, program_) {}

  absl::StatusOr<Program> ParseWholeProgram() {
    cursor_.SkipSeparators();
    while (cursor_.Current().kind != Token::Kind::kEnd) {
      ASSIGN_OR_RETURN(Statement statement, ParseStatement());
      program_.statements.push_back(std::move(statement));
      RETURN_IF_ERROR(cursor_.ExpectSeparator(""));
      cursor_.SkipSeparators();
    }
    return std::move(program_);
  }

  absl::StatusOr<Program> ParseWholeExpression() {
    cursor_.SkipNewlines();
    Assignment result;
    result.kind = Assignment::Kind::kLet;
    result.target = "result";
    result.position = cursor_.Current().position;
    ASSIGN_OR_RETURN(result.value, expressions_.Parse());
    cursor_.SkipNewlines();
    if (cursor_.Current().kind != Token::Kind::kEnd) {
      return cursor_.Unexpected("the end of the expression");
    }
    program_.statements.emplace_back(std::move(result));
    return std::move(program_);
  }

 private:
  absl::StatusOr<Statement> ParseStatement() {
    if (cursor_.Current().IsName("foreach")) return ParseForeach();
    if (cursor_.Current().IsName("reduce")) return ParseReduce();
    return ParseAssignment("a statement");
  }

  absl::StatusOr<Assignment> ParseAssignment(absl::string_view expected) {
    Assignment assignment;
    assignment.position = cursor_.Current().position;
    if (cursor_.AcceptName("let")) {
      assignment.kind = Assignment::Kind::kLet;
      ASSIGN_OR_RETURN(assignment.target, ParseName("a name"));
    } else if (cursor_.AcceptName("new")) {
      assignment.kind = Assignment::Kind::kNew;
      ASSIGN_OR_RETURN(assignment.target, ParseReference("the id of a field"));
    } else {
      ASSIGN_OR_RETURN(assignment.target, ParseReference(expected));
      ASSIGN_OR_RETURN(assignment.component, ParseComponents());
    }
    RETURN_IF_ERROR(cursor_.Expect("="));
    ASSIGN_OR_RETURN(assignment.value, expressions_.Parse());
    return assignment;
  }

  // NAME.
  absl::StatusOr<std::string> ParseName(absl::string_view expected) {
    const Token& token = cursor_.Current();
    if (token.kind != Token::Kind::kName || IsReservedWord(token.text)) {
      return cursor_.Unexpected(expected);
    }
    cursor_.Advance();
    return std::string(token.text);
  }

  // ref = NAME | '"' id '"'.
  absl::StatusOr<std::string> ParseReference(absl::string_view expected) {
    const Token& token = cursor_.Current();
    if (token.kind != Token::Kind::kQuoted) return ParseName(expected);
    cursor_.Advance();
    return std::string(token.text);
  }

  // Returns "u.2" for { comp }, "" when there is none.
  absl::StatusOr<std::string> ParseComponents() {
    std::string path;
    while (cursor_.Accept(".")) {
      const Token& token = cursor_.Current();
      if (token.kind != Token::Kind::kName &&
          token.kind != Token::Kind::kDigits) {
        return cursor_.Unexpected("a component: a name or a number");
      }
      absl::StrAppend(&path, path.empty() ? "" : ".", token.text);
      cursor_.Advance();
    }
    return path;
  }

  absl::StatusOr<Foreach> ParseForeach() {
    Foreach loop;
    loop.position = cursor_.Current().position;
    cursor_.Advance();
    const Token& slice = cursor_.Current();
    if (slice.IsName("level") || slice.IsName("slab")) {
      return cursor_.UnsupportedError(slice.position,
                                      absl::StrCat("foreach ", slice.text));
    }
    if (cursor_.AcceptName("column")) {
      loop.slice = SliceKind::kColumn;
    } else if (!cursor_.AcceptName("point")) {
      return cursor_.Unexpected("\"point\" or \"column\"");
    }
    ASSIGN_OR_RETURN(loop.mask, ParseMask());
    const auto parse_item = [&]() -> absl::Status {
      ASSIGN_OR_RETURN(Assignment assignment,
                       ParseAssignment("an assignment or \"}\""));
      loop.body.push_back(std::move(assignment));
      return absl::OkStatus();
    };
    RETURN_IF_ERROR(ParseBlock(parse_item));
    return loop;
  }

  absl::StatusOr<Reduce> ParseReduce() {
    Reduce reduce;
    reduce.position = cursor_.Current().position;
    cursor_.Advance();
    if (cursor_.Current().IsName("per")) {
      return cursor_.UnsupportedError(cursor_.Current().position, "reduce per");
    }
    ASSIGN_OR_RETURN(reduce.mask, ParseMask());
    const auto parse_item = [&]() -> absl::Status {
      Reduce::Result result;
      result.position = cursor_.Current().position;
      ASSIGN_OR_RETURN(result.name, ParseName("a result's name or \"}\""));
      RETURN_IF_ERROR(cursor_.Expect("="));
      ASSIGN_OR_RETURN(result.value, expressions_.Parse());
      reduce.results.push_back(std::move(result));
      return absl::OkStatus();
    };
    RETURN_IF_ERROR(ParseBlock(parse_item));
    return reduce;
  }

  // "{" { item SEP } "}".
  absl::Status ParseBlock(const std::function<absl::Status()>& parse_item) {
    RETURN_IF_ERROR(cursor_.Expect("{"));
    cursor_.SkipSeparators();
    while (!cursor_.Accept("}")) {
      RETURN_IF_ERROR(parse_item());
      RETURN_IF_ERROR(cursor_.ExpectSeparator("}"));
      cursor_.SkipSeparators();
    }
    return absl::OkStatus();
  }

  // [ "mask" mor ]; empty without "mask".
  absl::StatusOr<MaskExpression> ParseMask() {
    MaskExpression mask;
    if (cursor_.AcceptName("mask")) RETURN_IF_ERROR(ParseMaskOr(mask));
    return mask;
  }

  absl::Status ParseMaskOr(MaskExpression& mask) {
    return ParseMaskChain(mask, "or", MaskTerm::Kind::kOr, [&] {
      return ParseMaskChain(mask, "and", MaskTerm::Kind::kAnd,
                            [&] { return ParseMaskNot(mask); });
    });
  }

  absl::Status ParseMaskChain(MaskExpression& mask, absl::string_view word,
                              MaskTerm::Kind kind,
                              const std::function<absl::Status()>& parse_part) {
    RETURN_IF_ERROR(parse_part());
    while (cursor_.Current().IsName(word)) {
      const SourcePosition position = cursor_.Current().position;
      cursor_.Advance();
      cursor_.SkipNewlines();
      RETURN_IF_ERROR(parse_part());
      mask.push_back({kind, "", position});
    }
    return absl::OkStatus();
  }

  absl::Status ParseMaskNot(MaskExpression& mask) {
    const TokenCursor::Nesting nesting(cursor_);
    RETURN_IF_ERROR(nesting.check());
    const SourcePosition position = cursor_.Current().position;
    if (cursor_.AcceptName("not")) {
      RETURN_IF_ERROR(ParseMaskNot(mask));
      mask.push_back({MaskTerm::Kind::kNot, "", position});
      return absl::OkStatus();
    }
    if (cursor_.Current().IsSymbol("(")) {
      RETURN_IF_ERROR(cursor_.Open("("));
      RETURN_IF_ERROR(ParseMaskOr(mask));
      return cursor_.Close(")");
    }
    ASSIGN_OR_RETURN(std::string id, ParseReference("the id of a mask"));
    mask.push_back({MaskTerm::Kind::kMask, std::move(id), position});
    return absl::OkStatus();
  }

  Program program_;
  TokenCursor cursor_;
  ExpressionParser expressions_;
};

// Numbers the nodes in the order in which the printed text has them, whatever
// the order of named arguments was, and drops those that no value needs. So
// programs that mean the same by their text are equal.
Program Renumber(Program program) {
  std::vector<Node> nodes;
  nodes.reserve(program.nodes.size());
  // Depth: at most max_depth, as the parser has counted.
  const std::function<NodeIndex(NodeIndex)> move = [&](NodeIndex index) {
    Node node = std::move(program.nodes[static_cast<size_t>(index)]);
    for (NodeIndex& operand : node.operands) operand = move(operand);
    nodes.push_back(std::move(node));
    return static_cast<NodeIndex>(nodes.size()) - 1;
  };
  for (Statement& statement : program.statements) {
    if (auto* assignment = std::get_if<Assignment>(&statement)) {
      assignment->value = move(assignment->value);
    } else if (auto* loop = std::get_if<Foreach>(&statement)) {
      for (Assignment& item : loop->body) item.value = move(item.value);
    } else if (auto* reduce = std::get_if<Reduce>(&statement)) {
      for (Reduce::Result& item : reduce->results)
        item.value = move(item.value);
    }
  }
  program.nodes = std::move(nodes);
  return program;
}

absl::Status CheckSize(absl::string_view text) {
  const int64_t size = static_cast<int64_t>(text.size());
  if (size <= kProgramLimits.max_text_bytes) return absl::OkStatus();
  return InvalidArgument(
             "PROGRAM_LIMIT",
             absl::StrCat("program text of ", size, " bytes, more than ",
                          kProgramLimits.max_text_bytes))
      .At("program.text");
}

}  // namespace

absl::StatusOr<Program> ParseProgram(absl::string_view text) {
  RETURN_IF_ERROR(CheckSize(text));
  ASSIGN_OR_RETURN(Program program, StatementParser(text).ParseWholeProgram());
  return Renumber(std::move(program));
}

absl::StatusOr<Program> ParseExpression(absl::string_view text) {
  RETURN_IF_ERROR(CheckSize(text));
  ASSIGN_OR_RETURN(Program program,
                   StatementParser(text).ParseWholeExpression());
  return Renumber(std::move(program));
}

}  // namespace layoutd
