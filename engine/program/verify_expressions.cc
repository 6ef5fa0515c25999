#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/base/error.h"
#include "engine/base/status_macros.h"
#include "engine/program/nearest_names.h"
#include "engine/program/verifier.h"
#include "engine/program/verify_shapes.h"
#include "engine/program/verify_structure.h"
#include "engine/program/verify_types.h"

namespace layoutd {

using NameKind = NodeInfo::NameKind;

absl::StatusOr<Verifier::Resolution> Verifier::Resolve(NodeIndex node) {
  const std::string& name = NodeAt(node).name;
  for (const Scope* scope : {&block_lets_, &top_lets_}) {
    const auto found = scope->find(name);
    if (found == scope->end()) continue;
    Let& let = lets_[found->second];
    if (let.value >= node) {
      return InvalidArgument(
          "BAD_GRAPH", absl::StrCat("the value of let \"", name, "\" is node ",
                                    let.value, ", not one before its use"));
    }
    let.used = true;
    return Resolution{NameKind::kLet, let.value};
  }
  if (const auto found = results_.find(name); found != results_.end()) {
    return Resolution{NameKind::kResult, found->second};
  }
  const int32_t field = FindField(name);
  if (field < 0) return UnknownName(name, /*fields_only=*/false);
  return Resolution{NameKind::kField, field,
                    num_stores_[static_cast<size_t>(field)]};
}

// Returns the index of the field that `name` stands for, or -1.
int32_t Verifier::FindField(const std::string& name) {
  const auto entry = catalog_.fields.find(name);
  const std::string& id =
      entry == catalog_.fields.end() ? name : entry->second.id;
  if (const auto found = field_indices_.find(id);
      found != field_indices_.end()) {
    return found->second;
  }
  if (entry == catalog_.fields.end()) return -1;
  return AddField({id, entry->second.layout, false, false, false});
}

int32_t Verifier::AddField(FieldUse field) {
  const int32_t index = static_cast<int32_t>(out_.fields.size());
  field_indices_.emplace(field.id, index);
  num_stores_.push_back(0);
  out_.fields.push_back(std::move(field));
  return index;
}

absl::Status Verifier::UnknownName(const std::string& name, bool fields_only) {
  std::set<std::string> known;
  if (!fields_only) {
    for (const auto& [let, index] : block_lets_) known.insert(let);
    for (const auto& [let, index] : top_lets_) known.insert(let);
    for (const auto& [result, index] : results_) known.insert(result);
  }
  for (const auto& [field, entry] : catalog_.fields) known.insert(field);
  for (const auto& [field, index] : field_indices_) known.insert(field);
  if (catalog_.suggest_fields) {
    for (std::string& field : catalog_.suggest_fields(name)) {
      known.insert(std::move(field));
    }
  }
  const std::vector<std::string> candidates(known.begin(), known.end());
  return NotFound(
             "NAME_NOT_FOUND",
             absl::StrCat(
                 fields_only ? "no field \"" : "no let, result or field \"",
                 name, "\"", DidYouMean(NearestNames(name, candidates))))
      .With("name", name);
}

// A let or result `name` may be added to `scope`.
absl::Status Verifier::CheckUnused(const std::string& name,
                                   const Scope& scope) {
  const bool is_taken =
      scope.contains(name) || (&scope == &top_lets_ && results_.contains(name));
  if (!is_taken) return absl::OkStatus();
  return InvalidArgument("DUPLICATE_NAME",
                         absl::StrCat("\"", name, "\" is defined before"));
}

absl::Status Verifier::VisitRoot(NodeIndex root, Context context) {
  ++visit_;
  RETURN_IF_ERROR(Visit(root, context));
  num_expanded_nodes_ += FactsAt(root).expanded_nodes;
  return AtNode(root,
                CheckLimit("nodes, counted at each use", num_expanded_nodes_,
                           kProgramLimits.max_expanded_nodes));
}

// The depth of recursion is that of the nodes, which CheckStructure limits.
absl::Status Verifier::Visit(NodeIndex index, Context context) {
  int64_t& visited =
      visits_[context == Context::kArgument][static_cast<size_t>(index)];
  if (visited == visit_) return absl::OkStatus();
  visited = visit_;

  const Node& node = NodeAt(index);
  RETURN_IF_ERROR(AtNode(index, CheckContext(index, context)));
  if (node.op == Opcode::kName) {
    return AtNode(index, VisitName(index, context));
  }
  const Context inner =
      node.op == Opcode::kReduce ? Context::kArgument : context;
  for (NodeIndex operand : node.operands) {
    RETURN_IF_ERROR(Visit(operand, inner));
  }
  if (!FactsAt(index).typed) RETURN_IF_ERROR(AtNode(index, Infer(index)));
  if (node.op == Opcode::kReduce) {
    const Shape& points = InfoAt(node.operands[0]).shape.shape;
    RETURN_IF_ERROR(AtNode(index, CheckMaskShape(points)));
  }
  return absl::OkStatus();
}

absl::Status Verifier::CheckContext(NodeIndex index, Context context) {
  const Opcode op = NodeAt(index).op;
  if ((op == Opcode::kFold || op == Opcode::kScan) &&
      context != Context::kColumn) {
    return InvalidArgument(
        "BAD_GRAPH", "fold and scan stand only in foreach column { ... }");
  }
  if (op == Opcode::kReduce) {
    if (context != Context::kResult) {
      return InvalidArgument("BAD_GRAPH",
                             "a reduction stands only in reduce { ... }, and "
                             "not in another reduction");
    }
    // Its mask and its pass are those of one statement.
    int32_t& statement = FactsAt(index).statement;
    if (statement < 0) statement = static_cast<int32_t>(statement_);
    if (statement != static_cast<int32_t>(statement_)) {
      return InvalidArgument(
          "BAD_GRAPH", absl::StrCat("reduction used by statements ", statement,
                                    " and ", statement_));
    }
  }
  if (context == Context::kResult &&
      (op == Opcode::kIndex || op == Opcode::kAt)) {
    return InvalidArgument(
        "BAD_ARGUMENT",
        "at and indices have no point here; put them inside a "
        "reduction, as in sum(...)");
  }
  return absl::OkStatus();
}

absl::Status Verifier::VisitName(NodeIndex index, Context context) {
  ASSIGN_OR_RETURN(const Resolution resolution, Resolve(index));
  if (!FactsAt(index).typed) {
    RETURN_IF_ERROR(TakeName(index, resolution));
  } else if (!(resolution == FactsAt(index).name)) {
    return InvalidArgument(
        "BAD_GRAPH",
        absl::StrCat("\"", NodeAt(index).name,
                     "\" means something else, or is stored to, between the "
                     "statements that share this node; give each its own"));
  }
  if (context == Context::kResult && !FactsAt(index).is_uniform) {
    return InvalidArgument(
        "BAD_ARGUMENT",
        absl::StrCat("\"", NodeAt(index).name,
                     "\" has a value at every point; put it inside a "
                     "reduction, as in sum(",
                     NodeAt(index).name, ")"));
  }
  return absl::OkStatus();
}

absl::Status Verifier::TakeName(NodeIndex index, const Resolution& resolution) {
  NodeInfo& info = InfoAt(index);
  NodeFacts& facts = FactsAt(index);
  switch (resolution.kind) {
    case NameKind::kLet:
      info = InfoAt(resolution.index);
      facts = FactsAt(resolution.index);
      ++facts.depth;
      ++facts.expanded_nodes;
      RETURN_IF_ERROR(CheckDepth(index));
      break;
    case NameKind::kResult:
      info.type = out_.results[static_cast<size_t>(resolution.index)].type;
      break;
    case NameKind::kField: {
      FieldUse& field = out_.fields[static_cast<size_t>(resolution.index)];
      num_inputs_ += !field.read;
      RETURN_IF_ERROR(
          CheckLimit("fields read", num_inputs_, kProgramLimits.max_inputs));
      field.read = true;
      info.type = field.layout.type();
      info.shape.shape = field.layout.shape();
      facts.reads_field = true;
      facts.is_uniform = false;
      facts.family = FamilyOf(field.layout.kind());
      break;
    }
    case NameKind::kNone:
      LAYOUTD_DCHECK(false);
      break;
  }
  info.name_kind = resolution.kind;
  info.name_index = resolution.index;
  facts.name = resolution;
  facts.typed = true;
  return absl::OkStatus();
}

absl::Status Verifier::Infer(NodeIndex index) {
  const Node& node = NodeAt(index);
  NodeInfo& info = InfoAt(index);
  NodeFacts& facts = FactsAt(index);
  std::vector<Typing> typings;
  std::vector<ExpressionShape> shapes;
  for (NodeIndex operand : node.operands) {
    const NodeInfo& from = InfoAt(operand);
    typings.push_back({from.type, from.weak, from.constant});
    shapes.push_back(from.shape);
    facts.reads_field |= FactsAt(operand).reads_field;
    facts.is_uniform &= FactsAt(operand).is_uniform;
    ASSIGN_OR_RETURN(facts.family,
                     CombineFamilies(facts.family, FactsAt(operand).family));
    facts.depth = std::max(facts.depth, FactsAt(operand).depth + 1);
    // Past the limit the exact number does not matter; so it cannot overflow.
    facts.expanded_nodes =
        std::min(facts.expanded_nodes + FactsAt(operand).expanded_nodes,
                 kProgramLimits.max_expanded_nodes + 1);
  }
  RETURN_IF_ERROR(CheckDepth(index));
  if (node.op == Opcode::kPow && IsNegativeInteger(node.operands[1])) {
    RETURN_IF_ERROR(CheckNegativeExponent(typings));
  }
  ASSIGN_OR_RETURN(
      Typing typing,
      node.op == Opcode::kLiteral
          ? TypeLiteral(node.literal, is_negated_[static_cast<size_t>(index)])
          : InferType(node, typings));
  ASSIGN_OR_RETURN(info.shape, InferShape(node, shapes));
  info.type = std::move(typing.type);
  info.weak = typing.weak;
  info.constant = typing.constant;
  facts.typed = true;

  switch (node.op) {
    case Opcode::kIndex:
      facts.is_uniform = false;
      break;
    case Opcode::kAt:
      if (node.operands.size() > 1) {
        RETURN_IF_ERROR(CheckUniform(node.operands[1]));
      }
      facts.is_uniform = false;
      break;
    case Opcode::kFold:
    case Opcode::kScan:
      if (!FactsAt(node.operands[0]).reads_field) {
        return InvalidArgument("SHAPE_MISMATCH",
                               "the argument of a fold or scan reads no field, "
                               "so it has no levels");
      }
      facts.is_uniform = false;
      break;
    case Opcode::kReduce:
      RETURN_IF_ERROR(CheckReduction(index));
      facts.reads_field = false;
      facts.is_uniform = true;
      facts.family = LayoutFamily::kDataF;
      break;
    case Opcode::kLiteral:
    case Opcode::kMember:
      return absl::OkStatus();  // no operation, and no type of its own
    default:
      break;
  }
  num_scalar_operations_ += info.type.num_leaves();
  return CheckLimit("scalar operations", num_scalar_operations_,
                    kProgramLimits.max_scalar_operations);
}

// Whether the value is an integer that is seen to be negative.
bool Verifier::IsNegativeInteger(NodeIndex index) {
  const NodeInfo& info = InfoAt(index);
  if (info.weak) {
    return IsInteger(info.constant->type) && info.constant->As<Int128>() < 0;
  }
  const Node& node = NodeAt(index);
  if (node.op != Opcode::kNeg) return false;
  const Node& operand = NodeAt(node.operands[0]);
  return operand.op == Opcode::kLiteral &&
         operand.literal.kind == Literal::Kind::kInteger &&
         operand.literal.integer != 0;
}

// What must be a number: the value beyond an edge, the init of a reduction.
absl::Status Verifier::CheckUniform(NodeIndex index) {
  if (FactsAt(index).is_uniform) return absl::OkStatus();
  return InvalidArgument("BAD_ARGUMENT",
                         "edge and init are made of numbers and results, "
                         "without fields and indices");
}

absl::Status Verifier::CheckReduction(NodeIndex index) {
  const Node& node = NodeAt(index);
  const ReduceSpec& spec = node.reduce;
  const NodeIndex argument = node.operands[0];
  if (!FactsAt(argument).reads_field) {
    return InvalidArgument(
        "CONSTANT_REDUCTION",
        absl::StrCat("the argument of ", Name(spec.reduction),
                     " reads no field, so it has no points"));
  }
  if (spec.has_init) RETURN_IF_ERROR(CheckUniform(node.operands.back()));
  if (spec.reduction == Reduction::kMean && !spec.has_weight &&
      InfoAt(argument).shape.shape.i() > 1) {
    const SourcePosition& position = node.position;
    out_.warnings.push_back(
        {"UNWEIGHTED_MEAN",
         absl::StrCat(position.line > 0
                          ? DescribePlace(position, statement_) + ": "
                          : "",
                      "mean without weight counts nodes on element edges, "
                      "which are stored in each element, more than once")});
  }
  return absl::OkStatus();
}

absl::Status Verifier::CheckDepth(NodeIndex index) {
  return CheckLimit("levels of nesting, lets looked through",
                    FactsAt(index).depth, kProgramLimits.max_depth);
}

}  // namespace layoutd
