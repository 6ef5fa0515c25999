#include "client/cpp/npy_header.h"

#include <optional>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "client/cpp/error.h"
#include "client/cpp/python_literal.h"
#include "client/cpp/status_macros.h"

namespace layoutd::client {
namespace {

using Kind = PythonLiteral::Kind;

constexpr absl::string_view kMagic = "\x93NUMPY";
constexpr int64_t kMaxHeaderBytes = int64_t{1} << 20;
constexpr int64_t kMaxElementBytes = 64 << 10;
constexpr int64_t kMaxElementScalars = 1024;
// NumPy aligns the data to it, so that files can be mapped.
constexpr size_t kAlignBytes = 64;

struct DtypeRow {
  absl::string_view code;  // without the byte order
  Scalar scalar;
};

constexpr DtypeRow kDtypes[] = {
    {"b1", Scalar::kBool}, {"?", Scalar::kBool}, {"i1", Scalar::kI8},
    {"i2", Scalar::kI16},  {"i4", Scalar::kI32}, {"i8", Scalar::kI64},
    {"u1", Scalar::kU8},   {"u2", Scalar::kU16}, {"u4", Scalar::kU32},
    {"u8", Scalar::kU64},  {"f4", Scalar::kF32}, {"f8", Scalar::kF64}};

// Reads the tree of a descr. Counts scalars over the whole tree, so nesting
// subarrays cannot blow up.
class DescrReader {
 public:
  absl::StatusOr<NpyType> Read(const PythonLiteral& descr) {
    if (descr.kind == Kind::kString) return ReadScalar(descr.string);
    if (descr.kind == Kind::kList) return ReadStruct(descr.items);
    return BadNpy("dtype must be a string or a list of members");
  }

 private:
  absl::StatusOr<NpyType> ReadScalar(absl::string_view text) {
    absl::string_view code = text;
    NpyType type;
    if (absl::ConsumePrefix(&code, ">")) {
      type.big_endian = true;
    } else if (!code.empty() && absl::string_view("<=|").find(code[0]) !=
                                    absl::string_view::npos) {
      code.remove_prefix(1);
    }
    for (const DtypeRow& row : kDtypes) {
      if (row.code != code) continue;
      if (++num_scalars_ > kMaxElementScalars) return TooLarge();
      type.scalar = row.scalar;
      type.size_bytes = ScalarSizeBytes(row.scalar);
      return type;
    }
    return BadNpy(absl::StrCat("dtype \"", text,
                               "\" is no number a field can hold (b1, i1 to "
                               "i8, u1 to u8, f4, f8)"));
  }

  // A list of (name, descr) or (name, descr, shape).
  absl::StatusOr<NpyType> ReadStruct(const std::vector<PythonLiteral>& items) {
    NpyType type;
    type.size_bytes = 0;
    for (const PythonLiteral& item : items) {
      if (item.kind != Kind::kTuple || item.items.size() < 2 ||
          item.items.size() > 3) {
        return BadNpy("a member of a dtype must be (name, dtype)");
      }
      if (std::optional<int64_t> padding = PaddingBytes(item)) {
        type.size_bytes += *padding;
      } else {
        NpyMember member;
        ASSIGN_OR_RETURN(member.name, ReadName(item.items[0]));
        ASSIGN_OR_RETURN(member.type, ReadMemberType(item.items));
        member.offset_bytes = type.size_bytes;
        type.size_bytes += member.type.size_bytes;
        type.members.push_back(std::move(member));
      }
      if (type.size_bytes > kMaxElementBytes) return TooLarge();
    }
    if (type.members.empty()) return BadNpy("dtype has no members");
    return type;
  }

  // NumPy writes padding as an unnamed void member: ('', '|V4').
  static std::optional<int64_t> PaddingBytes(const PythonLiteral& item) {
    absl::string_view code = item.items[1].string;
    int64_t bytes = 0;
    if (item.items[0].kind != Kind::kString || !item.items[0].string.empty() ||
        !absl::ConsumePrefix(&code, "|V") || !absl::SimpleAtoi(code, &bytes) ||
        bytes < 0 || bytes > kMaxElementBytes) {
      return std::nullopt;
    }
    return bytes;
  }

