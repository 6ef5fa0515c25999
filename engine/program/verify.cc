#include "engine/program/verify.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/base/error.h"
#include "engine/base/status_macros.h"
#include "engine/program/nearest_names.h"
#include "engine/program/verifier.h"
#include "engine/program/verify_reads.h"
#include "engine/program/verify_shapes.h"
#include "engine/program/verify_structure.h"
#include "engine/program/verify_types.h"

namespace layoutd {

bool SameNames(const Catalog& a, const Catalog& b) {
  return a.fields == b.fields && a.masks == b.masks;
}

Verifier::Verifier(Program program, const Catalog& catalog)
    : catalog_(catalog) {
  out_.program = std::move(program);
}

absl::StatusOr<VerifiedProgram> Verifier::Verify() {
  RETURN_IF_ERROR(CheckStructure(out_.program));
  const size_t num_nodes = out_.program.nodes.size();
  out_.nodes.resize(num_nodes);
  facts_.resize(num_nodes);
  for (auto& visits : visits_) visits.resize(num_nodes, 0);
  FindNegatedLiterals();
  out_.statements.resize(out_.program.statements.size());
  for (; statement_ < out_.program.statements.size(); ++statement_) {
    const Statement& statement = out_.program.statements[statement_];
    if (const auto* assignment = std::get_if<Assignment>(&statement)) {
      RETURN_IF_ERROR(VerifyAssignment(*assignment, Context::kTopLevel));
    } else if (const auto* loop = std::get_if<Foreach>(&statement)) {
      RETURN_IF_ERROR(VerifyForeach(*loop));
    } else {
      RETURN_IF_ERROR(VerifyReduce(std::get<Reduce>(statement)));
    }
  }
  RETURN_IF_ERROR(CheckUnusedLets());
  return std::move(out_);
}

void Verifier::FindNegatedLiterals() {
  std::vector<bool> negated(out_.nodes.size());
  std::vector<bool> plain(out_.nodes.size());
  for (const Node& node : out_.program.nodes) {
    for (NodeIndex operand : node.operands) {
      (node.op == Opcode::kNeg ? negated
                               : plain)[static_cast<size_t>(operand)] = true;
    }
  }
  is_negated_.resize(out_.nodes.size());
  for (size_t k = 0; k < negated.size(); ++k) {
    is_negated_[k] = negated[k] && !plain[k];
  }
}

// A let that is used is checked where it is used.
absl::Status Verifier::CheckUnusedLets() {
  for (const Let& let : lets_) {
    if (let.used) continue;
    RETURN_IF_ERROR(
        CheckLevels(out_, let.value, InfoAt(let.value).shape.shape.v()));
  }
  return absl::OkStatus();
}

absl::Status Verifier::VerifyAssignment(const Assignment& assignment,
                                        Context context) {
  RETURN_IF_ERROR(VisitRoot(assignment.value, context));
  absl::StatusOr<AssignmentInfo> info;
  switch (assignment.kind) {
    case Assignment::Kind::kLet:
      info = VerifyLet(assignment, context);
      break;
    case Assignment::Kind::kNew:
      info = VerifyNew(assignment);
      break;
    case Assignment::Kind::kStore:
      info = VerifyStore(assignment);
      break;
  }
  RETURN_IF_ERROR(Here(assignment.position, info.status()));
  if (info->field >= 0) {
    RETURN_IF_ERROR(CheckLevels(out_, assignment.value, info->shape.v()));
    ++num_stores_[static_cast<size_t>(info->field)];
  }
  CurrentInfo().assignments.push_back(*info);
  return absl::OkStatus();
}

absl::StatusOr<AssignmentInfo> Verifier::VerifyLet(const Assignment& let,
                                                   Context context) {
  Scope& scope = context == Context::kTopLevel ? top_lets_ : block_lets_;
  RETURN_IF_ERROR(CheckUnused(let.target, scope));
  scope.emplace(let.target, lets_.size());
  lets_.push_back({let.value, false});
  AssignmentInfo info;
  info.shape = InfoAt(let.value).shape.shape;
  return info;
}

absl::StatusOr<AssignmentInfo> Verifier::VerifyNew(
    const Assignment& assignment) {
  const std::string& id = assignment.target;
  const bool is_taken =
      field_indices_.contains(id) || catalog_.fields.contains(id) ||
      std::any_of(catalog_.fields.begin(), catalog_.fields.end(),
                  [&](const auto& entry) { return entry.second.id == id; });
  if (is_taken) {
    return Error(absl::StatusCode::kAlreadyExists, "FIELD_EXISTS",
                 absl::StrCat("field \"", id,
                              "\" exists; store to it without new"))
        .With("field", id);
  }
  if (!FactsAt(assignment.value).reads_field) {
    return InvalidArgument(
        "SHAPE_MISMATCH",
        absl::StrCat("new \"", id,
                     "\": the value reads no field to take a shape from"));
  }
  const NodeInfo& value = InfoAt(assignment.value);

  // The layout is that of the largest operand, of several the one whose slots
  // are outermost, so that the order of operands does not matter; a DataF only
  // when all are.
  LayoutSpec spec;
  spec.kind = LayoutKind::kDataF;
  int64_t most_points = -1;
  for (const FieldRead& read : FieldReads(out_, assignment.value)) {
    const DataLayout& layout =
        out_.fields[static_cast<size_t>(read.field)].layout;
    const int64_t num_points = layout.shape().num_points();
    if (layout.kind() == LayoutKind::kDataF || num_points < most_points) {
      continue;
    }
    spec.kind = num_points == most_points ? std::max(spec.kind, layout.kind())
                                          : layout.kind();
    if (layout.shape().i() == value.shape.shape.i() &&
        layout.shape().j() == value.shape.shape.j()) {
      spec.plane_nodes = layout.plane_nodes();
    }
    most_points = num_points;
  }
  if (spec.kind == LayoutKind::kVIJH && !value.type.is_scalar()) {
    spec.kind = LayoutKind::kVIJFH;
  }
  spec.shape = value.shape.shape;
  spec.type = value.type;
  ASSIGN_OR_RETURN(DataLayout layout, DataLayout::Create(spec));
  const int32_t field = AddField({id, std::move(layout), true, false, true});
  return AssignmentInfo{value.shape.shape, field, 0, value.type.num_leaves()};
}

absl::StatusOr<AssignmentInfo> Verifier::VerifyStore(
    const Assignment& assignment) {
  const int32_t field = FindField(assignment.target);
  if (field < 0) return UnknownName(assignment.target, /*fields_only=*/true);
  FieldUse& use = out_.fields[static_cast<size_t>(field)];
  use.written = true;
  ASSIGN_OR_RETURN(const Component component,
                   FindComponent(use.layout.type(), assignment.component));
  const NodeInfo& value = InfoAt(assignment.value);
  RETURN_IF_ERROR(CombineFamilies(FactsAt(assignment.value).family,
                                  FamilyOf(use.layout.kind()))
                      .status());
  const Shape& shape = use.layout.shape();
  if (!FitsShape(value.shape, shape)) {
    return InvalidArgument(
        "SHAPE_MISMATCH",
        absl::StrCat("a value of shape ", ToString(value.shape.shape),
                     " cannot be stored in \"", assignment.target,
                     "\" of shape ", ToString(shape)));
  }
  RETURN_IF_ERROR(
      CheckStore({value.type, value.weak, value.constant}, component.type));
  return AssignmentInfo{shape, field, component.first_leaf,
                        component.type.num_leaves()};
}

absl::Status Verifier::VerifyForeach(const Foreach& loop) {
  RETURN_IF_ERROR(ResolveMask(loop.mask));
  block_lets_.clear();
  const Context context =
      loop.slice == SliceKind::kColumn ? Context::kColumn : Context::kPoint;
  for (const Assignment& assignment : loop.body) {
    RETURN_IF_ERROR(VerifyAssignment(assignment, context));
  }
  block_lets_.clear();
  RETURN_IF_ERROR(CheckLoopShapes(loop));
  if (loop.slice == SliceKind::kPoint) RETURN_IF_ERROR(CheckHazards(loop));
  return absl::OkStatus();
}

// All stores of a loop walk the same slices.
absl::Status Verifier::CheckLoopShapes(const Foreach& loop) {
  const std::vector<AssignmentInfo>& infos = CurrentInfo().assignments;
  const Assignment* first = nullptr;
  Shape first_shape;
  for (size_t k = 0; k < infos.size(); ++k) {
    if (infos[k].field < 0) continue;
    const Assignment& store = loop.body[k];
    if (first == nullptr) {
      first = &store;
      first_shape = infos[k].shape;
      RETURN_IF_ERROR(Here(loop.position, CheckMaskShape(first_shape)));
      continue;
    }
    const Shape& shape = infos[k].shape;
    const bool is_equal = loop.slice == SliceKind::kPoint
                              ? shape == first_shape
                              : shape.WithV(1) == first_shape.WithV(1);
    if (is_equal) continue;
    return Here(
        store.position,
        InvalidArgument(
            "SHAPE_MISMATCH",
            absl::StrCat(
                "\"", store.target, "\" of shape ", ToString(shape), " and \"",
                first->target, "\" of shape ", ToString(first_shape),
                ", stored at ", DescribePlace(first->position, statement_),
                ", cannot be stored in one foreach ",
                loop.slice == SliceKind::kPoint ? "point" : "column")));
  }
  return absl::OkStatus();
}

// In a point loop the order of points is open, so what one statement stores
// another may read at the same point only, not through `at`. (A field that the
// loop stores has the loop's shape, so a plain read is of the same point; in a
// column loop `at` stays inside the column.)
absl::Status Verifier::CheckHazards(const Foreach& loop) {
  const std::vector<AssignmentInfo>& infos = CurrentInfo().assignments;
  for (size_t reader = 0; reader < infos.size(); ++reader) {
    if (infos[reader].field < 0) continue;  // a let is seen where it is used
    for (const FieldRead& read : FieldReads(out_, loop.body[reader].value)) {
      if (!read.through_at) continue;
      for (size_t writer = 0; writer < infos.size(); ++writer) {
        if (writer == reader || infos[writer].field != read.field) continue;
        const Assignment& from = loop.body[reader];
        const Assignment& to = loop.body[writer];
        return Here(
            from.position,
            InvalidArgument(
                "CROSS_SLICE_HAZARD",
                absl::StrCat(
                    "assignment ", reader, " (to \"", from.target, "\", ",
                    DescribePlace(from.position, statement_),
                    ") reads through at what assignment ", writer, " (to \"",
                    to.target, "\", ", DescribePlace(to.position, statement_),
                    ") of the same foreach point stores; use two loops or "
                    "foreach column")));
      }
    }
  }
  return absl::OkStatus();
}

absl::Status Verifier::VerifyReduce(const Reduce& reduce) {
  RETURN_IF_ERROR(ResolveMask(reduce.mask));
  for (const Reduce::Result& result : reduce.results) {
    RETURN_IF_ERROR(Here(result.position, CheckUnused(result.name, top_lets_)));
    RETURN_IF_ERROR(VisitRoot(result.value, Context::kResult));
    const NodeInfo& value = InfoAt(result.value);
    RETURN_IF_ERROR(Here(result.position, CheckDefault({value.type, value.weak,
                                                        value.constant})));
    RETURN_IF_ERROR(CheckLevels(out_, result.value, 1));
    results_.emplace(result.name, static_cast<int32_t>(out_.results.size()));
    out_.results.push_back({result.name, value.type});
  }
  return absl::OkStatus();
}

absl::Status Verifier::ResolveMask(const MaskExpression& mask) {
  StatementInfo& info = CurrentInfo();
  for (const MaskTerm& term : mask) {
    if (term.kind != MaskTerm::Kind::kMask) continue;
    const auto found = catalog_.masks.find(term.name);
    if (found == catalog_.masks.end()) {
      std::vector<std::string> nearest;
      if (catalog_.suggest_masks) nearest = catalog_.suggest_masks(term.name);
      return Here(
          term.position,
          NotFound("MASK_NOT_FOUND", absl::StrCat("no mask \"", term.name, "\"",
                                                  DidYouMean(nearest)))
              .With("mask", term.name));
    }
    const Shape& shape = found->second;
    if (info.mask_shape && !(*info.mask_shape == shape)) {
      return Here(term.position,
                  InvalidArgument(
                      "MASK_SHAPE_MISMATCH",
                      absl::StrCat("mask \"", term.name, "\" has shape ",
                                   ToString(shape), ", the masks before it ",
                                   ToString(*info.mask_shape))));
    }
    info.mask_shape = shape;
    const auto use =
        std::find_if(out_.masks.begin(), out_.masks.end(),
                     [&](const MaskUse& m) { return m.id == term.name; });
    info.masks.push_back(static_cast<int32_t>(use - out_.masks.begin()));
    if (use == out_.masks.end()) out_.masks.push_back({term.name, shape});
  }
  return absl::OkStatus();
}

// The mask of the statement covers exactly the columns of `shape`.
absl::Status Verifier::CheckMaskShape(const Shape& shape) {
  const std::optional<Shape>& mask = CurrentInfo().mask_shape;
  if (!mask || *mask == shape.WithV(1)) return absl::OkStatus();
  return InvalidArgument(
      "MASK_SHAPE_MISMATCH",
      absl::StrCat("mask of shape ", ToString(*mask), " over columns of shape ",
                   ToString(shape)));
}

absl::StatusOr<VerifiedProgram> VerifyProgram(Program program,
                                              const Catalog& catalog) {
  return Verifier(std::move(program), catalog).Verify();
}

}  // namespace layoutd
