#include "engine/kernels/pack.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/base/error.h"
#include "engine/base/status_macros.h"

namespace layoutd {
namespace {

// A stretch of a value's bytes that is unbroken both in the stream and in
// memory. The pieces of a value cover each of its bytes once.
struct Piece {
  int64_t stream_offset;  // from the start of the value in the stream
  int64_t memory_offset;  // from slot 0 of the point
  int64_t bytes;
  bool is_padding;  // no leaf owns these bytes: zero on both sides
};

// Longest padding of one piece: less than the widest alignment.
constexpr uint8_t kZeros[16] = {};

// Appends the bytes [begin, end) of the value, cut where slots are not
// adjacent.
void AppendPieces(const View& view, int64_t begin, int64_t end, bool is_padding,
                  std::vector<Piece>& pieces) {
  const int64_t slot_bytes = SizeBytes(view.base_type);
  while (begin < end) {
    const int64_t slot = (view.value_offset_bytes + begin) / slot_bytes;
    const int64_t in_slot = (view.value_offset_bytes + begin) % slot_bytes;
    const int64_t memory_offset = slot * view.slot_stride_bytes + in_slot;
    const int64_t bytes = std::min(end - begin, slot_bytes - in_slot);
    Piece* last = pieces.empty() ? nullptr : &pieces.back();
    if (last != nullptr && last->is_padding == is_padding &&
        last->memory_offset + last->bytes == memory_offset) {
      last->bytes += bytes;
    } else {
      pieces.push_back({begin, memory_offset, bytes, is_padding});
    }
    begin += bytes;
  }
}

std::vector<Piece> PiecesOf(const View& view) {
  std::vector<Piece> pieces;
  int64_t end = 0;
  for (const Leaf& leaf : view.type.leaves()) {
    AppendPieces(view, end, leaf.offset_bytes, /*is_padding=*/true, pieces);
    end = leaf.offset_bytes + SizeBytes(leaf.type);
    AppendPieces(view, leaf.offset_bytes, end, /*is_padding=*/false, pieces);
  }
  AppendPieces(view, end, view.type.size_bytes(), /*is_padding=*/true, pieces);
  return pieces;
}

// Points one stride apart.
struct Run {
  int64_t offset_bytes;  // of slot 0 of the first, from the start of the buffer
  int64_t num_points;
};

// Walks the points of a view in canonical order, in runs as long as its memory
// allows: axes that continue each other are taken as one.
class RunWalker {
 public:
  RunWalker(const View& view, int64_t first_point)
      : base_bytes_(view.offset_bytes) {
    for (size_t axis = 0; axis < 4; ++axis) {
      const int64_t extent = view.shape.extents[axis];
      const int64_t stride = view.strides_bytes[axis];
      if (extent == 1) continue;
      if (num_axes_ > 0 &&
          stride == strides_[num_axes_ - 1] * extents_[num_axes_ - 1]) {
        extents_[num_axes_ - 1] *= extent;
        continue;
      }
      extents_[num_axes_] = extent;
      strides_[num_axes_] = stride;
      ++num_axes_;
    }
    for (size_t axis = 0; axis < num_axes_ && extents_[axis] > 0; ++axis) {
      index_[axis] = first_point % extents_[axis];
      first_point /= extents_[axis];
    }
  }

  // Units: bytes from a point of a run to the next.
  int64_t stride_bytes() const { return strides_[0]; }

  // Returns the next run, of at most `max_points` points, and steps past it.
  Run Next(int64_t max_points) {
    Run run{base_bytes_, std::min(max_points, extents_[0] - index_[0])};
    for (size_t axis = 0; axis < num_axes_; ++axis) {
      run.offset_bytes += index_[axis] * strides_[axis];
    }
    index_[0] += run.num_points;
    for (size_t axis = 0; axis + 1 < num_axes_; ++axis) {
      if (index_[axis] < extents_[axis]) break;
      index_[axis] = 0;
      ++index_[axis + 1];
    }
    return run;
  }

