// Streams that break, are slow, or meet writers.

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/e2e/live_server.h"

namespace layoutd {
namespace {

// 8 MB: far more than what gRPC holds for a client that does not read.
constexpr Shape kShape = {{64, 4, 4, 1000}};
constexpr size_t kNumValues = 64 * 16 * 1000;

class StreamTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(live_.CreateField("f", v1::VIJHF, kShape, "f64").ok());
    ASSERT_TRUE(live_.Write("f", ones_, 1 << 20).ok());
  }

  int64_t MemoryUsedBytes() {
    v1::ServerInfo info;
    grpc::ClientContext context;
    EXPECT_TRUE(live_.about().GetServerInfo(&context, {}, &info).ok());
    return info.memory_used_bytes();
  }

  v1::Field GetField() {
    v1::GetFieldRequest request;
    request.set_name("fields/f");
    v1::Field field;
    grpc::ClientContext context;
    EXPECT_TRUE(live_.fields().GetField(&context, request, &field).ok());
    return field;
  }

  // Reads `stream` to its end; returns the data.
  static std::string ReadRest(
      grpc::ClientReader<v1::ReadFieldResponse>* stream) {
    std::string bytes;
    v1::ReadFieldResponse message;
    while (stream->Read(&message)) bytes += message.data();
    return bytes;
  }

  LiveServer live_;
  const std::string ones_ = BytesOf(std::vector<double>(kNumValues, 1.0));
  const std::string twos_ = BytesOf(std::vector<double>(kNumValues, 2.0));
};

v1::ReadFieldRequest ReadF() {
  v1::ReadFieldRequest request;
  request.set_name("fields/f");
  return request;
}

v1::WriteFieldRequest HeaderFor(const std::string& name) {
  v1::WriteFieldRequest message;
  message.mutable_header()->set_name(name);
  return message;
}

v1::WriteFieldRequest Data(const std::string& bytes) {
  v1::WriteFieldRequest message;
  message.set_data(bytes);
  return message;
}

TEST_F(StreamTest, DownloadKeepsTheRevisionItBeganWith) {
  grpc::ClientContext context;
  auto stream = live_.fields().ReadField(&context, ReadF());
  v1::ReadFieldResponse message;
  ASSERT_TRUE(stream->Read(&message));
  EXPECT_EQ(message.header().field().revision(), 1);
  EXPECT_EQ(message.header().total_bytes(), 8 * 64 * 16 * 1000);
  EXPECT_EQ(message.header().type().text(), "f64");

  ASSERT_TRUE(live_.Write("f", twos_, 1 << 20).ok());

  EXPECT_TRUE(ReadRest(stream.get()) == ones_);
  EXPECT_TRUE(stream->Finish().ok());
  std::string bytes;
  ASSERT_TRUE(live_.Read("f", "", &bytes).ok());
  EXPECT_TRUE(bytes == twos_);
}

TEST_F(StreamTest, DownloadOutlivesItsField) {
  grpc::ClientContext context;
  auto stream = live_.fields().ReadField(&context, ReadF());
  v1::ReadFieldResponse message;
  ASSERT_TRUE(stream->Read(&message));

  v1::DeleteFieldRequest request;
  request.set_name("fields/f");
  google::protobuf::Empty empty;
  grpc::ClientContext delete_context;
  ASSERT_TRUE(
      live_.fields().DeleteField(&delete_context, request, &empty).ok());

  EXPECT_TRUE(ReadRest(stream.get()) == ones_);
  EXPECT_TRUE(stream->Finish().ok());
}

TEST_F(StreamTest, CancelledDownloadLetsItsRevisionGo) {
  const int64_t before = MemoryUsedBytes();
  {
    grpc::ClientContext context;
    auto stream = live_.fields().ReadField(&context, ReadF());
    v1::ReadFieldResponse message;
    ASSERT_TRUE(stream->Read(&message));
    ASSERT_TRUE(live_.Write("f", twos_, 1 << 20).ok());

    context.TryCancel();

    EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::CANCELLED);
  }
  // The server hears of it a little later than the client.
  live_.server().Drain(absl::Seconds(30));
  EXPECT_EQ(live_.engine().Info().memory_used_bytes, before);
}

