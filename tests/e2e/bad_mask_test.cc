// Bad calls on masks through the real server: the right code, reason and
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
using testing::EndsWith;
using testing::HasSubstr;

CallError SetMaskWhere(LiveServer& live, const std::string& mask,
                       const v1::SetMaskRequest::Predicate& predicate) {
  v1::SetMaskRequest request;
  request.set_name(mask);
  *request.mutable_where() = predicate;
  v1::Mask reply;
  grpc::ClientContext context;
  return ErrorOf(live.masks().SetMask(&context, request, &reply));
}

CallError SetMaskWhere(LiveServer& live, const std::string& text) {
  v1::SetMaskRequest::Predicate predicate;
  predicate.set_text(text);
  return SetMaskWhere(live, "masks/ocean", predicate);
}

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

TEST_F(BadInputTest, EveryCallOnAMaskThatIsNotThereGivesThePathOfItsName) {
  v1::GetMaskRequest get;
  get.set_name("masks/ocea");
  v1::Mask mask;
  grpc::ClientContext get_context;
  v1::DeleteMaskRequest deletion;
  deletion.set_name("masks/ocea");
  google::protobuf::Empty nothing;
  grpc::ClientContext delete_context;
  v1::SetMaskRequest all;
  all.set_name("masks/ocea");
  all.set_all(true);
  grpc::ClientContext all_context;
  v1::SetMaskRequest::Predicate predicate;
  predicate.set_text("at(temp, 0) > 0.0");
  const CallError errors[] = {
      ErrorOf(live_.masks().GetMask(&get_context, get, &mask)),
      ErrorOf(live_.masks().DeleteMask(&delete_context, deletion, &nothing)),
      ErrorOf(live_.masks().SetMask(&all_context, all, &mask)),
      ErrorOf(live_.SetMask("ocea", std::vector<uint8_t>(20, 1))),
      SetMaskWhere(live_, "masks/ocea", predicate),
  };
  for (const CallError& error : errors) {
    EXPECT_EQ(error.code, grpc::StatusCode::NOT_FOUND);
    EXPECT_EQ(error.reason, "MASK_NOT_FOUND");
    EXPECT_EQ(error.metadata.at("suggestions"), "ocean");
    EXPECT_THAT(error.paths, ElementsAre("name"));
  }
}

TEST_F(BadInputTest, MaskOfNonsenseColumnsIsRefusedByItsPath) {
  struct Case {
    Shape shape;
    const char* path;
  };
  const Case cases[] = {{{{1, -2, -2, 5}}, "shape.ni"},
                        {{{1, 2, 2, -1}}, "shape.nh"}};
  for (const Case& c : cases) {
    const CallError error = ErrorOf(live_.CreateMask("odd", c.shape));

    EXPECT_EQ(error.code, grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_EQ(error.reason, "BAD_EXTENT");
    EXPECT_THAT(error.paths, ElementsAre(c.path));
  }
  const CallError size_error =
      ErrorOf(live_.CreateMask("odd", {{1, kMax, kMax, kMax}}));
  EXPECT_EQ(size_error.code, grpc::StatusCode::OUT_OF_RANGE);
  EXPECT_EQ(size_error.reason, "SIZE_OVERFLOW");
  EXPECT_THAT(size_error.paths, ElementsAre("shape"));

  const CallError memory_error =
      ErrorOf(live_.CreateMask("odd", {{1, 4, 4, 1 << 20}}));
  EXPECT_EQ(memory_error.reason, "MEMORY_LIMIT");
  EXPECT_THAT(memory_error.paths, ElementsAre("shape"));
}

TEST_F(BadInputTest, MaskBytesOfAnotherCountOrValueAreRefused) {
  const CallError short_error =
      ErrorOf(live_.SetMask("ocean", std::vector<uint8_t>(19, 1)));
  EXPECT_EQ(short_error.code, grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(short_error.reason, "MASK_SHAPE_MISMATCH");
  EXPECT_THAT(short_error.paths, ElementsAre("columns"));

  const CallError byte_error =
      ErrorOf(live_.SetMask("ocean", std::vector<uint8_t>(20, 2)));
  EXPECT_EQ(byte_error.code, grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(byte_error.reason, "BAD_BOOL");
  EXPECT_THAT(byte_error.paths, ElementsAre("columns"));

  const CallError long_error =
      ErrorOf(live_.SetMask("ocean", std::vector<uint8_t>(3'000'001, 1)));
  EXPECT_EQ(long_error.code, grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(long_error.reason, "MASK_TOO_LARGE");
  EXPECT_THAT(long_error.message,
              AllOf(HasSubstr("3000000"), HasSubstr("predicate")));
  EXPECT_THAT(long_error.paths, ElementsAre("columns"));
}

TEST_F(BadInputTest, MaskPredicateThatDoesNotParseGivesItsPosition) {
  const CallError error = SetMaskWhere(live_, "isfinite(temp");

  EXPECT_EQ(error.code, grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(error.reason, "SYNTAX");
  EXPECT_THAT(error.paths, ElementsAre("where.text:1:14"));
}

TEST_F(BadInputTest, MaskPredicateOverAnUnknownNameShowsItsPlace) {
  const CallError error = SetMaskWhere(live_, "at(tempp, 0) > 1.0");

  EXPECT_EQ(error.code, grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(error.reason, "NAME_NOT_FOUND");
  EXPECT_THAT(error.message, EndsWith("\n  at(tempp, 0) > 1.0\n     ^"));
  EXPECT_THAT(error.paths, ElementsAre("where.text:1:4"));
}

TEST_F(BadInputTest, MaskPredicateThatIsNoneIsRefused) {
  struct Case {
    const char* text;
    const char* reason;
  };
  const Case cases[] = {
      {"at(temp, 0)", "TYPE_MISMATCH"},
      {"temp > 0.0", "MASK_SHAPE_MISMATCH"},
      {"@h < 2", "MASK_SHAPE_MISMATCH"},
      {"true", "MASK_SHAPE_MISMATCH"},
  };
  for (const Case& c : cases) {
    const CallError error = SetMaskWhere(live_, c.text);

    EXPECT_EQ(error.code, grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_EQ(error.reason, c.reason) << error.message;
    EXPECT_THAT(error.message, HasSubstr("mask"));
    EXPECT_THAT(error.paths, ElementsAre("where.text"));
  }
}

TEST_F(BadInputTest, MaskPredicateBoundToAFieldThatIsNotThereGivesItsKey) {
  v1::SetMaskRequest::Predicate predicate;
  predicate.set_text("at(a, 0) > 0.0");
  (*predicate.mutable_bindings())["a"] = "fields/tem";

  const CallError error = SetMaskWhere(live_, "masks/ocean", predicate);

  EXPECT_EQ(error.code, grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(error.reason, "FIELD_NOT_FOUND");
  EXPECT_THAT(error.paths, ElementsAre("where.bindings[\"a\"]"));
}

}  // namespace
}  // namespace layoutd
