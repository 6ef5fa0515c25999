// Every layout kind, halo and row padding through the real server: what is
// uploaded comes back, programs compute the same bits, GetField tells the
// memory, and what cannot be is refused with nothing changed.

#include <cstdint>
#include <string>
#include <vector>

#include "tests/e2e/bad_input_fixture.h"

namespace layoutd {
namespace {

using testing::ElementsAre;

class LayoutKindsTest : public testing::Test {
 protected:
  v1::CreateFieldRequest Request(const std::string& id, v1::LayoutKind kind,
                                 const Shape& shape,
                                 const std::string& type = "f64") {
    v1::CreateFieldRequest request;
    request.set_field_id(id);
    v1::Layout& layout = *request.mutable_layout();
    layout.set_kind(kind);
    layout.mutable_shape()->set_nv(shape.v());
    layout.mutable_shape()->set_ni(shape.i());
    layout.mutable_shape()->set_nj(shape.j());
    layout.mutable_shape()->set_nh(shape.h());
    layout.mutable_type()->set_text(type);
    return request;
  }
  grpc::Status Create(const v1::CreateFieldRequest& request) {
    grpc::ClientContext context;
    return live_.fields().CreateField(&context, request, &created_);
  }
  void MustCreate(const v1::CreateFieldRequest& request) {
    const grpc::Status status = Create(request);
    ASSERT_TRUE(status.ok()) << status.error_message();
  }
  static std::vector<double> Counting(int64_t count) {
    std::vector<double> values;
    for (int64_t k = 0; k < count; ++k) {
      values.push_back(0.1 * static_cast<double>(k));
    }
    return values;
  }
  std::string MustRead(const std::string& id) {
    std::string bytes;
    EXPECT_TRUE(live_.Read(id, "", &bytes).ok());
    return bytes;
  }

