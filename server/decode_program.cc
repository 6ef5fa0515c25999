#include "server/decode_program.h"

#include <iterator>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/base/error.h"
#include "engine/base/status_macros.h"

namespace layoutd {
namespace {

Error BadGraph(absl::string_view message, absl::string_view path) {
  return InvalidArgument("BAD_GRAPH", absl::StrCat(path, ": ", message))
      .At(path);
}

// The operations by their numbers in the protocol, from LITERAL = 1; a test
// compares the two name by name.
constexpr Opcode kOpcodes[] = {
    Opcode::kLiteral, Opcode::kName,         Opcode::kIndex, Opcode::kTuple,
    Opcode::kMember,  Opcode::kAdd,          Opcode::kSub,   Opcode::kMul,
    Opcode::kDiv,     Opcode::kNeg,          Opcode::kAbs,   Opcode::kSqrt,
    Opcode::kExp,     Opcode::kFma,          Opcode::kMin,   Opcode::kMax,
    Opcode::kEqual,   Opcode::kNotEqual,     Opcode::kLess,  Opcode::kLessEqual,
    Opcode::kGreater, Opcode::kGreaterEqual, Opcode::kAnd,   Opcode::kOr,
    Opcode::kNot,     Opcode::kIsFinite,     Opcode::kIsNan, Opcode::kSelect,
    Opcode::kConvert, Opcode::kAt,           Opcode::kFold,  Opcode::kReduce,
    Opcode::kScan,    Opcode::kLog,          Opcode::kPow,
};

std::optional<Opcode> DecodeOpcode(v1::Opcode op) {
  const int index = static_cast<int>(op) - 1;
  if (index < 0 || index >= static_cast<int>(std::size(kOpcodes))) {
    return std::nullopt;
  }
  return kOpcodes[index];
}

absl::StatusOr<Opcode> DecodeOpcodeAt(v1::Opcode op, absl::string_view path) {
  const std::optional<Opcode> decoded = DecodeOpcode(op);
  if (!decoded) return BadGraph("the opcode is not set", path);
  return *decoded;
}

absl::StatusOr<Literal> DecodeLiteral(const v1::Literal& literal,
                                      const std::string& path) {
  Literal decoded;
  switch (literal.value_case()) {
    case v1::Literal::kBoolean:
      decoded.kind = Literal::Kind::kBool;
      decoded.integer = literal.boolean() ? 1 : 0;
      break;
    case v1::Literal::kInteger: {
      decoded.kind = Literal::Kind::kInteger;
      ASSIGN_OR_RETURN(
          decoded.integer,
          DecodeInteger(literal.integer(), absl::StrCat(path, ".integer")));
      break;
    }
    case v1::Literal::kReal:
      decoded.kind = Literal::Kind::kFloat;
      decoded.real = literal.real();
      break;
    case v1::Literal::VALUE_NOT_SET:
      return BadGraph("the literal has no value", path);
  }
  if (!literal.type().empty()) {
    decoded.type = ParseScalarType(literal.type());
    if (!decoded.type) {
      return InvalidArgument("BAD_TYPE", absl::StrCat("\"", literal.type(),
                                                      "\" is no scalar type"))
          .At(absl::StrCat(path, ".type"));
    }
  }
  return decoded;
}

absl::StatusOr<AtPosition> DecodeAt(const v1::At& at, const std::string& path) {
  AtPosition decoded;
  switch (at.where_case()) {
    case v1::At::kLevel:
      decoded.kind = AtPosition::Kind::kLevel;
      decoded.value = at.level();
      break;
    case v1::At::kLast:
      if (!at.last()) return BadGraph("last is true or not set", path);
      decoded.kind = AtPosition::Kind::kLast;
      break;
    case v1::At::kOffset:
      decoded.kind = AtPosition::Kind::kOffset;
      decoded.value = at.offset();
      break;
    case v1::At::WHERE_NOT_SET:
      return BadGraph("no level, last or offset is set", path);
  }
  if (at.edge() != v1::At::ERROR && at.where_case() != v1::At::kOffset) {
    return BadGraph("an edge goes with an offset only", path);
  }
  decoded.edge = static_cast<AtPosition::Edge>(at.edge());
  return decoded;
}

absl::StatusOr<FoldSpec> DecodeFold(const v1::Fold& fold,
                                    const std::string& path) {
  FoldSpec decoded;
  ASSIGN_OR_RETURN(decoded.op,
                   DecodeOpcodeAt(fold.op(), absl::StrCat(path, ".op")));
  decoded.flip = fold.flip();
  decoded.has_init = fold.has_init();
  decoded.exclusive = fold.exclusive();
  return decoded;
}

absl::StatusOr<ReduceSpec> DecodeReduce(const v1::Reduce& reduce,
                                        const std::string& path) {
  ReduceSpec decoded;
  if (reduce.kind() == v1::Reduce::KIND_UNSPECIFIED) {
    return BadGraph("the kind is not set", absl::StrCat(path, ".kind"));
  }
  // The numbers are one apart.
  decoded.reduction =
      static_cast<Reduction>(static_cast<int>(reduce.kind()) - 1);
  decoded.has_weight = reduce.has_weight();
  decoded.has_where = reduce.has_where();
  decoded.has_init = reduce.has_init();
  return decoded;
}

// Refuses a node whose parts are not those of its opcode: what would be
// ignored must not be sent.
absl::Status CheckParts(const v1::Node& node, const std::string& path) {
  const v1::Opcode op = node.op();
  const bool has_name = op == v1::NAME || op == v1::MEMBER;
  struct Part {
    absl::string_view name;
    bool set;
    bool allowed;
    bool needed;
  };
  const Part parts[] = {
      {"literal", node.has_literal(), op == v1::LITERAL, true},
      {"name", !node.name().empty(), has_name, true},
      {"axis", node.axis() != v1::V, op == v1::INDEX, false},
      {"member_names", node.member_names_size() > 0, op == v1::TUPLE, false},
      {"scalar_type", !node.scalar_type().empty(), op == v1::CONVERT, true},
      {"at", node.has_at(), op == v1::AT, true},
      {"fold", node.has_fold(), op == v1::FOLD || op == v1::SCAN, true},
      {"reduce", node.has_reduce(), op == v1::REDUCE, true},
  };
  for (const Part& part : parts) {
    if (part.set && !part.allowed) {
      return BadGraph(absl::StrCat("not a part of ", v1::Opcode_Name(op)),
                      absl::StrCat(path, ".", part.name));
    }
    if (part.allowed && part.needed && !part.set) {
      return BadGraph(absl::StrCat(v1::Opcode_Name(op), " needs it"),
                      absl::StrCat(path, ".", part.name));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Node> DecodeNode(const v1::Node& node, const std::string& path) {
  Node decoded;
  ASSIGN_OR_RETURN(decoded.op,
                   DecodeOpcodeAt(node.op(), absl::StrCat(path, ".op")));
  RETURN_IF_ERROR(CheckParts(node, path));
  decoded.operands = {node.operands().begin(), node.operands().end()};
  decoded.name = node.name();
  decoded.axis = static_cast<Axis>(node.axis());
  decoded.member_names = {node.member_names().begin(),
                          node.member_names().end()};
  if (node.has_literal()) {
    ASSIGN_OR_RETURN(
        decoded.literal,
        DecodeLiteral(node.literal(), absl::StrCat(path, ".literal")));
  }
  if (!node.scalar_type().empty()) {
    const std::optional<ScalarType> type = ParseScalarType(node.scalar_type());
    if (!type) {
      return InvalidArgument("BAD_TYPE", absl::StrCat("\"", node.scalar_type(),
                                                      "\" is no scalar type"))
          .At(absl::StrCat(path, ".scalar_type"));
    }
    decoded.scalar_type = *type;
  }
  if (node.has_at()) {
    ASSIGN_OR_RETURN(decoded.at,
                     DecodeAt(node.at(), absl::StrCat(path, ".at")));
  }
  if (node.has_fold()) {
    ASSIGN_OR_RETURN(decoded.fold,
                     DecodeFold(node.fold(), absl::StrCat(path, ".fold")));
  }
  if (node.has_reduce()) {
    ASSIGN_OR_RETURN(
        decoded.reduce,
        DecodeReduce(node.reduce(), absl::StrCat(path, ".reduce")));
  }
  return decoded;
}

absl::StatusOr<MaskExpression> DecodeMaskExpression(
    const google::protobuf::RepeatedPtrField<v1::MaskTerm>& terms,
    const std::string& path) {
  MaskExpression decoded;
  for (int k = 0; k < terms.size(); ++k) {
    const v1::MaskTerm& term = terms[k];
    MaskTerm& added = decoded.emplace_back();
    if (term.term_case() == v1::MaskTerm::kMask) {
      added.name = term.mask();
      continue;
    }
    switch (term.op()) {
      case v1::AND:
        added.kind = MaskTerm::Kind::kAnd;
        break;
      case v1::OR:
        added.kind = MaskTerm::Kind::kOr;
        break;
      case v1::NOT:
        added.kind = MaskTerm::Kind::kNot;
        break;
      default:  // every other opcode
        return BadGraph("a mask term is a mask, AND, OR or NOT",
                        absl::StrCat(path, "[", k, "]"));
    }
  }
  return decoded;
}

absl::StatusOr<Assignment> DecodeAssignment(const v1::Assignment& assignment,
                                            const std::string& path) {
  Assignment decoded;
  switch (assignment.kind()) {
    case v1::Assignment::LET:
      decoded.kind = Assignment::Kind::kLet;
      break;
    case v1::Assignment::NEW:
      decoded.kind = Assignment::Kind::kNew;
      break;
    case v1::Assignment::STORE:
      decoded.kind = Assignment::Kind::kStore;
      break;
    default:  // not set
      return BadGraph("the kind is not set", absl::StrCat(path, ".kind"));
  }
  if (!assignment.component().empty() &&
      decoded.kind != Assignment::Kind::kStore) {
    return BadGraph("only STORE has a component",
                    absl::StrCat(path, ".component"));
  }
  decoded.target = assignment.target();
  decoded.component = assignment.component();
  decoded.value = assignment.value();
  return decoded;
}

absl::StatusOr<Foreach> DecodeForeach(const v1::Statement::Foreach& loop,
                                      const std::string& path) {
  Foreach decoded;
  switch (loop.slice()) {
    case v1::Statement::Foreach::POINT:
      decoded.slice = SliceKind::kPoint;
      break;
    case v1::Statement::Foreach::COLUMN:
      decoded.slice = SliceKind::kColumn;
      break;
    default:  // not set
      return BadGraph("the slice is not set", absl::StrCat(path, ".slice"));
  }
  ASSIGN_OR_RETURN(decoded.mask, DecodeMaskExpression(
                                     loop.mask(), absl::StrCat(path, ".mask")));
  for (int k = 0; k < loop.body_size(); ++k) {
    ASSIGN_OR_RETURN(
        Assignment assignment,
        DecodeAssignment(loop.body(k), absl::StrCat(path, ".body[", k, "]")));
    decoded.body.push_back(std::move(assignment));
  }
  return decoded;
}

absl::StatusOr<Reduce> DecodeReduceBlock(
    const v1::Statement::ReduceBlock& block, const std::string& path) {
  Reduce decoded;
  ASSIGN_OR_RETURN(
      decoded.mask,
      DecodeMaskExpression(block.mask(), absl::StrCat(path, ".mask")));
  for (const v1::Statement::ReduceBlock::Result& result : block.results()) {
    decoded.results.push_back(
        {.name = result.name(), .value = result.value(), .position = {}});
  }
  return decoded;
}

absl::StatusOr<Statement> DecodeStatement(const v1::Statement& statement,
                                          const std::string& path) {
  switch (statement.statement_case()) {
    case v1::Statement::kAssignment:
      return DecodeAssignment(statement.assignment(),
                              absl::StrCat(path, ".assignment"));
    case v1::Statement::kForeach:
      return DecodeForeach(statement.foreach (),
                           absl::StrCat(path, ".foreach"));
    case v1::Statement::kReduce:
      return DecodeReduceBlock(statement.reduce(),
                               absl::StrCat(path, ".reduce"));
    case v1::Statement::STATEMENT_NOT_SET:
      break;
  }
  return BadGraph("the statement is empty", path);
}

}  // namespace

absl::StatusOr<Program> DecodeGraph(const v1::Graph& graph) {
  if (graph.nodes_size() > kProgramLimits.max_nodes) {
    return InvalidArgument("PROGRAM_LIMIT",
                           absl::StrCat("a program of ", graph.nodes_size(),
                                        " nodes is over the limit of ",
                                        kProgramLimits.max_nodes))
        .At("program.graph.nodes");
  }
  Program program;
  for (int k = 0; k < graph.nodes_size(); ++k) {
    ASSIGN_OR_RETURN(Node node,
                     DecodeNode(graph.nodes(k),
                                absl::StrCat("program.graph.nodes[", k, "]")));
    program.nodes.push_back(std::move(node));
  }
  for (int k = 0; k < graph.statements_size(); ++k) {
    ASSIGN_OR_RETURN(
        Statement statement,
        DecodeStatement(graph.statements(k),
                        absl::StrCat("program.graph.statements[", k, "]")));
    program.statements.push_back(std::move(statement));
  }
  return program;
}

absl::StatusOr<Uint128> DecodeInteger(absl::string_view digits,
                                      absl::string_view path) {
  if (digits.empty()) return BadGraph("the integer has no digits", path);
  Uint128 value = 0;
  for (char c : digits) {
    if (c < '0' || c > '9') {
      return BadGraph("an integer is written in decimal digits only", path);
    }
    if (__builtin_mul_overflow(value, Uint128{10}, &value) ||
        __builtin_add_overflow(value, static_cast<Uint128>(c - '0'), &value)) {
      return InvalidArgument("LITERAL_RANGE",
                             absl::StrCat(path, ": not below 2^128"))
          .At(path);
    }
  }
  return value;
}

}  // namespace layoutd
