#include "server/decode_program.h"

#include <algorithm>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/ascii.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/check_known.h"
#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

using testing::_;
using testing::HasSubstr;

std::string PathOf(const absl::Status& status) {
  const ErrorDetail detail = DetailOf(status);
  return detail.violations.size() == 1 ? detail.violations[0].first : "";
}

std::string Upper(absl::string_view name) {
  return absl::AsciiStrToUpper(name);
}

v1::Node NodeOf(v1::Opcode op) {
  v1::Node node;
  node.set_op(op);
  return node;
}

v1::Graph GraphOf(const v1::Node& node) {
  v1::Graph graph;
  *graph.add_nodes() = node;
  return graph;
}

// Returns the engine's node of a one-node graph.
absl::StatusOr<Node> Decode(const v1::Node& node) {
  absl::StatusOr<Program> program = DecodeGraph(GraphOf(node));
  if (!program.ok()) return program.status();
  return program->nodes[0];
}

// Returns a node of `op` with the parts it needs.
v1::Node CompleteNode(v1::Opcode op) {
  v1::Node node = NodeOf(op);
  if (op == v1::LITERAL) node.mutable_literal()->set_real(1);
  if (op == v1::NAME || op == v1::MEMBER) node.set_name("x");
  if (op == v1::CONVERT) node.set_scalar_type("f32");
  if (op == v1::AT) node.mutable_at()->set_level(0);
  if (op == v1::FOLD || op == v1::SCAN) {
    node.mutable_fold()->set_op(v1::ADD);
  }
  if (op == v1::REDUCE) node.mutable_reduce()->set_kind(v1::Reduce::SUM);
  return node;
}

TEST(DecodeProgramTest, EveryOpcodeIsTheEnginesOfTheSameName) {
  const google::protobuf::EnumDescriptor& opcodes = *v1::Opcode_descriptor();
  ASSERT_EQ(opcodes.value_count(), static_cast<int>(AllOpcodes().size()) + 1);
  int num_named = 0;
  std::set<Opcode> seen;
  for (int number = 1; number < opcodes.value_count(); ++number) {
    ASSERT_OK_AND_ASSIGN(Node node,
                         Decode(CompleteNode(static_cast<v1::Opcode>(number))));

    EXPECT_TRUE(seen.insert(node.op).second) << number;
    const OpcodeInfo& info = Info(node.op);
    if (info.name.empty()) continue;
    // "isfinite" is IS_FINITE.
    std::string name = opcodes.FindValueByNumber(number)->name();
    name.erase(std::remove(name.begin(), name.end(), '_'), name.end());
    EXPECT_EQ(name, Upper(info.name));
    ++num_named;
  }
  EXPECT_EQ(num_named, 11);
}

TEST(DecodeProgramTest, OpcodesWithoutAFunctionNameAreThoseOfTheSameMeaning) {
  struct Case {
    v1::Opcode sent;
    Opcode want;
  };
  const Case cases[] = {
      {v1::LITERAL, Opcode::kLiteral},
      {v1::NAME, Opcode::kName},
      {v1::INDEX, Opcode::kIndex},
      {v1::TUPLE, Opcode::kTuple},
      {v1::MEMBER, Opcode::kMember},
      {v1::ADD, Opcode::kAdd},
      {v1::SUB, Opcode::kSub},
      {v1::MUL, Opcode::kMul},
      {v1::DIV, Opcode::kDiv},
      {v1::NEG, Opcode::kNeg},
      {v1::EQUAL, Opcode::kEqual},
      {v1::NOT_EQUAL, Opcode::kNotEqual},
      {v1::LESS, Opcode::kLess},
      {v1::LESS_EQUAL, Opcode::kLessEqual},
      {v1::GREATER, Opcode::kGreater},
      {v1::GREATER_EQUAL, Opcode::kGreaterEqual},
      {v1::AND, Opcode::kAnd},
      {v1::OR, Opcode::kOr},
      {v1::NOT, Opcode::kNot},
      {v1::CONVERT, Opcode::kConvert},
      {v1::AT, Opcode::kAt},
      {v1::FOLD, Opcode::kFold},
      {v1::SCAN, Opcode::kScan},
      {v1::REDUCE, Opcode::kReduce},
  };
  for (const Case& c : cases) {
    ASSERT_OK_AND_ASSIGN(Node node, Decode(CompleteNode(c.sent)));
    EXPECT_EQ(node.op, c.want) << v1::Opcode_Name(c.sent);
  }
}

