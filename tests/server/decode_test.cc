#include "server/decode.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

using testing::_;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

std::string PathOf(const absl::Status& status) {
  const ErrorDetail detail = DetailOf(status);
  return detail.violations.size() == 1 ? detail.violations[0].first : "";
}

v1::CreateFieldRequest CreateRequest() {
  v1::CreateFieldRequest request;
  request.set_field_id("temp");
  request.mutable_layout()->set_kind(v1::VIJHF);
  request.mutable_layout()->mutable_shape()->set_nv(20);
  request.mutable_layout()->mutable_shape()->set_ni(4);
  request.mutable_layout()->mutable_shape()->set_nj(3);
  request.mutable_layout()->mutable_shape()->set_nh(7);
  request.mutable_layout()->mutable_type()->set_text("(f64, i32)");
  return request;
}

TEST(DecodeTest, NamesAreTheirCollectionAndAnId) {
  EXPECT_EQ(*DecodeFieldName("fields/ocean/temp", "name"), "ocean/temp");
  EXPECT_EQ(*DecodeMaskName("masks/land", "name"), "land");
  for (const char* name : {"", "fields", "fields/", "field/x", "masks/x",
                           "Fields/x", "/fields/x", "x"}) {
    const auto id = DecodeFieldName(name, "header.name");

    EXPECT_THAT(id, IsError(absl::StatusCode::kInvalidArgument, "BAD_NAME",
                            HasSubstr("fields/{id}")));
    EXPECT_EQ(PathOf(id.status()), "header.name");
  }
}

TEST(DecodeTest, BindingsNameFields) {
  google::protobuf::Map<std::string, std::string> bindings;
  bindings["t"] = "fields/temp";
  ASSERT_OK_AND_ASSIGN(auto decoded, DecodeBindings(bindings, "bindings"));
  EXPECT_THAT(decoded, ElementsAre(Pair("t", "temp")));

  bindings["t"] = "temp";
  EXPECT_EQ(PathOf(DecodeBindings(bindings, "bindings").status()),
            "bindings[\"t\"]");
}

TEST(DecodeTest, FieldSpecIsWhatTheRequestSays) {
  v1::CreateFieldRequest request = CreateRequest();
  request.mutable_layout()->set_base_type("i32");
  (*request.mutable_attributes())["units"] = "K";

  ASSERT_OK_AND_ASSIGN(FieldSpec spec, DecodeFieldSpec(request));

  EXPECT_EQ(spec.id, "temp");
  EXPECT_EQ(spec.layout.kind, LayoutKind::kVIJHF);
  EXPECT_EQ(spec.layout.shape, (Shape{{20, 4, 3, 7}}));
  EXPECT_EQ(spec.layout.type.ToString(), "(f64, i32)");
  EXPECT_EQ(spec.layout.base_type, ScalarType::kI32);
  EXPECT_THAT(spec.attributes, ElementsAre(Pair("units", "K")));
}

TEST(DecodeTest, SingleValueNeedsNoShape) {
  v1::CreateFieldRequest request = CreateRequest();
  request.mutable_layout()->set_kind(v1::DATAF);
  request.mutable_layout()->clear_shape();

  ASSERT_OK_AND_ASSIGN(FieldSpec spec, DecodeFieldSpec(request));

  EXPECT_EQ(spec.layout.shape, (Shape{{1, 1, 1, 1}}));
}

