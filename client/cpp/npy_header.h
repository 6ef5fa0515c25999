#ifndef LAYOUTD_CLIENT_CPP_NPY_HEADER_H_
#define LAYOUTD_CLIENT_CPP_NPY_HEADER_H_

// The header of a .npy file: the element type, the memory order and the shape
// of one array. Read for format versions 1, 2 and 3, any byte order, packed and
// padded structured types; written little-endian in Fortran order.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "client/cpp/value_type.h"

namespace layoutd::client {

struct NpyMember;

// An element type as a file has it: like ValueType, but the offsets are the
// file's own and a scalar has a byte order. A subarray is a plain tuple.
struct NpyType {
  bool is_scalar() const { return members.empty(); }
  // In the form of value types, for messages.
  std::string ToString() const;

  Scalar scalar = Scalar::kF64;  // of a scalar
  bool big_endian = false;       // of a scalar
  std::vector<NpyMember> members;
  int64_t size_bytes = 8;
};

struct NpyMember {
  std::string name;
  NpyType type;
  int64_t offset_bytes;
};

struct NpyHeader {
  NpyType type;
  bool fortran_order = false;
  std::vector<int64_t> shape;
};

// The bytes before the header text: magic, version, length of the text.
struct NpyPreamble {
  int64_t preamble_bytes;
  int64_t header_bytes;
};

// Bytes of a file that ParseNpyPreamble needs to see; a file always has them.
inline constexpr int64_t kNpyPreambleBytes = 12;

// Errors: InvalidArgument (BAD_NPY) — other magic, unknown version, a header
// of more than 1 MiB.
absl::StatusOr<NpyPreamble> ParseNpyPreamble(absl::string_view bytes);

// Returns InvalidArgument (BAD_NPY), of any part of a file.
absl::Status BadNpy(absl::string_view message);

// Parses the header text, a Python dict.
// Errors: InvalidArgument (BAD_NPY) — names what is wrong: the dtype, the
// shape, a missing key; more than 1024 scalars or 64 KiB an element.
absl::StatusOr<NpyHeader> ParseNpyHeader(absl::string_view text);

// Returns preamble and header of a file of `type` values in Fortran order.
std::string FormatNpyHeader(const ValueType& type,
                            absl::Span<const int64_t> shape);

// "(20, 4, 4, 4050)", "(5,)", "()".
std::string ShapeText(absl::Span<const int64_t> shape);

}  // namespace layoutd::client

#endif  // LAYOUTD_CLIENT_CPP_NPY_HEADER_H_