TEST(DecodeProgramTest, PartsOfNodesAreKept) {
  v1::Node fold = CompleteNode(v1::FOLD);
  fold.mutable_fold()->set_op(v1::MAX);
  fold.mutable_fold()->set_flip(true);
  fold.mutable_fold()->set_has_init(true);
  fold.add_operands(3);
  fold.add_operands(-7);
  ASSERT_OK_AND_ASSIGN(Node decoded, Decode(fold));
  EXPECT_EQ(decoded.fold, (FoldSpec{Opcode::kMax, true, true}));
  EXPECT_EQ(decoded.operands, (std::vector<NodeIndex>{3, -7}));

  v1::Node reduce = CompleteNode(v1::REDUCE);
  reduce.mutable_reduce()->set_kind(v1::Reduce::ALL);
  reduce.mutable_reduce()->set_has_where(true);
  ASSERT_OK_AND_ASSIGN(decoded, Decode(reduce));
  EXPECT_EQ(decoded.reduce, (ReduceSpec{Reduction::kAll, false, true, false}));

  v1::Node at = NodeOf(v1::AT);
  at.mutable_at()->set_offset(-2);
  at.mutable_at()->set_edge(v1::At::CLAMP);
  ASSERT_OK_AND_ASSIGN(decoded, Decode(at));
  EXPECT_EQ(decoded.at, (AtPosition{AtPosition::Kind::kOffset, -2,
                                    AtPosition::Edge::kClamp}));

  v1::Node index = NodeOf(v1::INDEX);
  index.set_axis(v1::H);
  ASSERT_OK_AND_ASSIGN(decoded, Decode(index));
  EXPECT_EQ(decoded.axis, Axis::kH);

  v1::Node tuple = NodeOf(v1::TUPLE);
  tuple.add_member_names("rho");
  ASSERT_OK_AND_ASSIGN(decoded, Decode(tuple));
  EXPECT_EQ(decoded.member_names, std::vector<std::string>{"rho"});

  v1::Node convert = NodeOf(v1::CONVERT);
  convert.set_scalar_type("u16");
  ASSERT_OK_AND_ASSIGN(decoded, Decode(convert));
  EXPECT_EQ(decoded.scalar_type, ScalarType::kU16);
}

TEST(DecodeProgramTest, ReductionsAreTheEnginesOfTheSameMeaning) {
  struct Case {
    v1::Reduce::Kind sent;
    Reduction want;
  };
  const Case cases[] = {
      {v1::Reduce::SUM, Reduction::kSum},
      {v1::Reduce::MINIMUM, Reduction::kMin},
      {v1::Reduce::MAXIMUM, Reduction::kMax},
      {v1::Reduce::COUNT, Reduction::kCount},
      {v1::Reduce::MEAN, Reduction::kMean},
      {v1::Reduce::ANY, Reduction::kAny},
      {v1::Reduce::ALL, Reduction::kAll},
      {v1::Reduce::ARGMIN, Reduction::kArgmin},
      {v1::Reduce::ARGMAX, Reduction::kArgmax},
      {v1::Reduce::EXTREMA, Reduction::kExtrema},
  };
  for (const Case& c : cases) {
    v1::Node node = NodeOf(v1::REDUCE);
    node.mutable_reduce()->set_kind(c.sent);

    ASSERT_OK_AND_ASSIGN(Node decoded, Decode(node));

    EXPECT_EQ(decoded.reduce.reduction, c.want);
  }
}

TEST(DecodeProgramTest, IntegersAreReadUpToTheirLimit) {
  EXPECT_EQ(*DecodeInteger("0", "p"), Uint128{0});
  EXPECT_EQ(*DecodeInteger("007", "p"), Uint128{7});
  EXPECT_EQ(*DecodeInteger("18446744073709551616", "p"), Uint128{1} << 64);
  EXPECT_EQ(*DecodeInteger("340282366920938463463374607431768211455", "p"),
            ~Uint128{0});
  for (const char* digits : {"340282366920938463463374607431768211456",
                             "9999999999999999999999999999999999999999999"}) {
    EXPECT_THAT(DecodeInteger(digits, "p"),
                IsError(absl::StatusCode::kInvalidArgument, "LITERAL_RANGE",
                        HasSubstr("2^128")));
  }
  for (const char* digits :
       {"", "-1", "+1", " 1", "1 ", "0x10", "1e3", "1_0"}) {
    EXPECT_THAT(DecodeInteger(digits, "p"),
                IsError(absl::StatusCode::kInvalidArgument, "BAD_GRAPH", _));
  }
}

