#include "engine/run/fill.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "engine/base/checked_math.h"
#include "engine/base/error.h"
#include "engine/base/status_macros.h"
#include "engine/device/copy_bytes.h"
#include "engine/layout/data_layout.h"

namespace layoutd {
namespace {

// Stores between two looks at the stop word: 100 us or so.
constexpr int64_t kPiecesPerRange = int64_t{1} << 16;

// A number as written, before it meets a type.
struct Number {
  enum class Kind : uint8_t { kBool, kNan, kInfinite, kInteger, kReal };
  Kind kind = Kind::kInteger;
  bool negative = false;
  bool truth = false;
  absl::string_view digits = {};  // kInteger, kReal: without sign
};

// Takes leading digits off `text`; returns whether there were any.
bool ConsumeDigits(absl::string_view* text) {
  const size_t before = text->size();
  while (!text->empty() &&
         absl::ascii_isdigit(static_cast<unsigned char>((*text)[0]))) {
    text->remove_prefix(1);
  }
  return text->size() < before;
}

// Scans DIGITS [ "." DIGITS ] [ ("e"|"E") ["+"|"-"] DIGITS ], all of `text`.
std::optional<Number> ScanDigits(absl::string_view text, bool negative) {
  Number number{.negative = negative, .digits = text};
  if (!ConsumeDigits(&text)) return std::nullopt;
  if (absl::ConsumePrefix(&text, ".")) {
    number.kind = Number::Kind::kReal;
    if (!ConsumeDigits(&text)) return std::nullopt;
  }
  if (absl::ConsumePrefix(&text, "e") || absl::ConsumePrefix(&text, "E")) {
    number.kind = Number::Kind::kReal;
    if (!absl::ConsumePrefix(&text, "+")) absl::ConsumePrefix(&text, "-");
    if (!ConsumeDigits(&text)) return std::nullopt;
  }
  if (!text.empty()) return std::nullopt;
  return number;
}

std::optional<Number> Scan(absl::string_view text) {
  if (text == "true" || text == "false") {
    return Number{.kind = Number::Kind::kBool, .truth = text == "true"};
  }
  const bool negative = absl::ConsumePrefix(&text, "-");
  if (!negative) absl::ConsumePrefix(&text, "+");
  if (text == "nan") {
    return Number{.kind = Number::Kind::kNan, .negative = negative};
  }
  if (text == "inf") {
    return Number{.kind = Number::Kind::kInfinite, .negative = negative};
  }
  return ScanDigits(text, negative);
}

// Returns the integer that `digits` spell, unless it needs more than 128 bits.
std::optional<Uint128> ToInteger(absl::string_view digits) {
  Uint128 value = 0;
  for (char c : digits) {
    if (__builtin_mul_overflow(value, Uint128{10}, &value) ||
        __builtin_add_overflow(value, static_cast<Uint128>(c - '0'), &value)) {
      return std::nullopt;
    }
  }
  return value;
}

// Returns the magnitude of a whole `number`.
std::optional<Uint128> Magnitude(const Number& number) {
  if (number.kind == Number::Kind::kInteger) return ToInteger(number.digits);
  double real = 0;
  // 2^128 and beyond are no integers of ours.
  if (number.kind != Number::Kind::kReal ||
      !absl::SimpleAtod(number.digits, &real) || real != std::trunc(real) ||
      real >= 0x1p128) {
    return std::nullopt;
  }
  return static_cast<Uint128>(real);
}

std::optional<Scalar> ToIntegerScalar(const Number& number, ScalarType type) {
  const std::optional<Uint128> magnitude = Magnitude(number);
  if (!magnitude) return std::nullopt;
  const auto bits = static_cast<int>(8 * SizeBytes(type));
  Uint128 greatest = ~Uint128{0} >> (128 - bits);
  if (IsSignedInteger(type)) greatest >>= 1;
  const Uint128 least = IsSignedInteger(type) ? greatest + 1 : 0;
  if (*magnitude > (number.negative ? least : greatest)) return std::nullopt;

  const Uint128 value = number.negative ? -*magnitude : *magnitude;
  Scalar scalar{.type = type};
  std::memcpy(scalar.bytes, &value, static_cast<size_t>(SizeBytes(type)));
  return scalar;
}

// Returns the nearest T; nothing when that is infinite.
template <typename T>
std::optional<T> ToReal(const Number& number) {
  T value = 0;
  if (number.kind == Number::Kind::kNan) {
    value = std::numeric_limits<T>::quiet_NaN();
  } else if (number.kind == Number::Kind::kInfinite) {
    value = std::numeric_limits<T>::infinity();
  } else {
    bool parsed = false;
    if constexpr (std::is_same_v<T, float>) {
      parsed = absl::SimpleAtof(number.digits, &value);
    } else {
      parsed = absl::SimpleAtod(number.digits, &value);
    }
    if (!parsed || std::isinf(value)) return std::nullopt;
  }
  return number.negative ? -value : value;
}

std::optional<Scalar> ToScalar(const Number& number, ScalarType type) {
  if (type == ScalarType::kBool) {
    if (number.kind == Number::Kind::kBool) return Scalar::Bool(number.truth);
    const std::optional<Uint128> magnitude = Magnitude(number);
    if (!magnitude || *magnitude > 1 || number.negative) return std::nullopt;
    return Scalar::Bool(*magnitude == 1);
  }
  if (number.kind == Number::Kind::kBool) return std::nullopt;
  if (IsInteger(type)) return ToIntegerScalar(number, type);
  if (type == ScalarType::kF32) {
    const std::optional<float> value = ToReal<float>(number);
    if (!value) return std::nullopt;
    return Scalar::Of(type, *value);
  }
  const std::optional<double> value = ToReal<double>(number);
  if (!value) return std::nullopt;
  return Scalar::Of(type, *value);
}

// One run of bytes that is stored at every point.
struct Piece {
  int64_t base_bytes;
  int64_t size_bytes;
  uint8_t bytes[16];
};

void AppendPieces(const View& view, int leaf_index, const Scalar& value,
                  std::vector<Piece>* pieces) {
  const LeafAddress address = AddressOf(view, leaf_index);
  for (int p = 0; p < address.num_pieces; ++p) {
    Piece piece{address.base_bytes + p * view.slot_stride_bytes,
                address.piece_bytes,
                {}};
    std::memcpy(piece.bytes, value.bytes + p * address.piece_bytes,
                static_cast<size_t>(address.piece_bytes));
    pieces->push_back(piece);
  }
}

// Stores `piece` at the `nv` points of a column whose first address is `data`.
template <typename Word>
void StoreColumn(const Piece& piece, uint8_t* data, int64_t nv,
                 int64_t stride_bytes) {
  Word word;
  std::memcpy(&word, piece.bytes, sizeof(word));
  for (int64_t v = 0; v < nv; ++v) {
    std::memcpy(data + v * stride_bytes, &word, sizeof(word));
  }
}

void StorePiece(const Piece& piece, uint8_t* data, int64_t nv,
                int64_t stride_bytes) {
  switch (piece.size_bytes) {
    case 1:
      return StoreColumn<uint8_t>(piece, data, nv, stride_bytes);
    case 2:
      return StoreColumn<uint16_t>(piece, data, nv, stride_bytes);
    case 4:
      return StoreColumn<uint32_t>(piece, data, nv, stride_bytes);
    case 8:
      return StoreColumn<uint64_t>(piece, data, nv, stride_bytes);
    case 16:
      return StoreColumn<Uint128>(piece, data, nv, stride_bytes);
  }
  LAYOUTD_DCHECK(false);  // no scalar has another size
}

absl::Status StoreEverywhere(Device* device, const View& view, uint8_t* memory,
                             const std::vector<Piece>& pieces,
                             const StopToken& stop) {
  const Shape& shape = view.shape;
  if (shape.num_points() == 0) return stop.status();
  // A long column is cut into blocks, for all workers and the stop word.
  const int64_t points_per_range =
      CeilDiv(kPiecesPerRange,
              std::max(int64_t{1}, static_cast<int64_t>(pieces.size())));
  const int64_t block = std::min(shape.v(), points_per_range);
  const int64_t blocks_per_column = CeilDiv(shape.v(), block);
  return device->ParallelFor(
      shape.num_columns() * blocks_per_column, points_per_range / block,
      [&](int64_t begin, int64_t end) {
        for (int64_t item = begin; item < end; ++item) {
          const int64_t column = item / blocks_per_column;
          const int64_t v = item % blocks_per_column * block;
          const int64_t i = column % shape.i();
          const int64_t j = column / shape.i() % shape.j();
          const int64_t h = column / shape.i() / shape.j();
          uint8_t* const data =
              memory + v * view.strides_bytes[0] + i * view.strides_bytes[1] +
              j * view.strides_bytes[2] + h * view.strides_bytes[3];
          for (const Piece& piece : pieces) {
            StorePiece(piece, data + piece.base_bytes,
                       std::min(block, shape.v() - v), view.strides_bytes[0]);
          }
        }
      },
      stop);
}

}  // namespace

absl::StatusOr<Scalar> ParseScalar(absl::string_view text, ScalarType type) {
  const std::string shown = absl::CHexEscape(text.substr(0, 64));
  const std::optional<Number> number = Scan(text);
  if (!number) {
    return InvalidArgument(
               "BAD_VALUE",
               absl::StrCat("\"", shown, "\" is no number, true or false"))
        .At("value");
  }
  const std::optional<Scalar> scalar = ToScalar(*number, type);
  if (!scalar) {
    return InvalidArgument(
               "BAD_VALUE",
               absl::StrCat("\"", shown, "\" is no value of type ", Name(type)))
        .With("type", Name(type))
        .At("value");
  }
  return *scalar;
}

absl::StatusOr<FieldInfo> FillField(Device* device, FieldStore* store,
                                    absl::string_view id,
                                    absl::string_view component,
                                    absl::string_view value,
                                    const StopToken& stop) {
  RETURN_IF_ERROR(stop.status());
  ASSIGN_OR_RETURN(PinnedField field, store->Pin(id, /*materialise=*/false));
  const DataLayout& layout = field.info.layout;
  ASSIGN_OR_RETURN(const Component part,
                   FindComponent(layout.type(), component));
  const View view = layout.WholeView();
  std::vector<Piece> pieces;
  for (int leaf = 0; leaf < part.type.num_leaves(); ++leaf) {
    const int index = part.first_leaf + leaf;
    const ScalarType type =
        layout.type().leaves()[static_cast<size_t>(index)].type;
    ASSIGN_OR_RETURN(const Scalar scalar, ParseScalar(value, type));
    AppendPieces(view, index, scalar, &pieces);
  }

  // Only a part of a written field keeps what was there.
  const bool whole = part.type.num_leaves() == layout.type().num_leaves();
  const Buffer* const old = whole ? nullptr : field.revision->buffer.get();
  ASSIGN_OR_RETURN(PrivateBuffer content,
                   store->Prepare(id, /*zeroed=*/!whole && old == nullptr));
  Buffer* const buffer = content.revision->buffer.get();
  if (old != nullptr) {
    RETURN_IF_ERROR(CopyBytes(*device, old->data(), buffer->data(),
                              old->size_bytes(), stop));
  }
  RETURN_IF_ERROR(StoreEverywhere(device, view, buffer->data(), pieces, stop));
  std::vector<PrivateBuffer> contents;
  contents.push_back(std::move(content));
  RETURN_IF_ERROR(store->Publish(std::move(contents), {}).status());
  return store->Get(id);
}

}  // namespace layoutd
