// Texts that are no program: the right error at the right place, whatever the
// bytes are.

#include <string>

#include "engine/program/parse.h"
#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Eq;
using testing::HasSubstr;
using testing::Pair;
using testing::StartsWith;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

TEST(ParseErrorTest, ShowsPositionFoundExpectedLineAndCaret) {
  const absl::Status status = ParseProgram("x = 1\nheat = (a + )\n").status();

  EXPECT_THAT(status, IsError(kInvalid, "SYNTAX",
                              Eq("line 2, column 13: expected an expression, "
                                 "found \")\"\n"
                                 "  heat = (a + )\n"
                                 "              ^")));
  const ErrorDetail detail = DetailOf(status);
  EXPECT_THAT(detail.metadata,
              ElementsAre(Pair("column", "13"), Pair("line", "2")));
  EXPECT_THAT(detail.violations,
              ElementsAre(Pair("program.text:2:13", status.message())));
}

TEST(ParseErrorTest, LongLinesShowThePartAroundTheColumn) {
  const std::string text =
      "x = " + std::string(500, 'a') + " )" + std::string(500, ' ') + "end";

  const absl::Status status = ParseProgram(text).status();

  EXPECT_THAT(status, IsError(kInvalid, "SYNTAX",
                              AllOf(StartsWith("line 1, column 506: "),
                                    HasSubstr("aaaa )\n"))));
  EXPECT_LT(status.message().size(), 300u);
}

struct Case {
  const char* text;
  const char* message;
};

TEST(ParseErrorTest, SyntaxErrorsSayWhatIsWrong) {
  const Case cases[] = {
      {"x", "expected \"=\", found the end of the text"},
      {"x =", "expected an expression, found the end of the text"},
      {"x =\ny = 1", "expected an expression, found the end of the line"},
      {"x = 1 y = 2", "expected the end of the statement, found \"y\""},
      {"x = y = 2", "the end of the statement (\"==\" compares), found \"=\""},
      {"let x.u = 1", "expected \"=\", found \".\""},
      {"let \"x\" = 1", "expected a name, found \"x\""},
      {"new x.u = 1", "expected \"=\", found \".\""},
      {"nan = 1", "expected a statement, found \"nan\""},
      {"1 = x", "expected a statement, found \"1\""},
      {"x = a.", "expected a component"},
      {"x = a.(b)", "expected a component"},
      {"x = a < b < c", "comparisons do not chain"},
      {"x = a == not b", "\"not\" needs parentheses here"},
      {"x = (a, b", "expected \",\" or \")\", found the end of the text"},
      {"x = ()", "expected an expression, found \")\""},
      {"x = {a: 1, 2}", "the name of a member, found \"2\""},
      {"x = {}", "the name of a member, found \"}\""},
      {"x = @w", "use @v, @i, @j or @h"},
      {"x = @ v", "use @v, @i, @j or @h"},
      {"x = a % b", "\"%\": use \"mod\" or \"rem\""},
      {"x = a ^ b", "\"^\": use \"**\""},
      {"x = a && b", "\"&&\": use \"and\""},
      {"x = a || b", "\"||\": use \"or\""},
      {"x = !a", "\"!\": use \"not\""},
      {"x = a[0]", "\"[\": use \"at(x, 0)\""},
      {"x = 'a'", "an id is quoted with \""},
      {"x = $", "character \"$\""},
      {"x = \"abc", "unterminated quote"},
      {"x = \"abc\n\"", "unterminated quote"},
      {"x = \"\"", "an empty id"},
      {"x = 1abc", "unknown type \"abc\""},
      {"x = 1_bool", "unknown type \"_bool\""},
      {"x = 1.", "expected a component"},
      {"x = 1e", "unknown type \"e\""},
      {"x = 1e999", "number too large for f64"},
      {"x = 340282366920938463463374607431768211456", "too large for u128"},
      {"x = sqrt(a, b)", "\"sqrt\" takes 1 argument, not 2"},
      {"x = fma(a)", "\"fma\" takes 3 arguments, not 1"},
      {"x = f32()", "\"f32\" takes 1 argument, not 0"},
      {"x = sqrt(a = 1)", "takes no argument named \"a\""},
      {"x = max(a, b, init = 1)", "takes no argument named \"init\""},
      {"x = sum(a, b)", "\"sum\" takes one value"},
      {"x = sum()", "\"sum\" takes one value"},
      {"x = sum(a, mass = b)", "weight, where and init, not \"mass\""},
      {"x = sum(a, init = 1, init = 2)", "\"init\" given twice"},
      {"x = sum(init = 1, a)", "a value after the named arguments"},
      {"x = at(a)", "expected \",\", found \")\""},
      {"x = at(a, -1)", "expected a position"},
      {"x = at(a, v + b)", "a number of levels"},
      {"x = at(a, v + 99999999999999999999)", "a number of levels"},
      {"x = at(a, 0, edge = clamp)", "goes with an offset only"},
      {"x = at(a, v, border = clamp)", "expected \"edge\""},
      {"x = at(a, v, edge = 1, edge = 2)", "\"edge\" given twice"},
      {"x = at(a, 0, 1)", "more than one position along v"},
      {"x = fold(/, a)", "an operation: + - * and or min max"},
      {"x = fold(+)", "expected \",\""},
      {"x = fold(+, a, flip = b)", "\"flip\" is true or false"},
      {"x = fold(+, a, b)", "takes one value, flip and init"},
      {"x = fold(+, a, exclusive = true)", "takes one value, flip and init"},
      {"x = scan(+, a, flip = true, flip = true)",
       "takes one value, flip, exclusive and init"},
      {"x = scan(+, a, exclusive = 1)", "\"exclusive\" is true or false"},
      {"foreach cell { }", "\"point\" or \"column\", found \"cell\""},
      {"foreach point x = 1", "expected \"{\", found \"x\""},
      {"foreach point mask { x = 1 }", "the id of a mask, found \"{\""},
      {"foreach point mask (a { x = 1 }", "expected \",\" or \")\""},
      {"foreach point {\n x = 1\n", "an assignment or \"}\""},
      {"foreach point { foreach point {} }", "an assignment or \"}\""},
      {"foreach point {} x = 1", "the end of the statement"},
      {"reduce { a.b = sum(x) }", "expected \"=\", found \".\""},
      {"}", "expected a statement"},
  };
  for (const Case& c : cases) {
    EXPECT_THAT(ParseProgram(c.text),
                IsError(kInvalid, "SYNTAX", HasSubstr(c.message)))
        << c.text;
  }
}

