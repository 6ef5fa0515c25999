#ifndef LAYOUTD_CLIENT_CPP_FILE_H_
#define LAYOUTD_CLIENT_CPP_FILE_H_

// Files as the client reads and writes them; "-" is standard input and output.
// Errors of every function: NotFound, PermissionDenied and so on (FILE) — the
// path and what the system says.

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace layoutd::client {

// A file or pipe, read once from its front. Threads: one at a time.
class InputFile {
 public:
  static absl::StatusOr<std::unique_ptr<InputFile>> Open(
      const std::string& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  // Whether the bytes can be mapped instead of read.
  bool is_regular() const { return is_regular_; }

  // Fills `buffer`; returns how much, less than its size only at the end.
  absl::StatusOr<int64_t> Read(absl::Span<char> buffer);

  // Returns the next `count` bytes, or those there are: mapped from a regular
  // file, else read into memory. Owner: the file; one call in its life.
  absl::StatusOr<absl::string_view> Take(int64_t count);

 private:
  InputFile(std::string path, int descriptor);

  absl::StatusOr<absl::string_view> Map(int64_t count);

  const std::string path_;
  const int descriptor_;
  bool is_regular_ = false;
  void* mapping_ = nullptr;
  size_t mapping_bytes_ = 0;
  std::string taken_;
};

// A file written under a name of its own beside `path` and moved there at
// Commit, so that `path` holds the old content or all of the new. Links are
// followed; an existing file keeps its permissions. Pipes and devices are
// written directly. Threads: one at a time.
class OutputFile {
 public:
  static absl::StatusOr<std::unique_ptr<OutputFile>> Create(
      const std::string& path);
  // Removes what was written if it was not committed.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  absl::Status Write(absl::string_view bytes);
  absl::Status Commit();

 private:
  OutputFile(std::string path, std::string part_path, int descriptor);

  const std::string path_;
  std::string part_path_;  // empty when `path` itself is written
  int descriptor_;
};

}  // namespace layoutd::client

#endif  // LAYOUTD_CLIENT_CPP_FILE_H_
