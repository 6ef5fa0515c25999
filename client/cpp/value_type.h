#ifndef LAYOUTD_CLIENT_CPP_VALUE_TYPE_H_
#define LAYOUTD_CLIENT_CPP_VALUE_TYPE_H_

// The type of a field's value, read from its text form (`f64`, `(i64, f64)`,
// `{rho: f64, u: (f64, f64)}`), with the C ABI offsets of x86-64 that values
// have in streams and answers. Plain data.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace layoutd::client {

enum class Scalar {
  kBool,
  kI8,
  kI16,
  kI32,
  kI64,
  kI128,
  kU8,
  kU16,
  kU32,
  kU64,
  kU128,
  kF32,
  kF64,
};

// "f64", and its size, which is its alignment too.
absl::string_view ScalarName(Scalar scalar);
int64_t ScalarSizeBytes(Scalar scalar);

// Calls `visit` with a value of the C++ type of `scalar`.
template <typename Visitor>
auto VisitScalar(Scalar scalar, Visitor&& visit) {
  switch (scalar) {
    case Scalar::kBool:
      return visit(bool{});
    case Scalar::kI8:
      return visit(int8_t{});
    case Scalar::kI16:
      return visit(int16_t{});
    case Scalar::kI32:
      return visit(int32_t{});
    case Scalar::kI64:
      return visit(int64_t{});
    case Scalar::kI128:
      return visit(static_cast<__int128>(0));
    case Scalar::kU8:
      return visit(uint8_t{});
    case Scalar::kU16:
      return visit(uint16_t{});
    case Scalar::kU32:
      return visit(uint32_t{});
    case Scalar::kU64:
      return visit(uint64_t{});
    case Scalar::kU128:
      return visit(static_cast<unsigned __int128>(0));
    case Scalar::kF32:
      return visit(float{});
    case Scalar::kF64:
      return visit(double{});
  }
  __builtin_unreachable();
}

struct ValueMember;

struct ValueType {
  // Parses the text form; white space is free.
  // Errors: InvalidArgument (BAD_TYPE) — names the text and the column.
  static absl::StatusOr<ValueType> Parse(absl::string_view text);
  static ValueType OfScalar(Scalar scalar);

  bool is_scalar() const { return members.empty(); }
  // Whether the members have names; a plain tuple's have none.
  bool is_named() const;
  // The text form that Parse reads.
  std::string ToString() const;

  Scalar scalar = Scalar::kF64;      // of a scalar
  std::vector<ValueMember> members;  // of a tuple
  int64_t size_bytes = 8;
  int64_t align_bytes = 8;
};

struct ValueMember {
  std::string name;  // empty in a plain tuple
  ValueType type;
  int64_t offset_bytes;  // from the start of the tuple
};

// One scalar inside a value, in depth-first order.
struct ValueLeaf {
  Scalar scalar;
  int64_t offset_bytes;  // from the start of the value
};

std::vector<ValueLeaf> LeavesOf(const ValueType& type);

// Whether `type` is a tuple whose scalars all have one type.
bool IsHomogeneousTuple(const ValueType& type);

}  // namespace layoutd::client

#endif  // LAYOUTD_CLIENT_CPP_VALUE_TYPE_H_
