#include "tests/fuzz/mutate_graph.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "engine/program/opcode.h"

namespace layoutd {
namespace {

// Gives zeros once the bytes are spent.
class Bytes {
 public:
  explicit Bytes(absl::string_view bytes) : rest_(bytes) {}

  bool empty() const { return rest_.empty(); }
  uint8_t Next() {
    if (rest_.empty()) return 0;
    const auto byte = static_cast<uint8_t>(rest_[0]);
    rest_.remove_prefix(1);
    return byte;
  }
  size_t Below(size_t count) { return count == 0 ? 0 : Next() % count; }
  bool Flag() { return Next() % 2 == 1; }
  template <typename T>
  T Value() {
    T value;
    uint8_t bytes[sizeof(T)];
    for (uint8_t& byte : bytes) byte = Next();
    std::memcpy(&value, bytes, sizeof(T));
    return value;
  }

 private:
  absl::string_view rest_;
};

class Mutator {
 public:
  Mutator(absl::string_view bytes, Program& program)
      : bytes_(bytes), program_(program) {}

  void Run() {
    constexpr int kMaxChanges = 64;
    for (int k = 0; k < kMaxChanges && !bytes_.empty(); ++k) Change();
  }

 private:
  void Change() {
    switch (bytes_.Below(6)) {
      case 0:
      case 1:
        if (!program_.nodes.empty()) {
          ChangeNode(bytes_.Below(program_.nodes.size()));
        }
        break;
      case 2:
        AddNode();
        break;
      case 3:
        AddNode();
        program_.statements.push_back(Assigned());
        break;
      case 4:
        AddStatement();
        break;
      default:
        ChangeStatements();
    }
  }

  // One past the last value of an enum is a value that none has.
  template <typename Enum>
  Enum Any(Enum last) {
    return static_cast<Enum>(bytes_.Below(static_cast<size_t>(last) + 2));
  }

  Opcode AnyOpcode() {
    return static_cast<Opcode>(bytes_.Below(AllOpcodes().size() + 1));
  }

  // Mostly a node before `index`.
  NodeIndex AnyNode(size_t index) {
    const uint8_t choice = bytes_.Next();
    if (choice < 250 && index > 0) {
      // Near ones first: what was added is used.
      return static_cast<NodeIndex>(index - 1 - choice % index);
    }
    switch (choice % 4) {
      case 0:
        return static_cast<NodeIndex>(index);
      case 1:
        return -1;
      default:
        return bytes_.Value<NodeIndex>();
    }
  }

  std::string AnyName() {
    constexpr const char* kNames[] = {
        "x",     "y",      "temp", "salt",    "area",   "dz",     "w",
        "u",     "q0",     "q1",   "sea/q2",  "x_i128", "x_bool", "x_u8",
        "x_f32", "x_i64",  "none", "n0",      "n1",     "l0",     "l1",
        "r0",    "r1",     "a",    "0",       "1",      "",       "let",
        "sum",   "select", "nan",  "foreach", "a b",    "i32",    "s"};
    const size_t choice = bytes_.Below(std::size(kNames) + 1);
    return choice < std::size(kNames) ? kNames[choice] : std::string(300, 'a');
  }

  Literal AnyLiteral() {
    Literal literal;
    literal.kind = Any(Literal::Kind::kFloat);
    switch (bytes_.Below(4)) {
      case 0:
        literal.integer = bytes_.Next();
        literal.real = bytes_.Next();
        break;
      case 1:
        literal.integer = (Uint128{1} << (bytes_.Next() % 128)) - bytes_.Flag();
        literal.real = bytes_.Value<float>();
        break;
      case 2:
        literal.integer = bytes_.Value<Uint128>();
        literal.real = bytes_.Value<double>();
        break;
      default:
        literal.integer = bytes_.Flag();
        literal.real = std::numeric_limits<double>::quiet_NaN();
    }
    if (bytes_.Flag()) literal.type = Any(ScalarType::kF64);
    return literal;
  }

  AtPosition AnyAt() {
    AtPosition at;
    at.kind = Any(AtPosition::Kind::kOffset);
    const uint8_t choice = bytes_.Next();
    at.value = choice < 250 ? choice % 9 - 4 : bytes_.Value<int64_t>();
    at.edge = Any(AtPosition::Edge::kValue);
    return at;
  }

  FoldSpec AnyFold() {
    FoldSpec fold;
    fold.op = AnyOpcode();
    fold.flip = bytes_.Flag();
    fold.has_init = bytes_.Flag();
    fold.exclusive = bytes_.Flag();
    return fold;
  }

  void ChangeNode(size_t index) {
    Node& node = program_.nodes[index];
    switch (bytes_.Below(12)) {
      case 0:
        node.op = AnyOpcode();
        break;
      case 1:
      case 2:
        if (!node.operands.empty()) {
          node.operands[bytes_.Below(node.operands.size())] = AnyNode(index);
        }
        break;
      case 3:
        if (bytes_.Flag()) {
          node.operands.push_back(AnyNode(index));
        } else if (!node.operands.empty()) {
          node.operands.pop_back();
        }
        break;
      case 4:
        node.literal = AnyLiteral();
        break;
      case 5:
        node.name = AnyName();
        break;
      case 6:
        node.axis = Any(Axis::kH);
        break;
      case 7:
        if (bytes_.Flag()) {
          node.member_names.push_back(AnyName());
        } else {
          node.member_names.clear();
        }
        break;
      case 8:
        node.scalar_type = Any(ScalarType::kF64);
        break;
      case 9:
        node.at = AnyAt();
        break;
      case 10:
        node.fold = AnyFold();
        break;
      default:
        node.reduce = {static_cast<Reduction>(bytes_.Below(16)), bytes_.Flag(),
                       bytes_.Flag(), bytes_.Flag()};
    }
  }

