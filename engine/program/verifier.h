#ifndef LAYOUTD_ENGINE_PROGRAM_VERIFIER_H_
#define LAYOUTD_ENGINE_PROGRAM_VERIFIER_H_

// The verifier at work: one object per program, used by VerifyProgram alone.
// verify.cc has the statements, verify_expressions.cc names and expressions.

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/program/graph.h"
#include "engine/program/locate.h"
#include "engine/program/verify.h"

namespace layoutd {

// Works statement by statement, since names depend on what stands before; the
// nodes of a statement on demand, each typed once.
class Verifier {
 public:
  // `catalog` must outlive this.
  Verifier(Program program, const Catalog& catalog);

  absl::StatusOr<VerifiedProgram> Verify();

 private:
  // Where an expression stands; decides what it may contain.
  enum class Context : uint8_t {
    kTopLevel,
    kPoint,     // in `foreach point`
    kColumn,    // in `foreach column`: folds
    kResult,    // of a reduce statement: reductions, and no fields outside them
    kArgument,  // inside a reduction
  };

  // What a name stands for.
  struct Resolution {
    NodeInfo::NameKind kind = NodeInfo::NameKind::kNone;
    int32_t index = -1;
    int32_t num_stores = 0;  // kField: those into it before

    friend bool operator==(const Resolution&, const Resolution&) = default;
  };

  // What the verifier knows of a node beyond its NodeInfo.
  struct NodeFacts {
    bool typed = false;
    bool reads_field = false;
    // Made of numbers, results and pointwise operations on them only: the same
    // value at every point.
    bool is_uniform = true;
    // Of the fields read, all of one; kDataF: none, or DataF alone.
    LayoutFamily family = LayoutFamily::kDataF;
    // Both look through lets, and count what is shared at each use.
    int64_t depth = 1;
    int64_t expanded_nodes = 1;
    Resolution name;         // of a kName
    int32_t statement = -1;  // of a kReduce: the one statement it belongs to
  };

  struct Let {
    NodeIndex value;
    bool used;
  };
  using Scope = std::map<std::string, size_t>;  // name to index into lets_

  const Node& NodeAt(NodeIndex index) const {
    return out_.program.nodes[static_cast<size_t>(index)];
  }
  NodeInfo& InfoAt(NodeIndex index) {
    return out_.nodes[static_cast<size_t>(index)];
  }
  NodeFacts& FactsAt(NodeIndex index) {
    return facts_[static_cast<size_t>(index)];
  }
  StatementInfo& CurrentInfo() { return out_.statements[statement_]; }
  absl::Status Here(const SourcePosition& position,
                    const absl::Status& status) const {
    return status.ok() ? status : LocateStatement(status, position, statement_);
  }
  absl::Status AtNode(NodeIndex node, const absl::Status& status) const {
    return status.ok() ? status : LocateNode(status, out_.program, node);
  }

  void FindNegatedLiterals();
  absl::Status CheckUnusedLets();

  // Names.
  absl::StatusOr<Resolution> Resolve(NodeIndex node);
  int32_t FindField(const std::string& name);
  int32_t AddField(FieldUse field);
  absl::Status UnknownName(const std::string& name, bool fields_only);
  absl::Status CheckUnused(const std::string& name, const Scope& scope);

  // Expressions.
  absl::Status VisitRoot(NodeIndex root, Context context);
  absl::Status Visit(NodeIndex index, Context context);
  absl::Status CheckContext(NodeIndex index, Context context);
  absl::Status VisitName(NodeIndex index, Context context);
  absl::Status TakeName(NodeIndex index, const Resolution& resolution);
  absl::Status Infer(NodeIndex index);
  bool IsNegativeInteger(NodeIndex index);
  absl::Status CheckUniform(NodeIndex index);
  absl::Status CheckReduction(NodeIndex index);
  absl::Status CheckDepth(NodeIndex index);

  // Statements.
  absl::Status VerifyAssignment(const Assignment& assignment, Context context);
  absl::StatusOr<AssignmentInfo> VerifyLet(const Assignment& let,
                                           Context context);
  absl::StatusOr<AssignmentInfo> VerifyNew(const Assignment& assignment);
  absl::StatusOr<AssignmentInfo> VerifyStore(const Assignment& assignment);
  absl::Status VerifyForeach(const Foreach& loop);
  absl::Status CheckLoopShapes(const Foreach& loop);
  absl::Status CheckHazards(const Foreach& loop);
  absl::Status VerifyReduce(const Reduce& reduce);
  absl::Status ResolveMask(const MaskExpression& mask);
  absl::Status CheckMaskShape(const Shape& shape);

  const Catalog& catalog_;
  VerifiedProgram out_;
  std::vector<NodeFacts> facts_;
  std::vector<bool> is_negated_;  // literals that stand only under unary minus

  size_t statement_ = 0;
  std::vector<Let> lets_;
  Scope top_lets_;
  Scope block_lets_;
  std::map<std::string, int32_t> results_;
  std::map<std::string, int32_t> field_indices_;  // by id
  std::vector<int32_t> num_stores_;               // parallel to out_.fields

  // Per node the last visit, inside and outside the arguments of reductions: a
  // node shared by statements is looked at once in each, since what its names
  // stand for, and what it may contain, can differ.
  int64_t visit_ = 0;
  std::array<std::vector<int64_t>, 2> visits_;
  int64_t num_inputs_ = 0;
  int64_t num_scalar_operations_ = 0;
  int64_t num_expanded_nodes_ = 0;
};

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_PROGRAM_VERIFIER_H_
