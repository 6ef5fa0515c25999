// Programs that no text gives: hostile or clumsy graphs.

#include <functional>
#include <limits>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/program/verify.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/engine/program/verify_fixture.h"
#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

using testing::HasSubstr;

NodeIndex Add(Program& program, Node node) {
  program.nodes.push_back(std::move(node));
  return static_cast<NodeIndex>(program.nodes.size()) - 1;
}

NodeIndex AddName(Program& program, const std::string& name) {
  Node node;
  node.op = Opcode::kName;
  node.name = name;
  return Add(program, node);
}

NodeIndex AddOp(Program& program, Opcode op, std::vector<NodeIndex> operands) {
  Node node;
  node.op = op;
  node.operands = std::move(operands);
  return Add(program, node);
}

void AddStore(Program& program, const std::string& target, NodeIndex value) {
  Assignment assignment;
  assignment.target = target;
  assignment.value = value;
  program.statements.push_back(assignment);
}

void AddLet(Program& program, const std::string& name, NodeIndex value) {
  Assignment assignment;
  assignment.kind = Assignment::Kind::kLet;
  assignment.target = name;
  assignment.value = value;
  program.statements.push_back(assignment);
}

// Returns `temp = salt + temp` with the nodes 0 salt, 1 temp, 2 sum.
Program GoodProgram() {
  Program program;
  const NodeIndex salt = AddName(program, "salt");
  const NodeIndex temp = AddName(program, "temp");
  AddStore(program, "temp", AddOp(program, Opcode::kAdd, {salt, temp}));
  return program;
}

TEST(VerifyGraphTest, AGraphIsVerifiedLikeText) {
  EXPECT_OK(VerifyProgram(GoodProgram(), MakeCatalog()));
  EXPECT_OK(VerifyProgram(Program(), MakeCatalog()));
}

TEST(VerifyGraphTest, ErrorsNameTheNodeOrTheStatement) {
  Program bad_node = GoodProgram();
  bad_node.nodes[1].name = "nothing";
  Program bad_statement = GoodProgram();
  std::get<Assignment>(bad_statement.statements[0]).target = "area";

  const auto node = VerifyProgram(bad_node, MakeCatalog());
  const auto statement = VerifyProgram(bad_statement, MakeCatalog());

  ASSERT_FALSE(node.ok());
  ASSERT_FALSE(statement.ok());
  EXPECT_EQ(DetailOf(node.status()).violations[0].first, "program.nodes[1]");
  EXPECT_EQ(DetailOf(statement.status()).violations[0].first,
            "program.statements[0]");
}

struct Fault {
  const char* name;
  std::function<void(Program&)> make;
};

Node& Last(Program& program) { return program.nodes.back(); }
Assignment& First(Program& program) {
  return std::get<Assignment>(program.statements[0]);
}

class VerifyFaultTest : public testing::TestWithParam<Fault> {};

TEST_P(VerifyFaultTest, IsABadGraph) {
  Program program = GoodProgram();
  GetParam().make(program);

  EXPECT_EQ(ReasonOf(VerifyProgram(program, MakeCatalog()).status()),
            "BAD_GRAPH");
}

void MakeMask(Program& program, std::vector<MaskTerm::Kind> kinds) {
  Foreach loop;
  loop.body = {First(program)};
  for (MaskTerm::Kind kind : kinds) {
    loop.mask.push_back(
        {kind, kind == MaskTerm::Kind::kMask ? "ocean" : "", {}});
  }
  program.statements[0] = loop;
}

