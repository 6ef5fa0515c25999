#include "engine/run/field_store.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

DataLayout LayoutOf(int64_t num_values) {
  return *DataLayout::Create(
      {LayoutKind::kVIJFH, Shape{{num_values, 1, 1, 1}}, ScalarType::kF64});
}

class FieldStoreTest : public testing::Test {
 protected:
  static constexpr int64_t kLimitBytes = 8000;

  PrivateBuffer MustPrepare(const std::string& id, uint8_t byte) {
    absl::StatusOr<PrivateBuffer> buffer = store_.Prepare(id, true);
    EXPECT_OK(buffer);
    Buffer* const memory = buffer->revision->buffer.get();
    std::memset(memory->data(), byte,
                static_cast<size_t>(memory->size_bytes()));
    return *std::move(buffer);
  }
  absl::Status Write(const std::string& id, uint8_t byte) {
    std::vector<PrivateBuffer> contents;
    contents.push_back(MustPrepare(id, byte));
    return store_.Publish(std::move(contents), {}).status();
  }
  uint8_t FirstByte(const PinnedField& field) {
    return field.revision->buffer->data()[0];
  }

  std::unique_ptr<Device> device_ =
      *OpenDevice({.name = "cpu", .num_threads = 1});
  MemoryBudget budget_{kLimitBytes};
  FieldStore store_{device_.get(), &budget_};
};

TEST_F(FieldStoreTest, AContentThatNobodyElsePinsCanBeTakenAndPublishedAgain) {
  ASSERT_OK(store_.Create("temp", LayoutOf(10), {}));
  ASSERT_OK(Write("temp", 1));
  ASSERT_OK_AND_ASSIGN(PinnedField pin, store_.Pin("temp", false));
  const uint8_t* const memory = pin.revision->buffer->data();

  std::optional<PrivateBuffer> content = store_.TakeCurrent(pin);

  ASSERT_TRUE(content.has_value());
  EXPECT_EQ(content->revision->buffer->data(), memory);
  content->revision->buffer->data()[0] = 9;
  std::vector<PrivateBuffer> contents;
  contents.push_back(*std::move(content));
  ASSERT_OK_AND_ASSIGN(const std::vector<int64_t> numbers,
                       store_.Publish(std::move(contents), {}));
  EXPECT_THAT(numbers, ElementsAre(2));
  ASSERT_OK_AND_ASSIGN(const PinnedField now, store_.Pin("temp", false));
  EXPECT_EQ(now.revision->number, 2);
  EXPECT_EQ(FirstByte(now), 9);
  EXPECT_EQ(budget_.used_bytes(), 80);
}

TEST_F(FieldStoreTest, APinnedContentIsNotTaken) {
  ASSERT_OK(store_.Create("temp", LayoutOf(10), {}));
  ASSERT_OK(Write("temp", 1));
  EXPECT_FALSE(store_.IsPinned("temp"));
  ASSERT_OK_AND_ASSIGN(PinnedField reader, store_.Pin("temp", false));
  EXPECT_TRUE(store_.IsPinned("temp"));
  ASSERT_OK_AND_ASSIGN(PinnedField pin, store_.Pin("temp", false));

  EXPECT_FALSE(store_.TakeCurrent(pin).has_value());

  EXPECT_EQ(FirstByte(pin), 1);
  ASSERT_OK(Write("temp", 2));
  reader.revision = nullptr;
  EXPECT_FALSE(store_.TakeCurrent(pin).has_value());  // current no more
}

TEST_F(FieldStoreTest, ATakenContentThatIsDroppedIsThereAgain) {
  ASSERT_OK(store_.Create("temp", LayoutOf(10), {}));
  ASSERT_OK_AND_ASSIGN(PinnedField pin, store_.Pin("temp", true));
  ASSERT_TRUE(store_.TakeCurrent(pin).has_value());  // and dropped at once

  ASSERT_OK_AND_ASSIGN(const PinnedField now, store_.Pin("temp", false));
  EXPECT_EQ(now.revision->number, 0);
  ASSERT_NE(now.revision->buffer, nullptr);
  EXPECT_EQ(FirstByte(now), 0);
  EXPECT_EQ(budget_.used_bytes(), 80);
}

TEST_F(FieldStoreTest, APinWaitsForAContentThatIsTaken) {
  ASSERT_OK(store_.Create("temp", LayoutOf(10), {}));
  ASSERT_OK(Write("temp", 1));
  ASSERT_OK_AND_ASSIGN(PinnedField pin, store_.Pin("temp", false));
  std::vector<PrivateBuffer> contents;
  contents.push_back(*store_.TakeCurrent(pin));
  uint8_t seen = 0;
  std::thread reader([&] { seen = FirstByte(*store_.Pin("temp", false)); });

  contents[0].revision->buffer->data()[0] = 5;
  ASSERT_OK(store_.Publish(std::move(contents), {}));
  reader.join();

  EXPECT_EQ(seen, 5);
}

