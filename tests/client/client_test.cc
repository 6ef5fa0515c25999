#include "client/cpp/client.h"

#include <gmock/gmock.h>
#include <grpcpp/server_builder.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "absl/synchronization/notification.h"

#include "client/cpp/error.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"

namespace layoutd::client {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

// A server that keeps one upload and answers by the name it is asked for.
class FakeFields : public v1::FieldService::Service {
 public:
  grpc::Status GetField(grpc::ServerContext* context,
                        const v1::GetFieldRequest* request,
                        v1::Field* field) override {
    if (request->name() == "fields/slow") {
      started.Notify();
      while (!context->IsCancelled()) std::this_thread::yield();
      return grpc::Status::CANCELLED;
    }
    if (request->name() != "fields/temp") return NotFound();
    field->set_name(request->name());
    return grpc::Status::OK;
  }

  grpc::Status ListFields(grpc::ServerContext*,
                          const v1::ListFieldsRequest* request,
                          v1::ListFieldsResponse* page) override {
    if (request->page_token().empty()) {
      page->add_fields()->set_name("fields/a");
      page->set_next_page_token("more");
    } else {
      page->add_fields()->set_name("fields/b");
    }
    return grpc::Status::OK;
  }

  grpc::Status WriteField(grpc::ServerContext*,
                          grpc::ServerReader<v1::WriteFieldRequest>* reader,
                          v1::WriteFieldResponse* response) override {
    v1::WriteFieldRequest request;
    reader->Read(&request);
    if (request.header().name() != "fields/temp") return NotFound();
    stored.clear();
    while (reader->Read(&request)) {
      EXPECT_LE(request.data().size(), 1u << 20);
      stored += request.data();
    }
    response->mutable_field()->set_revision(7);
    return grpc::Status::OK;
  }

  grpc::Status ReadField(
      grpc::ServerContext*, const v1::ReadFieldRequest* request,
      grpc::ServerWriter<v1::ReadFieldResponse>* writer) override {
    v1::ReadFieldResponse response;
    response.mutable_header()->set_total_bytes(
        static_cast<int64_t>(stored.size()));
    writer->Write(response);
    const size_t end =
        request->component() == "short" ? stored.size() / 2 : stored.size();
    for (size_t first = 0; first < end; first += 1000) {
      response.set_data(
          stored.substr(first, std::min<size_t>(1000, end - first)));
      writer->Write(response);
    }
    return grpc::Status::OK;
  }

  absl::Notification started;
  std::string stored;

 private:
  static grpc::Status NotFound() {
    google::rpc::ErrorInfo info;
    info.set_reason("FIELD_NOT_FOUND");
    (*info.mutable_metadata())["nearest"] = "temp";
    google::rpc::BadRequest bad;
    auto* violation = bad.add_field_violations();
    violation->set_field("name");
    violation->set_description("unknown");
    google::rpc::Status details;
    details.add_details()->PackFrom(info);
    details.add_details()->PackFrom(bad);
    return grpc::Status(grpc::StatusCode::NOT_FOUND, "no field",
                        details.SerializeAsString());
  }
};

class ClientTest : public ::testing::Test {
 protected:
  ClientTest() {
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(),
                             &port);
    builder.RegisterService(&fields_);
    server_ = builder.BuildAndStart();
    client_ = *Client::Connect("127.0.0.1:" + std::to_string(port));
  }
  ~ClientTest() override {
    client_.reset();
    server_->Shutdown();
  }

  FakeFields fields_;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<Client> client_;
};

TEST_F(ClientTest, ErrorsCarryReasonMetadataAndViolations) {
  const Error error = ErrorOf(client_->GetField("tmp").status());

  EXPECT_EQ(error.code, absl::StatusCode::kNotFound);
  EXPECT_EQ(error.reason, "FIELD_NOT_FOUND");
  EXPECT_EQ(error.message, "no field");
  EXPECT_THAT(error.metadata, ElementsAre(Pair("nearest", "temp")));
  ASSERT_EQ(error.violations.size(), 1u);
  EXPECT_EQ(error.violations[0].field, "name");
}

TEST_F(ClientTest, WhatGrpcItselfReportsHasItsCodeAsReason) {
  const Error error = ErrorOf(client_->GetServerInfo().status());
  EXPECT_EQ(error.code, absl::StatusCode::kUnimplemented);
  EXPECT_EQ(error.reason, "UNIMPLEMENTED");
}