  // A name, or (title, name).
  static absl::StatusOr<std::string> ReadName(const PythonLiteral& name) {
    if (name.kind == Kind::kString) return name.string;
    if (name.kind == Kind::kTuple && name.items.size() == 2 &&
        name.items[1].kind == Kind::kString) {
      return name.items[1].string;
    }
    return BadNpy("the name of a dtype's member must be a string");
  }

  // `item` is name, descr and perhaps the shape of a subarray.
  absl::StatusOr<NpyType> ReadMemberType(
      const std::vector<PythonLiteral>& item) {
    const int64_t num_scalars_before = num_scalars_;
    ASSIGN_OR_RETURN(NpyType element, Read(item[1]));
    if (item.size() == 2) return element;
    std::vector<PythonLiteral> extents = {item[2]};
    if (item[2].kind == Kind::kTuple) extents = item[2].items;
    int64_t count = 1;
    for (const PythonLiteral& extent : extents) {
      if (extent.kind != Kind::kInteger || extent.integer < 1) {
        return BadNpy("the shape of a dtype's member must be positive");
      }
      if (extent.integer > kMaxElementScalars / count) return TooLarge();
      count *= extent.integer;
    }
    num_scalars_ += (num_scalars_ - num_scalars_before) * (count - 1);
    if (num_scalars_ > kMaxElementScalars) return TooLarge();
    if (extents.empty()) return element;
    NpyType type;
    type.size_bytes = count * element.size_bytes;
    for (int64_t k = 0; k < count; ++k) {
      type.members.push_back(
          {absl::StrCat("f", k), element, k * element.size_bytes});
    }
    return type;
  }

  static absl::Status TooLarge() {
    return BadNpy(absl::StrCat("dtype has more than ", kMaxElementScalars,
                               " scalars or ", kMaxElementBytes, " bytes"));
  }

