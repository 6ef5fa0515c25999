#include "engine/program/verify_structure.h"

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "engine/base/error.h"
#include "engine/base/resource_id.h"
#include "engine/base/status_macros.h"
#include "engine/layout/value_type.h"
#include "engine/program/lex.h"
#include "engine/program/locate.h"

namespace layoutd {
namespace {

// Keeps every pass near linear in the nodes, whatever hangs off tuples.
constexpr int64_t kMaxOperands = 4 * kProgramLimits.max_nodes;

Error BadGraph(absl::string_view message) {
  return InvalidArgument("BAD_GRAPH", message);
}

bool IsLetterOrDigit(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_';
}

// What may stand where a field, mask or binding is named.
bool IsReference(absl::string_view text) {
  return !text.empty() && text.size() <= kMaxIdBytes &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return IsLetterOrDigit(c) || c == '/'; });
}

bool IsMemberSegment(absl::string_view text) {
  return !text.empty() && text.size() <= kMaxIdSegmentBytes &&
         std::all_of(text.begin(), text.end(), IsLetterOrDigit);
}

// Untrusted text as part of a message: bounded and printable.
std::string Quoted(absl::string_view text) {
  return absl::StrCat(
      "\"", absl::CHexEscape(text.substr(0, kMaxIdSegmentBytes)), "\"");
}

absl::Status CheckReference(absl::string_view name) {
  if (IsReference(name)) return absl::OkStatus();
  return BadGraph(absl::StrCat("bad name ", Quoted(name)));
}

template <typename Enum>
bool IsUpTo(Enum value, Enum last) {
  return static_cast<int>(value) <= static_cast<int>(last);
}

absl::Status CheckLiteral(const Literal& literal) {
  if (!IsUpTo(literal.kind, Literal::Kind::kFloat) ||
      (literal.type && !IsUpTo(*literal.type, ScalarType::kF64))) {
    return BadGraph("literal of unknown kind or type");
  }
  if (literal.kind != Literal::Kind::kBool) return absl::OkStatus();
  if (literal.integer > 1 ||
      literal.type.value_or(ScalarType::kBool) != ScalarType::kBool) {
    return BadGraph("bool literal that is not true or false");
  }
  return absl::OkStatus();
}

absl::Status CheckAt(const AtPosition& at) {
  if (!IsUpTo(at.kind, AtPosition::Kind::kOffset) ||
      !IsUpTo(at.edge, AtPosition::Edge::kValue)) {
    return BadGraph("at with an unknown position or edge");
  }
  if (at.kind != AtPosition::Kind::kOffset) {
    if (at.edge != AtPosition::Edge::kError) {
      return BadGraph("edge given for at with a level");
    }
    return absl::OkStatus();
  }
  const int64_t limit = kProgramLimits.max_offset;
  if (at.value < -limit || at.value > limit) {
    return InvalidArgument(
               "PROGRAM_LIMIT",
               absl::StrCat("offset ", at.value, " of at is outside [-", limit,
                            ", ", limit, "]"))
        .With("limit", absl::StrCat(limit));
  }
  return absl::OkStatus();
}

absl::Status CheckFold(const Node& node) {
  if (node.op == Opcode::kFold && node.fold.exclusive) {
    return BadGraph("fold that is exclusive");
  }
  switch (node.fold.op) {
    case Opcode::kAdd:
    case Opcode::kSub:
    case Opcode::kMul:
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kMin:
    case Opcode::kMax:
      return absl::OkStatus();
    default:
      return BadGraph("fold with an operation that is no fold");
  }
}

// Checks what is particular to the opcode and returns how many operands it
// takes, or -1 where any number in the opcode's range will do.
absl::StatusOr<int> CheckSpec(const Node& node) {
  switch (node.op) {
    case Opcode::kLiteral:
      RETURN_IF_ERROR(CheckLiteral(node.literal));
      return 0;
    case Opcode::kName:
      RETURN_IF_ERROR(CheckReference(node.name));
      return 0;
    case Opcode::kIndex:
      if (!IsUpTo(node.axis, Axis::kH)) return BadGraph("unknown axis");
      return 0;
    case Opcode::kTuple:
      if (!node.member_names.empty() &&
          node.member_names.size() != node.operands.size()) {
        return BadGraph(absl::StrCat(node.member_names.size(),
                                     " member names for ", node.operands.size(),
                                     " members"));
      }
      return -1;
    case Opcode::kMember:
      if (!IsMemberSegment(node.name)) {
        return BadGraph(absl::StrCat("bad member name ", Quoted(node.name)));
      }
      return 1;
    case Opcode::kConvert:
      if (!IsUpTo(node.scalar_type, ScalarType::kF64)) {
        return BadGraph("unknown scalar type");
      }
      return 1;
    case Opcode::kAt:
      RETURN_IF_ERROR(CheckAt(node.at));
      return 1 + (node.at.edge == AtPosition::Edge::kValue);
    case Opcode::kFold:
    case Opcode::kScan:
      RETURN_IF_ERROR(CheckFold(node));
      return 1 + node.fold.has_init;
    case Opcode::kReduce:
      if (!IsUpTo(node.reduce.reduction, kLastReduction)) {
        return BadGraph("unknown reduction");
      }
      return 1 + node.reduce.has_weight + node.reduce.has_where +
             node.reduce.has_init;
    default:
      return -1;
  }
}

