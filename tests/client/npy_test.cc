#include "client/cpp/npy.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "client/cpp/error.h"

namespace layoutd::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A file in a fresh place, removed with the test.
class NpyTest : public ::testing::Test {
 protected:
  NpyTest() {
    char name[] = "/tmp/npy_test_XXXXXX";
    folder_ = mkdtemp(name);
  }
  ~NpyTest() override {
    unlink(path().c_str());
    rmdir(folder_.c_str());
  }

  std::string path() const { return folder_ + "/x.npy"; }

  static std::string File(const std::string& descr, const std::string& shape,
                          bool fortran_order, const std::string& data) {
    const std::string header = "{'descr': " + descr + ", 'fortran_order': " +
                               (fortran_order ? "True" : "False") +
                               ", 'shape': " + shape + ", }\n";
    const std::string length = {static_cast<char>(header.size()), '\0'};
    return std::string("\x93NUMPY\1\0", 8) + length + header + data;
  }

  void Put(const std::string& bytes) {
    std::ofstream(path(), std::ios::binary) << bytes;
  }

  std::string Contents() {
    std::stringstream text;
    text << std::ifstream(path(), std::ios::binary).rdbuf();
    return text.str();
  }

  // Reads the file as values of `type` in the canonical order.
  template <typename T>
  absl::StatusOr<std::vector<T>> Read(const Shape& shape, const char* type,
                                      bool cast = false,
                                      size_t buffer_bytes = 7) {
    absl::StatusOr<std::unique_ptr<NpyReader>> reader = NpyReader::Open(path());
    if (!reader.ok()) return reader.status();
    const absl::Status status =
        (*reader)->Expect(shape, *ValueType::Parse(type), cast);
    if (!status.ok()) return status;
    std::string bytes;
    std::string buffer(buffer_bytes, '\0');
    for (;;) {
      absl::StatusOr<int64_t> count = (*reader)->Read(absl::MakeSpan(buffer));
      if (!count.ok()) return count.status();
      if (*count == 0) break;
      bytes.append(buffer, 0, static_cast<size_t>(*count));
    }
    EXPECT_EQ(static_cast<int64_t>(bytes.size()), (*reader)->total_bytes());
    std::vector<T> values(bytes.size() / sizeof(T));
    if (!bytes.empty()) {
      std::memcpy(values.data(), bytes.data(), bytes.size());
    }
    return values;
  }

 private:
  std::string folder_;
};

template <typename T>
std::string Bytes(const std::vector<T>& values) {
  return std::string(reinterpret_cast<const char*>(values.data()),
                     values.size() * sizeof(T));
}

std::vector<double> Range(int64_t count) {
  std::vector<double> values;
  for (int64_t k = 0; k < count; ++k) values.push_back(static_cast<double>(k));
  return values;
}

// The value of point (v, i, j, h) in a stream of shape (nv, ni, nj, nh).
double At(const std::vector<double>& stream, const Shape& shape, int64_t v,
          int64_t i, int64_t j, int64_t h) {
  return stream[static_cast<size_t>(
      v + shape[0] * (i + shape[1] * (j + shape[2] * h)))];
}

TEST_F(NpyTest, FortranOrderIsTheOrderOfTheStream) {
  Put(File("'<f8'", "(2, 3, 4, 5)", true, Bytes(Range(120))));

  const auto values = Read<double>({2, 3, 4, 5}, "f64");

  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_EQ(*values, Range(120));
  EXPECT_EQ(At(*values, {2, 3, 4, 5}, 1, 2, 3, 4), 119.0);
}

TEST_F(NpyTest, COrderIsTransposed) {
  const Shape shape = {2, 3, 4, 5};
  Put(File("'<f8'", "(2, 3, 4, 5)", false, Bytes(Range(120))));

  const auto values = Read<double>(shape, "f64");

  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_EQ(At(*values, shape, 1, 2, 3, 4), 119.0);
  EXPECT_EQ(At(*values, shape, 0, 1, 0, 0), 20.0);
  EXPECT_EQ(At(*values, shape, 0, 0, 0, 1), 1.0);
  EXPECT_EQ(At(*values, shape, 1, 0, 0, 0), 60.0);
}

TEST_F(NpyTest, TransposingHoldsAcrossBlocks) {
  // 4 MiB blocks: many elements a block; then a block within an element.
  for (const Shape& shape :
       {Shape{3, 4, 4, 20011}, Shape{600001, 1, 1, 3}, Shape{70001, 3, 3, 2}}) {
    const auto [nv, ni, nj, nh] = shape;
    Put(File("'<f8'", ShapeText(shape), false,
             Bytes(Range(nv * ni * nj * nh))));

    const auto values = Read<double>(shape, "f64", false, 1 << 20);

    ASSERT_TRUE(values.ok()) << values.status();
    int64_t wrong = 0;
    for (int64_t k = 0; k < nv * ni * nj * nh; ++k) {
      const int64_t h = k % nh, j = k / nh % nj, i = k / nh / nj % ni;
      const int64_t v = k / nh / nj / ni;
      wrong += At(*values, shape, v, i, j, h) != static_cast<double>(k);
    }
    EXPECT_EQ(wrong, 0) << ShapeText(shape);
  }
}

