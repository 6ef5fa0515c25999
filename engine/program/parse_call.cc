// The calls of the text form: functions, conversions, at, fold, reductions.

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/base/status_macros.h"
#include "engine/program/nearest_names.h"
#include "engine/program/opcode.h"
#include "engine/program/parse_expression.h"

namespace layoutd {
namespace {

// Functions of the language that this version does not run.
constexpr absl::string_view kUnsupportedFunctions[] = {
    "abs2", "acos",  "asin",  "atan",     "atan2",    "bitcast",
    "cbrt", "ceil",  "clamp", "combine",  "contract", "copysign",
    "cos",  "erf",   "exp2",  "expm1",    "floor",    "fmax",
    "fmin", "hypot", "isinf", "levels",   "log10",    "log1p",
    "log2", "mod",   "norm",  "popcount", "prod",     "random",
    "rem",  "round", "sign",  "sin",      "sinh",     "sum_exact",
    "tan",  "tanh",  "trunc", "var"};

constexpr Opcode kFoldOperations[] = {Opcode::kAdd, Opcode::kSub, Opcode::kMul,
                                      Opcode::kAnd, Opcode::kOr,  Opcode::kMin,
                                      Opcode::kMax};

bool IsUnsupportedFunction(absl::string_view name) {
  return std::find(std::begin(kUnsupportedFunctions),
                   std::end(kUnsupportedFunctions),
                   name) != std::end(kUnsupportedFunctions);
}

std::vector<std::string> AllFunctionNames() {
  std::vector<std::string> names = {"at",    "fold",  "scan", "column_reduce",
                                    "where", "ifelse"};
  for (const OpcodeInfo& info : AllOpcodes()) {
    if (!info.name.empty()) names.emplace_back(info.name);
  }
  for (int k = 0; k <= static_cast<int>(kLastReduction); ++k) {
    names.emplace_back(Name(static_cast<Reduction>(k)));
  }
  for (int k = 0; k < kNumScalarTypes; ++k) {
    names.emplace_back(Name(static_cast<ScalarType>(k)));
  }
  for (absl::string_view name : kUnsupportedFunctions) {
    names.emplace_back(name);
  }
  return names;
}

std::string Quoted(absl::string_view name) {
  return absl::StrCat("\"", name.substr(0, 40), "\"");
}

}  // namespace

absl::StatusOr<NodeIndex> ExpressionParser::ParseCall() {
  const TokenCursor::Nesting nesting(cursor_);
  RETURN_IF_ERROR(nesting.check());
  const Token name = cursor_.Current();
  if (IsUnsupportedFunction(name.text)) {
    return cursor_.UnsupportedError(
        name.position, absl::StrCat("the function ", Quoted(name.text)));
  }
  if (name.text == "at") return ParseAt(name);
  if (name.text == "fold" || name.text == "column_reduce") {
    return ParseFold(name, Opcode::kFold);
  }
  if (name.text == "scan") return ParseFold(name, Opcode::kScan);
  return ParseFunction(name);
}

absl::StatusOr<NodeIndex> ExpressionParser::ParseFunction(const Token& name) {
  const std::optional<Opcode> op = FindFunction(name.text);
  const std::optional<Reduction> reduction = FindReduction(name.text);
  const std::optional<ScalarType> type = ParseScalarType(name.text);
  if (!op && !reduction && !type) return UnknownFunction(name);

  cursor_.Advance();
  RETURN_IF_ERROR(cursor_.Open("("));
  ASSIGN_OR_RETURN(const std::vector<Argument> arguments, ParseArguments());
  if (type) {
    ASSIGN_OR_RETURN(const NodeIndex node,
                     MakeFunction(Opcode::kConvert, name, arguments));
    program_.nodes.back().scalar_type = *type;
    return node;
  }
  // min and max are both: of one value they are reductions.
  const auto is_positional = [](const Argument& a) { return a.name.empty(); };
  if (op && (!reduction || std::count_if(arguments.begin(), arguments.end(),
                                         is_positional) > 1)) {
    return MakeFunction(*op, name, arguments);
  }
  return MakeReduction(*reduction, name, arguments);
}

absl::StatusOr<NodeIndex> ExpressionParser::MakeFunction(
    Opcode op, const Token& name, const std::vector<Argument>& arguments) {
  for (const Argument& argument : arguments) {
    if (!argument.name.empty()) {
      return cursor_.SyntaxError(
          argument.position,
          absl::StrCat(Quoted(name.text), " of ",
                       Info(op).max_operands == 1 ? "a value" : "values",
                       " takes no argument named ", Quoted(argument.name)));
    }
  }
  const int num_arguments = static_cast<int>(arguments.size());
  const bool is_variadic = op == Opcode::kMin || op == Opcode::kMax;
  const int num_operands = Info(op).min_operands;
  if (num_arguments != num_operands &&
      !(is_variadic && num_arguments > num_operands)) {
    return cursor_.SyntaxError(
        name.position,
        absl::StrCat(Quoted(name.text), " takes ", num_operands,
                     num_operands == 1 ? " argument" : " arguments", ", not ",
                     num_arguments));
  }

  Node node;
  node.op = op;
  node.position = name.position;
  for (int k = 0; k < num_operands; ++k) {
    node.operands.push_back(arguments[static_cast<size_t>(k)].value);
  }
  ASSIGN_OR_RETURN(NodeIndex value, Append(node));
  // min(a, b, c) is min(min(a, b), c).
  for (size_t k = node.operands.size(); k < arguments.size(); ++k) {
    node.operands = {value, arguments[k].value};
    ASSIGN_OR_RETURN(value, Append(node));
  }
  return value;
}

absl::StatusOr<NodeIndex> ExpressionParser::MakeReduction(
    Reduction reduction, const Token& name,
    const std::vector<Argument>& arguments) {
  std::optional<NodeIndex> value, weight, where, init;
  for (const Argument& argument : arguments) {
    std::optional<NodeIndex>* slot = argument.name.empty()       ? &value
                                     : argument.name == "weight" ? &weight
                                     : argument.name == "where"  ? &where
                                     : argument.name == "init"   ? &init
                                                                 : nullptr;
    if (slot == nullptr) {
      return cursor_.SyntaxError(
          argument.position,
          absl::StrCat(Quoted(name.text), " takes weight, where and init, not ",
                       Quoted(argument.name)));
    }
    if (slot->has_value()) {
      return cursor_.SyntaxError(
          argument.position,
          argument.name.empty()
              ? absl::StrCat(Quoted(name.text), " takes one value")
              : absl::StrCat(Quoted(argument.name), " given twice"));
    }
    *slot = argument.value;
  }
  if (!value) {
    return cursor_.SyntaxError(
        name.position, absl::StrCat(Quoted(name.text), " takes one value"));
  }

  Node node;
  node.op = Opcode::kReduce;
  node.position = name.position;
  node.reduce = {reduction, weight.has_value(), where.has_value(),
                 init.has_value()};
  for (const std::optional<NodeIndex>& operand : {value, weight, where, init}) {
    if (operand) node.operands.push_back(*operand);
  }
  return Append(std::move(node));
}

absl::StatusOr<NodeIndex> ExpressionParser::ParseAt(const Token& name) {
  cursor_.Advance();
  RETURN_IF_ERROR(cursor_.Open("("));
  Node node;
  node.op = Opcode::kAt;
  node.position = name.position;
  ASSIGN_OR_RETURN(const NodeIndex value, Parse());
  node.operands.push_back(value);
  RETURN_IF_ERROR(cursor_.Expect(","));
  ASSIGN_OR_RETURN(node.at, ParseAtPosition());

  bool has_edge = false;
  while (cursor_.Accept(",")) {
    const Token& token = cursor_.Current();
    const SourcePosition position = token.position;
    if (!cursor_.Following().IsSymbol("=")) {
      // A second position is along another axis.
      RETURN_IF_ERROR(ParseAtPosition().status());
      return cursor_.SyntaxError(position, "more than one position along v");
    }
    if (!token.IsName("edge")) return cursor_.Unexpected("\"edge\"");
    if (has_edge) return cursor_.SyntaxError(position, "\"edge\" given twice");
    if (node.at.kind != AtPosition::Kind::kOffset) {
      return cursor_.SyntaxError(position,
                                 "\"edge\" goes with an offset only: at(x, v + "
                                 "1, edge = clamp)");
    }
    has_edge = true;
    cursor_.Advance();
    RETURN_IF_ERROR(cursor_.Expect("="));
    const bool ends = cursor_.Following().IsSymbol(")");
    if (ends && cursor_.AcceptName("error")) continue;
    if (ends && cursor_.AcceptName("clamp")) {
      node.at.edge = AtPosition::Edge::kClamp;
      continue;
    }
    ASSIGN_OR_RETURN(const NodeIndex edge, Parse());
    node.at.edge = AtPosition::Edge::kValue;
    node.operands.push_back(edge);
  }
  RETURN_IF_ERROR(cursor_.Close(")"));
  return Append(std::move(node));
}

absl::StatusOr<AtPosition> ExpressionParser::ParseAtPosition() {
  constexpr absl::string_view kExpected =
      "a position: \"v + 1\", \"v - 1\", a level from 0, or \"last\"";
  const auto is_level = [](const Token& token) {
    return token.kind == Token::Kind::kNumber && !token.literal.type &&
           token.literal.kind == Literal::Kind::kInteger &&
           token.literal.integer <=
               static_cast<Uint128>(std::numeric_limits<int64_t>::max());
  };
  const Token& token = cursor_.Current();
  AtPosition at;
  if (is_level(token)) {
    at.kind = AtPosition::Kind::kLevel;
    at.value = static_cast<int64_t>(token.literal.integer);
    cursor_.Advance();
    return at;
  }
  if (cursor_.AcceptName("last")) {
    at.kind = AtPosition::Kind::kLast;
    return at;
  }
  if (token.IsName("i") || token.IsName("j") || token.IsName("h")) {
    return cursor_.UnsupportedError(token.position,
                                    absl::StrCat("at along ", token.text));
  }
  if (!cursor_.AcceptName("v")) return cursor_.Unexpected(kExpected);
  const bool is_below = cursor_.Current().IsSymbol("-");
  if (is_below || cursor_.Current().IsSymbol("+")) {
    cursor_.Advance();
    const Token& offset = cursor_.Current();
    if (!is_level(offset)) return cursor_.Unexpected("a number of levels");
    at.value = static_cast<int64_t>(offset.literal.integer);
    if (is_below) at.value = -at.value;
    cursor_.Advance();
  }
  return at;
}

absl::StatusOr<NodeIndex> ExpressionParser::ParseFold(const Token& name,
                                                      Opcode op) {
  cursor_.Advance();
  RETURN_IF_ERROR(cursor_.Open("("));
  Node node;
  node.op = op;
  node.position = name.position;
  ASSIGN_OR_RETURN(node.fold.op, ParseFoldOperation());
  RETURN_IF_ERROR(cursor_.Expect(","));
  ASSIGN_OR_RETURN(const std::vector<Argument> arguments, ParseArguments());

  const bool is_scan = op == Opcode::kScan;
  const std::string takes =
      absl::StrCat(Quoted(name.text), " takes one value, flip",
                   is_scan ? ", exclusive" : "", " and init");
  std::optional<NodeIndex> value, init;
  std::optional<bool> flip, exclusive;
  for (const Argument& argument : arguments) {
    std::optional<bool>* const option =
        argument.name == "flip"                   ? &flip
        : is_scan && argument.name == "exclusive" ? &exclusive
                                                  : nullptr;
    if (argument.name.empty() && !value) {
      value = argument.value;
    } else if (argument.name == "init" && !init) {
      init = argument.value;
    } else if (option != nullptr && !option->has_value()) {
      const Node& given = program_.nodes[static_cast<size_t>(argument.value)];
      if (given.op != Opcode::kLiteral ||
          given.literal.kind != Literal::Kind::kBool) {
        return cursor_.SyntaxError(
            argument.position,
            absl::StrCat(Quoted(argument.name), " is true or false"));
      }
      *option = given.literal.integer != 0;
    } else {
      return cursor_.SyntaxError(argument.position, takes);
    }
  }
  if (!value) return cursor_.SyntaxError(name.position, takes);
  node.fold.flip = flip.value_or(false);
  node.fold.exclusive = exclusive.value_or(false);
  node.fold.has_init = init.has_value();
  node.operands.push_back(*value);
  if (init) node.operands.push_back(*init);
  return Append(std::move(node));
}

absl::StatusOr<Opcode> ExpressionParser::ParseFoldOperation() {
  const Token token = cursor_.Current();
  absl::string_view spelling = token.text;
  if (token.IsSymbol("(")) {
    return cursor_.UnsupportedError(token.position, "an own operation");
  }
  if (token.IsSymbol("&")) spelling = Info(Opcode::kAnd).symbol;
  if (token.IsSymbol("|")) spelling = Info(Opcode::kOr).symbol;
  if (token.kind == Token::Kind::kSymbol || token.kind == Token::Kind::kName) {
    for (Opcode op : kFoldOperations) {
      if (Info(op).symbol == spelling || Info(op).name == spelling) {
        cursor_.Advance();
        return op;
      }
    }
  }
  if (token.kind != Token::Kind::kName) {
    return cursor_.Unexpected("an operation: + - * and or min max");
  }
  if (FindFunction(token.text) || IsUnsupportedFunction(token.text)) {
    return cursor_.UnsupportedError(
        token.position, absl::StrCat("a fold with ", Quoted(token.text)));
  }
  return UnknownFunction(token);
}

absl::StatusOr<std::vector<ExpressionParser::Argument>>
ExpressionParser::ParseArguments() {
  std::vector<Argument> arguments;
  if (!cursor_.Current().IsSymbol(")")) {
    do {
      const Token& token = cursor_.Current();
      Argument argument;
      argument.position = token.position;
      if (token.kind == Token::Kind::kName &&
          cursor_.Following().IsSymbol("=")) {
        argument.name = token.text;
        cursor_.Advance();
        cursor_.Advance();
      } else if (!arguments.empty() && !arguments.back().name.empty()) {
        return cursor_.SyntaxError(argument.position,
                                   "a value after the named arguments");
      }
      ASSIGN_OR_RETURN(argument.value, Parse());
      arguments.push_back(argument);
    } while (cursor_.Accept(","));
  }
  RETURN_IF_ERROR(cursor_.Close(")"));
  return arguments;
}

absl::Status ExpressionParser::UnknownFunction(const Token& name) const {
  return cursor_.ErrorAt(
      name.position, absl::StatusCode::kInvalidArgument, "UNKNOWN_FUNCTION",
      absl::StrCat("no function ", Quoted(name.text),
                   DidYouMean(NearestNames(name.text, AllFunctionNames()))));
}

}  // namespace layoutd