TEST(ParseErrorTest, UnsupportedConstructsAreNamed) {
  const Case cases[] = {
      {"x = a // b", "the operator \"//\""},
      {"x = a << 1", "the operator \"<<\""},
      {"x = a >> 1", "the operator \">>\""},
      {"x = a & b", "the operator \"&\""},
      {"x = a | b", "the operator \"|\""},
      {"x = ~a", "the operator \"~\""},
      {"foreach level { x = 1 }", "foreach level"},
      {"foreach slab { x = 1 }", "foreach slab"},
      {"reduce per column { x = sum(a) }", "reduce per"},
      {"x = combine((a, b) -> a, x)", "the function \"combine\""},
      {"x = contract(a, axis = i, matrix = d)", "the function \"contract\""},
      {"x = random(1)", "the function \"random\""},
      {"x = levels(a, b)", "the function \"levels\""},
      {"x = bitcast(f32, a)", "the function \"bitcast\""},
      {"x = sin(a)", "the function \"sin\""},
      {"x = mod(a, b)", "the function \"mod\""},
      {"reduce { n = norm(a) }", "the function \"norm\""},
      {"x = at(a, i + 1)", "at along i"},
      {"x = at(a, v + 1, h - 1)", "at along h"},
      {"x = fold((a, b) -> a, x)", "an own operation"},
      {"x = fold(hypot, a)", "a fold with \"hypot\""},
  };
  for (const Case& c : cases) {
    EXPECT_THAT(ParseProgram(c.text),
                IsError(absl::StatusCode::kUnimplemented, "UNSUPPORTED",
                        AllOf(StartsWith("line 1, column "),
                              HasSubstr(c.message), HasSubstr("^"))))
        << c.text;
  }
}

TEST(ParseErrorTest, UnknownFunctionsSuggestTheNearest) {
  EXPECT_THAT(ParseProgram("x = sqr(a)"),
              IsError(kInvalid, "UNKNOWN_FUNCTION",
                      HasSubstr("no function \"sqr\"; did you mean \"sqrt\"")));
  EXPECT_THAT(ParseProgram("x = fold(mx, a)"),
              IsError(kInvalid, "UNKNOWN_FUNCTION", HasSubstr("\"max\"")));
  EXPECT_THAT(ParseProgram("x = frobnicate(a)"),
              IsError(kInvalid, "UNKNOWN_FUNCTION",
                      HasSubstr("no function \"frobnicate\"\n")));
}

TEST(ParseErrorTest, TheFirstFaultIsReported) {
  EXPECT_THAT(ParseProgram("x = ) % $"),
              IsError(kInvalid, "SYNTAX", HasSubstr("found \")\"")));
}