  int64_t num_scalars_ = 0;
};

absl::StatusOr<std::vector<int64_t>> ReadShape(const PythonLiteral& literal) {
  if (literal.kind != Kind::kTuple) return BadNpy("shape must be a tuple");
  std::vector<int64_t> shape;
  for (const PythonLiteral& extent : literal.items) {
    if (extent.kind != Kind::kInteger || extent.integer < 0) {
      return BadNpy("shape must hold integers of at least 0");
    }
    shape.push_back(extent.integer);
  }
  return shape;
}

std::string FormatDescr(const ValueType& type);

// The entries of a struct's members, padding between them and at the end.
std::string FormatMembers(const ValueType& type) {
  std::vector<std::string> entries;
  int64_t end = 0;
  const auto pad_to = [&entries, &end](int64_t offset) {
    if (offset > end) {
      entries.push_back(absl::StrCat("('', '|V", offset - end, "')"));
    }
  };
  for (size_t k = 0; k < type.members.size(); ++k) {
    const ValueMember& member = type.members[k];
    pad_to(member.offset_bytes);
    entries.push_back(absl::StrCat(
        "('", member.name.empty() ? absl::StrCat("f", k) : member.name, "', ",
        FormatDescr(member.type), ")"));
    end = member.offset_bytes + member.type.size_bytes;
  }
  pad_to(type.size_bytes);
  return absl::StrCat("[", absl::StrJoin(entries, ", "), "]");
}

std::string FormatDescr(const ValueType& type) {
  if (!type.is_scalar()) return FormatMembers(type);
  // NumPy has no 128-bit integers.
  if (type.size_bytes == 16) return "[('lo', '<u8'), ('hi', '<u8')]";
  for (const DtypeRow& row : kDtypes) {
    if (row.scalar == type.scalar) {
      return absl::StrCat("'", type.size_bytes == 1 ? "|" : "<", row.code, "'");
    }
  }
  __builtin_unreachable();
}

}  // namespace

absl::Status BadNpy(absl::string_view message) {
  return MakeError(absl::StatusCode::kInvalidArgument, "BAD_NPY", message);
}

std::string NpyType::ToString() const {
  if (is_scalar()) return std::string(ScalarName(scalar));
  std::vector<std::string> entries;
  for (const NpyMember& member : members) {
    entries.push_back(absl::StrCat(member.name, ": ", member.type.ToString()));
  }
  return absl::StrCat("{", absl::StrJoin(entries, ", "), "}");
}

absl::StatusOr<NpyPreamble> ParseNpyPreamble(absl::string_view bytes) {
  if (bytes.size() < kNpyPreambleBytes ||
      !absl::ConsumePrefix(&bytes, kMagic)) {
    return BadNpy("not a .npy file");
  }
  const int major = static_cast<unsigned char>(bytes[0]);
  const int minor = static_cast<unsigned char>(bytes[1]);
  if (major < 1 || major > 3 || minor != 0) {
    return BadNpy(absl::StrCat(".npy format ", major, ".", minor,
                               " is not known (1.0, 2.0, 3.0 are)"));
  }
  const int length_bytes = major == 1 ? 2 : 4;
  int64_t header_bytes = 0;
  for (int k = 0; k < length_bytes; ++k) {
    header_bytes |=
        int64_t{static_cast<unsigned char>(bytes[static_cast<size_t>(2 + k)])}
        << (8 * k);
  }
  if (header_bytes > kMaxHeaderBytes) {
    return BadNpy(absl::StrCat("header of ", header_bytes, " bytes"));
  }
  return NpyPreamble{static_cast<int64_t>(kMagic.size()) + 2 + length_bytes,
                     header_bytes};
}

absl::StatusOr<NpyHeader> ParseNpyHeader(absl::string_view text) {
  ASSIGN_OR_RETURN(const PythonLiteral dict, ParsePythonLiteral(text));
  if (dict.kind != Kind::kDict) return BadNpy("header is no dict");
  NpyHeader header;
  bool has_descr = false, has_order = false, has_shape = false;
  for (size_t k = 0; k + 1 < dict.items.size(); k += 2) {
    const std::string& key = dict.items[k].string;
    const PythonLiteral& value = dict.items[k + 1];
    if (key == "descr") {
      ASSIGN_OR_RETURN(header.type, DescrReader().Read(value));
      has_descr = true;
    } else if (key == "fortran_order" && value.kind == Kind::kBool) {
      header.fortran_order = value.boolean;
      has_order = true;
    } else if (key == "shape") {
      ASSIGN_OR_RETURN(header.shape, ReadShape(value));
      has_shape = true;
    } else {
      return BadNpy(absl::StrCat("header has the unknown entry \"", key, "\""));
    }
  }
  if (!has_descr || !has_order || !has_shape) {
    return BadNpy("header needs descr, fortran_order and shape");
  }
  return header;
}

std::string FormatNpyHeader(const ValueType& type,
                            absl::Span<const int64_t> shape) {
  std::string text = absl::StrCat(
      "{'descr': ", FormatDescr(type),
      ", 'fortran_order': True, 'shape': ", ShapeText(shape), ", }");
  // Format 1 has 2 bytes for the length of the text, 2 has 4.
  const bool is_long = text.size() + 2 * kAlignBytes > 0xffff;
  const size_t preamble_bytes = kMagic.size() + 2 + (is_long ? 4 : 2);
  const size_t unpadded = preamble_bytes + text.size() + 1;
  text.append((kAlignBytes - unpadded % kAlignBytes) % kAlignBytes, ' ');
  text += '\n';
  std::string file(kMagic);
  file += is_long ? '\x02' : '\x01';
  file += '\0';
  for (size_t k = 0; k < (is_long ? 4 : 2); ++k) {
    file += static_cast<char>(text.size() >> (8 * k) & 0xff);
  }
  return file + text;
}

std::string ShapeText(absl::Span<const int64_t> shape) {
  return absl::StrCat("(", absl::StrJoin(shape, ", "),
                      shape.size() == 1 ? ",)" : ")");
}

}  // namespace layoutd::client