  LiveServer live_;
  v1::Field created_;  // of the last Create
};

TEST_F(LayoutKindsTest, ProgramsGiveTheSameBitsOnEveryKindPaddingAndHalo) {
  const Shape shape = {{7, 3, 3, 5}};
  const std::string bytes = BytesOf(Counting(2 * shape.num_points()));
  std::string sums;
  std::string values;
  for (v1::LayoutKind kind :
       {v1::FVIJH, v1::VFIJH, v1::VIFJH, v1::VIJFH, v1::VIJHF}) {
    for (const bool padded : {false, true}) {
      const std::string id =
          absl::StrCat("k", static_cast<int>(kind), padded ? "p" : "n");
      v1::CreateFieldRequest request = Request(id, kind, shape, "(f64, f64)");
      if (padded) {
        request.mutable_layout()->set_align_bytes(64);
        v1::Halo& halo = *request.mutable_layout()->mutable_halo();
        halo.mutable_low()->set_v(1);
        halo.mutable_high()->set_v(2);
        halo.mutable_low()->set_j(1);
        halo.mutable_high()->set_h(3);
      }
      MustCreate(request);
      ASSERT_TRUE(live_.Write(id, bytes).ok());
      EXPECT_EQ(MustRead(id), bytes) << id;

      v1::ExecuteResponse reply;
      ASSERT_TRUE(live_
                      .Execute(absl::StrCat("reduce { s = sum(", id, ".0 * ",
                                            id, ".1) }\n", id, " = (", id,
                                            ".1, ", id, ".0 / 3.0)"),
                               &reply)
                      .ok());
      const std::string sum = reply.results(0).value();
      const std::string after = MustRead(id);
      if (sums.empty()) sums = sum;
      if (values.empty()) values = after;
      EXPECT_EQ(sum, sums) << id;
      EXPECT_EQ(after, values) << id;
    }
  }
}

TEST_F(LayoutKindsTest, GetFieldTellsTheMemory) {
  v1::CreateFieldRequest request =
      Request("x", v1::VFIJH, {{6, 2, 2, 3}}, "(f64, f64)");
  v1::Layout& layout = *request.mutable_layout();
  layout.set_align_bytes(64);
  layout.mutable_halo()->mutable_low()->set_v(1);
  layout.mutable_halo()->mutable_high()->set_v(1);
  layout.mutable_halo()->mutable_low()->set_h(1);

  MustCreate(request);

  const v1::Layout& got = created_.layout();
  EXPECT_EQ(got.buffer().axes(), "VFIJH");
  EXPECT_THAT(got.buffer().alloc_shape(), ElementsAre(8, 2, 2, 2, 4));
  EXPECT_THAT(got.buffer().shape(), ElementsAre(6, 2, 2, 2, 3));
  EXPECT_THAT(got.buffer().offset(), ElementsAre(1, 0, 0, 0, 1));
  EXPECT_THAT(got.buffer().strides(), ElementsAre(1, 8, 16, 32, 64));
  EXPECT_EQ(created_.size_bytes(), 8 * 2 * 2 * 2 * 4 * 8);
  EXPECT_EQ(got.halo().low().v(), 1);
  EXPECT_EQ(got.f_dim(), 2);
  EXPECT_EQ(got.num_levels(), 6);
  EXPECT_EQ(got.num_nodes(), 4);
  EXPECT_EQ(got.num_elements(), 3);
  EXPECT_THAT(got.inferred_size(), ElementsAre(6, 2, 2, -1));
  EXPECT_FALSE(got.linear_index());
}

TEST_F(LayoutKindsTest, OldNamesStandForAKind) {
  MustCreate(Request("column", v1::VF, {{9, 1, 1, 1}}));
  EXPECT_EQ(created_.layout().kind(), v1::VIJFH);
  MustCreate(Request("slab", v1::IJHF, {{1, 4, 4, 6}}));
  EXPECT_EQ(created_.layout().kind(), v1::VIJHF);

  const CallError error =
      ErrorOf(Create(Request("no", v1::IJFH, {{2, 4, 4, 6}})));
  EXPECT_EQ(error.code, grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(error.reason, "BAD_SHAPE");
  EXPECT_THAT(error.paths, ElementsAre("layout.shape"));
}

TEST_F(LayoutKindsTest, PlanesAreFieldsOfTheirOwnFamily) {
  v1::CreateFieldRequest plane = Request("plane", v1::IH1JH2, {{1, 8, 12, 1}});
  plane.mutable_layout()->set_plane_ni(4);
  plane.mutable_layout()->set_plane_nj(4);
  MustCreate(plane);
  EXPECT_EQ(created_.layout().num_elements(), 6);
  EXPECT_EQ(created_.layout().f_dim(), 0);
  MustCreate(Request("flat", v1::VIJH, {{1, 8, 1, 1}}));
  const std::string bytes = BytesOf(Counting(96));
  ASSERT_TRUE(live_.Write("plane", bytes).ok());
  EXPECT_EQ(MustRead("plane"), bytes);

  v1::ExecuteResponse reply;
  ASSERT_TRUE(live_
                  .Execute("plane = plane * 2.0\nnew other = plane + 1.0\n"
                           "reduce { s = sum(plane) }",
                           &reply)
                  .ok());
  EXPECT_NEAR(ValuesOf<double>(reply.results(0).value())[0], 2 * 456.0, 1e-9);
  const std::string before = live_.Snapshot();
  const CallError error = ErrorOf(live_.Execute("plane = plane + flat"));
  EXPECT_EQ(error.code, grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(error.reason, "LAYOUT_MISMATCH");
  EXPECT_EQ(live_.Snapshot(), before);
}

TEST_F(LayoutKindsTest, WhatCannotBeLaidOutIsRefusedWithItsPath) {
  struct Case {
    v1::CreateFieldRequest request;
    const char* reason;
    const char* path;
  };
  std::vector<Case> cases;
  cases.push_back({Request("a", v1::VIJH, {{2, 2, 2, 2}}, "(f64, f64)"),
                   "BAD_BASE_TYPE", "layout.base_type"});
  cases.push_back(
      {Request("a", v1::VIH1, {{2, 8, 2, 1}}), "BAD_SHAPE", "layout.shape"});
  cases.push_back(
      {Request("a", v1::VIH1, {{2, 8, 1, 1}}), "BAD_SHAPE", "layout.shape"});
  cases.back().request.mutable_layout()->set_plane_ni(3);
  cases.push_back(
      {Request("a", v1::VIH1, {{2, 8, 1, 1}}), "BAD_SHAPE", "layout.shape"});
  cases.back().request.mutable_layout()->set_plane_ni(4);
  cases.back().request.mutable_layout()->set_static_nh(true);
  cases.push_back(
      {Request("a", v1::VIJFH, {{2, 2, 2, 2}}), "BAD_HALO", "layout.halo"});
  cases.back().request.mutable_layout()->mutable_halo()->mutable_low()->set_v(
      -1);
  cases.push_back(
      {Request("a", v1::VIH1, {{2, 8, 1, 1}}), "BAD_HALO", "layout.halo"});
  cases.back().request.mutable_layout()->mutable_halo()->mutable_low()->set_h(
      1);
  cases.push_back({Request("a", v1::VIJFH, {{2, 2, 2, 2}}), "BAD_ALIGNMENT",
                   "layout.align_bytes"});
  cases.back().request.mutable_layout()->set_align_bytes(12);
  cases.push_back({Request("a", v1::VIJFH, {{2, 2, 2, 2}}), "SIZE_OVERFLOW",
                   "layout.shape"});
  cases.back().request.mutable_layout()->mutable_halo()->mutable_low()->set_v(
      int64_t{1} << 61);
  const std::string before = live_.Snapshot();
  for (const Case& c : cases) {
    const CallError error = ErrorOf(Create(c.request));
    EXPECT_EQ(error.reason, c.reason) << error.message;
    EXPECT_THAT(error.paths, ElementsAre(c.path)) << error.message;
  }
  EXPECT_EQ(live_.Snapshot(), before);
}

}  // namespace
}  // namespace layoutd
