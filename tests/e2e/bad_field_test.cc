// Bad calls on fields through the real server: the right code, reason and
// path, a server that lives on, and nothing half changed.

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tests/e2e/bad_input_fixture.h"

namespace layoutd {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

// Uploads `messages` to see the call end.
CallError WriteMessages(LiveServer& live,
                        const std::vector<v1::WriteFieldRequest>& messages) {
  grpc::ClientContext context;
  v1::WriteFieldResponse reply;
  auto stream = live.fields().WriteField(&context, &reply);
  for (const v1::WriteFieldRequest& message : messages) stream->Write(message);
  stream->WritesDone();
  return ErrorOf(stream->Finish());
}

v1::WriteFieldRequest HeaderOf(const std::string& name) {
  v1::WriteFieldRequest message;
  message.mutable_header()->set_name(name);
  return message;
}

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

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
  EXPECT_THAT(error.paths, ElementsAre("name"));
}

TEST_F(BadInputTest, EveryCallOnAFieldThatIsNotThereGivesThePathOfItsName) {
  v1::DeleteFieldRequest deletion;
  deletion.set_name("fields/tem");
  google::protobuf::Empty nothing;
  grpc::ClientContext delete_context;
  v1::FillFieldRequest fill;
  fill.set_name("fields/tem");
  fill.set_value("0");
  v1::Field field;
  grpc::ClientContext fill_context;
  std::string bytes;
  v1::CreateMaskRequest creation;
  creation.set_mask_id("odd");
  creation.set_like_field("fields/tem");
  v1::Mask mask;
  grpc::ClientContext create_context;
  struct Case {
    CallError error;
    const char* path;
  };
  const Case cases[] = {
      {ErrorOf(live_.fields().DeleteField(&delete_context, deletion, &nothing)),
       "name"},
      {ErrorOf(live_.fields().FillField(&fill_context, fill, &field)), "name"},
      {ErrorOf(live_.Read("tem", "", &bytes)), "name"},
      {ErrorOf(live_.Write("tem", "x")), "header.name"},
      {ErrorOf(live_.masks().CreateMask(&create_context, creation, &mask)),
       "like_field"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(c.error.code, grpc::StatusCode::NOT_FOUND);
    EXPECT_EQ(c.error.reason, "FIELD_NOT_FOUND");
    EXPECT_THAT(c.error.paths, ElementsAre(c.path));
  }
}

TEST_F(BadInputTest, OutdatedEtagIsRefusedByItsPath) {
  v1::DeleteFieldRequest deletion;
  deletion.set_name("fields/temp");
  deletion.set_etag("f0");
  google::protobuf::Empty nothing;
  grpc::ClientContext context;

  const CallError error =
      ErrorOf(live_.fields().DeleteField(&context, deletion, &nothing));

  EXPECT_EQ(error.code, grpc::StatusCode::ABORTED);
  EXPECT_EQ(error.reason, "ETAG_MISMATCH");
  EXPECT_THAT(error.paths, ElementsAre("etag"));
}

TEST_F(BadInputTest, ComponentOrValueThatIsNoneIsRefusedByItsPath) {
  std::string bytes;
  const CallError read_error = ErrorOf(live_.Read("temp", "u", &bytes));
  EXPECT_EQ(read_error.reason, "UNKNOWN_COMPONENT");
  EXPECT_THAT(read_error.paths, ElementsAre("component"));

  struct Case {
    const char* component;
    const char* value;
    const char* reason;
    const char* path;
  };
  const Case cases[] = {{"u", "0", "UNKNOWN_COMPONENT", "component"},
                        {"", "warm", "BAD_VALUE", "value"}};
  for (const Case& c : cases) {
    v1::FillFieldRequest request;
    request.set_name("fields/temp");
    request.set_component(c.component);
    request.set_value(c.value);
    v1::Field reply;
    grpc::ClientContext context;

    const CallError error =
        ErrorOf(live_.fields().FillField(&context, request, &reply));

    EXPECT_EQ(error.reason, c.reason);
    EXPECT_THAT(error.paths, ElementsAre(c.path));
  }
}

TEST_F(BadInputTest, TruncatedUploadIsRefused) {
  const CallError error = ErrorOf(live_.Write("temp", std::string(479, 'x')));

  EXPECT_EQ(error.code, grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(error.reason, "UPLOAD_TOO_SHORT");
  EXPECT_THAT(error.message, AllOf(HasSubstr("479"), HasSubstr("480")));
  EXPECT_THAT(error.paths, ElementsAre("data"));
}

TEST_F(BadInputTest, OverlongUploadIsRefused) {
  const CallError error = ErrorOf(live_.Write("temp", std::string(481, 'x')));

  EXPECT_EQ(error.code, grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(error.reason, "UPLOAD_TOO_LONG");
  EXPECT_THAT(error.paths, ElementsAre("data"));
}

TEST_F(BadInputTest, UploadOfABoolThatIsNeitherZeroNorOneIsRefused) {
  const CallError error =
      ErrorOf(live_.Write("flags", std::string(60, '\x02')));

  EXPECT_EQ(error.code, grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(error.reason, "BAD_BOOL");
  EXPECT_THAT(error.paths, ElementsAre("data"));
}

TEST_F(BadInputTest, UploadOutOfOrderIsRefusedByThePartThatIs) {
  v1::WriteFieldRequest data;
  data.set_data("x");
  const v1::WriteFieldRequest header = HeaderOf("fields/temp");
  struct Case {
    std::vector<v1::WriteFieldRequest> messages;
    const char* path;
  };
  const Case cases[] = {
      {{}, "header"},
      {{header, header}, "header"},
      {{data}, "data"},
      {{{}}, "part"},
  };
  for (const Case& c : cases) {
    const CallError error = WriteMessages(live_, c.messages);

    EXPECT_EQ(error.code, grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_EQ(error.reason, "BAD_STREAM");
    EXPECT_THAT(error.paths, ElementsAre(c.path));
  }
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
    v1::WriteFieldRequest message = HeaderOf("fields/temp");
    v1::WriteFieldRequest::Header* header = message.mutable_header();
    header->mutable_type()->set_text(c.type);
    header->mutable_shape()->set_nv(c.shape.v());
    header->mutable_shape()->set_ni(c.shape.i());
    header->mutable_shape()->set_nj(c.shape.j());
    header->mutable_shape()->set_nh(c.shape.h());

    const CallError error = WriteMessages(live_, {message});

    EXPECT_EQ(error.code, grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_EQ(error.reason, c.reason);
    EXPECT_THAT(error.paths, ElementsAre(c.path));
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

TEST_F(BadInputTest, FieldLargerThanTheMemoryLimitIsRefused) {
  const CallError error =
      ErrorOf(live_.CreateField("big", v1::VIJFH, {{64, 4, 4, 5400}}, "f64"));

  EXPECT_EQ(error.code, grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(error.reason, "MEMORY_LIMIT");
  EXPECT_EQ(error.metadata.at("needed_bytes"), "44236800");
  EXPECT_EQ(std::stoll(error.metadata.at("free_bytes")),
            (16 << 20) - memory_before_);
  EXPECT_THAT(error.paths, ElementsAre("layout.shape"));
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

TEST_F(BadInputTest, IdOfAnotherFormIsRefusedByItsPath) {
  const CallError field_error =
      ErrorOf(live_.CreateField("Temp", v1::VIJHF, kShape, "f32"));
  EXPECT_EQ(field_error.code, grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(field_error.reason, "BAD_ID");
  EXPECT_THAT(field_error.paths, ElementsAre("field_id"));

  const CallError mask_error = ErrorOf(live_.CreateMask("Ocean", kShape));
  EXPECT_EQ(mask_error.reason, "BAD_ID");
  EXPECT_THAT(mask_error.paths, ElementsAre("mask_id"));

  const CallError exists_error = ErrorOf(live_.CreateMask("ocean", kShape));
  EXPECT_EQ(exists_error.reason, "MASK_EXISTS");
  EXPECT_THAT(exists_error.paths, ElementsAre("mask_id"));
}

}  // namespace
}  // namespace layoutd
