// Bad input through the real server: the right code, reason and path, a server
// that lives on, and nothing half changed.

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/e2e/live_server.h"

namespace layoutd {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr Shape kShape = {{3, 2, 2, 5}};
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

// A server with the fields "temp" and "salt" (f64, 3 x 2 x 2 x 5) and "steps"
// (i32, one level), and the masks "ocean" (all columns), "land" (none) and
// "small" (of other columns). Checks after each test that the server answers
// and that all of these are as they were.
class BadInputTest : public testing::Test {
 protected:
  void SetUp() override {
    std::vector<double> values(60);
    for (size_t k = 0; k < values.size(); ++k) {
      values[k] = static_cast<double>(k) / 4;
    }
    for (const char* id : {"temp", "salt"}) {
      ASSERT_TRUE(live_.CreateField(id, v1::VIJFH, kShape, "f64").ok());
      ASSERT_TRUE(live_.Write(id, BytesOf(values)).ok());
    }
    ASSERT_TRUE(
        live_.CreateField("steps", v1::VIJHF, kShape.WithV(1), "i32").ok());
    ASSERT_TRUE(live_.CreateMask("ocean", kShape).ok());
    ASSERT_TRUE(live_.CreateMask("land", kShape).ok());
    ASSERT_TRUE(live_.SetMask("land", std::vector<uint8_t>(20, 0)).ok());
    ASSERT_TRUE(live_.CreateMask("small", {{1, 2, 2, 4}}).ok());
    before_ = live_.Snapshot();
    memory_before_ = Info().memory_used_bytes();
  }

  void TearDown() override {
    EXPECT_EQ(live_.Snapshot(), before_);
    EXPECT_EQ(Info().memory_used_bytes(), memory_before_);
    // The next call works as if nothing had been.
    const grpc::Status status = live_.Execute("reduce { total = sum(temp) }");
    EXPECT_TRUE(status.ok()) << status.error_message();
  }

  v1::ServerInfo Info() {
    v1::ServerInfo info;
    grpc::ClientContext context;
    EXPECT_TRUE(live_.about().GetServerInfo(&context, {}, &info).ok());
    return info;
  }

  CallError RunText(const std::string& text) {
    return ErrorOf(live_.Execute(text));
  }

  CallError RunGraph(const v1::Graph& graph) {
    v1::ExecuteRequest request;
    *request.mutable_program()->mutable_graph() = graph;
    v1::ExecuteResponse reply;
    grpc::ClientContext context;
    return ErrorOf(live_.compute().Execute(&context, request, &reply));
  }

  LiveServer live_{int64_t{16} << 20};
  std::string before_;
  int64_t memory_before_ = 0;
};

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
  EXPECT_THAT(error.paths, ElementsAre("program.text:1:8"));
}

