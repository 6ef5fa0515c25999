// Bad programs through the real server: the right code, reason and path, a
// server that lives on, and nothing half changed.

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tests/e2e/bad_input_fixture.h"

namespace layoutd {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

// reduce { total = sum(temp) } as a graph.
v1::Graph SumGraph() {
  v1::Graph graph;
  v1::Node* name = graph.add_nodes();
  name->set_op(v1::NAME);
  name->set_name("temp");
  v1::Node* sum = graph.add_nodes();
  sum->set_op(v1::REDUCE);
  sum->add_operands(0);
  sum->mutable_reduce()->set_kind(v1::Reduce::SUM);
  auto* result = graph.add_statements()->mutable_reduce()->add_results();
  result->set_name("total");
  result->set_value(1);
  return graph;
}

TEST_F(BadInputTest, UnknownFieldIsNotFoundWithTheNearestName) {
  const CallError error = RunText("salt = tempp * 2.0");

  EXPECT_EQ(error.code, grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(error.reason, "NAME_NOT_FOUND");
  EXPECT_EQ(error.domain, "layoutd");
  EXPECT_THAT(error.message, AllOf(HasSubstr("\"tempp\""), HasSubstr("temp")));
  EXPECT_THAT(error.message, EndsWith("\n  salt = tempp * 2.0\n         ^"));
  EXPECT_THAT(error.paths, ElementsAre("program.text:1:8"));
}

TEST_F(BadInputTest, SwappedLettersStillSuggestTheField) {
  EXPECT_THAT(RunText("salt = tmep").message, HasSubstr("\"temp\""));
}

TEST_F(BadInputTest, BindingToAFieldThatIsNotThereGivesItsKey) {
  v1::ExecuteRequest request;
  request.mutable_program()->set_text("salt = a");
  (*request.mutable_bindings())["a"] = "fields/tem";

  const CallError error = Run(request);

  EXPECT_EQ(error.code, grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(error.reason, "FIELD_NOT_FOUND");
  EXPECT_EQ(error.metadata.at("suggestions"), "temp");
  EXPECT_THAT(error.paths, ElementsAre("bindings[\"a\"]"));
}

TEST_F(BadInputTest, WrongShapeIsRefused) {
  const CallError error = RunText("steps = i32(temp)");

  EXPECT_EQ(error.code, grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(error.reason, "SHAPE_MISMATCH");
  EXPECT_THAT(error.message, HasSubstr("(3, 2, 2, 5)"));
  EXPECT_THAT(error.message, HasSubstr("\n  steps = i32(temp)\n  "));
  EXPECT_THAT(error.message, EndsWith("^"));
  EXPECT_THAT(error.paths, ElementsAre(StartsWith("program.text:1:")));
}

TEST_F(BadInputTest, TypeMismatchIsRefused) {
  const CallError error = RunText("salt = temp and salt");

  EXPECT_EQ(error.code, grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(error.reason, "TYPE_MISMATCH");
  EXPECT_THAT(error.message, HasSubstr("\n  salt = temp and salt\n  "));
  EXPECT_THAT(error.message, EndsWith("^"));
  EXPECT_THAT(error.paths, ElementsAre(StartsWith("program.text:1:")));
}

TEST_F(BadInputTest, SyntaxErrorGivesItsPosition) {
  const CallError error = RunText("salt = temp * 2.0\nsalt = temp +* 3.0\n");

  EXPECT_EQ(error.code, grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(error.reason, "SYNTAX");
  EXPECT_EQ(error.metadata.at("line"), "2");
  EXPECT_EQ(error.metadata.at("column"), "14");
  EXPECT_THAT(error.message,
              HasSubstr("\n  salt = temp +* 3.0\n               ^"));
  EXPECT_THAT(error.paths, ElementsAre("program.text:2:14"));
}

TEST_F(BadInputTest, SyntaxErrorInAVeryLongLineStillArrives) {
  std::string text = "salt = temp";
  while (text.size() < 200 * 1024) text += " + temp * \"Ozeän\"";
  text += " + )";

  const CallError error = RunText(text);

  EXPECT_EQ(error.code, grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(error.domain, "layoutd");
  EXPECT_THAT(error.paths, ElementsAre(StartsWith("program.text")));
}

TEST_F(BadInputTest, ProgramOverALimitIsRefused) {
  std::string reductions = "reduce {\n";
  for (int k = 0; k < 17; ++k) {
    reductions += "  r" + std::to_string(k) + " = sum(temp)\n";
  }
  const std::string texts[] = {
      std::string(256 * 1024 + 1, ' '),
      reductions + "}",
      "salt = at(temp, v + 65, edge = clamp)",
  };
  for (const std::string& text : texts) {
    const CallError error = RunText(text);

    EXPECT_EQ(error.code, grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_EQ(error.reason, "PROGRAM_LIMIT") << error.message;
    EXPECT_THAT(error.paths, ElementsAre(StartsWith("program.text")));
  }
}

TEST_F(BadInputTest, GraphOverTheNodeLimitIsRefused) {
  v1::Graph graph = SumGraph();
  while (graph.nodes_size() < 4097) *graph.add_nodes() = graph.nodes(0);

  const CallError error = RunGraph(graph);

  EXPECT_EQ(error.code, grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(error.reason, "PROGRAM_LIMIT");
  EXPECT_THAT(error.paths, ElementsAre("program.graph.nodes"));
}

TEST_F(BadInputTest, GraphWithAnOpcodeOfALaterVersionIsRefused) {
  v1::Graph graph = SumGraph();
  graph.mutable_nodes(1)->set_op(static_cast<v1::Opcode>(999));

  const CallError error = RunGraph(graph);

  EXPECT_EQ(error.code, grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(error.reason, "BAD_GRAPH");
  EXPECT_THAT(error.paths, ElementsAre("program.graph.nodes[1].op"));
}

TEST_F(BadInputTest, GraphWhoseOperandsPointNowhereIsRefused) {
  for (int operand : {1, 2, -1, std::numeric_limits<int>::max()}) {
    v1::Graph graph = SumGraph();
    graph.mutable_nodes(1)->set_operands(0, operand);

    const CallError error = RunGraph(graph);

    EXPECT_EQ(error.code, grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_EQ(error.reason, "BAD_GRAPH");
    EXPECT_THAT(error.paths, ElementsAre("program.graph.nodes[1]"));
  }
}

TEST_F(BadInputTest, GraphWithAResultThatPointsNowhereIsRefused) {
  for (int value : {2, -1, std::numeric_limits<int>::min()}) {
    v1::Graph graph = SumGraph();
    graph.mutable_statements(0)
        ->mutable_reduce()
        ->mutable_results(0)
        ->set_value(value);

    const CallError error = RunGraph(graph);

    EXPECT_EQ(error.code, grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_EQ(error.reason, "BAD_GRAPH");
    EXPECT_THAT(error.paths,
                ElementsAre(StartsWith("program.graph.statements[0]")));
  }
}

TEST_F(BadInputTest, MaskOfAnotherShapeIsRefused) {
  const char* texts[] = {
      "reduce mask small { total = sum(temp) }",
      "foreach point mask small { salt = temp }",
      "foreach column mask small { salt = fold(+, temp) }",
  };
  for (const char* text : texts) {
    const CallError error = RunText(text);

    EXPECT_EQ(error.code, grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_EQ(error.reason, "MASK_SHAPE_MISMATCH") << error.message;
    EXPECT_THAT(error.paths, ElementsAre(StartsWith("program.text:1:")));
  }
}

TEST_F(BadInputTest, ReductionOverNoActivePointNeedsInit) {
  const CallError error = RunText("reduce mask land { lowest = min(temp) }");

  EXPECT_EQ(error.code, grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(error.reason, "NO_ACTIVE_POINT");
  EXPECT_THAT(error.message, HasSubstr("lowest"));
  EXPECT_THAT(error.message,
              EndsWith("\n  reduce mask land { lowest = min(temp) }\n"
                       "                     ^"));
  EXPECT_THAT(error.paths, ElementsAre("program.text:1:20"));
}

TEST_F(BadInputTest, ReductionOverNoActivePointOfAGraphGivesItsStatement) {
  v1::Graph graph = SumGraph();
  graph.mutable_nodes(1)->mutable_reduce()->set_kind(v1::Reduce::MAXIMUM);
  v1::Statement* statement = graph.mutable_statements(0);
  statement->mutable_reduce()->add_mask()->set_mask("land");

  const CallError error = RunGraph(graph);

  EXPECT_EQ(error.code, grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(error.reason, "NO_ACTIVE_POINT");
  EXPECT_THAT(error.paths, ElementsAre("program.graph.statements[0]"));
}

TEST_F(BadInputTest, FailingProgramPublishesNoneOfItsWrites) {
  const CallError error = RunText(
      "new fresh = temp + 1.0\n"
      "salt = temp * 2.0\n"
      "reduce mask land { lowest = min(temp) }");

  EXPECT_EQ(error.reason, "NO_ACTIVE_POINT");
  EXPECT_THAT(error.paths, ElementsAre("program.text:3:20"));
}

}  // namespace
}  // namespace layoutd
