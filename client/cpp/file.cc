#include "client/cpp/file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/cpp/error.h"
#include "client/cpp/status_macros.h"

namespace layoutd::client {
namespace {

constexpr int64_t kReadBytes = int64_t{1} << 20;

// The status of the system's last error.
absl::Status SystemError(absl::string_view what, absl::string_view path) {
  const int error = errno;
  return MakeError(
      absl::ErrnoToStatusCode(error), "FILE",
      absl::StrCat("cannot ", what, " \"", path, "\": ", std::strerror(error)));
}

bool IsRegular(int descriptor) {
  struct stat info;
  return fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode);
}

// Returns where `path` leads, through links; `path` where nothing is yet.
std::string Resolve(const std::string& path) {
  char* const resolved = realpath(path.c_str(), nullptr);
  if (resolved == nullptr) return path;
  std::string result(resolved);
  free(resolved);
  return result;
}

// Returns the permissions of a new file. The mask is read by setting it; files
// other threads create meanwhile are theirs alone.
mode_t NewFileMode() {
  const mode_t mask = umask(077);
  umask(mask);
  return 0666 & ~mask;
}

// Returns the pattern of a hidden name beside `path`, for mkostemp.
std::string PartPattern(const std::string& path) {
  // The whole name must fit into the 255 bytes of a file name.
  constexpr size_t kMaxNameBytes = 200;
  const size_t slash = path.rfind('/');
  const size_t name = slash == std::string::npos ? 0 : slash + 1;
  return absl::StrCat(path.substr(0, name), ".",
                      path.substr(name, kMaxNameBytes), ".XXXXXX");
}

}  // namespace

absl::StatusOr<std::unique_ptr<InputFile>> InputFile::Open(
    const std::string& path) {
  const int descriptor =
      path == "-" ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return SystemError("read", path);
  return std::unique_ptr<InputFile>(new InputFile(path, descriptor));
}

InputFile::InputFile(std::string path, int descriptor)
    : path_(std::move(path)),
      descriptor_(descriptor),
      is_regular_(IsRegular(descriptor)) {}

InputFile::~InputFile() {
  if (mapping_ != nullptr) munmap(mapping_, mapping_bytes_);
  if (descriptor_ != STDIN_FILENO) close(descriptor_);
}

absl::StatusOr<int64_t> InputFile::Read(absl::Span<char> buffer) {
  size_t filled = 0;
  while (filled < buffer.size()) {
    const ssize_t count =
        read(descriptor_, buffer.data() + filled, buffer.size() - filled);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return SystemError("read", path_);
    if (count == 0) break;
    filled += static_cast<size_t>(count);
  }
  return static_cast<int64_t>(filled);
}

absl::StatusOr<absl::string_view> InputFile::Take(int64_t count) {
  if (is_regular_) return Map(count);
  // Grows with what comes, not with what a header promises.
  int64_t filled = 0;
  while (filled < count) {
    const int64_t want = std::min(kReadBytes, count - filled);
    taken_.resize(static_cast<size_t>(filled + want));
    ASSIGN_OR_RETURN(
        const int64_t got,
        Read(absl::MakeSpan(taken_).subspan(static_cast<size_t>(filled))));
    filled += got;
    if (got < want) break;
  }
  taken_.resize(static_cast<size_t>(filled));
  return absl::string_view(taken_);
}

absl::StatusOr<absl::string_view> InputFile::Map(int64_t count) {
  struct stat info;
  const off_t start = lseek(descriptor_, 0, SEEK_CUR);
  if (start < 0 || fstat(descriptor_, &info) != 0) {
    return SystemError("read", path_);
  }
  count = std::min(count, std::max<int64_t>(info.st_size - start, 0));
  if (count == 0) return absl::string_view();
  const auto map_bytes = static_cast<size_t>(start + count);
  void* mapping =
      mmap(nullptr, map_bytes, PROT_READ, MAP_PRIVATE, descriptor_, 0);
  if (mapping == MAP_FAILED) return SystemError("map", path_);
  mapping_ = mapping;
  mapping_bytes_ = map_bytes;
  if (lseek(descriptor_, start + count, SEEK_SET) < 0) {
    return SystemError("read", path_);
  }
  return absl::string_view(static_cast<const char*>(mapping) + start,
                           static_cast<size_t>(count));
}

absl::StatusOr<std::unique_ptr<OutputFile>> OutputFile::Create(
    const std::string& path) {
  const auto output = [](std::string target, std::string part_path,
                         int descriptor) {
    return std::unique_ptr<OutputFile>(
        new OutputFile(std::move(target), std::move(part_path), descriptor));
  };
  if (path == "-") return output(path, "", STDOUT_FILENO);
  struct stat info;
  const bool exists = stat(path.c_str(), &info) == 0;
  if (exists && !S_ISREG(info.st_mode)) {
    const int descriptor = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) return SystemError("write", path);
    return output(path, "", descriptor);
  }
  std::string target = Resolve(path);
  std::string part_path = PartPattern(target);
  const int descriptor = mkostemp(part_path.data(), O_CLOEXEC);
  if (descriptor < 0) return SystemError("write", path);
  std::unique_ptr<OutputFile> file =
      output(std::move(target), std::move(part_path), descriptor);
  const mode_t mode = exists ? info.st_mode & 0777 : NewFileMode();
  if (fchmod(descriptor, mode) != 0) return SystemError("write", path);
  return file;
}

OutputFile::OutputFile(std::string path, std::string part_path, int descriptor)
    : path_(std::move(path)),
      part_path_(std::move(part_path)),
      descriptor_(descriptor) {}

OutputFile::~OutputFile() {
  if (descriptor_ != STDOUT_FILENO && descriptor_ >= 0) close(descriptor_);
  if (!part_path_.empty()) unlink(part_path_.c_str());
}

absl::Status OutputFile::Write(absl::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return SystemError("write", path_);
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return absl::OkStatus();
}

absl::Status OutputFile::Commit() {
  if (descriptor_ == STDOUT_FILENO) return absl::OkStatus();
  // The kernel may report a full disk no earlier than here.
  if (close(std::exchange(descriptor_, -1)) != 0) {
    return SystemError("write", path_);
  }
  if (part_path_.empty()) return absl::OkStatus();
  if (rename(part_path_.c_str(), path_.c_str()) != 0) {
    return SystemError("write", path_);
  }
  part_path_.clear();
  return absl::OkStatus();
}

}  // namespace layoutd::client