TEST_F(StreamTest, UploadIsInvisibleUntilItEnds) {
  grpc::ClientContext context;
  v1::WriteFieldResponse reply;
  auto stream = live_.fields().WriteField(&context, &reply);
  ASSERT_TRUE(stream->Write(HeaderFor("fields/f")));
  ASSERT_TRUE(stream->Write(Data(twos_.substr(0, 4 << 20))));
  ASSERT_TRUE(stream->Write(Data(twos_.substr(4 << 20))));

  std::string bytes;
  ASSERT_TRUE(live_.Read("f", "", &bytes).ok());
  EXPECT_TRUE(bytes == ones_);
  EXPECT_EQ(GetField().revision(), 1);

  stream->WritesDone();
  ASSERT_TRUE(stream->Finish().ok());
  EXPECT_EQ(reply.field().revision(), 2);
  EXPECT_EQ(reply.received_bytes(), 8 * 64 * 16 * 1000);
  ASSERT_TRUE(live_.Read("f", "", &bytes).ok());
  EXPECT_TRUE(bytes == twos_);
}

TEST_F(StreamTest, CancelledUploadChangesNothing) {
  const v1::Field before = GetField();
  const int64_t memory_before = MemoryUsedBytes();
  grpc::ClientContext context;
  v1::WriteFieldResponse reply;
  auto stream = live_.fields().WriteField(&context, &reply);
  ASSERT_TRUE(stream->Write(HeaderFor("fields/f")));
  ASSERT_TRUE(stream->Write(Data(twos_.substr(0, 4 << 20))));

  context.TryCancel();

  EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_EQ(GetField().DebugString(), before.DebugString());
  std::string bytes;
  ASSERT_TRUE(live_.Read("f", "", &bytes).ok());
  EXPECT_TRUE(bytes == ones_);
  live_.server().Drain(absl::Seconds(30));
  EXPECT_EQ(live_.engine().Info().memory_used_bytes, memory_before);
}

TEST_F(StreamTest, UploadToAFieldThatIsNotThereFailsBeforeItsData) {
  grpc::ClientContext context;
  v1::WriteFieldResponse reply;
  auto stream = live_.fields().WriteField(&context, &reply);
  ASSERT_TRUE(stream->Write(HeaderFor("fields/g")));

  // Nothing more is sent, and the stream is not ended.
  const CallError error = ErrorOf(stream->Finish());

  EXPECT_EQ(error.code, grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(error.reason, "FIELD_NOT_FOUND");
}

TEST_F(StreamTest, UploadThatIsNoHeaderAndDataIsRefused) {
  const std::vector<std::vector<v1::WriteFieldRequest>> streams = {
      {},
      {Data("x")},
      {v1::WriteFieldRequest()},
      {HeaderFor("fields/f"), HeaderFor("fields/f")},
      {HeaderFor("fields/f"), v1::WriteFieldRequest()},
  };
  for (const auto& messages : streams) {
    grpc::ClientContext context;
    v1::WriteFieldResponse reply;
    auto stream = live_.fields().WriteField(&context, &reply);
    for (const v1::WriteFieldRequest& message : messages) {
      stream->Write(message);
    }
    stream->WritesDone();

    const CallError error = ErrorOf(stream->Finish());

    EXPECT_EQ(error.code, grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_EQ(error.reason, "BAD_STREAM");
  }
  EXPECT_EQ(GetField().revision(), 1);
}

TEST_F(StreamTest, DownloadOfAComponentThatIsNotThereIsNotFound) {
  std::string bytes;

  const CallError error = ErrorOf(live_.Read("f", "u.2", &bytes));

  EXPECT_EQ(error.code, grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(error.reason, "UNKNOWN_COMPONENT");
}

TEST_F(StreamTest, ProgramPastItsDeadlinePublishesNothing) {
  v1::ExecuteRequest request;
  request.mutable_program()->set_text("f = f + 1.0");
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now());
  v1::ExecuteResponse reply;

  const grpc::Status status =
      live_.compute().Execute(&context, request, &reply);

  EXPECT_EQ(status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_EQ(GetField().revision(), 1);
}

TEST_F(StreamTest, MessageOverTheLimitIsRefused) {
  grpc::ClientContext context;
  v1::WriteFieldResponse reply;
  auto stream = live_.fields().WriteField(&context, &reply);
  stream->Write(HeaderFor("fields/f"));
  stream->Write(Data(std::string(17 << 20, '\0')));
  stream->WritesDone();

  EXPECT_FALSE(stream->Finish().ok());
  EXPECT_EQ(GetField().revision(), 1);
}

}  // namespace
}  // namespace layoutd
