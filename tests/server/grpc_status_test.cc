#include "server/grpc_status.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "engine/base/error.h"
#include "gmock/gmock.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "gtest/gtest.h"

namespace layoutd {
namespace {

using testing::EndsWith;
using testing::StartsWith;

google::rpc::Status DetailsOf(const grpc::Status& status) {
  google::rpc::Status details;
  EXPECT_TRUE(details.ParseFromString(status.error_details()));
  return details;
}

google::rpc::ErrorInfo InfoOf(const grpc::Status& status) {
  google::rpc::ErrorInfo info;
  EXPECT_TRUE(DetailsOf(status).details(0).UnpackTo(&info));
  return info;
}

google::rpc::BadRequest BadRequestOf(const grpc::Status& status) {
  google::rpc::BadRequest bad_request;
  EXPECT_TRUE(DetailsOf(status).details(1).UnpackTo(&bad_request));
  return bad_request;
}

// What the two trailers take on the wire: the message percent-encoded, the
// details in base64.
size_t TrailerBytes(const grpc::Status& status) {
  size_t bytes = 0;
  for (char c : status.error_message()) {
    bytes += c >= ' ' && c <= '~' && c != '%' ? 1 : 3;
  }
  return bytes + (status.error_details().size() + 2) / 3 * 4;
}

TEST(GrpcStatusTest, OkHasNoDetails) {
  const grpc::Status status = ToGrpcStatus(absl::OkStatus());

  EXPECT_TRUE(status.ok());
  EXPECT_EQ(status.error_details(), "");
}

TEST(GrpcStatusTest, ErrorKeepsReasonMetadataAndPath) {
  const grpc::Status status =
      ToGrpcStatus(NotFound("FIELD_NOT_FOUND", "no field \"tem\"")
                       .With("suggestions", "temp")
                       .At("program.text:1:8"));

  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(status.error_message(), "no field \"tem\"");
  EXPECT_EQ(DetailsOf(status).code(), 5);
  EXPECT_EQ(DetailsOf(status).message(), "no field \"tem\"");
  EXPECT_EQ(InfoOf(status).reason(), "FIELD_NOT_FOUND");
  EXPECT_EQ(InfoOf(status).domain(), "layoutd");
  EXPECT_EQ(InfoOf(status).metadata().at("suggestions"), "temp");
  ASSERT_EQ(BadRequestOf(status).field_violations_size(), 1);
  EXPECT_EQ(BadRequestOf(status).field_violations(0).field(),
            "program.text:1:8");
  EXPECT_EQ(BadRequestOf(status).field_violations(0).description(),
            "no field \"tem\"");
}

TEST(GrpcStatusTest, DescriptionOfAViolationLeavesTheExcerptToTheMessage) {
  const grpc::Status status = ToGrpcStatus(
      InvalidArgument("SYNTAX", "line 1: odd\n  x = )\n      ^").At("text"));

  EXPECT_EQ(status.error_message(), "line 1: odd\n  x = )\n      ^");
  EXPECT_EQ(BadRequestOf(status).field_violations(0).description(),
            "line 1: odd");
}

TEST(GrpcStatusTest, ReasonTellsThePath) {
  const absl::Status status = NotFound("FIELD_NOT_FOUND", "no").With("a", "b");

  const ErrorDetail located = DetailOf(WithPathOfReason(
      status, {{"BAD_ID", "id"}, {"FIELD_NOT_FOUND", "name"}}));
  ASSERT_EQ(located.violations.size(), 1u);
  EXPECT_EQ(located.violations[0].first, "name");
  EXPECT_EQ(located.metadata[0].second, "b");
  EXPECT_TRUE(DetailOf(WithPathOfReason(status, {{"BAD_ID", "id"}}))
                  .violations.empty());
  EXPECT_TRUE(WithPathOfReason(absl::OkStatus(), {{"", "id"}}).ok());
}

TEST(GrpcStatusTest, StatusWithoutAReasonGetsItsCodesName) {
  const grpc::Status status = ToGrpcStatus(absl::InternalError("odd"));

  EXPECT_EQ(status.error_code(), grpc::StatusCode::INTERNAL);
  EXPECT_EQ(InfoOf(status).reason(), "INTERNAL");
  EXPECT_EQ(DetailsOf(status).details_size(), 1);
}

TEST(GrpcStatusTest, UnavailableSaysWhenToTryAgain) {
  const grpc::Status status = ToGrpcStatus(absl::UnavailableError("later"));

  google::rpc::RetryInfo retry;
  ASSERT_TRUE(DetailsOf(status).details(1).UnpackTo(&retry));
  EXPECT_EQ(retry.retry_delay().seconds(), 1);
}

TEST(GrpcStatusTest, PathsIntoAGraphAreThoseOfTheRequest) {
  const grpc::Status status = ToGrpcStatus(InvalidArgument("BAD_GRAPH", "odd")
                                               .At("program.nodes[17]")
                                               .At("program.statements[2]")
                                               .At("program.text"));

  const google::rpc::BadRequest bad_request = BadRequestOf(status);
  ASSERT_EQ(bad_request.field_violations_size(), 3);
  EXPECT_EQ(bad_request.field_violations(0).field(), "program.graph.nodes[17]");
  EXPECT_EQ(bad_request.field_violations(1).field(),
            "program.graph.statements[2]");
  EXPECT_EQ(bad_request.field_violations(2).field(), "program.text");
}

TEST(GrpcStatusTest, HugeErrorFitsTheTrailersAndKeepsWhatMatters) {
  Error error = InvalidArgument("SYNTAX", std::string(300000, 'x'));
  error.With("line", "1").At(std::string(5000, 'p'));
  for (int k = 0; k < 500; ++k) {
    error.With(absl::StrCat("m", k), std::string(500, 'v'));
    error.At(absl::StrCat("program.nodes[", k, "]"));
  }

  const grpc::Status status = ToGrpcStatus(error);

  EXPECT_LE(TrailerBytes(status), 7 * 1024u);
  EXPECT_THAT(status.error_message(), StartsWith("xxxxxxxx"));
  EXPECT_THAT(status.error_message(), EndsWith("x..."));
  EXPECT_GT(status.error_message().size(), 4000u);
  EXPECT_EQ(InfoOf(status).reason(), "SYNTAX");
  EXPECT_EQ(InfoOf(status).metadata().at("line"), "1");
  EXPECT_GT(BadRequestOf(status).field_violations_size(), 0);
}

TEST(GrpcStatusTest, MessageOfManyLinesFitsThoughItGrowsOnTheWire) {
  const grpc::Status status =
      ToGrpcStatus(InvalidArgument("SYNTAX", std::string(4096, '\n')));

  EXPECT_LE(TrailerBytes(status), 7 * 1024u);
}

TEST(GrpcStatusTest, CutNeverSplitsACharacter) {
  for (int shift = 0; shift < 12; ++shift) {
    std::string message(static_cast<size_t>(shift), 'x');
    for (int k = 0; k < 3000; ++k) message += "\u20ac";  // three bytes

    const grpc::Status status = ToGrpcStatus(InvalidArgument("R", message));

    // A cut character would not survive protobuf's check of its strings.
    EXPECT_THAT(DetailsOf(status).message(), StartsWith(""));
    const std::string& cut = status.error_message();
    EXPECT_EQ((cut.size() - static_cast<size_t>(shift)) % 3, 0u);
  }
}

TEST(GrpcStatusTest, BytesThatAreNoUtf8BecomeQuestionMarks) {
  struct Case {
    const char* message;
    const char* want;
  };
  const Case cases[] = {
      {"a\xff"
       "b",
       "a?b"},
      {"\xc3", "?"},
      {"\xc0\xaf", "??"},            // overlong
      {"\xed\xa0\x80", "???"},       // a surrogate
      {"\xf4\x90\x80\x80", "????"},  // beyond the last character
      {"\xe2\x82", "??"},
      {"\u00e9\u20ac\U0001f30a", "\u00e9\u20ac\U0001f30a"},
  };
  for (const Case& c : cases) {
    const grpc::Status status = ToGrpcStatus(InvalidArgument("R", c.message));

    EXPECT_EQ(status.error_message(), c.want);
    EXPECT_EQ(DetailsOf(status).message(), c.want);
  }
}

TEST(GrpcStatusTest, WithPathAddsAPathOnlyWhereThereIsNone) {
  const absl::Status bare = InvalidArgument("R", "odd").With("k", "v");
  const absl::Status located = InvalidArgument("R", "odd").At("there");

  EXPECT_EQ(DetailOf(WithPath(bare, "here")).violations[0].first, "here");
  EXPECT_EQ(DetailOf(WithPath(bare, "here")).metadata[0].second, "v");
  EXPECT_EQ(DetailOf(WithPath(located, "here")).violations.size(), 1u);
  EXPECT_TRUE(WithPath(absl::OkStatus(), "here").ok());
}

TEST(GrpcStatusTest, ReplacePathPrefixKeepsTheRestOfThePath) {
  const absl::Status status =
      InvalidArgument("R", "odd").At("program.text:1:2").At("other");

  const ErrorDetail detail =
      DetailOf(ReplacePathPrefix(status, "program.", "where."));

  EXPECT_EQ(detail.violations[0].first, "other");
  EXPECT_EQ(detail.violations[1].first, "where.text:1:2");
}

}  // namespace
}  // namespace layoutd
