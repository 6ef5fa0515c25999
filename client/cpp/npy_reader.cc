#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/cpp/error.h"
#include "client/cpp/npy.h"
#include "client/cpp/status_macros.h"

namespace layoutd::client {
namespace {

// Converted at a time: fits the second level cache with its source, and makes
// the runs of a transposed read long enough.
constexpr int64_t kBlockBytes = int64_t{4} << 20;

// Returns the product of `factors`, 0 if one is 0.
absl::StatusOr<int64_t> CheckedProduct(absl::Span<const int64_t> factors) {
  if (std::find(factors.begin(), factors.end(), 0) != factors.end()) return 0;
  int64_t product = 1;
  for (int64_t factor : factors) {
    if (__builtin_mul_overflow(product, factor, &product)) {
      return BadNpy(absl::StrCat("an array of shape ", ShapeText(factors),
                                 " is larger than any file"));
    }
  }
  return product;
}

}  // namespace

absl::StatusOr<std::unique_ptr<NpyReader>> NpyReader::Open(
    const std::string& path) {
  ASSIGN_OR_RETURN(std::unique_ptr<InputFile> file, InputFile::Open(path));
  std::unique_ptr<NpyReader> reader(new NpyReader(std::move(file)));
  RETURN_IF_ERROR(reader->ReadHeader());
  return reader;
}

NpyReader::NpyReader(std::unique_ptr<InputFile> file)
    : file_(std::move(file)) {}

absl::Status NpyReader::ReadHeader() {
  std::string text(kNpyPreambleBytes, '\0');
  ASSIGN_OR_RETURN(const int64_t got, file_->Read(absl::MakeSpan(text)));
  ASSIGN_OR_RETURN(const NpyPreamble preamble,
                   ParseNpyPreamble(absl::string_view(text).substr(
                       0, static_cast<size_t>(got))));
  const int64_t header_end = preamble.preamble_bytes + preamble.header_bytes;
  if (header_end < kNpyPreambleBytes) return BadNpy("header is empty");
  text.resize(static_cast<size_t>(header_end));
  const absl::Span<char> rest =
      absl::MakeSpan(text).subspan(static_cast<size_t>(kNpyPreambleBytes));
  ASSIGN_OR_RETURN(const int64_t rest_bytes, file_->Read(rest));
  if (rest_bytes != static_cast<int64_t>(rest.size())) {
    return BadNpy("the file ends within its header");
  }
  ASSIGN_OR_RETURN(header_, ParseNpyHeader(absl::string_view(text).substr(
                                static_cast<size_t>(preamble.preamble_bytes))));
  return absl::OkStatus();
}

absl::Status NpyReader::Expect(const Shape& shape, const ValueType& type,
                               bool cast) {
  shape_ = shape;
  type_ = type;
  std::vector<int64_t> want(shape.begin(), shape.end());
  const bool is_flat =
      header_.shape.size() == want.size() + 1 && IsHomogeneousTuple(type);
  if (is_flat) want.push_back(static_cast<int64_t>(LeavesOf(type).size()));
  if (header_.shape != want) {
    return MakeError(
        absl::StatusCode::kInvalidArgument, "SHAPE_MISMATCH",
        absl::StrCat("the file has shape ", ShapeText(header_.shape),
                     ", the field ", ShapeText(want)));
  }
  ASSIGN_OR_RETURN(num_points_, CheckedProduct(shape));
  RETURN_IF_ERROR(CheckedProduct({num_points_, type.size_bytes}).status());
  RETURN_IF_ERROR(PlanRecords(is_flat, cast));
  return Load();
}

absl::Status NpyReader::ExpectColumns(const Shape& shape) {
  const Shape columns = {1, shape[1], shape[2], shape[3]};
  const std::vector<int64_t> want(columns.begin(), columns.end());
  if (header_.shape.size() == 3) header_.shape.insert(header_.shape.begin(), 1);
  if (header_.shape != want) {
    return MakeError(
        absl::StatusCode::kInvalidArgument, "SHAPE_MISMATCH",
        absl::StrCat("the file has shape ", ShapeText(header_.shape),
                     ", the mask ", ShapeText(want)));
  }
  NpyType& type = header_.type;
  if (type.is_scalar() && type.scalar == Scalar::kU8) {
    type.scalar = Scalar::kBool;
  }
  if (!type.is_scalar() || type.scalar != Scalar::kBool) {
    return MakeError(absl::StatusCode::kInvalidArgument, "TYPE_MISMATCH",
                     absl::StrCat("the file holds ", type.ToString(),
                                  "; the columns of a mask are bool or u8"));
  }
  return Expect(columns, ValueType::OfScalar(Scalar::kBool), /*cast=*/false);
}

absl::Status NpyReader::PlanRecords(bool is_flat, bool cast) {
  const NpyType& from = header_.type;
  from_stride_ = from.size_bytes;
  if (!is_flat) {
    ASSIGN_OR_RETURN(converter_, RecordConverter::Create(from, type_, cast));
    return absl::OkStatus();
  }
  // The trailing axis varies slowest in Fortran order, fastest in C order.
  int64_t component_stride = from.size_bytes;
  if (header_.fortran_order) {
    ASSIGN_OR_RETURN(component_stride,
                     CheckedProduct({num_points_, from.size_bytes}));
  } else {
    from_stride_ *= header_.shape.back();
  }
  ASSIGN_OR_RETURN(converter_, RecordConverter::CreateFlat(
                                   from, component_stride, type_, cast));
  return absl::OkStatus();
}

absl::Status NpyReader::Load() {
  std::vector<int64_t> factors = header_.shape;
  factors.push_back(header_.type.size_bytes);
  ASSIGN_OR_RETURN(const int64_t file_bytes, CheckedProduct(factors));
  // A pipe whose order is the stream's is read block by block.
  is_loaded_ = file_->is_regular() || !header_.fortran_order ||
               header_.shape.size() > shape_.size();
  if (!is_loaded_) return absl::OkStatus();
  ASSIGN_OR_RETURN(data_, file_->Take(file_bytes));
  if (static_cast<int64_t>(data_.size()) != file_bytes) {
    return BadNpy(absl::StrCat("the file ends after ", data_.size(), " of ",
                               file_bytes, " bytes of data"));
  }
  return CheckEnd();
}

absl::Status NpyReader::CheckEnd() {
  char next;
  ASSIGN_OR_RETURN(const int64_t count, file_->Read(absl::MakeSpan(&next, 1)));
  if (count > 0) return BadNpy("the file goes on after its array");
  return absl::OkStatus();
}

absl::StatusOr<int64_t> NpyReader::Read(absl::Span<char> buffer) {
  size_t filled = 0;
  while (filled < buffer.size()) {
    if (block_.empty()) {
      if (next_point_ == num_points_) break;
      RETURN_IF_ERROR(FillBlock());
    }
    const size_t count = std::min(buffer.size() - filled, block_.size());
    std::memcpy(buffer.data() + filled, block_.data(), count);
    block_.remove_prefix(count);
    filled += count;
  }
  return static_cast<int64_t>(filled);
}

absl::Status NpyReader::FillBlock() {
  const int64_t element_points = shape_[0] * shape_[1] * shape_[2];
  int64_t count = std::max<int64_t>(kBlockBytes / type_.size_bytes, 1);
  count = std::min(count, num_points_ - next_point_);
  if (header_.fortran_order) return FillInOrder(count);
  if (const int64_t in_element = next_point_ % element_points;
      in_element != 0 || count < element_points) {
    count = std::min(count, element_points - in_element);
  } else {
    count -= count % element_points;
  }
  // Padding of values is zero.
  values_.assign(static_cast<size_t>(count * type_.size_bytes), '\0');
  FillTransposed(count);
  block_ = values_;
  next_point_ += count;
  return absl::OkStatus();
}

absl::Status NpyReader::FillInOrder(int64_t count) {
  const char* from;
  if (is_loaded_) {
    from = data_.data() + next_point_ * from_stride_;
  } else {
    raw_.resize(static_cast<size_t>(count * from_stride_));
    ASSIGN_OR_RETURN(const int64_t got, file_->Read(absl::MakeSpan(raw_)));
    if (got != static_cast<int64_t>(raw_.size())) {
      return BadNpy(absl::StrCat("the file ends after ",
                                 next_point_ * from_stride_ + got, " of ",
                                 num_points_ * from_stride_, " bytes of data"));
    }
    from = raw_.data();
  }
  next_point_ += count;
  if (!is_loaded_ && next_point_ == num_points_) RETURN_IF_ERROR(CheckEnd());
  const auto block_bytes = static_cast<size_t>(count * type_.size_bytes);
  if (converter_.IsCopy(from_stride_)) {
    block_ = absl::string_view(from, block_bytes);
    return absl::OkStatus();
  }
  values_.assign(block_bytes, '\0');  // padding of values is zero
  converter_.Run(from, from_stride_, values_.data(), type_.size_bytes, count);
  block_ = values_;
  return absl::OkStatus();
}

// Point (v, i, j, h) of the file is number ((v * ni + i) * nj + j) * nh + h.
// `count` is a number of whole elements, or lies within one.
void NpyReader::FillTransposed(int64_t count) {
  const auto [nv, ni, nj, nh] = shape_;
  const int64_t element_points = nv * ni * nj;
  const int64_t h = next_point_ / element_points;
  const int64_t first = next_point_ % element_points;
  const int64_t num_elements = count / element_points;
  const auto source = [&](int64_t v, int64_t i, int64_t j) {
    return data_.data() + (((v * ni + i) * nj + j) * nh + h) * from_stride_;
  };
  char* to = values_.data();
  if (num_elements > 0) {
    // Along h, where neighbours in the file are neighbours.
    for (int64_t k = 0; k < element_points; ++k) {
      converter_.Run(source(k % nv, k / nv % ni, k / nv / ni), from_stride_,
                     to + k * type_.size_bytes,
                     element_points * type_.size_bytes, num_elements);
    }
    return;
  }
  for (int64_t k = first; k < first + count;) {
    const int64_t v = k % nv;
    const int64_t run = std::min(nv - v, first + count - k);
    converter_.Run(source(v, k / nv % ni, k / nv / ni),
                   ni * nj * nh * from_stride_, to, type_.size_bytes, run);
    to += run * type_.size_bytes;
    k += run;
  }
}

}  // namespace layoutd::client
