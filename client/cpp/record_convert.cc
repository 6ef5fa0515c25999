#include "client/cpp/record_convert.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "client/cpp/error.h"
#include "client/cpp/status_macros.h"

namespace layoutd::client {
namespace {

static_assert(std::endian::native == std::endian::little,
              "values travel in the memory form of the machine");

template <typename T>
constexpr bool kIsFloat = std::is_floating_point_v<T>;

// Converts as the program language does: to bool by "not zero"; float to
// integer truncates, saturates, and NaN gives 0; integers wrap.
template <typename To, typename From>
To ConvertScalar(From value) {
  if constexpr (std::is_same_v<To, bool>) {
    return value != From{0};
  } else if constexpr (kIsFloat<From> && !kIsFloat<To>) {
    constexpr bool kSigned = static_cast<To>(-1) < To{0};
    constexpr int kDigits = static_cast<int>(8 * sizeof(To)) - kSigned;
    constexpr To kMin = kSigned ? static_cast<To>(To{1} << kDigits) : To{0};
    constexpr To kMax = static_cast<To>(~kMin);
    if (std::isnan(value)) return To{0};
    // The bounds are powers of two, exact in either float type (u128 in f32 is
    // infinity, which no finite value reaches).
    const From bound = std::ldexp(From{1}, kDigits);
    if (value >= bound) return kMax;
    if (value <= (kSigned ? -bound : From{0})) return kMin;
    return static_cast<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

template <size_t kBytes>
struct BitsOf;
template <>
struct BitsOf<1> {
  using Type = uint8_t;
};
template <>
struct BitsOf<2> {
  using Type = uint16_t;
};
template <>
struct BitsOf<4> {
  using Type = uint32_t;
};
template <>
struct BitsOf<8> {
  using Type = uint64_t;
};
template <>
struct BitsOf<16> {
  using Type = unsigned __int128;
};

template <typename Bits>
Bits SwapBytes(Bits bits) {
  if constexpr (sizeof(Bits) == 2) return __builtin_bswap16(bits);
  if constexpr (sizeof(Bits) == 4) return __builtin_bswap32(bits);
  if constexpr (sizeof(Bits) == 8) return __builtin_bswap64(bits);
  return bits;  // one byte; a file has no scalars of 16
}

template <typename T>
typename BitsOf<sizeof(T)>::Type LoadBits(const char* bytes, bool swap) {
  typename BitsOf<sizeof(T)>::Type bits;
  std::memcpy(&bits, bytes, sizeof(bits));
  return swap ? SwapBytes(bits) : bits;
}

template <typename T>
T LoadScalar(const char* bytes, bool swap) {
  const auto bits = LoadBits<T>(bytes, swap);
  // Any byte but 0 is true here; as a bool object it would be undefined.
  if constexpr (std::is_same_v<T, bool>) return bits != 0;
  return std::bit_cast<T>(bits);
}

struct ScalarRun {
  const char* from;
  int64_t from_stride;
  char* to;
  int64_t to_stride;
  int64_t count;
};

template <typename T>
void CopyRun(const ScalarRun& run, bool swap) {
  for (int64_t k = 0; k < run.count; ++k) {
    const auto bits = LoadBits<T>(run.from + k * run.from_stride, swap);
    std::memcpy(run.to + k * run.to_stride, &bits, sizeof(bits));
  }
}

template <typename From, typename To>
void ConvertRun(const ScalarRun& run, bool swap) {
  for (int64_t k = 0; k < run.count; ++k) {
    const To value = ConvertScalar<To>(
        LoadScalar<From>(run.from + k * run.from_stride, swap));
    std::memcpy(run.to + k * run.to_stride, &value, sizeof(To));
  }
}

absl::Status TypeMismatch(const NpyType& from, const ValueType& to, bool cast) {
  return MakeError(
      absl::StatusCode::kInvalidArgument, "TYPE_MISMATCH",
      absl::StrCat("the file holds ", from.ToString(), ", the field ",
                   to.ToString(), cast ? "" : "; --cast converts numbers"));
}

}  // namespace

absl::Status RecordConverter::Match(const NpyType& from, int64_t from_offset,
                                    const ValueType& to, int64_t to_offset,
                                    bool cast) {
  const absl::Status mismatch = TypeMismatch(from, to, cast);
  if (to.is_scalar() && from.is_scalar()) {
    if (from.scalar != to.scalar && !cast) return mismatch;
    steps_.push_back(
        {from.scalar, to.scalar, from_offset, to_offset, from.big_endian});
    return absl::OkStatus();
  }
  if (to.is_scalar() && to.size_bytes == 16 && from.members.size() == 2) {
    for (const NpyMember& half : from.members) {
      if (!half.type.is_scalar() || half.type.scalar != Scalar::kU64) {
        return mismatch;
      }
      steps_.push_back({Scalar::kU64, Scalar::kU64,
                        from_offset + half.offset_bytes, to_offset,
                        half.type.big_endian});
      to_offset += ScalarSizeBytes(Scalar::kU64);
    }
    return absl::OkStatus();
  }
  if (from.members.size() != to.members.size()) return mismatch;
  for (size_t k = 0; k < to.members.size(); ++k) {
    const NpyMember& source = from.members[k];
    const ValueMember& member = to.members[k];
    const std::string name =
        member.name.empty() ? absl::StrCat("f", k) : member.name;
    if (source.name != name && !cast) return mismatch;
    if (!Match(source.type, from_offset + source.offset_bytes, member.type,
               to_offset + member.offset_bytes, cast)
             .ok()) {
      return mismatch;  // of the outermost types, which the user knows
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<RecordConverter> RecordConverter::Create(const NpyType& from,
                                                        const ValueType& to,
                                                        bool cast) {
  RecordConverter converter;
  converter.value_bytes_ = to.size_bytes;
  RETURN_IF_ERROR(converter.Match(from, 0, to, 0, cast));
  return converter;
}

absl::StatusOr<RecordConverter> RecordConverter::CreateFlat(
    const NpyType& from, int64_t component_stride, const ValueType& to,
    bool cast) {
  RecordConverter converter;
  converter.value_bytes_ = to.size_bytes;
  int64_t from_offset = 0;
  for (const ValueLeaf& leaf : LeavesOf(to)) {
    if (!converter
             .Match(from, from_offset, ValueType::OfScalar(leaf.scalar),
                    leaf.offset_bytes, cast)
             .ok()) {
      return TypeMismatch(from, to, cast);
    }
    from_offset += component_stride;
  }
  return converter;
}

bool RecordConverter::IsCopy(int64_t from_stride) const {
  int64_t copied_bytes = 0;
  for (const Step& step : steps_) {
    if (step.from != step.to || step.swap ||
        step.from_offset != step.to_offset) {
      return false;
    }
    copied_bytes += ScalarSizeBytes(step.to);
  }
  // With padding it is none: what a file has there must not travel.
  return from_stride == value_bytes_ && copied_bytes == value_bytes_;
}

void RecordConverter::Run(const char* from, int64_t from_stride, char* to,
                          int64_t to_stride, int64_t count) const {
  for (const Step& step : steps_) {
    const ScalarRun run = {from + step.from_offset, from_stride,
                           to + step.to_offset, to_stride, count};
    VisitScalar(step.from, [&](auto from_tag) {
      using From = decltype(from_tag);
      if (step.from == step.to) {
        CopyRun<From>(run, step.swap);
      } else {
        VisitScalar(step.to, [&](auto to_tag) {
          ConvertRun<From, decltype(to_tag)>(run, step.swap);
        });
      }
    });
  }
}

}  // namespace layoutd::client