TEST_F(ClientTest, AServerThatIsGoneIsALostConnection) {
  server_->Shutdown();

  const Error error = ErrorOf(client_->GetField("temp").status());

  EXPECT_EQ(error.code, absl::StatusCode::kUnavailable);
  EXPECT_EQ(error.reason, "CONNECTION_LOST");
}

TEST_F(ClientTest, ListsGiveAllPages) {
  const auto fields = client_->ListFields();
  ASSERT_TRUE(fields.ok()) << fields.status();
  ASSERT_EQ(fields->size(), 2u);
  EXPECT_EQ(fields->at(1).name(), "fields/b");
}

TEST_F(ClientTest, SpansGoUpAndComeBackWhole) {
  std::vector<double> values(400001);
  for (size_t k = 0; k < values.size(); ++k) values[k] = static_cast<double>(k);
  std::vector<double> back(values.size());

  const auto written = client_->WriteField("temp", absl::MakeConstSpan(values));
  const auto read = client_->ReadField("temp", "", absl::MakeSpan(back));

  ASSERT_TRUE(written.ok()) << written.status();
  EXPECT_EQ(written->revision(), 7);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(back, values);
}

TEST_F(ClientTest, ABufferOfAnotherSizeIsRefused) {
  fields_.stored = std::string(4000, 'x');
  std::vector<double> back(3);

  const Error error =
      ErrorOf(client_->ReadField("temp", "", absl::MakeSpan(back)).status());

  EXPECT_EQ(error.reason, "BUFFER_SIZE");
}

TEST_F(ClientTest, AShortDownloadIsDataLoss) {
  fields_.stored = std::string(4000, 'x');
  std::vector<char> back(4000);

  const absl::Status status =
      client_->ReadField("temp", "short", absl::MakeSpan(back)).status();

  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(ErrorOf(status).reason, "BAD_STREAM");
}

TEST_F(ClientTest, ARefusedUploadEndsEarlyWithTheServersReason) {
  v1::WriteFieldRequest::Header header;
  header.set_name("fields/none");
  int64_t sent = 0;

  const absl::Status status =
      client_
          ->WriteField(header,
                       [&sent](absl::Span<char> buffer) {
                         sent += static_cast<int64_t>(buffer.size());
                         return sent < (int64_t{1} << 40)
                                    ? static_cast<int64_t>(buffer.size())
                                    : 0;
                       })
          .status();

  EXPECT_EQ(ErrorOf(status).reason, "FIELD_NOT_FOUND");
  EXPECT_LT(sent, int64_t{1} << 30);
}

TEST_F(ClientTest, AnErrorOfTheSourceIsTheErrorOfTheUpload) {
  v1::WriteFieldRequest::Header header;
  header.set_name("fields/temp");

  const absl::Status status =
      client_
          ->WriteField(header,
                       [](absl::Span<char>) -> absl::StatusOr<int64_t> {
                         return MakeError(absl::StatusCode::kInvalidArgument,
                                          "BAD_NPY", "short");
                       })
          .status();

  EXPECT_EQ(ErrorOf(status).reason, "BAD_NPY");
}

TEST_F(ClientTest, CancelEndsCallsInFlightAndLaterOnes) {
  absl::Status status;
  std::thread caller([&] { status = client_->GetField("slow").status(); });
  fields_.started.WaitForNotification();

  client_->Cancel();
  caller.join();

  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(client_->GetField("temp").status().code(),
            absl::StatusCode::kCancelled);
}

TEST(ClientConnectTest, NobodyListeningIsUnavailableAtOnce) {
  const absl::Time start = absl::Now();

  const absl::Status status =
      Client::Connect("unix:/tmp/no_layoutd_listens_here").status();

  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(ErrorOf(status).reason, "UNREACHABLE");
  EXPECT_LT(absl::Now() - start, absl::Seconds(8));
}

TEST(ClientConnectTest, AMalformedTargetIsRefused) {
  EXPECT_EQ(ErrorOf(Client::Connect("localhost").status()).reason,
            "BAD_TARGET");
}

TEST(ClientNameTest, IdsAndNamesAreEachOthersInverse) {
  EXPECT_EQ(FieldName("ocean/temp"), "fields/ocean/temp");
  EXPECT_EQ(MaskName("ocean"), "masks/ocean");
  EXPECT_EQ(IdOf("fields/ocean/temp"), "ocean/temp");
  EXPECT_EQ(IdOf("masks/ocean"), "ocean");
}

}  // namespace
}  // namespace layoutd::client