absl::Status CheckNode(const Node& node, NodeIndex index) {
  if (!IsUpTo(node.op, kLastOpcode)) return BadGraph("unknown opcode");
  ASSIGN_OR_RETURN(const int wanted, CheckSpec(node));
  const OpcodeInfo& info = Info(node.op);
  const int64_t count = static_cast<int64_t>(node.operands.size());
  const int64_t least = wanted < 0 ? info.min_operands : wanted;
  const int64_t most = wanted < 0 ? info.max_operands : wanted;
  if (count < least || count > most) {
    return BadGraph(
        absl::StrCat("operation takes ", least,
                     least == most ? std::string() : absl::StrCat(" to ", most),
                     " operands, got ", count));
  }
  for (NodeIndex operand : node.operands) {
    if (operand < 0 || operand >= index) {
      return BadGraph(absl::StrCat("operand ", operand,
                                   " is not an earlier node than ", index));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckNodes(const Program& program) {
  int64_t num_operands = 0;
  int64_t num_reductions = 0;
  std::vector<int32_t> depths;
  for (const Node& node : program.nodes) {
    const NodeIndex index = static_cast<NodeIndex>(depths.size());
    if (absl::Status status = CheckNode(node, index); !status.ok()) {
      return LocateNode(status, program, index);
    }
    int32_t depth = 1;
    for (NodeIndex operand : node.operands) {
      depth = std::max(depth, depths[static_cast<size_t>(operand)] + 1);
    }
    depths.push_back(depth);
    num_operands += static_cast<int64_t>(node.operands.size());
    num_reductions += node.op == Opcode::kReduce;
    absl::Status status =
        CheckLimit("levels of nesting", depth, kProgramLimits.max_depth);
    status.Update(CheckLimit("operands", num_operands, kMaxOperands));
    status.Update(CheckLimit("reductions", num_reductions,
                             kProgramLimits.max_reductions));
    if (!status.ok()) return LocateNode(status, program, index);
  }
  return absl::OkStatus();
}

absl::Status CheckMask(const MaskExpression& mask) {
  RETURN_IF_ERROR(CheckLimit("terms in one mask",
                             static_cast<int64_t>(mask.size()),
                             kProgramLimits.max_mask_terms));
  int64_t height = 0;
  for (const MaskTerm& term : mask) {
    switch (term.kind) {
      case MaskTerm::Kind::kMask:
        RETURN_IF_ERROR(CheckReference(term.name));
        ++height;
        break;
      case MaskTerm::Kind::kNot:
        if (height < 1) return BadGraph("mask: not without an operand");
        break;
      case MaskTerm::Kind::kAnd:
      case MaskTerm::Kind::kOr:
        if (height < 2) return BadGraph("mask: and or or without two operands");
        --height;
        break;
      default:
        return BadGraph("mask: unknown term");
    }
  }
  if (!mask.empty() && height != 1) {
    return BadGraph(absl::StrCat("mask leaves ", height, " values, not one"));
  }
  return absl::OkStatus();
}

// Walks the statements, counting what is limited.
class StatementChecker {
 public:
  explicit StatementChecker(const Program& program) : program_(program) {}

  absl::Status Check() {
    for (const Statement& statement : program_.statements) {
      RETURN_IF_ERROR(Count(SourcePosition{}, 1));
      if (const auto* assignment = std::get_if<Assignment>(&statement)) {
        RETURN_IF_ERROR(CheckAssignment(*assignment));
      } else if (const auto* loop = std::get_if<Foreach>(&statement)) {
        RETURN_IF_ERROR(CheckForeach(*loop));
      } else {
        RETURN_IF_ERROR(CheckReduce(std::get<Reduce>(statement)));
      }
      ++index_;
    }
    return absl::OkStatus();
  }

 private:
  absl::Status At(const SourcePosition& position,
                  const absl::Status& status) const {
    return status.ok() ? status : LocateStatement(status, position, index_);
  }

  // Statements, assignments, results and mask terms together have the limit of
  // nodes: they may all share one node, and each costs about as much as one.
  absl::Status Count(const SourcePosition& position, size_t entries) {
    num_entries_ += static_cast<int64_t>(entries);
    return At(position, CheckLimit("statements and mask terms", num_entries_,
                                   kProgramLimits.max_nodes));
  }

  absl::Status CheckValue(const SourcePosition& position, NodeIndex value) {
    if (0 <= value && value < static_cast<int64_t>(program_.nodes.size())) {
      return absl::OkStatus();
    }
    return At(position, BadGraph(absl::StrCat("value ", value, " is no node")));
  }

  absl::Status CheckAssignment(const Assignment& assignment) {
    const SourcePosition& position = assignment.position;
    RETURN_IF_ERROR(CheckValue(position, assignment.value));
    switch (assignment.kind) {
      case Assignment::Kind::kLet:
        if (!IsProgramName(assignment.target)) {
          return At(position, BadGraph(absl::StrCat(
                                  "bad name ", Quoted(assignment.target))));
        }
        break;
      case Assignment::Kind::kNew:
        if (!IsResourceId(assignment.target)) {
          return At(position,
                    InvalidArgument("BAD_ID",
                                    absl::StrCat("bad field id ",
                                                 Quoted(assignment.target))));
        }
        break;
      case Assignment::Kind::kStore:
        RETURN_IF_ERROR(At(position, CheckReference(assignment.target)));
        break;
      default:
        return At(position, BadGraph("unknown kind of assignment"));
    }
    if (assignment.kind != Assignment::Kind::kStore &&
        !assignment.component.empty()) {
      return At(position, BadGraph("let or new of a component"));
    }
    if (assignment.kind == Assignment::Kind::kLet) return absl::OkStatus();
    return At(position,
              CheckLimit("stores", ++num_stores_, kProgramLimits.max_stores));
  }

  absl::Status CheckForeach(const Foreach& loop) {
    if (!IsUpTo(loop.slice, SliceKind::kColumn)) {
      return At(loop.position, BadGraph("unknown slice of foreach"));
    }
    RETURN_IF_ERROR(Count(loop.position, loop.mask.size() + loop.body.size()));
    RETURN_IF_ERROR(At(loop.position, CheckMask(loop.mask)));
    for (const Assignment& assignment : loop.body) {
      RETURN_IF_ERROR(CheckAssignment(assignment));
    }
    return absl::OkStatus();
  }

  absl::Status CheckReduce(const Reduce& reduce) {
    RETURN_IF_ERROR(
        Count(reduce.position, reduce.mask.size() + reduce.results.size()));
    RETURN_IF_ERROR(At(reduce.position, CheckMask(reduce.mask)));
    for (const Reduce::Result& result : reduce.results) {
      RETURN_IF_ERROR(CheckValue(result.position, result.value));
      if (!IsProgramName(result.name)) {
        return At(result.position,
                  BadGraph(absl::StrCat("bad name ", Quoted(result.name))));
      }
    }
    return absl::OkStatus();
  }

  const Program& program_;
  size_t index_ = 0;
  int64_t num_entries_ = 0;
  int64_t num_stores_ = 0;
};

}  // namespace

bool IsProgramName(absl::string_view text) {
  return text.size() <= kMaxIdSegmentBytes && IsPlainName(text);
}

absl::Status CheckLimit(absl::string_view what, int64_t count, int64_t limit) {
  if (count <= limit) return absl::OkStatus();
  return InvalidArgument("PROGRAM_LIMIT",
                         absl::StrCat("program has ", count, " ", what,
                                      ", at most ", limit, " are allowed"))
      .With("limit", absl::StrCat(limit));
}

absl::Status CheckStructure(const Program& program) {
  const NodeIndex first_over = static_cast<NodeIndex>(kProgramLimits.max_nodes);
  if (absl::Status status =
          CheckLimit("nodes", static_cast<int64_t>(program.nodes.size()),
                     kProgramLimits.max_nodes);
      !status.ok()) {
    return LocateNode(status, program, first_over);
  }
  RETURN_IF_ERROR(CheckNodes(program));
  return StatementChecker(program).Check();
}

}  // namespace layoutd
