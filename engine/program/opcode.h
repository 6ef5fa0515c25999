#ifndef LAYOUTD_ENGINE_PROGRAM_OPCODE_H_
#define LAYOUTD_ENGINE_PROGRAM_OPCODE_H_

// The one table of operations: how each is spelled, how many operands it takes
// and which typing rule it follows. Parser, printer, verifier, evaluator and
// generator all read it.

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace layoutd {

// In the order of the protobuf enum, whose numbers never change: new ones come
// last.
enum class Opcode : uint8_t {
  // Leaves.
  kLiteral,  // Node::literal
  kName,     // Node::name: a let, an earlier result, a binding or a field id
  kIndex,    // Node::axis: the point's index along it, i64
  // Values.
  kTuple,   // operands are the members; Node::member_names when named
  kMember,  // operand 0; Node::name is the member's name or digits
  // Arithmetic.
  kAdd,
  kSub,
  kMul,
  kDiv,
  kNeg,
  kAbs,
  kSqrt,
  kExp,
  kLog,
  kPow,
  kFma,
  kMin,
  kMax,
  // Comparisons and logic.
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kAnd,
  kOr,
  kNot,
  kIsFinite,
  kIsNan,
  kSelect,
  kConvert,  // Node::scalar_type
  // Access and loops.
  kAt,      // operand 0; Node::at; operand 1 when at.edge is kValue
  kFold,    // operand 0; operand 1: init when has_init; Node::fold
  kReduce,  // operand 0; Node::reduce says which operands follow
  kScan,    // as kFold: the running value at every level
};

inline constexpr Opcode kLastOpcode = Opcode::kScan;

// How an operation's operand and result types follow from its operands.
enum class TypeRule : uint8_t {
  kSpecial,     // the verifier knows
  kArithmetic,  // numbers promote to a common type, which is the result's
  kDivide,      // as arithmetic, but integers become f64
  kFloat,       // integers become f64; the result is the float type
  kCompare,     // numbers or bools promote; the result is bool
  kLogical,     // bools only
  kFloatTest,   // any number; the result is bool
};

struct OpcodeInfo {
  Opcode opcode;
  absl::string_view name;    // the function's name in the text form, or ""
  absl::string_view symbol;  // the operator's spelling, or ""
  int min_operands;
  int max_operands;
  TypeRule rule;
  int precedence;  // of the operator, higher binds tighter; 0: none
  int cost;        // about how many additions it takes as long as, per value
};

const OpcodeInfo& Info(Opcode opcode);
// Every row, in enum order.
absl::Span<const OpcodeInfo> AllOpcodes();

// Returns the opcode that a function name spells ("where" and "ifelse" too).
std::optional<Opcode> FindFunction(absl::string_view name);

// The reductions of a `reduce` statement.
enum class Reduction : uint8_t {
  kSum,
  kMin,
  kMax,
  kCount,
  kMean,
  kAny,
  kAll,
  kArgmin,  // {value, index: (v, i, j, h)} of the first smallest
  kArgmax,
  kExtrema,  // {min, max}
};
inline constexpr Reduction kLastReduction = Reduction::kExtrema;

absl::string_view Name(Reduction reduction);
std::optional<Reduction> FindReduction(absl::string_view name);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_PROGRAM_OPCODE_H_