TEST(CheckIdTest, AcceptsSegmentsJoinedBySlashes) {
  for (const std::string& id :
       {std::string("a"), std::string("temp"), std::string("ocean/t_0/x9"),
        std::string(63, 'a'), std::string(63, 'a') + "/b"}) {
    EXPECT_OK(CheckId(id)) << id;
  }
}

TEST(CheckIdTest, RefusesEverythingElse) {
  std::string long_id = "a";
  while (long_id.size() <= 255) long_id += "/a";
  for (const std::string& id :
       {std::string(""), std::string("/"), std::string("a/"), std::string("/a"),
        std::string("a//b"), std::string("A"), std::string("9a"),
        std::string("_a"), std::string("a.b"), std::string("a b"),
        std::string("a\n"), std::string("a\0b", 3), std::string("\xC3\xA4"),
        std::string(64, 'a'), long_id}) {
    EXPECT_THAT(CheckId(id), IsError(absl::StatusCode::kInvalidArgument,
                                     "BAD_ID", HasSubstr("[a-z]")))
        << id;
  }
}

TEST_F(FieldStoreTest, ANewFieldIsReservedButHasNoBuffer) {
  ASSERT_OK_AND_ASSIGN(const FieldInfo info,
                       store_.Create("temp", LayoutOf(10), {{"units", "K"}}));

  EXPECT_EQ(info.id, "temp");
  EXPECT_EQ(info.revision, 0);
  EXPECT_EQ(info.device, "cpu");
  EXPECT_EQ(info.size_bytes(), 80);
  EXPECT_THAT(info.attributes, ElementsAre(Pair("units", "K")));
  EXPECT_EQ(budget_.used_bytes(), 80);
  EXPECT_EQ(device_->memory().live_bytes, 0);
  ASSERT_OK_AND_ASSIGN(const PinnedField pinned, store_.Pin("temp", false));
  EXPECT_EQ(pinned.revision->buffer, nullptr);
}

TEST_F(FieldStoreTest, ValidateOnlyChecksEverythingAndCreatesNothing) {
  ASSERT_OK_AND_ASSIGN(const FieldInfo info,
                       store_.Create("temp", LayoutOf(10), {}, true));
  EXPECT_EQ(info.size_bytes(), 80);
  EXPECT_EQ(store_.num_fields(), 0);
  EXPECT_EQ(budget_.used_bytes(), 0);
  EXPECT_THAT(store_.Create("big", LayoutOf(1001), {}, true),
              IsError(absl::StatusCode::kResourceExhausted, "MEMORY_LIMIT",
                      HasSubstr("8008")));

  ASSERT_OK(store_.Create("temp", LayoutOf(10), {}));

  EXPECT_THAT(store_.Create("temp", LayoutOf(10), {}, true),
              IsError(absl::StatusCode::kAlreadyExists, "FIELD_EXISTS",
                      HasSubstr("temp")));
}

TEST_F(FieldStoreTest, NeedsAreWhatPinAndPrepareReserve) {
  ASSERT_OK(store_.Create("temp", LayoutOf(10), {}));
  ASSERT_OK(store_.Create("salt", LayoutOf(10), {}));
  ASSERT_OK(Write("salt", 1));
  EXPECT_EQ(store_.NeedsOf("nope", true, true).reserved_bytes, 0);
  // The zeros of `temp` take over what the field holds.
  EXPECT_EQ(store_.NeedsOf("temp", true, false).reserved_bytes, 0);
  EXPECT_EQ(store_.NeedsOf("temp", false, true).reserved_bytes, 0);
  EXPECT_EQ(store_.NeedsOf("temp", true, true).reserved_bytes, 80);
  EXPECT_EQ(store_.NeedsOf("temp", true, true).lasting_bytes, 0);
  EXPECT_EQ(store_.NeedsOf("salt", true, false).reserved_bytes, 0);
  EXPECT_EQ(store_.NeedsOf("salt", true, true).reserved_bytes, 80);

  // An open writer holds it instead, so a reader's zeros stay beside it.
  const PrivateBuffer open = MustPrepare("temp", 1);
  EXPECT_EQ(open.reserved_bytes, 0);
  EXPECT_EQ(store_.NeedsOf("temp", true, false).reserved_bytes, 80);
  EXPECT_EQ(store_.NeedsOf("temp", true, false).lasting_bytes, 80);
  const int64_t used_bytes = budget_.used_bytes();
  ASSERT_OK_AND_ASSIGN(const PinnedField pinned, store_.Pin("temp", true));
  EXPECT_EQ(pinned.reserved_bytes, 80);
  EXPECT_EQ(budget_.used_bytes(), used_bytes + 80);
}