INSTANTIATE_TEST_SUITE_P(
    All, VerifyFaultTest,
    testing::Values(
        Fault{"OperandIsItself", [](Program& p) { Last(p).operands[0] = 2; }},
        Fault{"OperandIsLater", [](Program& p) { Last(p).operands[1] = 77; }},
        Fault{"OperandIsNegative",
              [](Program& p) { Last(p).operands[0] = -1; }},
        Fault{"OperandIsHuge",
              [](Program& p) {
                Last(p).operands[0] = std::numeric_limits<NodeIndex>::max();
              }},
        Fault{"TooFewOperands",
              [](Program& p) { Last(p).operands.pop_back(); }},
        Fault{"TooManyOperands",
              [](Program& p) { Last(p).operands.push_back(0); }},
        Fault{"NameWithOperands",
              [](Program& p) { p.nodes[1].operands.push_back(0); }},
        Fault{"UnknownOpcode",
              [](Program& p) { Last(p).op = static_cast<Opcode>(200); }},
        Fault{"UnknownAxis",
              [](Program& p) {
                p.nodes[1].op = Opcode::kIndex;
                p.nodes[1].axis = static_cast<Axis>(4);
              }},
        Fault{"UnknownScalarType",
              [](Program& p) {
                Last(p).op = Opcode::kConvert;
                Last(p).operands.pop_back();
                Last(p).scalar_type = static_cast<ScalarType>(99);
              }},
        Fault{"UnknownLiteralType",
              [](Program& p) {
                p.nodes[1].op = Opcode::kLiteral;
                p.nodes[1].literal.type = static_cast<ScalarType>(99);
              }},
        Fault{"UnknownLiteralKind",
              [](Program& p) {
                p.nodes[1].op = Opcode::kLiteral;
                p.nodes[1].literal.kind = static_cast<Literal::Kind>(3);
              }},
        Fault{"BoolOfTwo",
              [](Program& p) {
                p.nodes[1].op = Opcode::kLiteral;
                p.nodes[1].literal.kind = Literal::Kind::kBool;
                p.nodes[1].literal.integer = 2;
              }},
        Fault{"EmptyName", [](Program& p) { p.nodes[0].name = ""; }},
        Fault{"NameWithNewline", [](Program& p) { p.nodes[0].name = "a\nb"; }},
        Fault{"LongName",
              [](Program& p) { p.nodes[0].name = std::string(256, 'a'); }},
        Fault{"MemberWithDot",
              [](Program& p) {
                Last(p).op = Opcode::kMember;
                Last(p).operands.pop_back();
                Last(p).name = "a.b";
              }},
        Fault{"MemberNamesOfOtherCount",
              [](Program& p) {
                Last(p).op = Opcode::kTuple;
                Last(p).member_names = {"a"};
              }},
        Fault{"AtWithoutItsValue",
              [](Program& p) {
                Last(p).op = Opcode::kAt;
                Last(p).operands.pop_back();
                Last(p).at.edge = AtPosition::Edge::kValue;
              }},
        Fault{"AtLevelWithEdge",
              [](Program& p) {
                Last(p).op = Opcode::kAt;
                Last(p).operands.pop_back();
                Last(p).at.kind = AtPosition::Kind::kLevel;
                Last(p).at.edge = AtPosition::Edge::kClamp;
              }},
        Fault{"AtUnknownKind",
              [](Program& p) {
                Last(p).op = Opcode::kAt;
                Last(p).operands.pop_back();
                Last(p).at.kind = static_cast<AtPosition::Kind>(9);
              }},
        Fault{"FoldWithDivide",
              [](Program& p) {
                Last(p).op = Opcode::kFold;
                Last(p).fold.op = Opcode::kDiv;
                Last(p).fold.has_init = true;
              }},
        Fault{"UnknownReduction",
              [](Program& p) {
                Last(p).op = Opcode::kReduce;
                Last(p).reduce.reduction = static_cast<Reduction>(50);
              }},
        Fault{"ReduceWithoutItsWeight",
              [](Program& p) {
                Last(p).op = Opcode::kReduce;
                Last(p).reduce.has_weight = true;
                Last(p).operands.pop_back();
              }},
        Fault{"ValueIsNoNode", [](Program& p) { First(p).value = 3; }},
        Fault{"ValueIsNegative", [](Program& p) { First(p).value = -5; }},
        Fault{"UnknownAssignment",
              [](Program& p) {
                First(p).kind = static_cast<Assignment::Kind>(7);
              }},
        Fault{"BadTarget", [](Program& p) { First(p).target = "a b"; }},
        Fault{"BadLetName",
              [](Program& p) {
                First(p).kind = Assignment::Kind::kLet;
                First(p).target = "1a";
              }},
        Fault{"NewComponent",
              [](Program& p) {
                First(p).kind = Assignment::Kind::kNew;
                First(p).target = "fresh";
                First(p).component = "u";
              }},
        Fault{"LetOfAReservedWord",
              [](Program& p) {
                First(p).kind = Assignment::Kind::kLet;
                First(p).target = "nan";
              }},
        Fault{"ResultOfAReservedWord",
              [](Program& p) {
                p.statements[0] = Reduce{{}, {{"foreach", 1, {}}}, {}};
              }},
        Fault{"LetComponent",
              [](Program& p) {
                First(p).kind = Assignment::Kind::kLet;
                First(p).target = "fresh";
                First(p).component = "u";
              }},
        Fault{"UnknownSlice",
              [](Program& p) {
                MakeMask(p, {});
                std::get<Foreach>(p.statements[0]).slice =
                    static_cast<SliceKind>(2);
              }},
        Fault{"MaskOfNothing",
              [](Program& p) { MakeMask(p, {MaskTerm::Kind::kNot}); }},
        Fault{"MaskOfTwo",
              [](Program& p) {
                MakeMask(p, {MaskTerm::Kind::kMask, MaskTerm::Kind::kMask});
              }},
        Fault{"MaskAndOfOne",
              [](Program& p) {
                MakeMask(p, {MaskTerm::Kind::kMask, MaskTerm::Kind::kAnd});
              }},
        Fault{"UnknownMaskTerm",
              [](Program& p) {
                MakeMask(
                    p, {MaskTerm::Kind::kMask, static_cast<MaskTerm::Kind>(8)});
              }},
        Fault{"ReductionOutsideReduce",
              [](Program& p) {
                Last(p).op = Opcode::kReduce;
                Last(p).operands.pop_back();
              }},
        Fault{"LetAfterItsUse",
              [](Program& p) {
                // node 0 names the let whose value is node 1
                p.nodes[0].name = "late";
                AddLet(p, "late", 1);
                std::swap(p.statements[0], p.statements[1]);
              }}),
    [](const auto& fault) { return std::string(fault.param.name); });

