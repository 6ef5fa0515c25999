// The whole path through the real server, from an upload to the answers.

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/e2e/live_server.h"

namespace layoutd {
namespace {

using testing::ElementsAre;

constexpr Shape kShape = {{3, 2, 2, 5}};

#define ASSERT_CALL_OK(call)                                          \
  do {                                                                \
    const grpc::Status call_status_ = (call);                         \
    ASSERT_TRUE(call_status_.ok())                                    \
        << call_status_.error_message() << call_status_.error_code(); \
  } while (false)

// Value k at point k of the canonical order.
std::vector<double> CountingValues(size_t count) {
  std::vector<double> values(count);
  for (size_t k = 0; k < count; ++k) values[k] = static_cast<double>(k);
  return values;
}

double ResultOf(const v1::ExecuteResponse& reply, int index) {
  return ValuesOf<double>(reply.results(index).value())[0];
}

class RoundTripTest : public testing::Test {
 protected:
  LiveServer live_;
};

TEST_F(RoundTripTest, UploadComesBackUnchangedFromEitherLayout) {
  const std::string bytes = BytesOf(CountingValues(60));
  for (v1::LayoutKind kind : {v1::VIJFH, v1::VIJHF}) {
    const std::string id = kind == v1::VIJFH ? "a/x" : "a/y";
    ASSERT_CALL_OK(live_.CreateField(id, kind, kShape, "f64"));

    // 7 cuts values apart.
    ASSERT_CALL_OK(live_.Write(id, bytes, 7));

    std::string back;
    ASSERT_CALL_OK(live_.Read(id, "", &back));
    EXPECT_EQ(back, bytes);
  }
}

TEST_F(RoundTripTest, FieldOfManyChunksComesBackUnchanged) {
  const Shape shape = {{20, 4, 4, 1013}};
  const std::string bytes = BytesOf(CountingValues(20 * 16 * 1013));
  ASSERT_CALL_OK(live_.CreateField("large", v1::VIJHF, shape, "f64"));

  ASSERT_CALL_OK(live_.Write("large", bytes, 1 << 20));

  std::string back;
  ASSERT_CALL_OK(live_.Read("large", "", &back));
  EXPECT_TRUE(back == bytes);
}

TEST_F(RoundTripTest, ComponentOfARecordIsReadAlone) {
  struct Wind {
    double speed;
    int32_t direction;
    int32_t padding;
  };
  const std::vector<Wind> winds = {{1.5, 10, 0}, {2.5, 20, 0}};
  ASSERT_CALL_OK(live_.CreateField("wind", v1::VIJFH, {{2, 1, 1, 1}},
                                   "{speed: f64, direction: i32}"));

  ASSERT_CALL_OK(live_.Write("wind", BytesOf(winds)));

  std::string bytes;
  ASSERT_CALL_OK(live_.Read("wind", "direction", &bytes));
  EXPECT_THAT(ValuesOf<int32_t>(bytes), ElementsAre(10, 20));
}

TEST_F(RoundTripTest, FieldThatWasNeverWrittenReadsAsZeros) {
  ASSERT_CALL_OK(live_.CreateField("blank", v1::VIJFH, kShape, "f64"));

  std::string bytes;
  ASSERT_CALL_OK(live_.Read("blank", "", &bytes));

  EXPECT_EQ(bytes, std::string(480, '\0'));
}

TEST_F(RoundTripTest, FieldOfNoPointsIsWrittenAndRead) {
  ASSERT_CALL_OK(live_.CreateField("none", v1::VIJFH, {{3, 2, 2, 0}}, "f64"));

  ASSERT_CALL_OK(live_.Write("none", ""));

  std::string bytes = "not empty";
  ASSERT_CALL_OK(live_.Read("none", "", &bytes));
  EXPECT_EQ(bytes, "");
}

TEST_F(RoundTripTest, FillSetsEveryValue) {
  ASSERT_CALL_OK(live_.CreateField("f", v1::VIJHF, {{1, 1, 1, 3}}, "f64"));
  v1::FillFieldRequest request;
  request.set_name("fields/f");
  request.set_value("-2.5e1");
  v1::Field reply;
  grpc::ClientContext context;

  ASSERT_CALL_OK(live_.fields().FillField(&context, request, &reply));

  EXPECT_EQ(reply.revision(), 1);
  std::string bytes;
  ASSERT_CALL_OK(live_.Read("f", "", &bytes));
  EXPECT_THAT(ValuesOf<double>(bytes), ElementsAre(-25, -25, -25));
}

TEST_F(RoundTripTest, ProgramCreatesStoresAndReduces) {
  ASSERT_CALL_OK(live_.CreateField("temp", v1::VIJFH, kShape, "f64"));
  ASSERT_CALL_OK(live_.Write("temp", BytesOf(CountingValues(60))));

  v1::ExecuteResponse reply;
  ASSERT_CALL_OK(
      live_.Execute("new twice = temp * 2.0\n"
                    "reduce {\n"
                    "  total = sum(twice)\n"
                    "  high = max(temp)\n"
                    "  warm = count(temp > 50.0)\n"
                    "}",
                    &reply));

  ASSERT_EQ(reply.results_size(), 3);
  EXPECT_EQ(reply.results(0).name(), "total");
  EXPECT_EQ(reply.results(0).type().text(), "f64");
  EXPECT_EQ(ResultOf(reply, 0), 2.0 * 59 * 60 / 2);
  EXPECT_EQ(ResultOf(reply, 1), 59);
  EXPECT_EQ(reply.results(2).type().text(), "i64");
  EXPECT_EQ(ValuesOf<int64_t>(reply.results(2).value())[0], 9);
  ASSERT_EQ(reply.fields_size(), 1);
  EXPECT_EQ(reply.fields(0).name(), "fields/twice");
  EXPECT_EQ(reply.fields(0).revision(), 1);
  EXPECT_TRUE(reply.fields(0).created());
  std::string bytes;
  ASSERT_CALL_OK(live_.Read("twice", "", &bytes));
  EXPECT_EQ(ValuesOf<double>(bytes)[59], 118);
}

TEST_F(RoundTripTest, GraphMeansWhatTheTextMeans) {
  ASSERT_CALL_OK(live_.CreateField("temp", v1::VIJFH, kShape, "f64"));
  ASSERT_CALL_OK(live_.Write("temp", BytesOf(CountingValues(60))));
  v1::ExecuteRequest request;
  v1::Graph* graph = request.mutable_program()->mutable_graph();
  v1::Node* name = graph->add_nodes();
  name->set_op(v1::NAME);
  name->set_name("t");
  v1::Node* literal = graph->add_nodes();
  literal->set_op(v1::LITERAL);
  literal->mutable_literal()->set_real(0.5);
  v1::Node* product = graph->add_nodes();
  product->set_op(v1::MUL);
  product->add_operands(0);
  product->add_operands(1);
  v1::Node* sum = graph->add_nodes();
  sum->set_op(v1::REDUCE);
  sum->add_operands(2);
  sum->mutable_reduce()->set_kind(v1::Reduce::SUM);
  auto* result = graph->add_statements()->mutable_reduce()->add_results();
  result->set_name("half");
  result->set_value(3);
  (*request.mutable_bindings())["t"] = "fields/temp";
  v1::ExecuteResponse reply;
  grpc::ClientContext context;

  ASSERT_CALL_OK(live_.compute().Execute(&context, request, &reply));

  ASSERT_EQ(reply.results_size(), 1);
  EXPECT_EQ(reply.results(0).name(), "half");
  EXPECT_EQ(ResultOf(reply, 0), 0.5 * 59 * 60 / 2);
}

TEST_F(RoundTripTest, MaskFromAPredicateLimitsAReduction) {
  ASSERT_CALL_OK(live_.CreateField("temp", v1::VIJFH, kShape, "f64"));
  std::vector<double> values = CountingValues(60);
  // The first level of the columns 3 and 19 is missing.
  values[9] = values[57] = std::numeric_limits<double>::quiet_NaN();
  ASSERT_CALL_OK(live_.Write("temp", BytesOf(values)));
  ASSERT_CALL_OK(live_.CreateMask("ocean", kShape));
  v1::SetMaskRequest request;
  request.set_name("masks/ocean");
  request.mutable_where()->set_text("isfinite(at(t, 0))");
  (*request.mutable_where()->mutable_bindings())["t"] = "fields/temp";
  v1::Mask mask;
  grpc::ClientContext context;

  ASSERT_CALL_OK(live_.masks().SetMask(&context, request, &mask));
  v1::ExecuteResponse reply;
  ASSERT_CALL_OK(
      live_.Execute("reduce mask ocean { total = sum(temp) }", &reply));

  EXPECT_EQ(mask.active_columns(), 18);
  EXPECT_EQ(ResultOf(reply, 0), 59.0 * 60 / 2 - (9 + 10 + 11) - (57 + 58 + 59));
}

TEST_F(RoundTripTest, MaskIsSetFromBitsAndAllAndNone) {
  ASSERT_CALL_OK(live_.CreateField("temp", v1::VIJFH, kShape, "f64"));
  v1::CreateMaskRequest create;
  create.set_mask_id("m");
  create.set_like_field("fields/temp");
  v1::Mask mask;
  grpc::ClientContext create_context;
  ASSERT_CALL_OK(live_.masks().CreateMask(&create_context, create, &mask));
  EXPECT_EQ(mask.active_columns(), 20);
  EXPECT_EQ(mask.shape().nv(), 1);

  std::vector<uint8_t> columns(20, 0);
  columns[3] = columns[4] = 1;
  ASSERT_CALL_OK(live_.SetMask("m", columns));
  v1::GetMaskRequest get;
  get.set_name("masks/m");
  grpc::ClientContext get_context;
  ASSERT_CALL_OK(live_.masks().GetMask(&get_context, get, &mask));
  EXPECT_EQ(mask.active_columns(), 2);

  v1::SetMaskRequest request;
  request.set_name("masks/m");
  for (bool all : {false, true}) {
    request.set_all(all);
    grpc::ClientContext context;
    ASSERT_CALL_OK(live_.masks().SetMask(&context, request, &mask));
    EXPECT_EQ(mask.active_columns(), all ? 20 : 0);
  }
}

TEST_F(RoundTripTest, ListGivesEveryFieldOnceInOrder) {
  std::vector<std::string> created;
  for (int k = 10; k < 37; ++k) {
    created.push_back("fields/f" + std::to_string(k));
    ASSERT_CALL_OK(live_.CreateField("f" + std::to_string(k), v1::VIJFH,
                                     {{1, 1, 1, 1}}, "f64"));
  }
  for (int page_size : {0, 1, 9, 26, 27, 28, 5000}) {
    std::vector<std::string> listed;
    v1::ListFieldsRequest request;
    request.set_page_size(page_size);
    do {
      v1::ListFieldsResponse reply;
      grpc::ClientContext context;
      ASSERT_CALL_OK(live_.fields().ListFields(&context, request, &reply));
      EXPECT_LE(reply.fields_size(), page_size == 0 ? 1000 : page_size);
      for (const v1::Field& field : reply.fields()) {
        listed.push_back(field.name());
      }
      request.set_page_token(reply.next_page_token());
    } while (!request.page_token().empty());

    EXPECT_EQ(listed, created) << page_size;
  }
}

TEST_F(RoundTripTest, CreatedFieldSaysWhatItIs) {
  v1::CreateFieldRequest request;
  request.set_field_id("ocean/wind");
  request.mutable_layout()->set_kind(v1::VIJHF);
  request.mutable_layout()->mutable_shape()->set_nv(2);
  request.mutable_layout()->mutable_shape()->set_ni(3);
  request.mutable_layout()->mutable_shape()->set_nj(1);
  request.mutable_layout()->mutable_shape()->set_nh(5);
  request.mutable_layout()->mutable_type()->set_text("( f32,f64 )");
  (*request.mutable_attributes())["units"] = "m s-1";
  request.set_validate_only(true);
  v1::Field field;
  grpc::ClientContext validate_context;
  ASSERT_CALL_OK(
      live_.fields().CreateField(&validate_context, request, &field));
  request.set_validate_only(false);
  grpc::ClientContext context;
  ASSERT_CALL_OK(live_.fields().CreateField(&context, request, &field));

  EXPECT_EQ(field.name(), "fields/ocean/wind");
  EXPECT_EQ(field.layout().kind(), v1::VIJHF);
  EXPECT_EQ(field.layout().shape().ni(), 3);
  EXPECT_EQ(field.layout().type().text(), "(f32, f64)");
  EXPECT_EQ(field.layout().base_type(), "f32");
  EXPECT_EQ(field.layout().num_components(), 4);
  EXPECT_EQ(field.size_bytes(), 2 * 3 * 1 * 5 * 16);
  EXPECT_EQ(field.attributes().at("units"), "m s-1");
  EXPECT_EQ(field.device(), "cpu");
  EXPECT_GT(field.create_time().seconds(), 0);
}

TEST_F(RoundTripTest, DeleteNeedsTheEtagThatIsGiven) {
  ASSERT_CALL_OK(live_.CreateField("f", v1::VIJFH, {{1, 1, 1, 1}}, "f64"));
  v1::DeleteFieldRequest request;
  request.set_name("fields/f");
  request.set_etag("of another time");
  google::protobuf::Empty empty;
  grpc::ClientContext stale_context;

  const CallError error =
      ErrorOf(live_.fields().DeleteField(&stale_context, request, &empty));

  EXPECT_EQ(error.code, grpc::StatusCode::ABORTED);
  EXPECT_EQ(error.reason, "ETAG_MISMATCH");
  request.clear_etag();
  grpc::ClientContext context;
  ASSERT_CALL_OK(live_.fields().DeleteField(&context, request, &empty));
  std::string bytes;
  EXPECT_EQ(ErrorOf(live_.Read("f", "", &bytes)).reason, "FIELD_NOT_FOUND");
}

TEST_F(RoundTripTest, ServerInfoGivesTheLimits) {
  v1::ServerInfo info;
  grpc::ClientContext context;

  ASSERT_CALL_OK(live_.about().GetServerInfo(&context, {}, &info));

  EXPECT_NE(info.version(), "");
  EXPECT_NE(info.instance_id(), "");
  EXPECT_EQ(info.device(), "cpu");
  EXPECT_EQ(info.memory_limit_bytes(), 64 << 20);
  EXPECT_EQ(info.limits().max_program_nodes(), 4096);
  EXPECT_EQ(info.limits().max_message_bytes(), 16 << 20);
  EXPECT_EQ(info.limits().chunk_bytes(), 1 << 20);
  EXPECT_EQ(info.limits().max_page_size(), 1000);
}

}  // namespace
}  // namespace layoutd
