#include "engine/engine.h"

#include <string>
#include <utility>
#include <vector>

#include "tests/engine/engine_fixture.h"

namespace layoutd {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::SizeIs;

TEST(EngineCreateTest, RefusesOptionsThatCannotWork) {
  const auto code_of = [](auto change) {
    EngineOptions options;
    change(&options);
    const absl::Status status = Engine::Create(options).status();
    return DetailOf(status).reason;
  };

  EXPECT_EQ(code_of([](auto* o) { o->memory_limit_bytes = 0; }), "BAD_OPTION");
  EXPECT_EQ(code_of([](auto* o) { o->num_operation_threads = 0; }),
            "BAD_OPTION");
  EXPECT_EQ(code_of([](auto* o) { o->num_threads = -1; }), "BAD_OPTION");
  EXPECT_EQ(code_of([](auto* o) { o->vector_bits = 100; }), "BAD_OPTION");
  EXPECT_EQ(code_of([](auto* o) { o->device = "abacus"; }), "UNKNOWN_DEVICE");
  EXPECT_EQ(code_of([](auto* o) { o->device = "cuda:0"; }), "DEVICE_NOT_FOUND");
}

class EngineTest : public EngineFixture {};

TEST_F(EngineTest, TellsWhatItIs) {
  ASSERT_OK(engine_->CreateField(Spec("temp", Shape{{10, 1, 1, 1}})));

  const EngineInfo info = engine_->Info();

  EXPECT_EQ(info.version, "0.1.0");
  EXPECT_THAT(info.instance_id, MatchesRegex("[0-9a-f]{32}"));
  EXPECT_NE(info.instance_id, Open()->Info().instance_id);
  EXPECT_EQ(info.device, "cpu");
  EXPECT_FALSE(info.cpu.empty());
  EXPECT_GE(info.vector_bits, 128);
  EXPECT_EQ(info.num_threads, 2);
  EXPECT_EQ(info.memory_limit_bytes, kLimitBytes);
  EXPECT_EQ(info.memory_used_bytes, 80);
  EXPECT_EQ(info.num_fields, 1);
  EXPECT_EQ(info.num_kernels, 0);
  EXPECT_EQ(info.limits.max_nodes, 4096);
}

TEST_F(EngineTest, FieldsAreCreatedFoundListedAndDeleted) {
  ASSERT_OK_AND_ASSIGN(
      const FieldInfo created,
      engine_->CreateField(Spec("ocean/temp", Shape{{2, 2, 2, 3}})));
  ASSERT_OK(engine_->CreateField(Spec("salt", Shape{{2, 2, 2, 3}})));

  EXPECT_EQ(engine_->GetField("ocean/temp")->etag, created.etag);
  EXPECT_THAT(engine_->ListFields("", 10), SizeIs(2));
  EXPECT_THAT(engine_->ListFields("ocean/temp", 10), SizeIs(1));
  const auto deletion = Wait<bool>([&](Done<bool> done) {
    engine_->DeleteField(
        "salt", "", [done](const absl::Status& status) { done(status.ok()); });
  });
  EXPECT_TRUE(*deletion);
  EXPECT_THAT(engine_->GetField("salt"),
              IsError(absl::StatusCode::kNotFound, "FIELD_NOT_FOUND",
                      HasSubstr("salt")));
}

TEST_F(EngineTest, ImpossibleFieldsAreRefused) {
  const int64_t huge = int64_t{1} << 62;
  EXPECT_EQ(
      DetailOf(engine_->CreateField(Spec("x", Shape{{huge, 4, 4, 4}})).status())
          .reason,
      "SIZE_OVERFLOW");
  EXPECT_EQ(
      DetailOf(engine_->CreateField(Spec("x", Shape{{-1, 4, 4, 4}})).status())
          .reason,
      "BAD_EXTENT");
  EXPECT_THAT(engine_->CreateField(Spec("x", Shape{{100, 100, 100, 100}})),
              IsError(absl::StatusCode::kResourceExhausted, "MEMORY_LIMIT",
                      AllOf(HasSubstr("800000000"), HasSubstr("1048576"))));
  EXPECT_EQ(engine_->Info().num_fields, 0);
  EXPECT_EQ(engine_->Info().memory_used_bytes, 0);
}

TEST_F(EngineTest, ADownloadSeesTheWritesSubmittedBeforeIt) {
  ASSERT_OK(engine_->CreateField(Spec("x", Shape{{4, 1, 1, 1}})));
  EXPECT_THAT(*Read("x"), ElementsAre(0, 0, 0, 0));
  ASSERT_OK(Write("x", {1, 2, 3, 4}));
  EXPECT_THAT(*Read("x"), ElementsAre(1, 2, 3, 4));

  for (int i = 0; i < 20; ++i) {  // not waited for
    engine_->FillField("x", "", std::to_string(i), StopToken(),
                       [](const absl::StatusOr<FieldInfo>&) {});
  }

  EXPECT_THAT(*Read("x"), Each(19));
  EXPECT_EQ(engine_->GetField("x")->revision, 21);
}

TEST_F(EngineTest, ComponentsAreFilledAndReadAlone) {
  ASSERT_OK(engine_->CreateField(
      Spec("x", Shape{{2, 1, 1, 1}}, *ValueType::Parse("(f64, f64)"))));
  ASSERT_OK(Fill("x", "1", "2.5"));

  EXPECT_THAT(*Read("x"), ElementsAre(0, 2.5, 0, 2.5));
  EXPECT_THAT(*Read("x", "1"), ElementsAre(2.5, 2.5));
  EXPECT_THAT(Read("x", "2"), IsError(absl::StatusCode::kNotFound,
                                      "UNKNOWN_COMPONENT", HasSubstr("2")));
  EXPECT_THAT(Read("y"), IsError(absl::StatusCode::kNotFound, "FIELD_NOT_FOUND",
                                 HasSubstr("y")));
}

TEST_F(EngineTest, AShortUploadPublishesNothing) {
  ASSERT_OK(engine_->CreateField(Spec("x", Shape{{4, 1, 1, 1}})));

  EXPECT_THAT(Write("x", {1, 2, 3}),
              IsError(absl::StatusCode::kInvalidArgument, "UPLOAD_TOO_SHORT",
                      AllOf(HasSubstr("32"), HasSubstr("24"))));

  EXPECT_THAT(*Read("x"), Each(0));
  EXPECT_EQ(engine_->GetField("x")->revision, 0);
}

class EngineMaskTest : public EngineFixture {
 protected:
  void SetUp() override {
    ASSERT_OK(engine_->CreateMask("ocean", Shape{{1, 2, 1, 2}}));
  }
  absl::StatusOr<MaskInfo> Set(const std::vector<uint8_t>& active) {
    return Wait<MaskInfo>([&](Done<MaskInfo> done) {
      engine_->SetMask("ocean", active, std::move(done));
    });
  }
  absl::StatusOr<MaskInfo> SetWhere(const std::string& text) {
    return Wait<MaskInfo>([&](Done<MaskInfo> done) {
      engine_->SetMaskWhere("ocean", text, {}, StopToken(), std::move(done));
    });
  }
  absl::StatusOr<PinnedMask> Columns() {
    return Wait<PinnedMask>([&](Done<PinnedMask> done) {
      engine_->GetMaskColumns("ocean", std::move(done));
    });
  }
};

TEST_F(EngineMaskTest, IsSetFromBits) {
  ASSERT_OK_AND_ASSIGN(const MaskInfo info, Set({0, 1, 1, 0}));

  EXPECT_EQ(info.active_columns, 2);
  EXPECT_THAT(Columns()->map->active, ElementsAre(0, 1, 1, 0));
  EXPECT_THAT(engine_->ListMasks("", 10), SizeIs(1));
  EXPECT_EQ(engine_->GetMask("ocean")->revision, 1);
}

TEST_F(EngineMaskTest, IsSetFromAPredicate) {
  ASSERT_OK(engine_->CreateField(Spec("temp", Shape{{2, 2, 1, 2}})));
  ASSERT_OK(Write("temp", {1, 9, -1, 9, 2, 9, -3, 9}));

  ASSERT_OK_AND_ASSIGN(const MaskInfo info, SetWhere("at(temp, 0) > 0.0"));

  EXPECT_EQ(info.active_columns, 2);
  EXPECT_THAT(Columns()->map->active, ElementsAre(1, 0, 1, 0));
}

TEST_F(EngineMaskTest, APredicateThatIsNoneChangesNothing) {
  ASSERT_OK(engine_->CreateField(Spec("temp", Shape{{2, 2, 1, 2}})));
  ASSERT_OK(engine_->CreateField(Spec("wide", Shape{{1, 3, 1, 2}})));

  EXPECT_THAT(SetWhere("temp >"), IsError(absl::StatusCode::kInvalidArgument,
                                          "SYNTAX", HasSubstr("column")));
  EXPECT_THAT(SetWhere("at(temp, 0)"),
              IsError(absl::StatusCode::kInvalidArgument, "TYPE_MISMATCH",
                      HasSubstr("bool")));
  EXPECT_THAT(SetWhere("temp > 0.0"),
              IsError(absl::StatusCode::kInvalidArgument, "MASK_SHAPE_MISMATCH",
                      HasSubstr("at")));
  EXPECT_EQ(DetailOf(SetWhere("wide > 0.0").status()).reason,
            "MASK_SHAPE_MISMATCH");
  EXPECT_EQ(engine_->GetMask("ocean")->revision, 0);
}

TEST_F(EngineMaskTest, APredicateThatReadsNoFieldIsToldSo) {
  EXPECT_THAT(SetWhere("@h < 2"),
              IsError(absl::StatusCode::kInvalidArgument, "MASK_SHAPE_MISMATCH",
                      HasSubstr("reads none")));
}

TEST_F(EngineMaskTest, APredicateMayReadAFieldOfAnyName) {
  ASSERT_OK(engine_->CreateField(Spec("predicate", Shape{{1, 2, 1, 2}})));
  ASSERT_OK(Write("predicate", {1, -1, 1, 1}));

  EXPECT_EQ(SetWhere("predicate > 0.0")->active_columns, 3);
  EXPECT_EQ(Wait<MaskInfo>([&](Done<MaskInfo> done) {
              engine_->SetMaskWhere("ocean", "a < 0.0", {{"a", "predicate"}},
                                    StopToken(), std::move(done));
            })->active_columns,
            1);
}

TEST_F(EngineMaskTest, IsDeleted) {
  const auto deletion = Wait<bool>([&](Done<bool> done) {
    engine_->DeleteMask(
        "ocean", "", [done](const absl::Status& status) { done(status.ok()); });
  });

  EXPECT_TRUE(*deletion);
  EXPECT_THAT(Columns(), IsError(absl::StatusCode::kNotFound, "MASK_NOT_FOUND",
                                 HasSubstr("ocean")));
}

}  // namespace
}  // namespace layoutd