TEST(VerifyGraphTest, OffsetsBeyondTheLimitAreRefused) {
  for (int64_t offset :
       {int64_t{65}, int64_t{-65}, std::numeric_limits<int64_t>::max(),
        std::numeric_limits<int64_t>::min()}) {
    Program program = GoodProgram();
    program.nodes[2].op = Opcode::kAt;
    program.nodes[2].operands.pop_back();
    program.nodes[2].at.value = offset;
    EXPECT_EQ(ReasonOf(VerifyProgram(program, MakeCatalog()).status()),
              "PROGRAM_LIMIT");
  }
}

TEST(VerifyGraphTest, LevelsOfAnySizeAreCompared) {
  for (int64_t level :
       {int64_t{-1}, int64_t{8}, std::numeric_limits<int64_t>::max(),
        std::numeric_limits<int64_t>::min()}) {
    Program program = GoodProgram();
    program.nodes[2].op = Opcode::kAt;
    program.nodes[2].operands.pop_back();
    program.nodes[2].at = {AtPosition::Kind::kLevel, level,
                           AtPosition::Edge::kError};
    EXPECT_THAT(VerifyProgram(program, MakeCatalog()),
                IsError(absl::StatusCode::kOutOfRange, "INDEX_OUT_OF_RANGE",
                        HasSubstr(absl::StrCat(level))));
  }
}

TEST(VerifyGraphTest, TooManyNodesAreRefused) {
  Program program = GoodProgram();
  while (program.nodes.size() <= 4096) AddName(program, "temp");

  EXPECT_THAT(VerifyProgram(program, MakeCatalog()),
              IsError(absl::StatusCode::kInvalidArgument, "PROGRAM_LIMIT",
                      HasSubstr("4097 nodes")));
}

TEST(VerifyGraphTest, TooManyStatementsAreRefused) {
  Program program;
  const NodeIndex temp = AddName(program, "temp");
  for (int k = 0; k < 4097; ++k) AddLet(program, absl::StrCat("a", k), temp);

  EXPECT_EQ(ReasonOf(VerifyProgram(program, MakeCatalog()).status()),
            "PROGRAM_LIMIT");
}

TEST(VerifyGraphTest, ChainsAreLimitedInDepth) {
  const auto chain = [](int length) {
    Program program;
    NodeIndex value = AddName(program, "temp");
    for (int k = 1; k < length; ++k) {
      value = AddOp(program, Opcode::kAbs, {value});
    }
    AddStore(program, "temp", value);
    return ReasonOf(VerifyProgram(program, MakeCatalog()).status());
  };

  EXPECT_EQ(chain(1024), "OK");
  EXPECT_EQ(chain(1025), "PROGRAM_LIMIT");
}

TEST(VerifyGraphTest, SharingThatMultipliesIsRefusedAtOnce) {
  Program program;
  NodeIndex value = AddName(program, "temp");
  for (int k = 0; k < 1000; ++k) {
    value = AddOp(program, Opcode::kAdd, {value, value});
  }
  AddStore(program, "temp", value);

  EXPECT_EQ(ReasonOf(VerifyProgram(program, MakeCatalog()).status()),
            "PROGRAM_LIMIT");
}

