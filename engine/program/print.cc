#include "engine/program/print.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/program/lex.h"

namespace layoutd {
namespace {

// Of a whole expression, and of what needs no parentheses anywhere; those of
// operators lie between (see opcode.h).
constexpr int kAnyPrecedence = 0;
constexpr int kPrimaryPrecedence = 100;

std::string PrintName(absl::string_view name) {
  if (IsPlainName(name)) return std::string(name);
  return absl::StrCat("\"", name, "\"");
}

// "heat", "u.0", with the id in quotes when it needs them.
std::string PrintTarget(const Assignment& assignment) {
  return absl::StrCat(PrintName(assignment.target),
                      assignment.component.empty() ? "" : ".",
                      assignment.component);
}

std::string PrintInteger(Uint128 value) {
  std::string digits;
  do {
    digits.push_back(static_cast<char>('0' + static_cast<int>(value % 10)));
    value /= 10;
  } while (value != 0);
  std::reverse(digits.begin(), digits.end());
  return digits;
}

template <typename Float>
std::string ShortestText(Float value) {
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value).ptr;
  std::string text(buffer, end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

// Returns the shortest text that reads back as `real`; in an f32 literal, as
// the f32 that it is rounded to.
std::string PrintReal(double real, std::optional<ScalarType> type) {
  if (std::isnan(real)) return "nan";
  if (std::isinf(real)) return real < 0 ? "-inf" : "inf";
  if (real == std::numbers::pi && !type) return "pi";
  if (type == ScalarType::kF32) {
    const float single = static_cast<float>(real);
    if (std::isfinite(single)) return ShortestText(single);
  }
  return ShortestText(real);
}

std::string PrintLiteral(const Literal& literal) {
  if (literal.kind == Literal::Kind::kBool) {
    return literal.integer != 0 ? "true" : "false";
  }
  const bool is_integer = literal.kind == Literal::Kind::kInteger;
  const std::string text = is_integer ? PrintInteger(literal.integer)
                                      : PrintReal(literal.real, literal.type);
  if (!literal.type) return text;
  // The words nan and inf take no suffix.
  if (!is_integer && !std::isfinite(literal.real)) {
    return absl::StrCat(Name(*literal.type), "(", text, ")");
  }
  return absl::StrCat(text, "_", Name(*literal.type));
}

// Only a graph can have one: in a text the minus is an operation of its own.
bool IsNegative(const Literal& literal) {
  return literal.kind == Literal::Kind::kFloat && std::signbit(literal.real) &&
         !std::isnan(literal.real);
}

class Printer {
 public:
  explicit Printer(const Program& program) : program_(program) {}

  std::string TakeText() {
    if (IsFull()) out_ += "...";
    return std::move(out_);
  }

  void Print(const Statement& statement) {
    if (const auto* single = std::get_if<Assignment>(&statement)) {
      Print(*single);
    } else if (const auto* loop = std::get_if<Foreach>(&statement)) {
      absl::StrAppend(&out_, "foreach ",
                      loop->slice == SliceKind::kPoint ? "point" : "column");
      OpenBlock(loop->mask);
      for (const Assignment& assignment : loop->body) {
        out_ += "  ";
        Print(assignment);
      }
      out_ += "}\n";
    } else if (const auto* reduce = std::get_if<Reduce>(&statement)) {
      out_ += "reduce";
      OpenBlock(reduce->mask);
      for (const Reduce::Result& result : reduce->results) {
        absl::StrAppend(&out_, "  ", PrintName(result.name), " = ");
        PrintNode(result.value, kAnyPrecedence);
        out_ += "\n";
      }
      out_ += "}\n";
    }
  }

  // Prints the value of node `index`, in parentheses when it binds less tightly
  // than `min_precedence`.
  // Depth: that of the expression, which kProgramLimits bounds.
  void PrintNode(NodeIndex index, int min_precedence) {
    if (IsFull()) return;
    const Node& node = program_.nodes[static_cast<size_t>(index)];
    const OpcodeInfo& info = Info(node.op);
    int precedence = info.precedence > 0 ? info.precedence : kPrimaryPrecedence;
    if (node.op == Opcode::kLiteral && IsNegative(node.literal)) {
      precedence = Info(Opcode::kNeg).precedence;
    }
    if (precedence < min_precedence) {
      out_ += "(";
      PrintNode(index, kAnyPrecedence);
      out_ += ")";
    } else if (info.precedence == 0) {
      PrintPrimary(node);
    } else if (info.max_operands == 1) {
      absl::StrAppend(&out_, info.symbol, node.op == Opcode::kNot ? " " : "");
      PrintNode(node.operands[0], precedence);
    } else if (node.op == Opcode::kPow) {
      // Right to left, and the exponent may have a sign.
      PrintNode(node.operands[0], precedence + 1);
      absl::StrAppend(&out_, " ", info.symbol, " ");
      PrintNode(node.operands[1], Info(Opcode::kNeg).precedence);
    } else {
      // Left to right, except that comparisons do not chain at all.
      const bool chains = info.rule != TypeRule::kCompare;
      PrintNode(node.operands[0], chains ? precedence : precedence + 1);
      absl::StrAppend(&out_, " ", info.symbol, " ");
      PrintNode(node.operands[1], precedence + 1);
    }
  }

 private:
  bool IsFull() const { return out_.size() > kMaxPrintedBytes; }

  void Print(const Assignment& assignment) {
    if (assignment.kind == Assignment::Kind::kLet) out_ += "let ";
    if (assignment.kind == Assignment::Kind::kNew) out_ += "new ";
    absl::StrAppend(&out_, PrintTarget(assignment), " = ");
    PrintNode(assignment.value, kAnyPrecedence);
    out_ += "\n";
  }

  void OpenBlock(const MaskExpression& mask) {
    if (!mask.empty()) absl::StrAppend(&out_, " mask ", PrintMask(mask));
    out_ += " {\n";
  }

  static std::string PrintMask(const MaskExpression& mask) {
    struct Part {
      std::string text;
      int precedence;
    };
    const auto wrap = [](Part part, int min_precedence) {
      if (part.precedence >= min_precedence) return std::move(part.text);
      return absl::StrCat("(", part.text, ")");
    };
    std::vector<Part> parts;
    for (const MaskTerm& term : mask) {
      if (term.kind == MaskTerm::Kind::kMask) {
        parts.push_back({PrintName(term.name), kPrimaryPrecedence});
        continue;
      }
      const OpcodeInfo& info =
          Info(term.kind == MaskTerm::Kind::kAnd  ? Opcode::kAnd
               : term.kind == MaskTerm::Kind::kOr ? Opcode::kOr
                                                  : Opcode::kNot);
      Part right = std::move(parts.back());
      parts.pop_back();
      if (term.kind == MaskTerm::Kind::kNot) {
        parts.push_back(
            {absl::StrCat("not ", wrap(std::move(right), info.precedence)),
             info.precedence});
        continue;
      }
      std::string text = wrap(std::move(parts.back()), info.precedence);
      parts.pop_back();
      absl::StrAppend(&text, " ", info.symbol, " ",
                      wrap(std::move(right), info.precedence + 1));
      parts.push_back({std::move(text), info.precedence});
    }
    return std::move(parts.back().text);
  }

  // What is no operator.
  void PrintPrimary(const Node& node) {
    switch (node.op) {
      case Opcode::kLiteral:
        out_ += PrintLiteral(node.literal);
        return;
      case Opcode::kName:
        out_ += PrintName(node.name);
        return;
      case Opcode::kIndex:
        absl::StrAppend(
            &out_, "@",
            std::string(1, kAxisNames[static_cast<int>(node.axis)]));
        return;
      case Opcode::kTuple:
        return PrintTuple(node);
      case Opcode::kMember:
        return PrintMember(node);
      case Opcode::kAt:
        return PrintAt(node);
      case Opcode::kFold:
      case Opcode::kScan:
        return PrintFold(node);
      case Opcode::kReduce:
        return PrintReduction(node);
      case Opcode::kConvert:
        return PrintCall(Name(node.scalar_type), node);
      case Opcode::kMin:
      case Opcode::kMax:
        return PrintExtremum(node);
      case Opcode::kAbs:
      case Opcode::kSqrt:
      case Opcode::kExp:
      case Opcode::kLog:
      case Opcode::kFma:
      case Opcode::kIsFinite:
      case Opcode::kIsNan:
      case Opcode::kSelect:
        return PrintCall(Info(node.op).name, node);
      case Opcode::kAdd:
      case Opcode::kSub:
      case Opcode::kMul:
      case Opcode::kDiv:
      case Opcode::kNeg:
      case Opcode::kPow:
      case Opcode::kEqual:
      case Opcode::kNotEqual:
      case Opcode::kLess:
      case Opcode::kLessEqual:
      case Opcode::kGreater:
      case Opcode::kGreaterEqual:
      case Opcode::kAnd:
      case Opcode::kOr:
      case Opcode::kNot:
        return;  // operators: PrintNode
    }
  }

  void PrintList(const std::vector<NodeIndex>& items) {
    for (size_t k = 0; k < items.size(); ++k) {
      if (k > 0) out_ += ", ";
      PrintNode(items[k], kAnyPrecedence);
    }
  }

  void PrintCall(absl::string_view name, const Node& node) {
    absl::StrAppend(&out_, name, "(");
    PrintList(node.operands);
    out_ += ")";
  }

  // min(min(a, b), c) as min(a, b, c), as it is written.
  void PrintExtremum(const Node& node) {
    std::vector<NodeIndex> items = {node.operands[1]};
    NodeIndex left = node.operands[0];
    while (program_.nodes[static_cast<size_t>(left)].op == node.op) {
      const Node& inner = program_.nodes[static_cast<size_t>(left)];
      items.push_back(inner.operands[1]);
      left = inner.operands[0];
    }
    items.push_back(left);
    std::reverse(items.begin(), items.end());
    absl::StrAppend(&out_, Info(node.op).name, "(");
    PrintList(items);
    out_ += ")";
  }

  void PrintTuple(const Node& node) {
    const bool is_named = !node.member_names.empty();
    out_ += is_named ? "{" : "(";
    for (size_t k = 0; k < node.operands.size(); ++k) {
      if (k > 0) out_ += ", ";
      if (is_named) absl::StrAppend(&out_, node.member_names[k], ": ");
      PrintNode(node.operands[k], kAnyPrecedence);
    }
    if (!is_named && node.operands.size() == 1) out_ += ",";
    out_ += is_named ? "}" : ")";
  }

  void PrintMember(const Node& node) {
    const NodeIndex value = node.operands[0];
    // "1.0" would be a number.
    const bool is_literal =
        program_.nodes[static_cast<size_t>(value)].op == Opcode::kLiteral;
    if (is_literal) out_ += "(";
    PrintNode(value, is_literal ? kAnyPrecedence : kPrimaryPrecedence);
    absl::StrAppend(&out_, is_literal ? ")" : "", ".", node.name);
  }

  void PrintNamed(absl::string_view name, NodeIndex value) {
    absl::StrAppend(&out_, ", ", name, " = ");
    PrintNode(value, kAnyPrecedence);
  }

  void PrintAt(const Node& node) {
    out_ += "at(";
    PrintNode(node.operands[0], kAnyPrecedence);
    out_ += ", ";
    const int64_t value = node.at.value;
    switch (node.at.kind) {
      case AtPosition::Kind::kLevel:
        absl::StrAppend(&out_, value);
        break;
      case AtPosition::Kind::kLast:
        out_ += "last";
        break;
      case AtPosition::Kind::kOffset:
        out_ += "v";
        if (value > 0) absl::StrAppend(&out_, " + ", value);
        if (value < 0) absl::StrAppend(&out_, " - ", -value);
        break;
    }
    if (node.at.edge == AtPosition::Edge::kClamp) out_ += ", edge = clamp";
    if (node.at.edge == AtPosition::Edge::kValue) {
      PrintNamed("edge", node.operands[1]);
    }
    out_ += ")";
  }

  void PrintFold(const Node& node) {
    const OpcodeInfo& op = Info(node.fold.op);
    absl::StrAppend(&out_, node.op == Opcode::kScan ? "scan(" : "fold(",
                    op.symbol.empty() ? op.name : op.symbol, ", ");
    PrintNode(node.operands[0], kAnyPrecedence);
    if (node.fold.flip) out_ += ", flip = true";
    if (node.fold.has_init) PrintNamed("init", node.operands[1]);
    if (node.fold.exclusive) out_ += ", exclusive = true";
    out_ += ")";
  }

  void PrintReduction(const Node& node) {
    absl::StrAppend(&out_, Name(node.reduce.reduction), "(");
    size_t operand = 0;
    PrintNode(node.operands[operand++], kAnyPrecedence);
    const ReduceSpec& reduce = node.reduce;
    if (reduce.has_weight) PrintNamed("weight", node.operands[operand++]);
    if (reduce.has_where) PrintNamed("where", node.operands[operand++]);
    if (reduce.has_init) PrintNamed("init", node.operands[operand++]);
    out_ += ")";
  }

  const Program& program_;
  std::string out_;
};

}  // namespace

std::string PrintProgram(const Program& program) {
  Printer printer(program);
  for (const Statement& statement : program.statements) {
    printer.Print(statement);
  }
  return printer.TakeText();
}

std::string PrintExpression(const Program& program, NodeIndex node) {
  Printer printer(program);
  printer.PrintNode(node, 0);
  return printer.TakeText();
}

}  // namespace layoutd