  // A node whose parts are those of its opcode.
  void AddNode() {
    Node node;
    node.op = AnyOpcode();
    size_t num_operands = bytes_.Below(4);
    switch (node.op) {
      case Opcode::kLiteral:
        node.literal = AnyLiteral();
        num_operands = 0;
        break;
      case Opcode::kName:
        node.name = AnyName();
        num_operands = 0;
        break;
      case Opcode::kIndex:
        node.axis = Any(Axis::kH);
        num_operands = 0;
        break;
      case Opcode::kTuple:
        if (bytes_.Flag()) {
          for (size_t k = 0; k < num_operands; ++k) {
            node.member_names.push_back(AnyName());
          }
        }
        break;
      case Opcode::kMember:
        node.name = AnyName();
        num_operands = 1;
        break;
      case Opcode::kConvert:
        node.scalar_type = Any(ScalarType::kF64);
        num_operands = 1;
        break;
      case Opcode::kAt:
        node.at = AnyAt();
        num_operands = node.at.edge == AtPosition::Edge::kValue ? 2 : 1;
        break;
      case Opcode::kFold:
      case Opcode::kScan:
        node.fold = AnyFold();
        num_operands = node.fold.has_init ? 2 : 1;
        break;
      case Opcode::kReduce:
        node.reduce = {static_cast<Reduction>(bytes_.Below(16)), bytes_.Flag(),
                       bytes_.Flag(), bytes_.Flag()};
        num_operands = size_t{1} + node.reduce.has_weight +
                       node.reduce.has_where + node.reduce.has_init;
        break;
      default:
        if (static_cast<size_t>(node.op) < AllOpcodes().size()) {
          num_operands = static_cast<size_t>(Info(node.op).min_operands);
        }
    }
    for (size_t k = 0; k < num_operands; ++k) {
      node.operands.push_back(AnyNode(program_.nodes.size()));
    }
    program_.nodes.push_back(std::move(node));
  }

  Assignment Assigned() {
    Assignment assignment;
    assignment.kind = Any(Assignment::Kind::kStore);
    assignment.target = AnyName();
    if (bytes_.Next() % 8 == 7) assignment.component = AnyName();
    assignment.value = AnyNode(program_.nodes.size());
    return assignment;
  }

  Reduce::Result AnyResult() {
    return {AnyName(), AnyNode(program_.nodes.size()), {}};
  }

  MaskExpression AnyMask() {
    constexpr const char* kMasks[] = {"m",       "wet", "ocean",
                                      "sea/ice", "dry", ""};
    MaskExpression mask(bytes_.Below(4));
    for (MaskTerm& term : mask) {
      term.kind = Any(MaskTerm::Kind::kNot);
      if (term.kind == MaskTerm::Kind::kMask) {
        term.name = kMasks[bytes_.Below(std::size(kMasks))];
      }
    }
    return mask;
  }

  void AddStatement() {
    if (bytes_.Flag()) {
      Foreach loop;
      loop.slice = Any(SliceKind::kColumn);
      loop.mask = AnyMask();
      loop.body.resize(bytes_.Below(4));
      for (Assignment& assignment : loop.body) assignment = Assigned();
      program_.statements.emplace_back(std::move(loop));
      return;
    }
    Reduce reduce;
    reduce.mask = AnyMask();
    reduce.results.resize(bytes_.Below(4));
    for (Reduce::Result& result : reduce.results) result = AnyResult();
    program_.statements.emplace_back(std::move(reduce));
  }

  void ChangeStatements() {
    std::vector<Statement>& all = program_.statements;
    if (all.empty()) return;
    const size_t index = bytes_.Below(all.size());
    const size_t other = bytes_.Below(all.size());
    switch (bytes_.Below(5)) {
      case 0:
        all.erase(all.begin() + static_cast<std::ptrdiff_t>(index));
        return;
      case 1: {
        Statement copy = all[index];
        all.push_back(std::move(copy));
        return;
      }
      case 2:
        std::swap(all[index], all[other]);
        return;
      default:
        break;
    }
    if (auto* assignment = std::get_if<Assignment>(&all[index])) {
      *assignment = Assigned();
    } else if (auto* loop = std::get_if<Foreach>(&all[index])) {
      if (bytes_.Flag()) {
        loop->mask = AnyMask();
      } else if (bytes_.Flag()) {
        loop->slice = Any(SliceKind::kColumn);
      } else {
        loop->body.push_back(Assigned());
      }
    } else if (auto* reduce = std::get_if<Reduce>(&all[index])) {
      if (bytes_.Flag()) {
        reduce->mask = AnyMask();
      } else {
        reduce->results.push_back(AnyResult());
      }
    }
  }

  Bytes bytes_;
  Program& program_;
};

}  // namespace

void MutateGraph(absl::string_view bytes, Program& program) {
  Mutator(bytes, program).Run();
}

}  // namespace layoutd