TEST(VerifyGraphTest, StructsThatMultiplyAreRefused) {
  Program program;
  NodeIndex value = AddName(program, "temp");
  for (int k = 0; k < 10; ++k) {
    value = AddOp(program, Opcode::kTuple, {value, value});
  }
  for (int k = 0; k < 17; ++k) value = AddOp(program, Opcode::kAbs, {value});
  AddLet(program, "a", value);
  Program too_wide;
  value = AddName(too_wide, "temp");
  for (int k = 0; k < 11; ++k) {
    value = AddOp(too_wide, Opcode::kTuple, {value, value});
  }
  AddLet(too_wide, "a", value);

  EXPECT_EQ(ReasonOf(VerifyProgram(program, MakeCatalog()).status()),
            "PROGRAM_LIMIT");
  EXPECT_EQ(ReasonOf(VerifyProgram(too_wide, MakeCatalog()).status()),
            "BAD_TYPE");
}

TEST(VerifyGraphTest, StatementsMayShareANodeThatMeansTheSame) {
  Program program = GoodProgram();  // stores temp, reads salt
  AddStore(program, "cold", 0);

  EXPECT_OK(VerifyProgram(program, MakeCatalog()));
}

TEST(VerifyGraphTest, ANodeSharedAcrossAStoreIsRefused) {
  Program program = GoodProgram();  // reads and stores temp
  AddStore(program, "cold", 1);

  EXPECT_THAT(VerifyProgram(program, MakeCatalog()),
              IsError(absl::StatusCode::kInvalidArgument, "BAD_GRAPH",
                      HasSubstr("share this node")));
}

TEST(VerifyGraphTest, ANodeSharedAcrossALetOfItsNameIsRefused) {
  Program program;
  const NodeIndex cold = AddName(program, "cold");
  const NodeIndex salt = AddName(program, "salt");
  AddStore(program, "temp", salt);
  AddLet(program, "salt", cold);
  AddStore(program, "temp", salt);

  EXPECT_EQ(ReasonOf(VerifyProgram(program, MakeCatalog()).status()),
            "BAD_GRAPH");
}

TEST(VerifyGraphTest, AReductionBelongsToOneStatement) {
  Program program;
  const NodeIndex temp = AddName(program, "temp");
  const NodeIndex sum = AddOp(program, Opcode::kReduce, {temp});
  Reduce one;
  one.results = {{"a", sum, {}}, {"b", sum, {}}};
  program.statements.push_back(one);
  EXPECT_OK(VerifyProgram(program, MakeCatalog()));

  Reduce two;
  two.results = {{"c", sum, {}}};
  program.statements.push_back(two);
  EXPECT_EQ(ReasonOf(VerifyProgram(program, MakeCatalog()).status()),
            "BAD_GRAPH");
}

TEST(VerifyGraphTest, AFieldReadInsideAReductionIsStillRefusedOutsideIt) {
  Program program;
  const NodeIndex temp = AddName(program, "temp");
  const NodeIndex sum = AddOp(program, Opcode::kReduce, {temp});
  Reduce reduce;
  reduce.results = {{"a", AddOp(program, Opcode::kAdd, {sum, temp}), {}}};
  program.statements.push_back(reduce);

  EXPECT_EQ(ReasonOf(VerifyProgram(program, MakeCatalog()).status()),
            "BAD_ARGUMENT");
}

TEST(VerifyGraphTest, BroadcastsBeyond64BitsAreRefused) {
  Catalog catalog;
  const int64_t big = int64_t{1} << 40;
  AddField(catalog, "tall", "u8", {{big, 1, 1, 1}});
  AddField(catalog, "long", "u8", {{1, 1, 1, big}});
  Program program;
  const NodeIndex tall = AddName(program, "tall");
  const NodeIndex wide = AddName(program, "long");
  const NodeIndex both = AddOp(program, Opcode::kMax, {tall, wide});
  Reduce reduce;
  reduce.results = {{"a", AddOp(program, Opcode::kReduce, {both}), {}}};
  program.statements.push_back(reduce);

  EXPECT_THAT(VerifyProgram(program, catalog),
              IsError(absl::StatusCode::kOutOfRange, "SIZE_OVERFLOW",
                      HasSubstr("1099511627776")));
}

}  // namespace
}  // namespace layoutd