TEST_F(FieldStoreTest, RefusesTwoFieldsOfOneId) {
  ASSERT_OK(store_.Create("temp", LayoutOf(10), {}));

  EXPECT_THAT(store_.Create("temp", LayoutOf(20), {}),
              IsError(absl::StatusCode::kAlreadyExists, "FIELD_EXISTS",
                      HasSubstr("temp")));
  EXPECT_EQ(budget_.used_bytes(), 80);
}

TEST_F(FieldStoreTest, RefusesAFieldBeyondTheBudgetAndStaysAsItWas) {
  EXPECT_THAT(store_.Create("big", LayoutOf(1001), {}),
              IsError(absl::StatusCode::kResourceExhausted, "MEMORY_LIMIT",
                      HasSubstr("big")));
  EXPECT_EQ(store_.num_fields(), 0);
  EXPECT_EQ(budget_.used_bytes(), 0);
}

TEST_F(FieldStoreTest, AnUnknownFieldIsReportedWithTheNearest) {
  ASSERT_OK(store_.Create("temp", LayoutOf(1), {}));

  const absl::Status status = store_.Get("tempo").status();

  EXPECT_THAT(status, IsError(absl::StatusCode::kNotFound, "FIELD_NOT_FOUND",
                              HasSubstr("temp")));
  EXPECT_THAT(DetailOf(status).metadata, Contains(Pair("suggestions", "temp")));
  EXPECT_THAT(store_.Pin("none", true),
              IsError(absl::StatusCode::kNotFound, "FIELD_NOT_FOUND",
                      HasSubstr("none")));
  EXPECT_THAT(store_.Prepare("none", true).status(),
              IsError(absl::StatusCode::kNotFound, "FIELD_NOT_FOUND",
                      HasSubstr("none")));
}

TEST_F(FieldStoreTest, ListsSortedPages) {
  for (const char* id : {"c", "a", "b/x", "b"}) {
    ASSERT_OK(store_.Create(id, LayoutOf(1), {}));
  }
  const auto ids = [&](absl::string_view after, int64_t limit) {
    std::vector<std::string> out;
    for (const FieldInfo& info : store_.List(after, limit)) {
      out.push_back(info.id);
    }
    return out;
  };

  EXPECT_THAT(ids("", 100), ElementsAre("a", "b", "b/x", "c"));
  EXPECT_THAT(ids("", 2), ElementsAre("a", "b"));
  EXPECT_THAT(ids("b", 2), ElementsAre("b/x", "c"));
  EXPECT_THAT(ids("aa", 1), ElementsAre("b"));
  EXPECT_THAT(ids("c", 2), ElementsAre());
}

TEST_F(FieldStoreTest, PublishingReplacesTheContentAndBumpsRevisionAndEtag) {
  ASSERT_OK_AND_ASSIGN(const FieldInfo before,
                       store_.Create("temp", LayoutOf(10), {}));
  ASSERT_OK(Write("temp", 1));
  ASSERT_OK(Write("temp", 2));

  ASSERT_OK_AND_ASSIGN(const PinnedField after, store_.Pin("temp", false));

  EXPECT_EQ(after.info.revision, 2);
  EXPECT_EQ(after.revision->number, 2);
  EXPECT_NE(after.info.etag, before.etag);
  EXPECT_EQ(FirstByte(after), 2);
  EXPECT_EQ(budget_.used_bytes(), 80);
}

TEST_F(FieldStoreTest, APinnedRevisionStaysUnchangedAndCounted) {
  ASSERT_OK(store_.Create("temp", LayoutOf(10), {}));
  ASSERT_OK(Write("temp", 1));
  {
    ASSERT_OK_AND_ASSIGN(const PinnedField pinned, store_.Pin("temp", true));
    ASSERT_OK(Write("temp", 2));

    EXPECT_EQ(FirstByte(pinned), 1);
    EXPECT_EQ(pinned.revision->number, 1);
    EXPECT_EQ(budget_.used_bytes(), 160);
  }
  EXPECT_EQ(budget_.used_bytes(), 80);
}

