#ifndef LAYOUTD_ENGINE_PROGRAM_VERIFY_H_
#define LAYOUTD_ENGINE_PROGRAM_VERIFY_H_

// Gives every node of a program its type and shape, resolves every name, and
// refuses what may not run. Code below this line (planner, evaluator,
// generator) asserts and does not re-check.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "engine/layout/data_layout.h"
#include "engine/program/graph.h"
#include "engine/program/scalar.h"

namespace layoutd {

// What a program may refer to: the fields and masks that its names stand for.
struct Catalog {
  // Keyed by the name in the program (a field id, or a name of `bindings`).
  struct FieldEntry {
    std::string id;  // the field the name stands for
    DataLayout layout;

    friend bool operator==(const FieldEntry&, const FieldEntry&) = default;
  };
  std::map<std::string, FieldEntry> fields;
  std::map<std::string, Shape> masks;  // by id; v extent 1
  // Returns the nearest existing names for an unknown one; may be empty.
  std::function<std::vector<std::string>(absl::string_view)> suggest_fields;
  std::function<std::vector<std::string>(absl::string_view)> suggest_masks;
};

// Returns whether a program that verifies means the same with both: whatever
// verifying and planning look at, which leaves the suggestions out.
bool SameNames(const Catalog& a, const Catalog& b);

// The shape of an expression. `v_relative`: it reads only at offsets from the
// point's own level (at(x, v + 1)), so its v extent adapts to what it meets;
// shape.v() is then what it takes when nothing else decides.
struct ExpressionShape {
  Shape shape;
  bool v_relative = false;

  friend bool operator==(const ExpressionShape&,
                         const ExpressionShape&) = default;
};

struct NodeInfo {
  ValueType type = ScalarType::kF64;
  ExpressionShape shape;
  // Unsuffixed numbers and arithmetic on them alone: takes the type of what it
  // meets; `type` is what it has when nothing does (i64 or f64).
  bool weak = false;
  // The value of a weak node, and nothing else's: i128 for integers, f64 for
  // floats. Wherever a type is wanted the value is Convert(*constant, type).
  std::optional<Scalar> constant;
  // kName: what the name stands for.
  enum class NameKind : uint8_t { kNone, kLet, kResult, kField };
  NameKind name_kind = NameKind::kNone;
  // kLet: the node of the let's value; kResult: index into results; kField:
  // index into fields.
  int32_t name_index = -1;
};

struct FieldUse {
  std::string id;
  DataLayout layout;     // for a created field: the layout it will have
  bool created = false;  // by `new`
  bool read = false;
  bool written = false;
};

struct MaskUse {
  std::string id;
  Shape shape;
};

// One named result of a reduce statement.
struct ResultUse {
  std::string name;
  ValueType type;
};

struct Warning {
  std::string code;  // "UNWEIGHTED_MEAN"
  std::string message;
};

// The iteration space of one assignment, parallel to the statements.
struct AssignmentInfo {
  Shape shape;             // of the destination; of the value for a let
  int32_t field = -1;      // index into fields; -1 for a let
  int32_t first_leaf = 0;  // the leaves of the field that are stored
  int32_t num_leaves = 0;
};

struct StatementInfo {
  std::vector<AssignmentInfo> assignments;  // one per assignment of it
  std::vector<int32_t>
      masks;  // per kMask term of the statement: index in masks
  // Foreach and Reduce with a mask: (1, Ni, Nj, Nh) of it.
  std::optional<Shape> mask_shape;
};

struct VerifiedProgram {
  Program program;
  std::vector<NodeInfo> nodes;            // parallel to program.nodes
  std::vector<StatementInfo> statements;  // parallel to program.statements
  std::vector<FieldUse> fields;
  std::vector<MaskUse> masks;
  std::vector<ResultUse> results;  // of all reduce statements, in order
  std::vector<Warning> warnings;
};

// Verifies `program` against `catalog`.
//
// What later passes may rely on besides: operands and the value of a let have
// smaller indices than what uses them; walking every expression as a tree, lets
// looked through, meets at most kProgramLimits.max_expanded_nodes nodes and
// goes at most max_depth deep; a node that statements share means the same,
// over the same content of fields, in all of them; a kReduce node belongs to
// one statement; an `at` with an edge reads its operand at the level nearest to
// the one asked for, so that read is safe whatever is chosen afterwards.
//
// Errors, each with position and a violation path (`program.text:L:C`, or
// `program.nodes[17]`, `program.statements[2]` for a program sent as a graph):
//   InvalidArgument  TYPE_MISMATCH, LITERAL_RANGE, SHAPE_MISMATCH,
//                    LAYOUT_MISMATCH (planes with other kinds),
//                    PROGRAM_LIMIT, BAD_GRAPH, BAD_ID, BAD_TYPE,
//                    BAD_ARGUMENT (what a reduction, fold or edge cannot take),
//                    DUPLICATE_NAME, CROSS_SLICE_HAZARD (names both
//                    statements), MASK_SHAPE_MISMATCH, CONSTANT_REDUCTION,
//                    EDGE_NOT_COVERED; BAD_SHAPE and the like of a layout
//   NotFound         NAME_NOT_FOUND (with the nearest names), MASK_NOT_FOUND,
//                    UNKNOWN_COMPONENT
//   AlreadyExists    FIELD_EXISTS (`new` of a field that is there)
//   OutOfRange       INDEX_OUT_OF_RANGE (`at` a level that is not there),
//                    SIZE_OVERFLOW
absl::StatusOr<VerifiedProgram> VerifyProgram(Program program,
                                              const Catalog& catalog);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_PROGRAM_VERIFY_H_