std::string Repeated(const std::string& part, size_t times) {
  std::string text;
  for (size_t k = 0; k < times; ++k) text += part;
  return text;
}

TEST(ParseErrorTest, DeepNestingIsRefused) {
  const size_t many = 60000;
  const std::string texts[] = {
      "x = " + Repeated("(", many),
      "x = " + Repeated("-", many),
      "x = " + Repeated("+", many),
      "x = " + Repeated("not ", many),
      "x = " + Repeated("a**", many),
      "x = " + Repeated("{a:", many),
      "x = " + Repeated("abs(", many),
      "x = " + Repeated("(1,", many),
      "x = " + Repeated("a+(", many),
      "x = " + Repeated("at(", many),
      "foreach point mask " + Repeated("(", many),
      "foreach point mask " + Repeated("not ", many),
  };
  for (const std::string& text : texts) {
    EXPECT_THAT(ParseProgram(text), IsError(kInvalid, "PROGRAM_LIMIT",
                                            HasSubstr("nested deeper than")))
        << text.substr(0, 30);
  }
}

TEST(ParseErrorTest, NestingUpToTheLimitIsRead) {
  const size_t depth = kProgramLimits.max_nesting;

  EXPECT_OK(
      ParseProgram("x = " + Repeated("(", depth) + "a" + Repeated(")", depth)));
}

TEST(ParseErrorTest, LongTextsAndManyOperationsAreRefused) {
  EXPECT_THAT(ParseProgram(std::string(256 * 1024 + 1, ' ')),
              IsError(kInvalid, "PROGRAM_LIMIT", HasSubstr("262145 bytes")));
  EXPECT_OK(ParseProgram(std::string(256 * 1024, ' ')));
  EXPECT_THAT(ParseProgram(Repeated("x = a + b\n", 1500)),
              IsError(kInvalid, "PROGRAM_LIMIT", HasSubstr("4096 operations")));
  for (const char* part : {"+a", ".0", " and b"}) {
    EXPECT_THAT(ParseProgram("x = a" + Repeated(part, 1500)),
                IsError(kInvalid, "PROGRAM_LIMIT",
                        HasSubstr("1024 operations that need each other")));
  }
}

TEST(ParseErrorTest, HostileBytesAreNamedAndNeverEchoed) {
  const Case cases[] = {
      {"x = \xC3\xA9", "byte 0xC3"},
      {"x = \xFF\xFE", "byte 0xFF"},
      {"x = \x80", "byte 0x80"},
      {"x = \x7F", "byte 0x7F"},
      {"x = \x01", "byte 0x01"},
      {"x = \"\xE2\x82\xAC\"", "outside printable ASCII"},
  };
  for (const Case& c : cases) {
    const absl::Status status = ParseProgram(c.text).status();
    EXPECT_THAT(status, IsError(kInvalid, "SYNTAX", HasSubstr(c.message)));
    for (char byte : std::string(status.message())) {
      EXPECT_TRUE(byte == '\n' || (byte >= ' ' && byte <= '~'));
    }
  }
  EXPECT_THAT(ParseProgram(absl::string_view("x = \0", 5)),
              IsError(kInvalid, "SYNTAX", HasSubstr("byte 0x00")));
}

TEST(ParseErrorTest, ColumnsCountCharactersNotBytes) {
  EXPECT_THAT(ParseProgram("# caf\xC3\xA9\nx = \xC3\xA9"),
              IsError(kInvalid, "SYNTAX", StartsWith("line 2, column 5")));
  EXPECT_OK(ParseProgram("x = 1 # caf\xC3\xA9 \xFF\n"));
}

TEST(ParseErrorTest, EveryPrefixOfAProgramIsHandled) {
  const std::string text =
      "new heat = at(t, v + 1, edge = -1e-3)\nforeach column mask a or not b {"
      "\n let q = {x: (1_f32, @v)}.x.0\n h.u = fold(+, q, flip = true)\n}\n"
      "reduce { m = mean(\"t/1\", weight = w, where = t != 1.5) }\n";
  ASSERT_OK(ParseProgram(text));
  for (size_t size = 0; size < text.size(); ++size) {
    const absl::StatusOr<Program> program =
        ParseProgram(absl::string_view(text).substr(0, size));
    if (!program.ok()) {
      EXPECT_THAT(DetailOf(program.status()).reason,
                  testing::AnyOf("SYNTAX", "UNKNOWN_FUNCTION"))
          << size;
    }
  }
}

}  // namespace
}  // namespace layoutd