TEST(DecodeProgramTest, WhatIsWrongWithANodeIsNamedByItsPath) {
  struct Case {
    void (*change)(v1::Node*);
    const char* reason;
    const char* path;
  };
  const Case cases[] = {
      {[](auto* n) { n->clear_op(); }, "BAD_GRAPH", ".op"},
      {[](auto* n) { n->set_op(v1::LITERAL); }, "BAD_GRAPH", ".literal"},
      {[](auto* n) {
         n->set_op(v1::LITERAL);
         n->mutable_literal();
       },
       "BAD_GRAPH", ".literal"},
      {[](auto* n) {
         n->set_op(v1::LITERAL);
         n->mutable_literal()->set_integer("1x");
       },
       "BAD_GRAPH", ".literal.integer"},
      {[](auto* n) {
         n->set_op(v1::LITERAL);
         n->mutable_literal()->set_real(1);
         n->mutable_literal()->set_type("f16");
       },
       "BAD_TYPE", ".literal.type"},
      {[](auto* n) { n->set_op(v1::NAME); }, "BAD_GRAPH", ".name"},
      {[](auto* n) { n->set_name("stray"); }, "BAD_GRAPH", ".name"},
      {[](auto* n) { n->set_axis(v1::J); }, "BAD_GRAPH", ".axis"},
      {[](auto* n) { n->set_op(v1::CONVERT); }, "BAD_GRAPH", ".scalar_type"},
      {[](auto* n) {
         n->set_op(v1::CONVERT);
         n->set_scalar_type("(f64, f64)");
       },
       "BAD_TYPE", ".scalar_type"},
      {[](auto* n) { n->mutable_reduce(); }, "BAD_GRAPH", ".reduce"},
      {[](auto* n) {
         n->set_op(v1::REDUCE);
         n->mutable_reduce();
       },
       "BAD_GRAPH", ".reduce.kind"},
      {[](auto* n) {
         n->set_op(v1::FOLD);
         n->mutable_fold();
       },
       "BAD_GRAPH", ".fold.op"},
      {[](auto* n) {
         n->set_op(v1::AT);
         n->mutable_at();
       },
       "BAD_GRAPH", ".at"},
      {[](auto* n) {
         n->set_op(v1::AT);
         n->mutable_at()->set_last(false);
       },
       "BAD_GRAPH", ".at"},
      {[](auto* n) {
         n->set_op(v1::AT);
         n->mutable_at()->set_level(1);
         n->mutable_at()->set_edge(v1::At::CLAMP);
       },
       "BAD_GRAPH", ".at"},
  };
  for (const Case& c : cases) {
    v1::Node node = NodeOf(v1::ADD);
    c.change(&node);

    const absl::StatusOr<Node> decoded = Decode(node);

    EXPECT_THAT(decoded,
                IsError(absl::StatusCode::kInvalidArgument, c.reason, _));
    EXPECT_EQ(PathOf(decoded.status()),
              std::string("program.graph.nodes[0]") + c.path);
  }
}

TEST(DecodeProgramTest, StatementsAreKept) {
  v1::Graph graph;
  v1::Assignment* store = graph.add_statements()->mutable_assignment();
  store->set_kind(v1::Assignment::STORE);
  store->set_target("wind");
  store->set_component("u.2");
  store->set_value(5);
  auto* loop = graph.add_statements()->mutable_foreach();
  loop->set_slice(v1::Statement::Foreach::COLUMN);
  loop->add_mask()->set_mask("ocean");
  loop->add_mask()->set_op(v1::NOT);
  loop->add_body()->set_kind(v1::Assignment::LET);
  loop->mutable_body(0)->set_target("ok");
  auto* reduce = graph.add_statements()->mutable_reduce();
  reduce->add_results()->set_name("total");
  reduce->mutable_results(0)->set_value(9);

  ASSERT_OK_AND_ASSIGN(Program program, DecodeGraph(graph));

  ASSERT_EQ(program.statements.size(), 3u);
  const auto& assignment = std::get<Assignment>(program.statements[0]);
  EXPECT_EQ(assignment.kind, Assignment::Kind::kStore);
  EXPECT_EQ(assignment.target, "wind");
  EXPECT_EQ(assignment.component, "u.2");
  EXPECT_EQ(assignment.value, 5);
  const auto& foreach = std::get<Foreach>(program.statements[1]);
  EXPECT_EQ(foreach.slice, SliceKind::kColumn);
  ASSERT_EQ(foreach.mask.size(), 2u);
  EXPECT_EQ(foreach.mask[0].name, "ocean");
  EXPECT_EQ(foreach.mask[1].kind, MaskTerm::Kind::kNot);
  EXPECT_EQ(foreach.body[0].kind, Assignment::Kind::kLet);
  EXPECT_EQ(foreach.body[0].target, "ok");
  const auto& block = std::get<Reduce>(program.statements[2]);
  EXPECT_EQ(block.results[0].name, "total");
  EXPECT_EQ(block.results[0].value, 9);
}

