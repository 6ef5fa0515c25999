#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/cpp/error.h"
#include "client/cpp/npy.h"
#include "client/cpp/status_macros.h"

namespace layoutd::client {
namespace {

// Gathered at a time when components are taken apart.
constexpr int64_t kGatherBytes = int64_t{1} << 20;

}  // namespace

absl::StatusOr<std::unique_ptr<NpyWriter>> NpyWriter::Create(
    const std::string& path, const Shape& shape, const ValueType& type,
    const Options& options) {
  const std::vector<ValueLeaf> leaves = LeavesOf(type);
  const bool is_flat = options.flat && !type.is_scalar();
  if (is_flat && !IsHomogeneousTuple(type)) {
    return MakeError(absl::StatusCode::kInvalidArgument, "TYPE_MISMATCH",
                     absl::StrCat("--flat needs scalars of one type, not ",
                                  type.ToString()));
  }
  std::vector<int64_t> axes;
  int64_t total_bytes = type.size_bytes;
  for (int64_t extent : shape) {
    total_bytes *= extent;
    if (extent != 1 || !options.squeeze) axes.push_back(extent);
  }
  if (is_flat) axes.push_back(static_cast<int64_t>(leaves.size()));
  const ValueType element =
      is_flat ? ValueType::OfScalar(leaves.front().scalar) : type;
  ASSIGN_OR_RETURN(std::unique_ptr<OutputFile> file, OutputFile::Create(path));
  RETURN_IF_ERROR(file->Write(FormatNpyHeader(element, axes)));
  std::unique_ptr<NpyWriter> writer(
      new NpyWriter(std::move(file), total_bytes));
  writer->is_flat_ = is_flat;
  writer->scalar_bytes_ = element.size_bytes;
  writer->num_scalars_ = static_cast<int64_t>(leaves.size());
  return writer;
}

NpyWriter::NpyWriter(std::unique_ptr<OutputFile> file, int64_t total_bytes)
    : file_(std::move(file)), total_bytes_(total_bytes) {}

absl::Status NpyWriter::Append(absl::string_view bytes) {
  appended_bytes_ += static_cast<int64_t>(bytes.size());
  if (!is_flat_) return file_->Write(bytes);
  values_.append(bytes.data(), bytes.size());
  return absl::OkStatus();
}

absl::Status NpyWriter::Commit() {
  if (appended_bytes_ != total_bytes_) {
    return MakeError(absl::StatusCode::kInvalidArgument, "BAD_STREAM",
                     absl::StrCat("an array of ", total_bytes_,
                                  " bytes cannot hold ", appended_bytes_));
  }
  if (is_flat_) RETURN_IF_ERROR(WriteComponents());
  return file_->Commit();
}

// The trailing axis varies slowest in Fortran order: component after component.
absl::Status NpyWriter::WriteComponents() {
  const int64_t value_bytes = scalar_bytes_ * num_scalars_;
  const int64_t num_points = total_bytes_ / value_bytes;
  const int64_t block_points = kGatherBytes / scalar_bytes_;
  std::string block;
  for (int64_t component = 0; component < num_scalars_; ++component) {
    const char* from = values_.data() + component * scalar_bytes_;
    for (int64_t first = 0; first < num_points; first += block_points) {
      const int64_t count = std::min(block_points, num_points - first);
      block.resize(static_cast<size_t>(count * scalar_bytes_));
      for (int64_t k = 0; k < count; ++k) {
        std::memcpy(block.data() + k * scalar_bytes_,
                    from + (first + k) * value_bytes,
                    static_cast<size_t>(scalar_bytes_));
      }
      RETURN_IF_ERROR(file_->Write(block));
    }
  }
  return absl::OkStatus();
}

}  // namespace layoutd::client
