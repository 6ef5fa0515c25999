#include "engine/run/transfer.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;

class TransferTest : public testing::Test {
 protected:
  void Create(const std::string& type, const Shape& shape,
              LayoutKind kind = LayoutKind::kVIJFH) {
    absl::StatusOr<ValueType> parsed = ValueType::Parse(type);
    ASSERT_OK(parsed);
    absl::StatusOr<DataLayout> layout =
        DataLayout::Create({kind, shape, *parsed});
    ASSERT_OK(layout);
    ASSERT_OK(store_.Create("x", *layout, {}));
  }
  absl::Status Publish(Upload* upload) {
    absl::StatusOr<PrivateBuffer> buffer = upload->Finish();
    if (!buffer.ok()) return buffer.status();
    std::vector<PrivateBuffer> contents;
    contents.push_back(*std::move(buffer));
    return store_.Publish(std::move(contents), {}).status();
  }
  // Reads all of the field (or component) in pieces of `piece_bytes`.
  std::vector<uint8_t> Read(const std::string& component, size_t piece_bytes) {
    std::unique_ptr<Download> download =
        *Download::Open(*store_.Pin("x", false), component);
    std::vector<uint8_t> out;
    std::vector<uint8_t> piece(piece_bytes);
    while (!download->done()) {
      const int64_t n = download->Next(absl::MakeSpan(piece));
      out.insert(out.end(), piece.begin(), piece.begin() + n);
    }
    EXPECT_EQ(static_cast<int64_t>(out.size()), download->total_bytes());
    return out;
  }

  std::unique_ptr<Device> device_ =
      *OpenDevice({.name = "cpu", .num_threads = 1});
  MemoryBudget budget_{1 << 20};
  FieldStore store_{device_.get(), &budget_};
};

std::vector<uint8_t> Counting(int64_t n) {
  std::vector<uint8_t> bytes(static_cast<size_t>(n));
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<uint8_t>(i * 37 + 1);
  }
  return bytes;
}

TEST_F(TransferTest, WhatGoesInComesOutWhereverItIsCut) {
  Create("(f64, f64, f64)", Shape{{3, 2, 2, 5}}, LayoutKind::kVIJHF);
  const std::vector<uint8_t> sent = Counting(3 * 2 * 2 * 5 * 24);
  for (size_t cut : {1U, 7U, 23U, 24U, 25U, 100U, 1440U}) {
    ASSERT_OK_AND_ASSIGN(const std::unique_ptr<Upload> upload,
                         Upload::Open(&store_, "x"));
    EXPECT_EQ(upload->id(), "x");
    EXPECT_EQ(upload->total_bytes(), 1440);
    for (size_t first = 0; first < sent.size(); first += cut) {
      ASSERT_OK(upload->Append(absl::MakeSpan(sent).subspan(first, cut)));
    }
    EXPECT_EQ(upload->received_bytes(), 1440);
    ASSERT_OK(Publish(upload.get()));

    EXPECT_EQ(Read("", 24), sent) << cut;
    EXPECT_EQ(Read("", 1000), sent) << cut;
  }
}

TEST_F(TransferTest, AComponentIsSentAlone) {
  Create("(i8, i8)", Shape{{4, 1, 1, 1}});
  ASSERT_OK_AND_ASSIGN(const std::unique_ptr<Upload> upload,
                       Upload::Open(&store_, "x"));
  ASSERT_OK(upload->Append({1, 2, 3, 4, 5, 6, 7, 8}));
  ASSERT_OK(Publish(upload.get()));

  EXPECT_THAT(Read("1", 3), testing::ElementsAre(2, 4, 6, 8));
  EXPECT_THAT(Download::Open(*store_.Pin("x", false), "2"),
              IsError(absl::StatusCode::kNotFound, "UNKNOWN_COMPONENT",
                      HasSubstr("2")));
}