TEST_F(FieldStoreTest, MaterialisingUsesTheFieldsOwnReservation) {
  ASSERT_OK(store_.Create("whole", LayoutOf(1000), {}));

  ASSERT_OK_AND_ASSIGN(const PinnedField pinned, store_.Pin("whole", true));

  EXPECT_EQ(pinned.revision->number, 0);
  EXPECT_EQ(pinned.revision->buffer->size_bytes(), 8000);
  EXPECT_EQ(FirstByte(pinned), 0);
  EXPECT_EQ(budget_.used_bytes(), 8000);
  ASSERT_OK_AND_ASSIGN(const PinnedField again, store_.Pin("whole", true));
  EXPECT_EQ(again.revision, pinned.revision);
}

TEST_F(FieldStoreTest, AFieldAsLargeAsTheBudgetCanBeWrittenOnce) {
  ASSERT_OK(store_.Create("whole", LayoutOf(1000), {}));
  EXPECT_OK(Write("whole", 1));

  EXPECT_THAT(store_.Prepare("whole", false).status(),
              IsError(absl::StatusCode::kResourceExhausted, "MEMORY_LIMIT",
                      HasSubstr("8000")));

  ASSERT_OK_AND_ASSIGN(const PinnedField pinned, store_.Pin("whole", false));
  EXPECT_EQ(FirstByte(pinned), 1);
}

TEST_F(FieldStoreTest, AnAbandonedFirstWriteGivesTheReservationBack) {
  ASSERT_OK(store_.Create("whole", LayoutOf(1000), {}));
  store_.Abandon(MustPrepare("whole", 1));
  { const PrivateBuffer dropped = MustPrepare("whole", 2); }

  EXPECT_EQ(budget_.used_bytes(), 8000);
  EXPECT_OK(Write("whole", 3));
  EXPECT_EQ(budget_.used_bytes(), 8000);
}

TEST_F(FieldStoreTest, ASecondWriterOfANewFieldReservesItsOwn) {
  ASSERT_OK(store_.Create("half", LayoutOf(500), {}));
  {
    const PrivateBuffer first = MustPrepare("half", 1);
    const PrivateBuffer second = MustPrepare("half", 2);
    EXPECT_EQ(budget_.used_bytes(), 8000);
    EXPECT_THAT(store_.Pin("half", true).status(),
                IsError(absl::StatusCode::kResourceExhausted, "MEMORY_LIMIT",
                        HasSubstr("half")));
  }
  EXPECT_EQ(budget_.used_bytes(), 4000);
  EXPECT_OK(store_.Pin("half", true));
}

TEST_F(FieldStoreTest, WhatNoLeafCoversIsZeroEvenInRecycledMemory) {
  ASSERT_OK_AND_ASSIGN(const ValueType type, ValueType::Parse("(f64, i8)"));
  ASSERT_OK_AND_ASSIGN(
      const DataLayout layout,
      DataLayout::Create({LayoutKind::kVIJFH, Shape{{100, 1, 1, 1}}, type}));
  ASSERT_OK(store_.Create("padded", layout, {}));
  { const PrivateBuffer dirty = MustPrepare("padded", 0xAB); }

  ASSERT_OK_AND_ASSIGN(const PrivateBuffer buffer,
                       store_.Prepare("padded", /*zeroed=*/false));

  const uint8_t* const data = buffer.revision->buffer->data();
  EXPECT_EQ(std::count(data, data + layout.size_bytes(), 0),
            layout.size_bytes());
}

TEST_F(FieldStoreTest, DeletingFreesTheFieldButNotWhatIsPinned) {
  ASSERT_OK(store_.Create("temp", LayoutOf(10), {}));
  ASSERT_OK(Write("temp", 7));
  {
    ASSERT_OK_AND_ASSIGN(const PinnedField pinned, store_.Pin("temp", true));
    ASSERT_OK(store_.Delete("temp", ""));

    EXPECT_EQ(store_.Get("temp").status().code(), absl::StatusCode::kNotFound);
    EXPECT_EQ(FirstByte(pinned), 7);
    EXPECT_EQ(budget_.used_bytes(), 80);
  }
  EXPECT_EQ(budget_.used_bytes(), 0);
  EXPECT_EQ(device_->memory().live_bytes, 0);
}

TEST_F(FieldStoreTest, DeletesOnlyTheVersionThatWasSeen) {
  ASSERT_OK_AND_ASSIGN(const FieldInfo info,
                       store_.Create("temp", LayoutOf(10), {}));
  ASSERT_OK(Write("temp", 1));

  EXPECT_THAT(
      store_.Delete("temp", info.etag),
      IsError(absl::StatusCode::kAborted, "ETAG_MISMATCH", HasSubstr("temp")));
  EXPECT_OK(store_.Delete("temp", store_.Get("temp")->etag));
  EXPECT_THAT(store_.Delete("temp", ""),
              IsError(absl::StatusCode::kNotFound, "FIELD_NOT_FOUND",
                      HasSubstr("temp")));
}

