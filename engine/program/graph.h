#ifndef LAYOUTD_ENGINE_PROGRAM_GRAPH_H_
#define LAYOUTD_ENGINE_PROGRAM_GRAPH_H_

// A program as a value: a flat list of nodes in which operands refer only to
// earlier nodes (so it is acyclic by form), and the statements that use them.
// The text form and the protobuf form both become this; nothing here is typed
// or resolved yet (see verify.h). Node values may be used by several parents.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/base/scalar_type.h"
#include "engine/layout/shape.h"
#include "engine/program/opcode.h"

namespace layoutd {

// A position in the text form, 1-based; 0 when the program came as a graph.
struct SourcePosition {
  int line = 0;
  int column = 0;

  friend bool operator==(const SourcePosition&,
                         const SourcePosition&) = default;
};

// A literal as written. Without `type` it is weak: it takes the type of what it
// meets (`0.5 * f32` is f32).
struct Literal {
  enum class Kind : uint8_t { kBool, kInteger, kFloat };
  Kind kind = Kind::kFloat;
  Uint128 integer = 0;  // kInteger; kBool: 0 or 1. Never negative: -1 is kNeg
  double real = 0.0;    // kFloat
  std::optional<ScalarType> type;
};

// Compares bits of `real`, so that programs with NaN equal themselves; any NaN
// equals any NaN.
bool operator==(const Literal& a, const Literal& b);

// Where `at` reads, along v.
struct AtPosition {
  enum class Kind : uint8_t { kLevel, kLast, kOffset };
  enum class Edge : uint8_t { kError, kClamp, kValue };
  Kind kind = Kind::kOffset;
  int64_t value = 0;  // the level, or the offset from the point's own level
  Edge edge = Edge::kError;  // kOffset only; kValue: operand 1 is the value

  friend bool operator==(const AtPosition&, const AtPosition&) = default;
};

// A fold or a scan along v.
struct FoldSpec {
  Opcode op = Opcode::kAdd;  // kAdd kSub kMul kAnd kOr kMin kMax
  bool flip = false;         // top down: acc = op(x, acc)
  bool has_init = false;     // operand 1
  // kScan only: each level gets what came before it. The first gets init, or
  // without one the operation's identity (kAdd kMul kAnd kOr have one).
  bool exclusive = false;

  friend bool operator==(const FoldSpec&, const FoldSpec&) = default;
};

// Operands after the argument follow in the order weight, where, init, each
// only when its flag is set.
struct ReduceSpec {
  Reduction reduction = Reduction::kSum;
  bool has_weight = false;
  bool has_where = false;
  bool has_init = false;

  friend bool operator==(const ReduceSpec&, const ReduceSpec&) = default;
};

using NodeIndex = int32_t;

struct Node {
  Opcode op = Opcode::kLiteral;
  std::vector<NodeIndex> operands;  // each less than this node's own index
  // Which of these count is the opcode's to say.
  Literal literal;
  std::string name;
  Axis axis = Axis::kV;
  std::vector<std::string> member_names;
  ScalarType scalar_type = ScalarType::kF64;
  AtPosition at;
  FoldSpec fold;
  ReduceSpec reduce;
  SourcePosition position;  // not part of equality
};

// Compares everything but positions.
bool operator==(const Node& a, const Node& b);

// Which columns a loop visits: a mask, or and/or/not of masks. Postfix: kMask
// pushes, kNot replaces the top, kAnd and kOr replace the top two.
struct MaskTerm {
  enum class Kind : uint8_t { kMask, kAnd, kOr, kNot };
  Kind kind = Kind::kMask;
  std::string name;  // kMask
  SourcePosition position;
};
using MaskExpression = std::vector<MaskTerm>;  // empty: every column

struct Assignment {
  enum class Kind : uint8_t {
    kLet,    // a name for a value, never stored
    kNew,    // creates a field
    kStore,  // stores into a field, or into one component of it
  };
  Kind kind = Kind::kStore;
  std::string target;
  std::string component;  // "u.2"; empty: the whole value. kStore only
  NodeIndex value = 0;
  SourcePosition position;
};

enum class SliceKind : uint8_t { kPoint, kColumn };

struct Foreach {
  SliceKind slice = SliceKind::kPoint;
  MaskExpression mask;
  std::vector<Assignment> body;
  SourcePosition position;
};

struct Reduce {
  struct Result {
    std::string name;
    NodeIndex value = 0;  // an expression over kReduce nodes
    SourcePosition position;
  };
  MaskExpression mask;
  std::vector<Result> results;
  SourcePosition position;
};

using Statement = std::variant<Assignment, Foreach, Reduce>;

struct Program {
  std::vector<Node> nodes;
  std::vector<Statement> statements;
};

// Equal up to positions: what print(parse(x)) keeps.
bool operator==(const Program& a, const Program& b);

// The bounds of a program, in one place; GetServerInfo reports them.
struct ProgramLimits {
  int64_t max_text_bytes = 256 * 1024;
  int64_t max_nodes = 4096;
  int64_t max_inputs = 64;  // distinct fields read
  int64_t max_stores = 32;
  int64_t max_reductions = 16;
  int64_t max_offset = 64;    // |offset| of `at`
  int64_t max_nesting = 256;  // of parentheses and blocks in the text form
  int64_t max_depth = 1024;   // of an expression, lets looked through
  // Scalar operations: nodes, those over structs counted once per leaf.
  int64_t max_scalar_operations = 16384;
  // Nodes of all expressions, lets and shared nodes counted at each use: bounds
  // every pass that walks expressions as trees.
  int64_t max_mask_terms = 64;
  int64_t max_expanded_nodes = 1 << 18;
};

inline constexpr ProgramLimits kProgramLimits;

// Returns whether `a` and `b` are the same to the bit and to the position: no
// result, warning or error tells them apart.
bool Identical(const Program& a, const Program& b);

// Returns every name that a field, mask or binding may stand behind: the
// targets, kName nodes and mask names of `program`, each once, in first-use
// order. Names of lets and results are left out where they were defined before.
std::vector<std::string> ReferencedFields(const Program& program);
std::vector<std::string> ReferencedMasks(const Program& program);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_PROGRAM_GRAPH_H_