TEST_F(NpyTest, BigEndianFileIsSwapped) {
  Put(File("'>f4'", "(1, 1, 1, 2)", true,
           std::string("\x3f\x80\0\0\x40\0\0\0", 8)));

  EXPECT_THAT(*Read<float>({1, 1, 1, 2}, "f32"), ElementsAre(1.0f, 2.0f));
}

TEST_F(NpyTest, TrailingAxisFillsAHomogeneousTupleInBothOrders) {
  Put(File("'<f8'", "(1, 1, 1, 2, 3)", true, Bytes(Range(6))));
  EXPECT_THAT(*Read<double>({1, 1, 1, 2}, "(f64, f64, f64)"),
              ElementsAre(0, 2, 4, 1, 3, 5));

  Put(File("'<f8'", "(2, 1, 1, 2, 3)", false, Bytes(Range(12))));
  EXPECT_THAT(*Read<double>({2, 1, 1, 2}, "(f64, (f64, f64))"),
              ElementsAre(0, 1, 2, 6, 7, 8, 3, 4, 5, 9, 10, 11));
}

TEST_F(NpyTest, PaddingOfTheFileBecomesZero) {
  Put(File("[('f0', '|u1'), ('', '|V3'), ('f1', '<i4')]", "(1, 1, 1, 1)", true,
           std::string("\x05xyz\x07\0\0\0", 8)));

  EXPECT_THAT(*Read<uint32_t>({1, 1, 1, 1}, "(u8, i32)"), ElementsAre(5, 7));
}

TEST_F(NpyTest, CastConvertsWhileTransposing) {
  Put(File("'>i2'", "(2, 1, 1, 2)", false, std::string("\0\1\0\2\0\3\1\0", 8)));

  EXPECT_THAT(*Read<double>({2, 1, 1, 2}, "f64", /*cast=*/true),
              ElementsAre(1, 3, 2, 256));
}

TEST_F(NpyTest, AnotherShapeIsNamedWithTheFieldsOwn) {
  for (const char* shape : {"()", "(184,)", "(5, 4, 3, 2)", "(2, 3, 4, 5, 1)",
                            "(4611686018427387904, 4, 1, 1)"}) {
    Put(File("'<f8'", shape, true, ""));

    const Error error = ErrorOf(Read<double>({2, 3, 4, 5}, "f64").status());

    EXPECT_EQ(error.reason, "SHAPE_MISMATCH");
    EXPECT_THAT(error.message, HasSubstr(shape));
    EXPECT_THAT(error.message, HasSubstr("(2, 3, 4, 5)"));
  }
}

TEST_F(NpyTest, SizesThatOverflowAreRefused) {
  Put(File("'<f8'", "(4611686018427387904, 4, 1, 1)", false, ""));

  const Error error =
      ErrorOf(Read<double>({int64_t{1} << 62, 4, 1, 1}, "f64").status());

  EXPECT_EQ(error.reason, "BAD_NPY");
  EXPECT_THAT(error.message, HasSubstr("4611686018427387904"));
}

TEST_F(NpyTest, AnEmptyArrayHasNoBytes) {
  Put(File("'<f8'", "(5, 1, 1, 0)", false, ""));
  EXPECT_THAT(*Read<double>({5, 1, 1, 0}, "f64"), ElementsAre());
}

TEST_F(NpyTest, ShortAndLongFilesAreRefused) {
  const std::string whole =
      File("'<f8'", "(1, 1, 1, 2)", true, Bytes(Range(2)));
  for (const std::string& bytes :
       {whole.substr(0, whole.size() - 1), whole.substr(0, 40),
        whole.substr(0, 5), std::string(), whole + "x"}) {
    Put(bytes);
    EXPECT_EQ(ErrorOf(Read<double>({1, 1, 1, 2}, "f64").status()).reason,
              "BAD_NPY")
        << bytes.size();
  }
}