TEST_F(FieldStoreTest, AContentNeverReachesAnotherFieldOfTheSameId) {
  ASSERT_OK(store_.Create("temp", LayoutOf(10), {}));
  std::vector<PrivateBuffer> contents;
  contents.push_back(MustPrepare("temp", 1));
  ASSERT_OK(store_.Delete("temp", ""));
  ASSERT_OK(store_.Create("temp", LayoutOf(100), {}));

  EXPECT_THAT(store_.Publish(std::move(contents), {}),
              IsError(absl::StatusCode::kNotFound, "FIELD_NOT_FOUND",
                      HasSubstr("deleted")));
  EXPECT_EQ(store_.Get("temp")->revision, 0);
  EXPECT_EQ(budget_.used_bytes(), 800);
}

class PublishTest : public FieldStoreTest {
 protected:
  NewField MakeNew(const std::string& id) {
    auto revision = std::make_unique<Revision>();
    revision->reservation = *budget_.Reserve(80, id);
    revision->buffer = *device_->Allocate(80, true);
    return {FieldInfo{.id = id,
                      .layout = LayoutOf(10),
                      .etag = "",
                      .device = "",
                      .attributes = {},
                      .create_time = {}},
            std::move(revision)};
  }
};

TEST_F(PublishTest, PublishesContentsAndNewFieldsTogether) {
  ASSERT_OK(store_.Create("a", LayoutOf(10), {}));
  std::vector<PrivateBuffer> contents;
  contents.push_back(MustPrepare("a", 1));
  std::vector<NewField> created;
  created.push_back(MakeNew("b"));

  ASSERT_OK_AND_ASSIGN(const std::vector<int64_t> revisions,
                       store_.Publish(std::move(contents), std::move(created)));

  EXPECT_THAT(revisions, ElementsAre(1, 1));
  ASSERT_OK_AND_ASSIGN(const FieldInfo info, store_.Get("b"));
  EXPECT_EQ(info.revision, 1);
  EXPECT_EQ(info.device, "cpu");
  EXPECT_NE(info.etag, store_.Get("a")->etag);
  EXPECT_EQ(budget_.used_bytes(), 160);
}

TEST_F(PublishTest, PublishesNothingWhenOneOfThemCannotBe) {
  ASSERT_OK(store_.Create("a", LayoutOf(10), {}));
  ASSERT_OK(store_.Create("there", LayoutOf(10), {}));
  std::vector<PrivateBuffer> contents;
  contents.push_back(MustPrepare("a", 1));
  std::vector<NewField> created;
  created.push_back(MakeNew("b"));
  created.push_back(MakeNew("there"));

  EXPECT_THAT(store_.Publish(std::move(contents), std::move(created)),
              IsError(absl::StatusCode::kAlreadyExists, "FIELD_EXISTS",
                      HasSubstr("there")));

  EXPECT_EQ(store_.Get("a")->revision, 0);
  EXPECT_EQ(store_.num_fields(), 2);
  EXPECT_EQ(budget_.used_bytes(), 160);
  EXPECT_OK(Write("a", 2));
}

TEST_F(PublishTest, RefusesOneIdCreatedTwice) {
  std::vector<NewField> created;
  created.push_back(MakeNew("b"));
  created.push_back(MakeNew("b"));

  EXPECT_THAT(store_.Publish({}, std::move(created)),
              IsError(absl::StatusCode::kAlreadyExists, "FIELD_EXISTS",
                      HasSubstr("b")));
  EXPECT_EQ(store_.num_fields(), 0);
}

TEST_F(FieldStoreTest, FieldsWithoutPointsHaveEmptyBuffers) {
  ASSERT_OK(store_.Create("empty", LayoutOf(0), {}));

  ASSERT_OK_AND_ASSIGN(const PinnedField pinned, store_.Pin("empty", true));
  EXPECT_EQ(pinned.revision->buffer->size_bytes(), 0);
  ASSERT_OK_AND_ASSIGN(PrivateBuffer buffer, store_.Prepare("empty", false));
  std::vector<PrivateBuffer> contents;
  contents.push_back(std::move(buffer));
  EXPECT_OK(store_.Publish(std::move(contents), {}));
  EXPECT_EQ(store_.Get("empty")->revision, 1);
}

}  // namespace
}  // namespace layoutd