 private:
  const int64_t base_bytes_;
  size_t num_axes_ = 0;
  std::array<int64_t, 4> extents_ = {1, 1, 1, 1};
  std::array<int64_t, 4> strides_ = {};
  std::array<int64_t, 4> index_ = {};
};

template <size_t kBytes>
void CopyEach(uint8_t* to, int64_t to_stride, const uint8_t* from,
              int64_t from_stride, int64_t count) {
  for (int64_t k = 0; k < count; ++k) {
    std::memcpy(to + k * to_stride, from + k * from_stride, kBytes);
  }
}

// Copies `count` pieces of `bytes`, each a stride after the one before.
void CopyRow(uint8_t* to, int64_t to_stride, const uint8_t* from,
             int64_t from_stride, int64_t bytes, int64_t count) {
  if (to_stride == bytes && from_stride == bytes) {
    std::memcpy(to, from, static_cast<size_t>(bytes * count));
    return;
  }
  switch (bytes) {
    case 1:
      return CopyEach<1>(to, to_stride, from, from_stride, count);
    case 2:
      return CopyEach<2>(to, to_stride, from, from_stride, count);
    case 4:
      return CopyEach<4>(to, to_stride, from, from_stride, count);
    case 8:
      return CopyEach<8>(to, to_stride, from, from_stride, count);
    case 16:
      return CopyEach<16>(to, to_stride, from, from_stride, count);
    default:
      for (int64_t k = 0; k < count; ++k) {
        std::memcpy(to + k * to_stride, from + k * from_stride,
                    static_cast<size_t>(bytes));
      }
  }
}

// Returns how many points to copy before going to the next piece: few enough
// that their part of the stream stays in the first-level cache while every
// piece passes over it.
int64_t PointsPerBlock(int64_t value_bytes) {
  constexpr int64_t kBlockBytes = 16 * 1024;
  return std::max<int64_t>(kBlockBytes / value_bytes, 1);
}

std::vector<int> BoolLeaves(const ValueType& type) {
  std::vector<int> bools;
  for (int leaf = 0; leaf < type.num_leaves(); ++leaf) {
    if (type.leaves()[static_cast<size_t>(leaf)].type == ScalarType::kBool) {
      bools.push_back(leaf);
    }
  }
  return bools;
}

struct BadBool {
  int64_t point;  // counted from the first one looked at
  int leaf;
  uint8_t byte;
};

// Returns the first point among `num_points` values at `from` with a bool that
// is neither 0 nor 1.
std::optional<BadBool> FindBadBool(const ValueType& type,
                                   const std::vector<int>& bool_leaves,
                                   const uint8_t* from, int64_t num_points) {
  const int64_t value_bytes = type.size_bytes();
  std::optional<BadBool> first;
  for (int leaf : bool_leaves) {
    const uint8_t* bytes =
        from + type.leaves()[static_cast<size_t>(leaf)].offset_bytes;
    // Nearly all input is good; a loop without an exit is the fast way to see
    // that.
    uint8_t any = 0;
    for (int64_t k = 0; k < num_points; ++k) any |= bytes[k * value_bytes];
    if (any <= 1) continue;
    int64_t k = 0;
    while (bytes[k * value_bytes] <= 1) ++k;
    if (!first || k < first->point) {
      first = BadBool{k, leaf, bytes[k * value_bytes]};
    }
  }
  return first;
}

Error BadBoolError(const View& view, int64_t point, const BadBool& bad) {
  const std::string& path =
      view.type.leaves()[static_cast<size_t>(bad.leaf)].path;
  std::string index;
  int64_t rest = point;
  for (size_t axis = 0; axis < 4; ++axis) {
    absl::StrAppend(&index, axis > 0 ? ", " : "",
                    std::string(1, kAxisNames[axis]), " ",
                    rest % view.shape.extents[axis]);
    rest /= view.shape.extents[axis];
  }
  return InvalidArgument(
             "BAD_BOOL",
             absl::StrCat("bool ",
                          path.empty() ? "" : absl::StrCat("\"", path, "\" "),
                          "of point ", point, " (", index, ") is the byte ",
                          static_cast<int>(bad.byte), ", neither 0 nor 1"))
      .With("point", absl::StrCat(point));
}

}  // namespace

void PackPoints(const View& view, const uint8_t* memory, int64_t first_point,
                absl::Span<uint8_t> out) {
  if (out.empty()) return;
  if (memory == nullptr) {
    std::memset(out.data(), 0, out.size());
    return;
  }
  const int64_t value_bytes = view.type.size_bytes();
  int64_t num_left = static_cast<int64_t>(out.size()) / value_bytes;
  LAYOUTD_DCHECK(num_left * value_bytes == static_cast<int64_t>(out.size()));
  LAYOUTD_DCHECK(first_point >= 0 &&
                 num_left <= view.shape.num_points() - first_point);

  const std::vector<Piece> pieces = PiecesOf(view);
  const int64_t block_points =
      pieces.size() == 1 ? num_left : PointsPerBlock(value_bytes);
  RunWalker walker(view, first_point);
  const int64_t stride = walker.stride_bytes();
  uint8_t* to = out.data();
  while (num_left > 0) {
    const Run run = walker.Next(std::min(num_left, block_points));
    const uint8_t* from = memory + run.offset_bytes;
    for (const Piece& piece : pieces) {
      // Padding is not read: what lies there has no meaning.
      if (piece.is_padding) {
        CopyRow(to + piece.stream_offset, value_bytes, kZeros, 0, piece.bytes,
                run.num_points);
      } else {
        CopyRow(to + piece.stream_offset, value_bytes,
                from + piece.memory_offset, stride, piece.bytes,
                run.num_points);
      }
    }
    to += run.num_points * value_bytes;
    num_left -= run.num_points;
  }
}

absl::Status UnpackPoints(const View& view, uint8_t* memory,
                          int64_t first_point, absl::Span<const uint8_t> in) {
  if (in.empty()) return absl::OkStatus();
  const int64_t value_bytes = view.type.size_bytes();
  int64_t num_left = static_cast<int64_t>(in.size()) / value_bytes;
  LAYOUTD_DCHECK(num_left * value_bytes == static_cast<int64_t>(in.size()));
  LAYOUTD_DCHECK(first_point >= 0 &&
                 num_left <= view.shape.num_points() - first_point);

  const std::vector<Piece> pieces = PiecesOf(view);
  const std::vector<int> bool_leaves = BoolLeaves(view.type);
  const int64_t block_points = pieces.size() == 1 && bool_leaves.empty()
                                   ? num_left
                                   : PointsPerBlock(value_bytes);
  RunWalker walker(view, first_point);
  const int64_t stride = walker.stride_bytes();
  int64_t point = first_point;
  const uint8_t* from = in.data();
  while (num_left > 0) {
    const Run run = walker.Next(std::min(num_left, block_points));
    const std::optional<BadBool> bad =
        FindBadBool(view.type, bool_leaves, from, run.num_points);
    const int64_t num_good = bad ? bad->point : run.num_points;
    uint8_t* to = memory + run.offset_bytes;
    for (const Piece& piece : pieces) {
      if (piece.is_padding) {
        CopyRow(to + piece.memory_offset, stride, kZeros, 0, piece.bytes,
                num_good);
      } else {
        CopyRow(to + piece.memory_offset, stride, from + piece.stream_offset,
                value_bytes, piece.bytes, num_good);
      }
    }
    if (bad) return BadBoolError(view, point + bad->point, *bad);
    point += run.num_points;
    from += run.num_points * value_bytes;
    num_left -= run.num_points;
  }
  return absl::OkStatus();
}

}  // namespace layoutd