TEST(DecodeTest, WhatIsWrongWithALayoutIsNamedByItsPath) {
  struct Case {
    void (*change)(v1::CreateFieldRequest*);
    const char* reason;
    const char* path;
  };
  const Case cases[] = {
      {[](auto* r) { r->clear_layout(); }, "MISSING_VALUE", "layout"},
      {[](auto* r) { r->mutable_layout()->clear_shape(); }, "MISSING_VALUE",
       "layout.shape"},
      {[](auto* r) { r->mutable_layout()->clear_kind(); }, "UNKNOWN_LAYOUT",
       "layout.kind"},
      {[](auto* r) {
         r->mutable_layout()->set_kind(static_cast<v1::LayoutKind>(77));
       },
       "UNKNOWN_LAYOUT", "layout.kind"},
      {[](auto* r) { r->mutable_layout()->clear_type(); }, "BAD_TYPE",
       "layout.type.text"},
      {[](auto* r) { r->mutable_layout()->mutable_type()->set_text("(f64"); },
       "BAD_TYPE", "layout.type.text"},
      {[](auto* r) { r->mutable_layout()->set_base_type("f16"); },
       "BAD_BASE_TYPE", "layout.base_type"},
      {[](auto* r) { (*r->mutable_attributes())[""] = "x"; }, "BAD_ATTRIBUTES",
       "attributes"},
      {[](auto* r) {
         (*r->mutable_attributes())["x"] = std::string(70000, 'x');
       },
       "BAD_ATTRIBUTES", "attributes"},
  };
  for (const Case& c : cases) {
    v1::CreateFieldRequest request = CreateRequest();
    c.change(&request);

    const auto spec = DecodeFieldSpec(request);

    EXPECT_THAT(spec, IsError(absl::StatusCode::kInvalidArgument, c.reason, _));
    EXPECT_EQ(PathOf(spec.status()), c.path);
  }
}

TEST(DecodeTest, EngineErrorAboutALayoutGetsItsPath) {
  v1::CreateFieldRequest request = CreateRequest();
  request.mutable_layout()->mutable_shape()->set_nj(-3);

  EXPECT_EQ(
      PathOf(LocateLayoutError(InvalidArgument("BAD_EXTENT", "odd"), request)),
      "layout.shape.nj");
  EXPECT_EQ(
      PathOf(LocateLayoutError(OutOfRange("SIZE_OVERFLOW", "odd"), request)),
      "layout.shape");
  EXPECT_EQ(
      PathOf(LocateLayoutError(InvalidArgument("BAD_ID", "odd"), request)),
      "field_id");
  EXPECT_TRUE(LocateLayoutError(absl::OkStatus(), request).ok());
}

TEST(DecodeTest, PageSizeIsClamped) {
  EXPECT_EQ(*DecodePageSize(0), 1000);
  EXPECT_EQ(*DecodePageSize(1), 1);
  EXPECT_EQ(*DecodePageSize(1001), 1000);
  EXPECT_THAT(DecodePageSize(-1),
              IsError(absl::StatusCode::kInvalidArgument, "BAD_PAGE_SIZE", _));
}

TEST(DecodeTest, ExecuteNeedsAProgram) {
  const auto decoded = DecodeExecuteRequest({});

  EXPECT_THAT(decoded,
              IsError(absl::StatusCode::kInvalidArgument, "BAD_GRAPH", _));
  EXPECT_EQ(PathOf(decoded.status()), "program");
  EXPECT_EQ(DecodeCompileRequest({}).status(), decoded.status());
}

TEST(DecodeTest, AProgramIsCompiledAsItIsExecuted) {
  v1::ExecuteRequest execute;
  execute.mutable_program()->set_text("x = a");
  (*execute.mutable_bindings())["a"] = "fields/temp";
  execute.set_profile(true);
  v1::CompileProgramRequest compile;
  *compile.mutable_program() = execute.program();
  *compile.mutable_bindings() = execute.bindings();

  ASSERT_OK_AND_ASSIGN(const ExecuteRequest executed,
                       DecodeExecuteRequest(execute));
  ASSERT_OK_AND_ASSIGN(const CompileRequest compiled,
                       DecodeCompileRequest(compile));

  EXPECT_TRUE(executed.profile);
  EXPECT_EQ(std::get<std::string>(compiled.program), "x = a");
  EXPECT_EQ(compiled.bindings, executed.bindings);
  (*compile.mutable_bindings())["a"] = "temp";
  EXPECT_EQ(PathOf(DecodeCompileRequest(compile).status()), "bindings[\"a\"]");
}

}  // namespace
}  // namespace layoutd
