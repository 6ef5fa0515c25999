#include "engine/program/print.h"

#include <cstddef>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "engine/program/parse.h"
#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

// Checks that `text` prints as `want`, and that `want` is a fixed point.
void ExpectPrints(const std::string& text, const std::string& want) {
  ASSERT_OK_AND_ASSIGN(const Program program, ParseProgram(text));
  EXPECT_EQ(PrintProgram(program), want);
  ASSERT_OK_AND_ASSIGN(const Program again, ParseProgram(want));
  EXPECT_TRUE(again == program) << want;
  EXPECT_EQ(PrintProgram(again), want);
}

std::string ReadGolden(const std::string& name) {
  std::ifstream file(std::string(LAYOUTD_GOLDEN_DIR) + "/" + name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(PrintTest, OceanExampleIsCanonical) {
  ExpectPrints(ReadGolden("ocean.program"),
               ReadGolden("ocean_canonical.program"));
}

TEST(PrintTest, ExpressionsHaveOnlyTheParenthesesTheyNeed) {
  const struct {
    const char* text;
    const char* want;
  } cases[] = {
      {"a+b*c", "a + b * c"},
      {"(a+b)*c", "(a + b) * c"},
      {"((a+b))+c", "a + b + c"},
      {"a-(b-c)", "a - (b - c)"},
      {"a/(b*c)", "a / (b * c)"},
      {"a/b*c", "a / b * c"},
      {"-a*b", "-a * b"},
      {"-(a*b)", "-(a * b)"},
      {"a - -b", "a - -b"},
      {"--a", "--a"},
      {"+a", "a"},
      {"-a.0", "-a.0"},
      {"(-a).0", "(-a).0"},
      {"(a, b).1", "(a, b).1"},
      {"(1).x", "(1).x"},
      {"a**b", "a ** b"},
      {"pow(a,b)", "a ** b"},
      {"a**b**c", "a ** b ** c"},
      {"(a**b)**c", "(a ** b) ** c"},
      {"-a**2", "-a ** 2"},
      {"(-a)**2", "(-a) ** 2"},
      {"a**-b**-c", "a ** -b ** -c"},
      {"a*b**c/d", "a * b ** c / d"},
      {"pow(a*b,c+d)", "(a * b) ** (c + d)"},
      {"a.0**b", "a.0 ** b"},
      {"(a**b).0", "(a ** b).0"},
      {"not a**b == c", "not a ** b == c"},
      {"log(a)", "log(a)"},
      {"not a == b", "not a == b"},
      {"(not a) == b", "(not a) == b"},
      {"a == (b == c)", "a == (b == c)"},
      {"a and not b or c", "a and not b or c"},
      {"a and (b or c)", "a and (b or c)"},
      {"not (a and b)", "not (a and b)"},
      {"not not a", "not not a"},
      {"a or (b or c)", "a or (b or c)"},
      {"-(a < b)", "-(a < b)"},
      {"(a,)", "(a,)"},
      {"(a,b,)", "(a, b)"},
      {"{x:a,y:(b,{z:c})}", "{x: a, y: (b, {z: c})}"},
      {"where(c, a, b)", "select(c, a, b)"},
      {"min(min(a,b),c)", "min(a, b, c)"},
      {"min(a,min(b,c))", "min(a, min(b, c))"},
      {"i32(f64(x))", "i32(f64(x))"},
      {"fma(a,b,c)", "fma(a, b, c)"},
      {"at(x,v+0)", "at(x, v)"},
      {"at(x+1,v-2,edge=1.5)", "at(x + 1, v - 2, edge = 1.5)"},
      {"at(x,v+1,edge=error)", "at(x, v + 1)"},
      {"at(x,last)", "at(x, last)"},
      {"scan(min,x,exclusive=true,init=1.0,flip=true)",
       "scan(min, x, flip = true, init = 1.0, exclusive = true)"},
      {"column_reduce(+,x)", "fold(+, x)"},
      {"fold(&,x,init=true,flip=true)",
       "fold(and, x, flip = true, init = true)"},
      {"sum(x,init=1,weight=w,where=m)",
       "sum(x, weight = w, where = m, init = 1)"},
      {"\"ocean/temp\"+\"temp\"+\"pi\"", "\"ocean/temp\" + temp + \"pi\""},
      {"@v+@i", "@v + @i"},
  };
  for (const auto& c : cases) {
    ExpectPrints(std::string("x = ") + c.text,
                 std::string("x = ") + c.want + "\n");
  }
}

TEST(PrintTest, LiteralsReadBackAsTheyWere) {
  const struct {
    const char* text;
    const char* want;
  } cases[] = {
      {"1", "1"},
      {"1.0", "1.0"},
      {"1e0", "1.0"},
      {"100000000000000000000.0", "1e+20"},
      {"5e-324", "5e-324"},
      {"0.1", "0.1"},
      {"0.10000000000000001", "0.1"},
      {"1.7976931348623157e308", "1.7976931348623157e+308"},
      {"0.1f32", "0.1_f32"},
      {"16777217.0_f32", "16777216.0_f32"},
      {"1e40_f32", "1e+40_f32"},
      {"7u8", "7_u8"},
      {"340282366920938463463374607431768211455",
       "340282366920938463463374607431768211455"},
      {"nan", "nan"},
      {"-inf", "-inf"},
      {"3.141592653589793", "pi"},
      {"true", "true"},
  };
  for (const auto& c : cases) {
    ExpectPrints(std::string("x = ") + c.text,
                 std::string("x = ") + c.want + "\n");
  }
}

TEST(PrintTest, StatementsAndBlocks) {
  ExpectPrints(R"(let a = 1; new "b/1" = a
"c".u.2=a; foreach point {}
foreach column mask (a or b) and not (c and d) or (e or f) { x = 1; let y = x }
reduce mask not not m { s = sum(x) / 2 })",
               R"(let a = 1
new "b/1" = a
c.u.2 = a
foreach point {
}
foreach column mask (a or b) and not (c and d) or (e or f) {
  x = 1
  let y = x
}
reduce mask not not m {
  s = sum(x) / 2
}
)");
}

TEST(PrintTest, LiteralsOfAGraphWithoutASpellingStayReadable) {
  Program program;
  Node nan;
  nan.literal.real = std::stod("nan");
  nan.literal.type = ScalarType::kF32;
  program.nodes = {nan};

  EXPECT_EQ(PrintExpression(program, 0), "f32(nan)");
}

TEST(PrintTest, ANegativeLiteralOfAGraphIsRaisedInParentheses) {
  Program program;
  Node base;
  base.literal.real = -2.0;
  Node power;
  power.op = Opcode::kPow;
  power.operands = {0, 0};
  program.nodes = {base, power};

  EXPECT_EQ(PrintExpression(program, 1), "(-2.0) ** -2.0");
}

TEST(PrintTest, SharedNodesArePrintedAtEachUseUpToALimit) {
  Program program;
  Node name;
  name.op = Opcode::kName;
  name.name = "x";
  program.nodes = {name};
  for (NodeIndex k = 0; k < 3; ++k) {
    Node sum;
    sum.op = Opcode::kAdd;
    sum.operands = {k, k};
    program.nodes.push_back(sum);
  }
  EXPECT_EQ(PrintExpression(program, 2), "x + x + (x + x)");

  for (NodeIndex k = 3; k < 1000; ++k) {
    Node sum;
    sum.op = Opcode::kAdd;
    sum.operands = {k, k};
    program.nodes.push_back(sum);
  }
  const std::string text = PrintExpression(program, 1000);
  EXPECT_LT(text.size(), kMaxPrintedBytes + 100000);
  EXPECT_EQ(text.substr(text.size() - 3), "...");
}

// Only a graph has such a literal: the text form rounds.
TEST(PrintTest, AnF32LiteralOfMoreDigitsPrintsAsItsValue) {
  Program program;
  program.nodes.emplace_back();
  program.nodes[0].literal.real = 0.5000000000000003;
  program.nodes[0].literal.type = ScalarType::kF32;

  EXPECT_EQ(PrintExpression(program, 0), "0.5_f32");
}

// Replaces, drops or doubles pieces of a real program: whatever still parses
// must print to a text that means the same.
TEST(PrintTest, MutatedProgramsThatParseRoundTrip) {
  const std::vector<std::string> pieces = {
      "new",  " heat",   " =",     " at",     "(",       "t",     ",",
      " v",   " +",      " 1",     ",",       " edge",   "=",     "-",
      "1e-3", ")",       "\n",     "foreach", " column", " mask", " a",
      " or",  " not",    " b",     " {",      "\n",      "let",   " q",
      "=",    "{",       "x",      ":",       "(",       "1_f32", ",",
      "@v",   ")",       "}",      ".",       "x",       ".",     "0",
      "\n",   "h",       ".",      "u",       "=",       "fold",  "(",
      "max",  ",",       "min",    "(",       "q",       ",",     "2",
      ")",    ",",       "flip",   "=",       "true",    ")",     "\n",
      "}",    "\n",      "reduce", "{",       "m",       "=",     "mean",
      "(",    "\"t/1\"", ",",      "where",   "=",       "not",   " t",
      "!=",   "1.5",     ",",      "weight",  "=",       "w",     ")",
      "}"};
  std::mt19937_64 random(17);
  int num_parsed = 0;
  for (int round = 0; round < 20000; ++round) {
    std::vector<std::string> mutated = pieces;
    for (uint64_t edits = 1 + random() % 3; edits > 0; --edits) {
      const size_t at = random() % mutated.size();
      const std::string& other = pieces[random() % pieces.size()];
      const auto place = mutated.begin() + static_cast<std::ptrdiff_t>(at);
      switch (random() % 3) {
        case 0:
          mutated[at] = other;
          break;
        case 1:
          mutated.erase(place);
          break;
        default:
          mutated.insert(place, other);
      }
    }
    const std::string text = absl::StrJoin(mutated, "");
    const absl::StatusOr<Program> program = ParseProgram(text);
    if (!program.ok()) continue;
    ++num_parsed;
    const std::string printed = PrintProgram(*program);
    ASSERT_OK_AND_ASSIGN(const Program again, ParseProgram(printed));
    ASSERT_TRUE(again == *program) << text << "\nprinted\n" << printed;
    ASSERT_EQ(PrintProgram(again), printed);
  }
  EXPECT_GT(num_parsed, 500);
}

}  // namespace
}  // namespace layoutd
