#include "engine/program/graph.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <tuple>
#include <utility>

namespace layoutd {
namespace {

bool SameReal(double a, double b) {
  return std::memcmp(&a, &b, sizeof(double)) == 0 ||
         (std::isnan(a) && std::isnan(b));
}

bool SameMask(const MaskExpression& a, const MaskExpression& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const MaskTerm& x, const MaskTerm& y) {
                      return x.kind == y.kind && x.name == y.name;
                    });
}

bool Same(const Assignment& a, const Assignment& b) {
  return std::tie(a.kind, a.target, a.component, a.value) ==
         std::tie(b.kind, b.target, b.component, b.value);
}

bool Same(const Foreach& a, const Foreach& b) {
  return a.slice == b.slice && SameMask(a.mask, b.mask) &&
         std::equal(a.body.begin(), a.body.end(), b.body.begin(), b.body.end(),
                    [](const Assignment& x, const Assignment& y) {
                      return Same(x, y);
                    });
}

bool Same(const Reduce& a, const Reduce& b) {
  return SameMask(a.mask, b.mask) &&
         std::equal(a.results.begin(), a.results.end(), b.results.begin(),
                    b.results.end(),
                    [](const Reduce::Result& x, const Reduce::Result& y) {
                      return x.name == y.name && x.value == y.value;
                    });
}

bool SameStatement(const Statement& a, const Statement& b) {
  if (a.index() != b.index()) return false;
  return std::visit(
      [&](const auto& x) {
        return Same(x, std::get<std::decay_t<decltype(x)>>(b));
      },
      a);
}

std::vector<SourcePosition> PositionsOf(const Program& program) {
  std::vector<SourcePosition> positions;
  positions.reserve(program.nodes.size() + program.statements.size());
  const auto add = [&](const auto& parts) {
    for (const auto& part : parts) positions.push_back(part.position);
  };
  add(program.nodes);
  for (const Statement& statement : program.statements) {
    std::visit([&](const auto& s) { positions.push_back(s.position); },
               statement);
    if (const auto* loop = std::get_if<Foreach>(&statement)) {
      add(loop->mask);
      add(loop->body);
    } else if (const auto* reduce = std::get_if<Reduce>(&statement)) {
      add(reduce->mask);
      add(reduce->results);
    }
  }
  return positions;
}

// Collects names in first-use order, following the rules of scope: a let of a
// block ends with it, other lets and results last.
class NameCollector {
 public:
  explicit NameCollector(const Program& program)
      : program_(program), is_visited_(program.nodes.size(), false) {}

  std::vector<std::string> Run() {
    for (const Statement& statement : program_.statements) {
      if (const auto* single = std::get_if<Assignment>(&statement)) {
        Visit(*single);
      } else if (const auto* loop = std::get_if<Foreach>(&statement)) {
        const std::set<std::string> outer = defined_;
        for (const Assignment& assignment : loop->body) Visit(assignment);
        defined_ = outer;
      } else if (const auto* reduce = std::get_if<Reduce>(&statement)) {
        for (const Reduce::Result& result : reduce->results) {
          VisitValue(result.value);
          defined_.insert(result.name);
        }
      }
    }
    return std::move(names_);
  }

 private:
  void Visit(const Assignment& assignment) {
    VisitValue(assignment.value);
    if (assignment.kind == Assignment::Kind::kLet) {
      defined_.insert(assignment.target);
    } else {
      Add(assignment.target);
    }
  }

  // The program may not be verified yet: indices may be anything, and the graph
  // as deep as it is long, so no recursion.
  void VisitValue(NodeIndex root) {
    std::vector<NodeIndex> pending = {root};
    while (!pending.empty()) {
      const NodeIndex index = pending.back();
      pending.pop_back();
      if (index < 0 || static_cast<size_t>(index) >= is_visited_.size() ||
          is_visited_[static_cast<size_t>(index)]) {
        continue;
      }
      is_visited_[static_cast<size_t>(index)] = true;
      const Node& node = program_.nodes[static_cast<size_t>(index)];
      if (node.op == Opcode::kName && !defined_.contains(node.name)) {
        Add(node.name);
      }
      pending.insert(pending.end(), node.operands.rbegin(),
                     node.operands.rend());
    }
  }

  void Add(const std::string& name) {
    if (seen_.insert(name).second) names_.push_back(name);
  }

  const Program& program_;
  std::vector<bool> is_visited_;
  std::set<std::string> defined_;  // lets and results in scope
  std::set<std::string> seen_;
  std::vector<std::string> names_;
};

}  // namespace

bool operator==(const Literal& a, const Literal& b) {
  return a.kind == b.kind && a.integer == b.integer &&
         SameReal(a.real, b.real) && a.type == b.type;
}

bool operator==(const Node& a, const Node& b) {
  return std::tie(a.op, a.operands, a.literal, a.name, a.axis, a.member_names,
                  a.scalar_type, a.at, a.fold, a.reduce) ==
         std::tie(b.op, b.operands, b.literal, b.name, b.axis, b.member_names,
                  b.scalar_type, b.at, b.fold, b.reduce);
}

bool operator==(const Program& a, const Program& b) {
  return a.nodes == b.nodes &&
         std::equal(a.statements.begin(), a.statements.end(),
                    b.statements.begin(), b.statements.end(), SameStatement);
}

bool Identical(const Program& a, const Program& b) {
  const auto same_real = [](const Node& x, const Node& y) {
    return std::memcmp(&x.literal.real, &y.literal.real, sizeof(double)) == 0;
  };
  return a == b &&
         std::equal(a.nodes.begin(), a.nodes.end(), b.nodes.begin(),
                    same_real) &&
         PositionsOf(a) == PositionsOf(b);
}

std::vector<std::string> ReferencedFields(const Program& program) {
  return NameCollector(program).Run();
}

std::vector<std::string> ReferencedMasks(const Program& program) {
  std::vector<std::string> names;
  std::set<std::string> seen;
  const auto add = [&](const MaskExpression& mask) {
    for (const MaskTerm& term : mask) {
      if (term.kind == MaskTerm::Kind::kMask && seen.insert(term.name).second) {
        names.push_back(term.name);
      }
    }
  };
  for (const Statement& statement : program.statements) {
    if (const auto* loop = std::get_if<Foreach>(&statement)) add(loop->mask);
    if (const auto* reduce = std::get_if<Reduce>(&statement)) add(reduce->mask);
  }
  return names;
}

}  // namespace layoutd
