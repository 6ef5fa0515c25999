// What the text form means: which graph each form becomes. The printer shows
// most of it; see also print_test.cc.

#include "engine/program/parse.h"

#include <cmath>
#include <string>

#include "engine/program/print.h"
#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

using testing::HasSubstr;

const Node& Root(const Program& program) {
  const auto& let = std::get<Assignment>(program.statements.front());
  return program.nodes[static_cast<size_t>(let.value)];
}

TEST(ParseTest, EmptyProgramsHaveNoStatements) {
  for (const char* text : {"", "\n\n", " # only a comment", ";;\n;", "\r\n"}) {
    ASSERT_OK_AND_ASSIGN(const Program program, ParseProgram(text));
    EXPECT_TRUE(program.statements.empty()) << text;
  }
}

TEST(ParseTest, StatementsKeepTheirKinds) {
  ASSERT_OK_AND_ASSIGN(const Program program,
                       ParseProgram("let a = 1; new b = a\n\"c/d\".u.2 = a"));

  ASSERT_EQ(program.statements.size(), 3u);
  const auto& let = std::get<Assignment>(program.statements[0]);
  EXPECT_EQ(let.kind, Assignment::Kind::kLet);
  EXPECT_EQ(let.target, "a");
  const auto& created = std::get<Assignment>(program.statements[1]);
  EXPECT_EQ(created.kind, Assignment::Kind::kNew);
  const auto& store = std::get<Assignment>(program.statements[2]);
  EXPECT_EQ(store.kind, Assignment::Kind::kStore);
  EXPECT_EQ(store.target, "c/d");
  EXPECT_EQ(store.component, "u.2");
  EXPECT_EQ(store.position, (SourcePosition{2, 1}));
}

TEST(ParseTest, OperandsComeBeforeTheirUsers) {
  ASSERT_OK_AND_ASSIGN(const Program program,
                       ParseExpression("sum(x * 2, init = 1, where = a < b)"));

  ASSERT_EQ(program.nodes.size(), 8u);
  for (size_t k = 0; k < program.nodes.size(); ++k) {
    for (NodeIndex operand : program.nodes[k].operands) {
      EXPECT_LT(operand, static_cast<NodeIndex>(k));
    }
  }
  const Node& sum = Root(program);
  EXPECT_EQ(sum.op, Opcode::kReduce);
  EXPECT_EQ(sum.reduce, (ReduceSpec{Reduction::kSum, false, true, true}));
  ASSERT_EQ(sum.operands.size(), 3u);
  const auto op = [&](size_t k) {
    return program.nodes[static_cast<size_t>(sum.operands[k])].op;
  };
  EXPECT_EQ(op(0), Opcode::kMul);
  EXPECT_EQ(op(1), Opcode::kLess);
  EXPECT_EQ(op(2), Opcode::kLiteral);
}

TEST(ParseTest, PositionsPointAtOperatorsAndNames) {
  ASSERT_OK_AND_ASSIGN(const Program program, ParseProgram("\nx=(a\n  + b)"));

  EXPECT_EQ(program.nodes[0].position, (SourcePosition{2, 4}));
  EXPECT_EQ(program.nodes[2].position, (SourcePosition{3, 3}));
}

TEST(ParseTest, PowersBindTighterThanASignBeforeThem) {
  ASSERT_OK_AND_ASSIGN(const Program program, ParseExpression("-x ** -y ** z"));

  // -(x ** (-(y ** z)))
  const Node& negation = Root(program);
  ASSERT_EQ(negation.op, Opcode::kNeg);
  const auto operand = [&](const Node& node, size_t k) -> const Node& {
    return program.nodes[static_cast<size_t>(node.operands[k])];
  };
  const Node& power = operand(negation, 0);
  ASSERT_EQ(power.op, Opcode::kPow);
  EXPECT_EQ(operand(power, 0).name, "x");
  const Node& exponent = operand(power, 1);
  ASSERT_EQ(exponent.op, Opcode::kNeg);
  EXPECT_EQ(operand(exponent, 0).op, Opcode::kPow);
  EXPECT_EQ(power.position, (SourcePosition{1, 4}));
}

TEST(ParseTest, AnExponentMayStandInTheNextLine) {
  EXPECT_OK(ParseProgram("x = a **\n  2\ny = pow(a,\n 2)"));
}

struct LiteralCase {
  const char* text;
  Literal::Kind kind;
  Uint128 integer;
  double real;
  std::optional<ScalarType> type;
};

