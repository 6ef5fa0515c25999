#ifndef LAYOUTD_CLIENT_CPP_NPY_H_
#define LAYOUTD_CLIENT_CPP_NPY_H_

// Fields as .npy files: one array of shape (Nv, Ni, Nj, Nh). A reader turns a
// file of either memory order and byte order into the canonical stream (v
// fastest, then i, j, h; C ABI values); a writer turns that stream into a file
// in Fortran order, which is the same order. Both work in blocks of a few MiB.

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "client/cpp/file.h"
#include "client/cpp/npy_header.h"
#include "client/cpp/record_convert.h"
#include "client/cpp/value_type.h"

namespace layoutd::client {

// (Nv, Ni, Nj, Nh)
using Shape = std::array<int64_t, 4>;

// Reads one array. Threads: one at a time.
class NpyReader {
 public:
  // Opens a file ("-": standard input) and reads its header.
  // Errors: those of InputFile; InvalidArgument (BAD_NPY).
  static absl::StatusOr<std::unique_ptr<NpyReader>> Open(
      const std::string& path);

  const NpyHeader& header() const { return header_; }

  // Says what the values are to be; once, before Read.
  // Shape: the file's must be `shape`, with a trailing axis if it holds the
  // scalars of a homogeneous tuple.
  // Errors: InvalidArgument (SHAPE_MISMATCH) — names both shapes;
  // InvalidArgument (TYPE_MISMATCH) — names both types; InvalidArgument
  // (BAD_NPY) — a regular file holds fewer or more bytes than its shape says.
  absl::Status Expect(const Shape& shape, const ValueType& type, bool cast);

  // The same for a mask: bool or u1, shape (Ni, Nj, Nh) or (1, Ni, Nj, Nh);
  // gives a byte per column.
  absl::Status ExpectColumns(const Shape& shape);

  // Fills `buffer` with the next bytes of the stream; returns how many, 0 at
  // the end.
  // Errors: those of InputFile; InvalidArgument (BAD_NPY) — a pipe ended early
  // or has more.
  absl::StatusOr<int64_t> Read(absl::Span<char> buffer);

  // Bytes that Read gives in all.
  int64_t total_bytes() const { return num_points_ * type_.size_bytes; }

 private:
  explicit NpyReader(std::unique_ptr<InputFile> file);

  absl::Status ReadHeader();
  absl::Status PlanRecords(bool is_flat, bool cast);
  absl::Status Load();
  absl::Status CheckEnd();
  absl::Status FillBlock();
  absl::Status FillInOrder(int64_t count);
  void FillTransposed(int64_t count);

  const std::unique_ptr<InputFile> file_;
  NpyHeader header_;
  Shape shape_ = {};
  ValueType type_;
  int64_t num_points_ = 0;
  RecordConverter converter_;
  int64_t from_stride_ = 0;  // bytes from a point to the next in the file
  // The file's data when it is in memory; a pipe in stream order is not.
  absl::string_view data_;
  bool is_loaded_ = false;

  int64_t next_point_ = 0;   // the first after the block
  absl::string_view block_;  // values not yet given out
  std::string values_;       // what `block_` shows, if it was converted
  std::string raw_;          // a block of a pipe
};

// Writes one array. Threads: one at a time.
class NpyWriter {
 public:
  struct Options {
    bool squeeze = false;  // drop axes of extent 1
    // Give a homogeneous tuple's scalars a trailing axis instead of a
    // structured type; the whole array is then held in memory.
    bool flat = false;
  };

  // Starts a file ("-": standard output) of `type` values.
  // Errors: those of OutputFile; InvalidArgument (TYPE_MISMATCH) — flat, and
  // the scalars of `type` differ.
  static absl::StatusOr<std::unique_ptr<NpyWriter>> Create(
      const std::string& path, const Shape& shape, const ValueType& type,
      const Options& options);

  // Appends the next bytes of the canonical stream, cut anywhere.
  absl::Status Append(absl::string_view bytes);

  // Ends the file; without it nothing is left behind.
  // Errors: InvalidArgument (BAD_STREAM) — fewer or more bytes were appended.
  absl::Status Commit();

 private:
  NpyWriter(std::unique_ptr<OutputFile> file, int64_t total_bytes);

  absl::Status WriteComponents();

  const std::unique_ptr<OutputFile> file_;
  const int64_t total_bytes_;
  int64_t appended_bytes_ = 0;
  // With `flat`: bytes of a scalar, scalars of a value, and the values so far.
  int64_t scalar_bytes_ = 0;
  int64_t num_scalars_ = 1;
  bool is_flat_ = false;
  std::string values_;
};

}  // namespace layoutd::client

#endif  // LAYOUTD_CLIENT_CPP_NPY_H_
