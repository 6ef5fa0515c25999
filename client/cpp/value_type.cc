#include "client/cpp/value_type.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "client/cpp/error.h"
#include "client/cpp/status_macros.h"

namespace layoutd::client {
namespace {

struct ScalarRow {
  const char* name;
  int64_t size_bytes;
};

// In the order of Scalar.
constexpr ScalarRow kScalars[] = {
    {"bool", 1},  {"i8", 1},  {"i16", 2}, {"i32", 4}, {"i64", 8},
    {"i128", 16}, {"u8", 1},  {"u16", 2}, {"u32", 4}, {"u64", 8},
    {"u128", 16}, {"f32", 4}, {"f64", 8}};

// The bounds of the service; deeper or wider text is not from it.
constexpr int kMaxDepth = 16;
constexpr size_t kMaxMembers = 1024;
constexpr int64_t kMaxSizeBytes = 64 << 10;

// Gives the members their offsets and the tuple its size, by the C ABI.
ValueType PlaceMembers(std::vector<ValueMember> members) {
  ValueType tuple;
  tuple.align_bytes = 1;
  int64_t end = 0;
  const auto round_up = [](int64_t offset, int64_t align) {
    return (offset + align - 1) / align * align;
  };
  for (ValueMember& member : members) {
    member.offset_bytes = round_up(end, member.type.align_bytes);
    end = member.offset_bytes + member.type.size_bytes;
    tuple.align_bytes = std::max(tuple.align_bytes, member.type.align_bytes);
  }
  tuple.size_bytes = round_up(end, tuple.align_bytes);
  tuple.members = std::move(members);
  return tuple;
}

class Parser {
 public:
  explicit Parser(absl::string_view text) : text_(text) {}

  absl::StatusOr<ValueType> ParseAll() {
    ASSIGN_OR_RETURN(ValueType type, ParseType(0));
    SkipSpace();
    if (position_ != text_.size()) return Fail("expected the end");
    return type;
  }

 private:
  absl::Status Fail(absl::string_view what) const {
    return MakeError(absl::StatusCode::kInvalidArgument, "BAD_TYPE",
                     absl::StrCat("value type \"", text_, "\", column ",
                                  position_ + 1, ": ", what));
  }

  void SkipSpace() {
    while (position_ < text_.size() && absl::ascii_isspace(Peek())) ++position_;
  }

  unsigned char Peek() const {
    return static_cast<unsigned char>(text_[position_]);
  }

  bool Take(char c) {
    SkipSpace();
    if (position_ == text_.size() || text_[position_] != c) return false;
    ++position_;
    return true;
  }

  absl::string_view TakeName() {
    SkipSpace();
    const size_t start = position_;
    while (position_ < text_.size() &&
           (absl::ascii_isalnum(Peek()) || Peek() == '_')) {
      ++position_;
    }
    return text_.substr(start, position_ - start);
  }

  absl::StatusOr<ValueType> ParseType(int depth) {
    if (depth > kMaxDepth) return Fail("nested too deep");
    if (Take('(')) return ParseMembers(')', depth);
    if (Take('{')) return ParseMembers('}', depth);
    const absl::string_view name = TakeName();
    for (size_t i = 0; i < std::size(kScalars); ++i) {
      if (name == kScalars[i].name) {
        return ValueType::OfScalar(static_cast<Scalar>(i));
      }
    }
    return Fail("expected a scalar type, \"(\" or \"{\"");
  }

  absl::StatusOr<ValueType> ParseMembers(char close, int depth) {
    std::vector<ValueMember> members;
    do {
      if (!members.empty() && Take(close)) return PlaceMembers(members);
      ValueMember member;
      if (close == '}') {
        member.name = std::string(TakeName());
        if (member.name.empty() || !Take(':')) {
          return Fail("expected NAME \":\"");
        }
      }
      ASSIGN_OR_RETURN(member.type, ParseType(depth + 1));
      members.push_back(std::move(member));
      if (members.size() > kMaxMembers) return Fail("too many members");
    } while (Take(','));
    if (!Take(close))
      return Fail(
          absl::StrCat("expected \",\" or \"", std::string(1, close), "\""));
    ValueType tuple = PlaceMembers(std::move(members));
    if (tuple.size_bytes > kMaxSizeBytes) return Fail("value too large");
    return tuple;
  }

  absl::string_view text_;
  size_t position_ = 0;
};

void CollectLeaves(const ValueType& type, int64_t offset_bytes,
                   std::vector<ValueLeaf>& leaves) {
  if (type.is_scalar()) leaves.push_back({type.scalar, offset_bytes});
  for (const ValueMember& member : type.members) {
    CollectLeaves(member.type, offset_bytes + member.offset_bytes, leaves);
  }
}

}  // namespace

absl::string_view ScalarName(Scalar scalar) {
  return kScalars[static_cast<size_t>(scalar)].name;
}

int64_t ScalarSizeBytes(Scalar scalar) {
  return kScalars[static_cast<size_t>(scalar)].size_bytes;
}

absl::StatusOr<ValueType> ValueType::Parse(absl::string_view text) {
  return Parser(text).ParseAll();
}

ValueType ValueType::OfScalar(Scalar scalar) {
  ValueType type;
  type.scalar = scalar;
  type.size_bytes = ScalarSizeBytes(scalar);
  type.align_bytes = type.size_bytes;
  return type;
}

bool ValueType::is_named() const {
  return !members.empty() && !members.front().name.empty();
}

std::string ValueType::ToString() const {
  if (is_scalar()) return std::string(ScalarName(scalar));
  std::string text = is_named() ? "{" : "(";
  const char* separator = "";
  for (const ValueMember& member : members) {
    absl::StrAppend(&text, separator, member.name,
                    member.name.empty() ? "" : ": ", member.type.ToString());
    separator = ", ";
  }
  // `(f64)` would be the scalar itself to a reader.
  if (!is_named() && members.size() == 1) text += ",";
  return text + (is_named() ? "}" : ")");
}

std::vector<ValueLeaf> LeavesOf(const ValueType& type) {
  std::vector<ValueLeaf> leaves;
  CollectLeaves(type, 0, leaves);
  return leaves;
}

bool IsHomogeneousTuple(const ValueType& type) {
  const std::vector<ValueLeaf> leaves = LeavesOf(type);
  return !type.is_scalar() &&
         std::all_of(leaves.begin(), leaves.end(), [&](const ValueLeaf& leaf) {
           return leaf.scalar == leaves.front().scalar;
         });
}

}  // namespace layoutd::client