TEST_F(NpyTest, AMissingFileIsNotFound) {
  const absl::Status status = NpyReader::Open(path()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(ErrorOf(status).reason, "FILE");
}

// Bytes through a named pipe, as from `program | layoutctl field put`.
TEST_F(NpyTest, PipesAreReadInEitherOrderAndCheckedToTheirEnd) {
  const std::string data = Bytes(Range(40000));
  const std::string ordered = File("'<f8'", "(2, 1, 1, 20000)", true, data);
  const std::string transposed = File("'<f8'", "(2, 1, 1, 20000)", false, data);
  struct Case {
    std::string bytes;
    bool ok;
  };
  const Case cases[] = {
      {ordered, true},
      {transposed, true},
      {ordered + "x", false},
      {ordered.substr(0, ordered.size() - 1), false},
      {transposed.substr(0, transposed.size() - 1), false},
  };
  ASSERT_EQ(mkfifo(path().c_str(), 0600), 0);
  for (const Case& c : cases) {
    std::thread writer([&] { Put(c.bytes); });
    const auto values = Read<double>({2, 1, 1, 20000}, "f64");
    writer.join();
    EXPECT_EQ(values.ok(), c.ok) << values.status();
    if (values.ok()) {
      EXPECT_EQ(values->at(1), c.bytes == ordered ? 1.0 : 20000.0);
    }
  }
}

TEST_F(NpyTest, MaskColumnsAreBoolOrBytesWithOrWithoutLevels) {
  for (const char* descr : {"'|b1'", "'|u1'"}) {
    for (const char* shape : {"(2, 1, 2)", "(1, 2, 1, 2)"}) {
      Put(File(descr, shape, false, std::string("\0\1\1\1", 4)));
      absl::StatusOr<std::unique_ptr<NpyReader>> reader =
          NpyReader::Open(path());
      ASSERT_TRUE(reader.ok()) << reader.status();
      ASSERT_TRUE((*reader)->ExpectColumns({1, 2, 1, 2}).ok());
      std::string columns(4, '\0');
      EXPECT_EQ(*(*reader)->Read(absl::MakeSpan(columns)), 4);
      EXPECT_EQ(columns, std::string("\0\1\1\1", 4));
    }
  }
  Put(File("'<f8'", "(2, 1, 2)", false, Bytes(Range(4))));
  absl::StatusOr<std::unique_ptr<NpyReader>> reader = NpyReader::Open(path());
  const Error error = ErrorOf((*reader)->ExpectColumns({1, 2, 1, 2}));
  EXPECT_EQ(error.reason, "TYPE_MISMATCH");
  EXPECT_EQ(error.message,
            "the file holds f64; the columns of a mask are bool or u8");
  Put(File("'|b1'", "(2, 1, 3)", false, std::string(6, '\1')));
  reader = NpyReader::Open(path());
  EXPECT_EQ(ErrorOf((*reader)->ExpectColumns({1, 2, 1, 2})).message,
            "the file has shape (1, 2, 1, 3), the mask (1, 2, 1, 2)");
}

TEST_F(NpyTest, WrittenFileComesBack) {
  const ValueType type = *ValueType::Parse("{a: i32, u: (f64, f64)}");
  const Shape shape = {2, 1, 1, 3};
  std::string data(static_cast<size_t>(6 * type.size_bytes), '\0');
  for (size_t k = 0; k < 6; ++k) data[k * 24] = static_cast<char>(k);

  auto writer = NpyWriter::Create(path(), shape, type, {});
  ASSERT_TRUE(writer.ok()) << writer.status();
  ASSERT_TRUE((*writer)->Append(absl::string_view(data).substr(0, 5)).ok());
  ASSERT_TRUE((*writer)->Append(absl::string_view(data).substr(5)).ok());
  ASSERT_TRUE((*writer)->Commit().ok());

  const auto values =
      Read<unsigned char>(shape, "{a: i32, u: (f64, f64)}", false, 100);
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_EQ(std::string(values->begin(), values->end()), data);
}

TEST_F(NpyTest, SqueezeDropsExtentsOfOne) {
  auto writer =
      NpyWriter::Create(path(), {1, 2, 1, 3}, ValueType::OfScalar(Scalar::kF64),
                        {.squeeze = true});
  ASSERT_TRUE((*writer)->Append(Bytes(Range(6))).ok());
  ASSERT_TRUE((*writer)->Commit().ok());

  EXPECT_THAT(Contents(), HasSubstr("'shape': (2, 3), }"));
}

TEST_F(NpyTest, FlatPutsComponentsBehindEachOther) {
  auto writer = NpyWriter::Create(
      path(), {1, 1, 1, 3}, *ValueType::Parse("(f64, f64)"), {.flat = true});
  ASSERT_TRUE((*writer)->Append(Bytes(Range(6))).ok());
  ASSERT_TRUE((*writer)->Commit().ok());

  const std::string file = Contents();
  EXPECT_THAT(file, HasSubstr("'<f8', 'fortran_order': True, "
                              "'shape': (1, 1, 1, 3, 2), }"));
  EXPECT_EQ(file.substr(file.size() - 48),
            Bytes(std::vector<double>{0, 2, 4, 1, 3, 5}));
  EXPECT_EQ(*Read<double>({1, 1, 1, 3}, "(f64, f64)"), Range(6));
}

TEST_F(NpyTest, FlatRefusesMixedTuples) {
  EXPECT_EQ(
      ErrorOf(NpyWriter::Create(path(), {1, 1, 1, 1},
                                *ValueType::Parse("(f64, i64)"), {.flat = true})
                  .status())
          .reason,
      "TYPE_MISMATCH");
}

TEST_F(NpyTest, AFileThatWasNotCommittedKeepsItsOldContent) {
  Put("old");
  {
    auto writer = NpyWriter::Create(path(), {1, 1, 1, 2},
                                    ValueType::OfScalar(Scalar::kF64), {});
    ASSERT_TRUE((*writer)->Append(Bytes(Range(1))).ok());
    EXPECT_EQ(ErrorOf((*writer)->Commit()).reason, "BAD_STREAM");
  }

  EXPECT_EQ(Contents(), "old");
  EXPECT_NE(access((path() + ".part").c_str(), F_OK), 0);
}

}  // namespace
}  // namespace layoutd::client