TEST(ParseTest, LiteralsKeepKindValueAndType) {
  using Kind = Literal::Kind;
  const LiteralCase cases[] = {
      {"1", Kind::kInteger, 1, 0, std::nullopt},
      {"007", Kind::kInteger, 7, 0, std::nullopt},
      {"1_f32", Kind::kInteger, 1, 0, ScalarType::kF32},
      {"2f32", Kind::kInteger, 2, 0, ScalarType::kF32},
      {"255_u8", Kind::kInteger, 255, 0, ScalarType::kU8},
      {"2.5e-3", Kind::kFloat, 0, 2.5e-3, std::nullopt},
      {"1E+2", Kind::kFloat, 0, 100, std::nullopt},
      {"1e2_f64", Kind::kFloat, 0, 100, ScalarType::kF64},
      {"0.1f32", Kind::kFloat, 0, double{0.1F}, ScalarType::kF32},
      {"1e40_f32", Kind::kFloat, 0, 1e40, ScalarType::kF32},
      {"4e-999", Kind::kFloat, 0, 0, std::nullopt},
      {"true", Kind::kBool, 1, 0, std::nullopt},
      {"false", Kind::kBool, 0, 0, std::nullopt},
      {"inf", Kind::kFloat, 0, INFINITY, std::nullopt},
      {"nan", Kind::kFloat, 0, NAN, std::nullopt},
      {"pi", Kind::kFloat, 0, 3.141592653589793, std::nullopt},
      {"340282366920938463463374607431768211455", Kind::kInteger, ~Uint128{0},
       0, std::nullopt},
  };
  for (const LiteralCase& c : cases) {
    ASSERT_OK_AND_ASSIGN(const Program program, ParseExpression(c.text));
    const Literal want = {c.kind, c.integer, c.real, c.type};
    EXPECT_EQ(Root(program).op, Opcode::kLiteral) << c.text;
    EXPECT_TRUE(Root(program).literal == want) << c.text;
  }
}

TEST(ParseTest, AfterADotOnlyComponentsAreRead) {
  ASSERT_OK_AND_ASSIGN(const Program program, ParseExpression("s.1.0"));

  EXPECT_EQ(Root(program).op, Opcode::kMember);
  EXPECT_EQ(Root(program).name, "0");
  EXPECT_EQ(program.nodes[1].name, "1");
  EXPECT_EQ(program.nodes[0].name, "s");
}

TEST(ParseTest, AtPositionsAndEdges) {
  using Kind = AtPosition::Kind;
  using Edge = AtPosition::Edge;
  const struct {
    const char* text;
    AtPosition want;
  } cases[] = {
      {"at(x, 0)", {Kind::kLevel, 0, Edge::kError}},
      {"at(x, last)", {Kind::kLast, 0, Edge::kError}},
      {"at(x, v)", {Kind::kOffset, 0, Edge::kError}},
      {"at(x, v+1)", {Kind::kOffset, 1, Edge::kError}},
      {"at(x, v - 64, edge = error)", {Kind::kOffset, -64, Edge::kError}},
      {"at(x, v - 1, edge = clamp)", {Kind::kOffset, -1, Edge::kClamp}},
      {"at(x, v - 1, edge = -0.5)", {Kind::kOffset, -1, Edge::kValue}},
  };
  for (const auto& c : cases) {
    ASSERT_OK_AND_ASSIGN(const Program program, ParseExpression(c.text));
    EXPECT_EQ(Root(program).at, c.want) << c.text;
    EXPECT_EQ(Root(program).operands.size(),
              c.want.edge == Edge::kValue ? 2u : 1u);
  }
}

TEST(ParseTest, AxisLettersAreFieldsOutsideAtAndAfterAnAtSign) {
  ASSERT_OK_AND_ASSIGN(const Program program, ParseExpression("v + @v * @h"));

  EXPECT_EQ(program.nodes[0].op, Opcode::kName);
  EXPECT_EQ(program.nodes[1].op, Opcode::kIndex);
  EXPECT_EQ(program.nodes[2].axis, Axis::kH);
}

TEST(ParseTest, FoldsKeepOperationFlipAndInit) {
  const struct {
    const char* text;
    FoldSpec want;
  } cases[] = {
      {"fold(+, x)", {Opcode::kAdd, false, false}},
      {"fold(-, x, flip = true)", {Opcode::kSub, true, false}},
      {"fold(*, x, init = 2, flip = false)", {Opcode::kMul, false, true}},
      {"fold(&, x)", {Opcode::kAnd, false, false}},
      {"fold(or, x)", {Opcode::kOr, false, false}},
      {"fold(max, x, init = 0.0)", {Opcode::kMax, false, true}},
      {"column_reduce(+, x, flip = true)", {Opcode::kAdd, true, false}},
      {"scan(+, x)", {Opcode::kAdd, false, false}},
      {"scan(-, x, exclusive = true, init = 1)",
       {Opcode::kSub, false, true, true}},
  };
  for (const auto& c : cases) {
    ASSERT_OK_AND_ASSIGN(const Program program, ParseExpression(c.text));
    EXPECT_EQ(Root(program).fold, c.want) << c.text;
  }
}

