#include "engine/program/verify_reads.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "absl/base/attributes.h"
#include "absl/strings/str_cat.h"
#include "engine/base/checked_math.h"
#include "engine/base/error.h"
#include "engine/base/status_macros.h"
#include "engine/program/locate.h"

namespace layoutd {
namespace {

const Node& NodeAt(const VerifiedProgram& program, NodeIndex index) {
  return program.program.nodes[static_cast<size_t>(index)];
}
const NodeInfo& InfoAt(const VerifiedProgram& program, NodeIndex index) {
  return program.nodes[static_cast<size_t>(index)];
}

class ReadCollector {
 public:
  explicit ReadCollector(const VerifiedProgram& program) : program_(program) {
    for (auto& visited : visited_) visited.resize(program.nodes.size());
  }

  // The depth of recursion is bounded: the verifier limits it.
  void Visit(NodeIndex index, bool through_at) {
    if (visited_[through_at][static_cast<size_t>(index)]) return;
    visited_[through_at][static_cast<size_t>(index)] = true;
    const Node& node = NodeAt(program_, index);
    const NodeInfo& info = InfoAt(program_, index);
    if (info.name_kind == NodeInfo::NameKind::kField) {
      reads.push_back({info.name_index, index, through_at});
    } else if (info.name_kind == NodeInfo::NameKind::kLet) {
      Visit(info.name_index, through_at);
    }
    for (NodeIndex operand : node.operands) {
      Visit(operand, through_at || node.op == Opcode::kAt);
    }
  }

  std::vector<FieldRead> reads;

 private:
  const VerifiedProgram& program_;
  std::array<std::vector<bool>, 2> visited_;
};

// Levels [first, last]; empty when first > last.
struct Levels {
  int64_t first = 0;
  int64_t last = -1;
  NodeIndex cause = -1;  // the `at` that moved them last

  bool empty() const { return first > last; }
};

int64_t SaturatingAdd(int64_t a, int64_t offset) {
  return CheckedAdd(a, offset).value_or(
      offset < 0 ? std::numeric_limits<int64_t>::min()
                 : std::numeric_limits<int64_t>::max());
}

// Passes sets of levels from the root down. Operands and lets have smaller
// indices than what uses them, so one sweep from high to low sees all uses of a
// node before the node itself; the hull of the uses stands for all of them.
class LevelChecker {
 public:
  explicit LevelChecker(const VerifiedProgram& program)
      : program_(program), levels_(program.nodes.size()) {}

  absl::Status Check(NodeIndex root, int64_t num_levels) {
    Need(root, {0, num_levels - 1, -1});
    for (NodeIndex index = root; index >= 0; --index) {
      const Levels levels = levels_[static_cast<size_t>(index)];
      if (!levels.empty()) RETURN_IF_ERROR(Spread(index, levels));
    }
    return absl::OkStatus();
  }

 private:
  void Need(NodeIndex index, const Levels& levels) {
    Levels& all = levels_[static_cast<size_t>(index)];
    if (levels.empty()) return;
    if (all.empty()) {
      all = levels;
      return;
    }
    if (levels.first < all.first || levels.last > all.last) {
      all.cause = levels.cause;
    }
    all.first = std::min(all.first, levels.first);
    all.last = std::max(all.last, levels.last);
  }

  // All levels of operand `operand` of a fold or reduction.
  Levels AllOf(NodeIndex operand) const {
    return {0, InfoAt(program_, operand).shape.shape.v() - 1, -1};
  }

  absl::Status Spread(NodeIndex index, const Levels& levels) {
    const Node& node = NodeAt(program_, index);
    switch (node.op) {
      case Opcode::kName:
        return SpreadName(index, levels);
      case Opcode::kAt:
        SpreadAt(index, levels);
        return absl::OkStatus();
      case Opcode::kScan:
        RETURN_IF_ERROR(CheckInside(index, levels));
        ABSL_FALLTHROUGH_INTENDED;
      case Opcode::kFold:
        Need(node.operands[0], AllOf(node.operands[0]));
        // Once per column, so at no level in particular.
        if (node.fold.has_init) Need(node.operands[1], {0, 0, -1});
        return absl::OkStatus();
      case Opcode::kReduce:
        for (NodeIndex operand : node.operands) {
          Need(operand, AllOf(node.operands[0]));
        }
        return absl::OkStatus();
      default:
        for (NodeIndex operand : node.operands) Need(operand, levels);
        return absl::OkStatus();
    }
  }

  absl::Status SpreadName(NodeIndex index, const Levels& levels) {
    const NodeInfo& info = InfoAt(program_, index);
    if (info.name_kind == NodeInfo::NameKind::kLet) {
      Need(info.name_index, levels);
    }
    if (info.name_kind != NodeInfo::NameKind::kField) return absl::OkStatus();
    return CheckInside(index, levels);
  }

  // Node `index`, a field or scan, has the levels that are read of it.
  absl::Status CheckInside(NodeIndex index, const Levels& levels) const {
    const int64_t extent = InfoAt(program_, index).shape.shape.v();
    // What has one level is read there, wherever the reader stands.
    if (extent == 1 || (levels.first >= 0 && levels.last < extent)) {
      return absl::OkStatus();
    }
    const Node& node = NodeAt(program_, index);
    return LocateNode(
        InvalidArgument(
            "EDGE_NOT_COVERED",
            absl::StrCat("levels ", levels.first, " to ", levels.last, " of ",
                         node.op == Opcode::kScan
                             ? std::string("a scan")
                             : absl::StrCat("\"", node.name, "\""),
                         " are read, which has levels [0, ", extent,
                         "); give edge = clamp or edge = a number")),
        program_.program, levels.cause >= 0 ? levels.cause : index);
  }

  void SpreadAt(NodeIndex index, const Levels& levels) {
    const Node& node = NodeAt(program_, index);
    const NodeIndex operand = node.operands[0];
    const int64_t last = InfoAt(program_, operand).shape.shape.v() - 1;
    Levels read{node.at.value, node.at.value, index};
    switch (node.at.kind) {
      case AtPosition::Kind::kLevel:
        break;
      case AtPosition::Kind::kLast:
        read.first = read.last = last;
        break;
      case AtPosition::Kind::kOffset:
        read.first = SaturatingAdd(levels.first, node.at.value);
        read.last = SaturatingAdd(levels.last, node.at.value);
        break;
    }
    if (node.at.edge != AtPosition::Edge::kError) {
      // With an edge value too: the operand may be read at the nearest level
      // before the value is chosen. Not std::clamp: there may be no level.
      read.first = std::max<int64_t>(std::min(read.first, last), 0);
      read.last = std::max<int64_t>(std::min(read.last, last), 0);
    }
    if (node.operands.size() > 1) Need(node.operands[1], levels);
    Need(operand, read);
  }

  const VerifiedProgram& program_;
  std::vector<Levels> levels_;
};

}  // namespace

std::vector<FieldRead> FieldReads(const VerifiedProgram& program,
                                  NodeIndex root) {
  ReadCollector collector(program);
  collector.Visit(root, false);
  return std::move(collector.reads);
}

absl::Status CheckLevels(const VerifiedProgram& program, NodeIndex root,
                         int64_t num_levels) {
  return LevelChecker(program).Check(root, num_levels);
}

}  // namespace layoutd
