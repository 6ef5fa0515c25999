// Cases from public bug reports: what a server meets from its clients. Those
// that the tests of tests/e2e have already are listed in README.md.

#include <dirent.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/e2e/bad_input_fixture.h"

namespace layoutd {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

void ExpectOk(const grpc::Status& status) {
  EXPECT_TRUE(status.ok()) << status.error_code() << " "
                           << status.error_message();
}

// Default stubs: no channel option is set anywhere here.

TEST(MessageSizeTest, K31FieldsBeyondTheDefaultMessageSizePassBothWays) {
  LiveServer live(int64_t{400} << 20);
  struct Case {
    const char* id;
    Shape shape;
    size_t cut;  // bytes in a message
  };
  const Case cases[] = {
      {"image", {{3, 640, 640, 1}}, 4915200},  // in one message
      {"chunks", {{3, 640, 640, 1}}, 1 << 20},
      {"large", {{16, 1, 1, 1 << 20}}, 1 << 20},  // 64 MiB
  };
  for (const Case& c : cases) {
    std::vector<float> values(static_cast<size_t>(c.shape.num_points()));
    for (size_t k = 0; k < values.size(); ++k) {
      values[k] = static_cast<float>(k % 65521);
    }
    const std::string bytes = BytesOf(values);
    ExpectOk(live.CreateField(c.id, v1::VIJHF, c.shape, "f32"));

    ExpectOk(live.Write(c.id, bytes, c.cut));

    std::string back;
    ExpectOk(live.Read(c.id, "", &back));
    EXPECT_TRUE(back == bytes) << c.id;
  }
}

TEST(MessageSizeTest, K31AListOfManyFieldsComesInPagesThatFit) {
  LiveServer live;
  // Names long enough that all in one message would pass gRPC's 4 MiB.
  for (int k = 0; k < 20000; ++k) {
    FieldSpec spec;
    spec.id = absl::StrCat("long_name_of_a_field_in_a_list_of_very_many/f", k);
    spec.layout.shape = {{1, 1, 1, 1}};
    spec.layout.type = ScalarType::kF64;
    ASSERT_TRUE(live.engine().CreateField(spec).ok());
  }
  for (int page_size : {0, 1000000}) {
    int64_t num_listed = 0;
    v1::ListFieldsRequest request;
    request.set_page_size(page_size);
    do {
      v1::ListFieldsResponse reply;
      grpc::ClientContext context;
      const grpc::Status status =
          live.fields().ListFields(&context, request, &reply);
      ExpectOk(status);
      if (!status.ok()) return;
      num_listed += reply.fields_size();
      request.set_page_token(reply.next_page_token());
    } while (!request.page_token().empty());
    EXPECT_EQ(num_listed, 20000);
  }
}

class ServerCaseTest : public BadInputTest {};

TEST_F(ServerCaseTest, K31AProgramOf256KiBRunsAndOneByteMoreNamesTheLimit) {
  std::string text = "reduce { total = sum(temp) }";
  text.resize(256 * 1024, ' ');
  v1::ExecuteResponse reply;
  ExpectOk(live_.Execute(text, &reply));
  EXPECT_EQ(reply.results_size(), 1);

  const CallError error = RunText(text + " ");

  EXPECT_EQ(error.code, grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(error.reason, "PROGRAM_LIMIT");
  EXPECT_THAT(error.message, testing::HasSubstr("262144"));
}

TEST_F(ServerCaseTest, K33AChunkSentTwiceIsRefusedAndChangesNothing) {
  const std::string chunk = BytesOf(std::vector<double>(30, 9));
  grpc::ClientContext context;
  v1::WriteFieldResponse reply;
  auto stream = live_.fields().WriteField(&context, &reply);
  v1::WriteFieldRequest message;
  message.mutable_header()->set_name("fields/temp");
  stream->Write(message);
  for (int k = 0; k < 3; ++k) {  // two would be whole
    message.set_data(chunk);
    stream->Write(message);
  }
  stream->WritesDone();

  const CallError error = ErrorOf(stream->Finish());

  EXPECT_EQ(error.code, grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(error.reason, "UPLOAD_TOO_LONG");
}

TEST_F(ServerCaseTest, K34SizesThatCannotBeAreTypedErrors) {
  struct Case {
    Shape shape;
    const char* type;
    grpc::StatusCode code;
    const char* reason;
  };
  const Case cases[] = {
      {{{1, 1, 1, -1}},
       "f64",
       grpc::StatusCode::INVALID_ARGUMENT,
       "BAD_EXTENT"},
      {{{-1, -1, -1, -1}},
       "f64",
       grpc::StatusCode::INVALID_ARGUMENT,
       "BAD_EXTENT"},
      {{{1, 1, 1, int64_t{1} << 31}},
       "f64",
       grpc::StatusCode::RESOURCE_EXHAUSTED,
       "MEMORY_LIMIT"},
      {{{1, 1, 1, kMax}},
       "f64",
       grpc::StatusCode::OUT_OF_RANGE,
       "SIZE_OVERFLOW"},
      {{{1, 1, 1, kMax}},
       "i8",
       grpc::StatusCode::RESOURCE_EXHAUSTED,
       "MEMORY_LIMIT"},
      {{{0, 1 << 30, 1 << 30, 1 << 30}},
       "f64",
       grpc::StatusCode::OUT_OF_RANGE,
       "SIZE_OVERFLOW"},
      {{{int64_t{1} << 32, 1, 1, int64_t{1} << 32}},
       "f64",
       grpc::StatusCode::OUT_OF_RANGE,
       "SIZE_OVERFLOW"},
      {{{1, 1, 1, 1}}, "", grpc::StatusCode::INVALID_ARGUMENT, "BAD_TYPE"},
      {{{1, 1, 1, 1}}, "()", grpc::StatusCode::INVALID_ARGUMENT, "BAD_TYPE"},
  };
  for (const Case& c : cases) {
    const CallError error =
        ErrorOf(live_.CreateField("odd", v1::VIJFH, c.shape, c.type));

    EXPECT_EQ(error.code, c.code) << ToString(c.shape) << error.message;
    EXPECT_EQ(error.reason, c.reason) << ToString(c.shape) << error.message;
    EXPECT_FALSE(error.paths.empty()) << ToString(c.shape);
    ExpectOk(live_.Execute("reduce { total = sum(temp) }"));
  }
}

TEST_F(ServerCaseTest, K34ABaseTypeBiggerThanTheValueIsRefused) {
  v1::CreateFieldRequest request;
  request.set_field_id("odd");
  request.mutable_layout()->set_kind(v1::VIJFH);
  for (auto set : {&v1::Shape::set_nv, &v1::Shape::set_ni, &v1::Shape::set_nj,
                   &v1::Shape::set_nh}) {
    (request.mutable_layout()->mutable_shape()->*set)(1);
  }
  request.mutable_layout()->mutable_type()->set_text("f32");
  request.mutable_layout()->set_base_type("f64");
  v1::Field reply;
  grpc::ClientContext context;

  const CallError error =
      ErrorOf(live_.fields().CreateField(&context, request, &reply));

  EXPECT_EQ(error.code, grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(error.reason, "BAD_BASE_TYPE");
}

TEST_F(ServerCaseTest, K34BytesThatAreNoTextAreRefused) {
  const std::string texts[] = {std::string("reduce { a = sum(\0) }", 21),
                               "\x01\x02\x03",
                               "NaN\x7f",
                               "reduce { a = sum(temp\xc3\xa9) }",
                               "\xef\xbb\xbf",
                               "reduce",
                               "reduce {",
                               "{}",
                               std::string(1000, '('),
                               "foreach",
                               "new",
                               "let = 1"};
  for (const std::string& text : texts) {
    const CallError error = RunText(text);

    EXPECT_EQ(error.code, grpc::StatusCode::INVALID_ARGUMENT) << text;
    EXPECT_NE(error.reason, "") << text;
    ExpectOk(live_.Execute("reduce { total = sum(temp) }"));
  }
}

TEST_F(ServerCaseTest, K34EmptyChunksAreNoData) {
  std::string before;
  ExpectOk(live_.Read("temp", "", &before));
  grpc::ClientContext context;
  v1::WriteFieldResponse reply;
  auto stream = live_.fields().WriteField(&context, &reply);
  v1::WriteFieldRequest message;
  message.mutable_header()->set_name("fields/temp");
  stream->Write(message);
  for (const std::string& data :
       {std::string(), before.substr(0, 7), std::string(), std::string()}) {
    message.set_data(data);
    stream->Write(message);
  }
  stream->WritesDone();

  EXPECT_EQ(ErrorOf(stream->Finish()).reason, "UPLOAD_TOO_SHORT");
}

// Work that goes on after its client is gone. `f` is stored by a program of
// tens of seconds.
class GoneClientTest : public testing::Test {
 protected:
  static constexpr int64_t kPoints = 1 << 23;  // 64 MiB

  void SetUp() override {
    ExpectOk(live_.CreateField("f", v1::VIJFH, {{1, 1, 1, kPoints}}, "f64"));
    ExpectOk(
        live_.Write("f", BytesOf(std::vector<double>(kPoints, 1.0)), 1 << 20));
    std::string tower = "f";
    for (int k = 0; k < 30; ++k) tower = absl::StrCat("exp(-", tower, ")");
    for (int k = 0; k < 30; ++k)
      absl::StrAppend(&program_, "f = ", tower, "\n");
  }

  int64_t Revision() { return live_.engine().GetField("f")->revision; }
  int64_t UsedBytes() { return live_.engine().Info().memory_used_bytes; }

  static int NumOpenFiles() {
    int count = 0;
    DIR* folder = opendir("/proc/self/fd");
    while (readdir(folder) != nullptr) ++count;
    closedir(folder);
    return count;
  }

  // Waits until `is_so`; what a server does after a client is gone takes it a
  // moment. Returns whether it came to be.
  template <typename F>
  static bool Eventually(const F& is_so) {
    for (int k = 0; k < 1000; ++k) {
      if (is_so()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return is_so();
  }

  LiveServer live_{int64_t{512} << 20};
  std::string program_;
};

TEST_F(GoneClientTest, K32ACancelledProgramStopsAndPublishesNothing) {
  for (int delay_ms : {0, 10, 500}) {
    grpc::ClientContext context;
    v1::ExecuteRequest request;
    request.mutable_program()->set_text(program_);
    v1::ExecuteResponse reply;
    grpc::Status status;
    std::thread call(
        [&] { status = live_.compute().Execute(&context, request, &reply); });
    std::this_thread::sleep_for(std::chrono::milliseconds(delay_ms));

    context.TryCancel();
    call.join();

    EXPECT_EQ(status.error_code(), grpc::StatusCode::CANCELLED) << delay_ms;
    // A program on the same field waits for the one before it.
    v1::ExecuteResponse next;
    const auto begin = std::chrono::steady_clock::now();
    ExpectOk(live_.Execute("reduce { total = sum(f) }", &next));
    EXPECT_LT(std::chrono::steady_clock::now() - begin,
              std::chrono::seconds(5));
    EXPECT_EQ(ValuesOf<double>(next.results(0).value())[0], kPoints);
    EXPECT_EQ(Revision(), 1);
  }
}

TEST_F(GoneClientTest, K32ADeadlineStopsAProgramAndPublishesNothing) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() +
                       std::chrono::milliseconds(50));
  v1::ExecuteRequest request;
  request.mutable_program()->set_text(program_);
  v1::ExecuteResponse reply;

  const grpc::Status status =
      live_.compute().Execute(&context, request, &reply);

  EXPECT_EQ(status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  const auto begin = std::chrono::steady_clock::now();
  ExpectOk(live_.Execute("reduce { total = sum(f) }"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  EXPECT_EQ(Revision(), 1);
}

TEST_F(GoneClientTest, K32ClientsThatVanishLeaveNothingBehind) {
  const std::string half = BytesOf(std::vector<double>(kPoints / 128, 2.0));
  int64_t used_bytes = 0;
  int open_files = 0;
  for (int round = 0; round < 200; ++round) {
    grpc::ChannelArguments arguments;
    // A connection of its own, closed with the channel.
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    auto channel = grpc::CreateCustomChannel(live_.server().addresses()[0],
                                             grpc::InsecureChannelCredentials(),
                                             arguments);
    auto fields = v1::FieldService::NewStub(channel);
    {
      grpc::ClientContext context;
      v1::WriteFieldResponse reply;
      auto stream = fields->WriteField(&context, &reply);
      v1::WriteFieldRequest message;
      message.mutable_header()->set_name("fields/f");
      EXPECT_TRUE(stream->Write(message));
      message.set_data(half);
      EXPECT_TRUE(stream->Write(message));
      context.TryCancel();
      EXPECT_FALSE(stream->Finish().ok());
    }
    fields.reset();
    channel.reset();
    if (round == 4) {
      // The 64 MiB of the field, and no copy of it.
      EXPECT_TRUE(Eventually([&] { return UsedBytes() < 65 << 20; }));
      used_bytes = UsedBytes();
      open_files = NumOpenFiles();
    }
  }

  EXPECT_TRUE(Eventually([&] { return UsedBytes() == used_bytes; }))
      << UsedBytes() << " bytes, " << used_bytes << " before";
  EXPECT_TRUE(Eventually([&] { return NumOpenFiles() <= open_files; }))
      << NumOpenFiles() << " files, " << open_files << " before";
  EXPECT_EQ(Revision(), 1);
}

TEST_F(GoneClientTest, K32ADrainWithNothingInFlightIsOverAtOnce) {
  const auto begin = std::chrono::steady_clock::now();

  live_.server().Drain(absl::Seconds(30));

  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
}

}  // namespace
}  // namespace layoutd