TEST(ParseTest, MinAndMaxOfOneValueAreReductions) {
  ASSERT_OK_AND_ASSIGN(const Program reduction, ParseExpression("min(x)"));
  ASSERT_OK_AND_ASSIGN(const Program named,
                       ParseExpression("max(x, init = 0)"));
  ASSERT_OK_AND_ASSIGN(const Program nested, ParseExpression("max(a, b, c)"));

  EXPECT_EQ(Root(reduction).op, Opcode::kReduce);
  EXPECT_EQ(Root(named).op, Opcode::kReduce);
  EXPECT_EQ(Root(nested).op, Opcode::kMax);
  ASSERT_OK_AND_ASSIGN(const Program left,
                       ParseExpression("max(max(a, b), c)"));
  EXPECT_TRUE(nested == left);
}

TEST(ParseTest, SynonymsAreOneOperation) {
  ASSERT_OK_AND_ASSIGN(const Program select,
                       ParseExpression("select(c, a, b)"));
  for (const char* text : {"where(c, a, b)", "ifelse(c, a, b)"}) {
    ASSERT_OK_AND_ASSIGN(const Program program, ParseExpression(text));
    EXPECT_TRUE(program == select) << text;
  }
}

TEST(ParseTest, EachUseOfANameHasItsOwnNode) {
  ASSERT_OK_AND_ASSIGN(const Program program,
                       ParseProgram("let a = x\ny = a * a"));

  EXPECT_EQ(program.nodes.size(), 4u);
}

TEST(ParseTest, MasksArePostfix) {
  ASSERT_OK_AND_ASSIGN(
      const Program program,
      ParseProgram("foreach column mask a or b and not (c or d) { x = 1 }"));

  const auto& loop = std::get<Foreach>(program.statements[0]);
  EXPECT_EQ(loop.slice, SliceKind::kColumn);
  std::string postfix;
  for (const MaskTerm& term : loop.mask) {
    switch (term.kind) {
      case MaskTerm::Kind::kMask:
        postfix += term.name;
        break;
      case MaskTerm::Kind::kAnd:
        postfix += "&";
        break;
      case MaskTerm::Kind::kOr:
        postfix += "|";
        break;
      case MaskTerm::Kind::kNot:
        postfix += "!";
        break;
    }
  }
  EXPECT_EQ(postfix, "abcd|!&|");
}

TEST(ParseTest, NewlinesEndStatementsExceptInListsAndAfterOperators) {
  ASSERT_OK_AND_ASSIGN(const Program program, ParseProgram(R"(
    x = a +
        b        # after an operator
    y = max(a,
            b
            , c)
    z = (a
         + b)
    w = {p: a,
         q: b}
    foreach point mask m and
                       n {
      x = a; y = b

      z = c }
    reduce { s = sum(x); t = sum(
      y) }
  )"));

  EXPECT_EQ(program.statements.size(), 6u);
  EXPECT_EQ(std::get<Foreach>(program.statements[4]).body.size(), 3u);
  EXPECT_EQ(std::get<Reduce>(program.statements[5]).results.size(), 2u);
}

TEST(ParseTest, CarriageReturnsAreWhiteSpace) {
  ASSERT_OK_AND_ASSIGN(const Program windows,
                       ParseProgram("x = 1\r\ny = 2 # c\r\n"));
  ASSERT_OK_AND_ASSIGN(const Program unix_text, ParseProgram("x = 1\ny = 2"));

  EXPECT_TRUE(windows == unix_text);
}

TEST(ParseTest, ALongSumIsNotNestedDeep) {
  std::string text = "x = a";
  for (int k = 0; k < 1000; ++k) text += " + a";

  EXPECT_OK(ParseProgram(text));
}

TEST(ParseTest, ExpressionsBecomeOneLet) {
  ASSERT_OK_AND_ASSIGN(const Program program,
                       ParseExpression("\n isfinite(at(temp, 0))\n"));

  ASSERT_EQ(program.statements.size(), 1u);
  const auto& let = std::get<Assignment>(program.statements[0]);
  EXPECT_EQ(let.kind, Assignment::Kind::kLet);
  EXPECT_EQ(let.target, "result");
  EXPECT_EQ(PrintExpression(program, let.value), "isfinite(at(temp, 0))");
  EXPECT_THAT(ParseExpression("a = b"),
              IsError(absl::StatusCode::kInvalidArgument, "SYNTAX",
                      HasSubstr("the end of the expression")));
}

}  // namespace
}  // namespace layoutd