TEST_F(TransferTest, ANeverWrittenFieldIsSentAsZerosWithoutABuffer) {
  Create("f64", Shape{{10, 1, 1, 3}});

  EXPECT_THAT(Read("", 16), AllOf(testing::SizeIs(240), Each(0)));
  EXPECT_EQ(device_->memory().live_bytes, 0);
}

TEST_F(TransferTest, ADownloadKeepsTheRevisionItBeganWith) {
  Create("u8", Shape{{4, 1, 1, 1}});
  std::unique_ptr<Download> download =
      *Download::Open(*store_.Pin("x", false), "");
  ASSERT_OK_AND_ASSIGN(const std::unique_ptr<Upload> upload,
                       Upload::Open(&store_, "x"));
  ASSERT_OK(upload->Append({9, 9, 9, 9}));
  ASSERT_OK(Publish(upload.get()));

  std::vector<uint8_t> out(4, 1);
  EXPECT_EQ(download->Next(absl::MakeSpan(out)), 4);
  EXPECT_THAT(out, Each(0));
  EXPECT_TRUE(download->done());
  EXPECT_EQ(download->Next(absl::MakeSpan(out)), 0);
  EXPECT_THAT(Read("", 4), Each(9));
}

TEST_F(TransferTest, ATruncatedUploadIsRefusedAndChangesNothing) {
  Create("f64", Shape{{2, 1, 1, 1}});
  {
    ASSERT_OK_AND_ASSIGN(const std::unique_ptr<Upload> upload,
                         Upload::Open(&store_, "x"));
    ASSERT_OK(upload->Append(Counting(15)));

    EXPECT_THAT(upload->Finish().status(),
                IsError(absl::StatusCode::kInvalidArgument, "UPLOAD_TOO_SHORT",
                        AllOf(HasSubstr("16"), HasSubstr("15"))));
  }
  EXPECT_EQ(store_.Get("x")->revision, 0);
  EXPECT_EQ(budget_.used_bytes(), 16);
  EXPECT_EQ(device_->memory().live_bytes, 0);
}

TEST_F(TransferTest, AnOverlongUploadIsRefusedForGood) {
  Create("f64", Shape{{2, 1, 1, 1}});
  ASSERT_OK_AND_ASSIGN(const std::unique_ptr<Upload> upload,
                       Upload::Open(&store_, "x"));
  ASSERT_OK(upload->Append(Counting(16)));

  const auto too_long =
      IsError(absl::StatusCode::kInvalidArgument, "UPLOAD_TOO_LONG",
              AllOf(HasSubstr("16"), HasSubstr("17")));
  EXPECT_THAT(upload->Append({1}), too_long);
  EXPECT_THAT(upload->Append({}), too_long);
  EXPECT_THAT(upload->Finish().status(), too_long);
}

TEST_F(TransferTest, ABoolThatIsNeitherZeroNorOneIsRefused) {
  Create("bool", Shape{{4, 1, 1, 1}});
  ASSERT_OK_AND_ASSIGN(const std::unique_ptr<Upload> upload,
                       Upload::Open(&store_, "x"));

  EXPECT_THAT(
      upload->Append({0, 1, 2, 1}),
      IsError(absl::StatusCode::kInvalidArgument, "BAD_BOOL", HasSubstr("2")));
  EXPECT_EQ(upload->Finish().status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(TransferTest, AFieldWithoutPointsIsWholeFromTheStart) {
  Create("f64", Shape{{0, 4, 4, 2}});
  ASSERT_OK_AND_ASSIGN(const std::unique_ptr<Upload> upload,
                       Upload::Open(&store_, "x"));
  ASSERT_OK(upload->Append({}));

  ASSERT_OK(Publish(upload.get()));

  EXPECT_EQ(store_.Get("x")->revision, 1);
  EXPECT_THAT(Read("", 8), testing::IsEmpty());
}

TEST_F(TransferTest, UploadsOfUnknownFieldsAreRefused) {
  EXPECT_THAT(
      Upload::Open(&store_, "y"),
      IsError(absl::StatusCode::kNotFound, "FIELD_NOT_FOUND", HasSubstr("y")));
}

}  // namespace
}  // namespace layoutd