TEST(DecodeProgramTest, WhatIsWrongWithAStatementIsNamedByItsPath) {
  struct Case {
    void (*change)(v1::Statement*);
    const char* path;
  };
  const Case cases[] = {
      {[](auto*) {}, ""},
      {[](auto* s) { s->mutable_assignment(); }, ".assignment.kind"},
      {[](auto* s) {
         s->mutable_assignment()->set_kind(v1::Assignment::LET);
         s->mutable_assignment()->set_component("u");
       },
       ".assignment.component"},
      {[](auto* s) { s->mutable_foreach(); }, ".foreach.slice"},
      {[](auto* s) {
         s->mutable_foreach()->set_slice(v1::Statement::Foreach::POINT);
         s->mutable_foreach()->add_body();
       },
       ".foreach.body[0].kind"},
      {[](auto* s) {
         s->mutable_reduce()->add_mask()->set_mask("m");
         s->mutable_reduce()->add_mask()->set_op(v1::ADD);
       },
       ".reduce.mask[1]"},
      {[](auto* s) { s->mutable_reduce()->add_mask(); }, ".reduce.mask[0]"},
  };
  for (const Case& c : cases) {
    v1::Graph graph;
    c.change(graph.add_statements());

    const absl::StatusOr<Program> decoded = DecodeGraph(graph);

    EXPECT_THAT(decoded,
                IsError(absl::StatusCode::kInvalidArgument, "BAD_GRAPH", _));
    EXPECT_EQ(PathOf(decoded.status()),
              std::string("program.graph.statements[0]") + c.path);
  }
}

TEST(DecodeProgramTest, GraphOfTooManyNodesIsRefused) {
  v1::Graph graph;
  for (int k = 0; k <= kProgramLimits.max_nodes; ++k) {
    *graph.add_nodes() = NodeOf(v1::ADD);
  }
  EXPECT_THAT(DecodeGraph(graph), IsError(absl::StatusCode::kInvalidArgument,
                                          "PROGRAM_LIMIT", HasSubstr("4097")));

  graph.mutable_nodes()->RemoveLast();
  EXPECT_OK(DecodeGraph(graph));
}

TEST(CheckKnownTest, ProgramThatIsAllKnownPasses) {
  v1::Program program;
  *program.mutable_graph()->add_nodes() = CompleteNode(v1::FOLD);
  *program.mutable_graph()->add_nodes() = CompleteNode(v1::AT);
  program.mutable_graph()->add_statements()->mutable_reduce()->add_mask();

  EXPECT_OK(CheckKnown(program, "program"));
  EXPECT_OK(CheckKnown(v1::Program(), "program"));
}

TEST(CheckKnownTest, UnknownEnumValueIsRefusedAtItsPath) {
  struct Case {
    void (*change)(v1::Graph*);
    const char* path;
  };
  const Case cases[] = {
      {[](auto* g) { g->add_nodes()->set_op(static_cast<v1::Opcode>(999)); },
       "program.graph.nodes[1].op"},
      {[](auto* g) { g->add_nodes()->set_axis(static_cast<v1::Axis>(-4)); },
       "program.graph.nodes[1].axis"},
      {[](auto* g) {
         g->add_nodes()->mutable_at()->set_edge(static_cast<v1::At::Edge>(3));
       },
       "program.graph.nodes[1].at.edge"},
      {[](auto* g) {
         g->add_statements()->mutable_foreach()->add_mask()->set_op(
             static_cast<v1::Opcode>(1000));
       },
       "program.graph.statements[0].foreach.mask[0].op"},
  };
  for (const Case& c : cases) {
    v1::Program program;
    program.mutable_graph()->add_nodes();
    c.change(program.mutable_graph());

    const absl::Status status = CheckKnown(program, "program");

    EXPECT_THAT(status,
                IsError(absl::StatusCode::kInvalidArgument, "BAD_GRAPH", _));
    EXPECT_EQ(PathOf(status), c.path);
  }
}

TEST(CheckKnownTest, UnknownFieldIsRefusedAtItsMessage) {
  v1::Program program;
  program.mutable_graph()->add_nodes()->mutable_literal()->set_real(1);
  v1::Literal* literal =
      program.mutable_graph()->mutable_nodes(0)->mutable_literal();
  literal->GetReflection()->MutableUnknownFields(literal)->AddVarint(99, 1);

  const absl::Status status = CheckKnown(program, "program");

  EXPECT_THAT(status, IsError(absl::StatusCode::kInvalidArgument, "BAD_GRAPH",
                              HasSubstr("99")));
  EXPECT_EQ(PathOf(status), "program.graph.nodes[0].literal");
}

}  // namespace
}  // namespace layoutd