TEST_F(BadInputTest, FieldThatIsNotThereIsNotFoundWithTheNearestIds) {
  v1::GetFieldRequest request;
  request.set_name("fields/tem");
  v1::Field reply;
  grpc::ClientContext context;

  const CallError error =
      ErrorOf(live_.fields().GetField(&context, request, &reply));

  EXPECT_EQ(error.code, grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(error.reason, "FIELD_NOT_FOUND");
  EXPECT_EQ(error.metadata.at("suggestions"), "temp");
}

TEST_F(BadInputTest, WrongShapeIsRefused) {
  const CallError error = RunText("steps = i32(temp)");

  EXPECT_EQ(error.code, grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(error.reason, "SHAPE_MISMATCH");
  EXPECT_THAT(error.message, HasSubstr("(3, 2, 2, 5)"));
  EXPECT_THAT(error.paths, ElementsAre(StartsWith("program.text:1:")));
}

TEST_F(BadInputTest, TypeMismatchIsRefused) {
  const CallError error = RunText("salt = temp and salt");

  EXPECT_EQ(error.code, grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(error.reason, "TYPE_MISMATCH");
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

TEST_F(BadInputTest, TruncatedUploadIsRefused) {
  const CallError error = ErrorOf(live_.Write("temp", std::string(479, 'x')));

  EXPECT_EQ(error.code, grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(error.reason, "UPLOAD_TOO_SHORT");
  EXPECT_THAT(error.message, AllOf(HasSubstr("479"), HasSubstr("480")));
}

TEST_F(BadInputTest, OverlongUploadIsRefused) {
  const CallError error = ErrorOf(live_.Write("temp", std::string(481, 'x')));

  EXPECT_EQ(error.code, grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(error.reason, "UPLOAD_TOO_LONG");
}

TEST_F(BadInputTest, UploadOfAnotherShapeOrTypeIsRefusedByItsHeader) {
  struct Case {
    Shape shape;
    const char* type;
    const char* reason;
    const char* path;
  };
  const Case cases[] = {
      {{{3, 2, 2, 6}}, "f64", "SHAPE_MISMATCH", "header.shape"},
      {kShape, "i64", "TYPE_MISMATCH", "header.type"},
      {kShape, "f65", "BAD_TYPE", "header.type.text"},
  };
  for (const Case& c : cases) {
    grpc::ClientContext context;
    v1::WriteFieldResponse reply;
    auto stream = live_.fields().WriteField(&context, &reply);
    v1::WriteFieldRequest message;
    message.mutable_header()->set_name("fields/temp");
    message.mutable_header()->mutable_type()->set_text(c.type);
    message.mutable_header()->mutable_shape()->set_nv(c.shape.v());
    message.mutable_header()->mutable_shape()->set_ni(c.shape.i());
    message.mutable_header()->mutable_shape()->set_nj(c.shape.j());
    message.mutable_header()->mutable_shape()->set_nh(c.shape.h());
    stream->Write(message);

    const CallError error = ErrorOf(stream->Finish());

    EXPECT_EQ(error.code, grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_EQ(error.reason, c.reason);
    EXPECT_THAT(error.paths, ElementsAre(c.path));
  }
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

TEST_F(BadInputTest, ExtentsWhoseProductPassesInt64AreRefused) {
  const Shape shapes[] = {{{kMax, 4, 4, 5400}},
                          {{1, 1, 1, kMax}},
                          {{1 << 20, 1 << 15, 1 << 15, 1 << 20}}};
  for (const Shape& shape : shapes) {
    const CallError error =
        ErrorOf(live_.CreateField("huge", v1::VIJFH, shape, "f64"));

    EXPECT_EQ(error.code, grpc::StatusCode::OUT_OF_RANGE) << error.message;
    EXPECT_EQ(error.reason, "SIZE_OVERFLOW");
    EXPECT_THAT(error.paths, ElementsAre(StartsWith("layout.shape")));
  }
}

TEST_F(BadInputTest, NegativeExtentIsRefusedByItsPath) {
  const CallError error = ErrorOf(live_.CreateField(
      "odd", v1::VIJFH, {{3, 2, 2, std::numeric_limits<int64_t>::min()}},
      "f64"));

  EXPECT_EQ(error.code, grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(error.reason, "BAD_EXTENT");
  EXPECT_THAT(error.paths, ElementsAre(StartsWith("layout.shape")));
}

TEST_F(BadInputTest, MaskOfNonsenseColumnsIsRefused) {
  for (const Shape& shape : {Shape{{1, -2, -2, 5}}, Shape{{1, 2, 2, -1}}}) {
    const CallError error = ErrorOf(live_.CreateMask("odd", shape));

    EXPECT_EQ(error.code, grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_EQ(error.reason, "BAD_EXTENT");
  }
  const CallError error =
      ErrorOf(live_.CreateMask("odd", {{1, kMax, kMax, kMax}}));
  EXPECT_THAT(error.code, testing::AnyOf(grpc::StatusCode::INVALID_ARGUMENT,
                                         grpc::StatusCode::OUT_OF_RANGE));
}

TEST_F(BadInputTest, FieldLargerThanTheMemoryLimitIsRefused) {
  const CallError error =
      ErrorOf(live_.CreateField("big", v1::VIJFH, {{64, 4, 4, 5400}}, "f64"));

  EXPECT_EQ(error.code, grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(error.reason, "MEMORY_LIMIT");
  EXPECT_EQ(error.metadata.at("needed_bytes"), "44236800");
  EXPECT_EQ(std::stoll(error.metadata.at("free_bytes")),
            (16 << 20) - memory_before_);
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

TEST_F(BadInputTest, MaskBytesOfAnotherCountOrValueAreRefused) {
  const CallError short_error =
      ErrorOf(live_.SetMask("ocean", std::vector<uint8_t>(19, 1)));
  EXPECT_EQ(short_error.code, grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(short_error.reason, "MASK_SHAPE_MISMATCH");

  const CallError byte_error =
      ErrorOf(live_.SetMask("ocean", std::vector<uint8_t>(20, 2)));
  EXPECT_EQ(byte_error.code, grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(byte_error.reason, "BAD_BOOL");
}

TEST_F(BadInputTest, MaskPredicateThatDoesNotParseGivesItsPosition) {
  v1::SetMaskRequest request;
  request.set_name("masks/ocean");
  request.mutable_where()->set_text("isfinite(temp");
  v1::Mask reply;
  grpc::ClientContext context;

  const CallError error =
      ErrorOf(live_.masks().SetMask(&context, request, &reply));

  EXPECT_EQ(error.code, grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(error.reason, "SYNTAX");
  EXPECT_THAT(error.paths, ElementsAre("where.text:1:14"));
}

TEST_F(BadInputTest, ReductionOverNoActivePointNeedsInit) {
  const CallError error = RunText("reduce mask land { lowest = min(temp) }");

  EXPECT_EQ(error.code, grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(error.reason, "NO_ACTIVE_POINT");
  EXPECT_THAT(error.message, HasSubstr("lowest"));
}

TEST_F(BadInputTest, FailingProgramPublishesNoneOfItsWrites) {
  const CallError error = RunText(
      "new fresh = temp + 1.0\n"
      "salt = temp * 2.0\n"
      "reduce mask land { lowest = min(temp) }");

  EXPECT_EQ(error.reason, "NO_ACTIVE_POINT");
}

TEST_F(BadInputTest, BadNamesAndPagesAreRefused) {
  const std::string names[] = {"temp", "masks/temp", "fields/", "fields",
                               "fields/" + std::string(300, 'a')};
  for (const std::string& name : names) {
    v1::GetFieldRequest request;
    request.set_name(name);
    v1::Field reply;
    grpc::ClientContext context;

    const CallError error =
        ErrorOf(live_.fields().GetField(&context, request, &reply));

    EXPECT_EQ(error.code, grpc::StatusCode::INVALID_ARGUMENT) << name;
    EXPECT_EQ(error.reason, "BAD_NAME");
    EXPECT_THAT(error.paths, ElementsAre("name"));
  }
  v1::ListFieldsRequest request;
  request.set_page_size(-1);
  v1::ListFieldsResponse reply;
  grpc::ClientContext context;

  const CallError error =
      ErrorOf(live_.fields().ListFields(&context, request, &reply));

  EXPECT_EQ(error.reason, "BAD_PAGE_SIZE");
  EXPECT_THAT(error.paths, ElementsAre("page_size"));
}

TEST_F(BadInputTest, FieldThatIsThereIsNotCreatedAgain) {
  const CallError error =
      ErrorOf(live_.CreateField("temp", v1::VIJHF, kShape, "f32"));

  EXPECT_EQ(error.code, grpc::StatusCode::ALREADY_EXISTS);
  EXPECT_EQ(error.reason, "FIELD_EXISTS");
  EXPECT_THAT(error.paths, ElementsAre("field_id"));
}

}  // namespace
}  // namespace layoutd
