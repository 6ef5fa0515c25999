#include "engine/layout/value_type.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/base/error.h"
#include "engine/base/status_macros.h"

namespace layoutd {

struct ValueType::Node {
  std::optional<ScalarType> scalar;
  std::vector<std::string> names;  // as many as members, or none
  std::vector<ValueType> members;
  std::vector<int64_t> offsets_bytes;  // of the members
  std::vector<Leaf> leaves;
  int64_t size_bytes = 0;
  int64_t align_bytes = 1;
  int depth = 0;  // 0 for a scalar
};

namespace {

Error BadType(absl::string_view message) {
  return InvalidArgument("BAD_TYPE", message);
}

// Untrusted text as part of a message: bounded, printable, valid UTF-8.
std::string Quoted(absl::string_view text) {
  const bool cut = text.size() > kMaxMemberNameSize + 1;
  return absl::StrCat("\"",
                      absl::CHexEscape(text.substr(0, kMaxMemberNameSize + 1)),
                      cut ? "...\"" : "\"");
}

bool IsNameStart(char c) {
  return absl::ascii_isalpha(static_cast<unsigned char>(c)) || c == '_';
}
bool IsNamePart(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_';
}

bool IsName(absl::string_view text) {
  return !text.empty() && text.size() <= kMaxMemberNameSize &&
         IsNameStart(text[0]) &&
         std::all_of(text.begin(), text.end(), IsNamePart);
}

absl::Status CheckNames(const std::vector<std::string>& names) {
  std::vector<absl::string_view> sorted(names.begin(), names.end());
  for (absl::string_view name : sorted) {
    if (!IsName(name)) {
      return BadType(absl::StrCat("member name ", Quoted(name),
                                  " is not a letter or _ followed by letters, "
                                  "digits and _, at most ",
                                  kMaxMemberNameSize, " characters"));
    }
  }
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) {
    return BadType(absl::StrCat("member name ", Quoted(*twice),
                                " stands twice in a named tuple"));
  }
  return absl::OkStatus();
}

constexpr int64_t RoundUp(int64_t value, int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// Recursive descent over the text form. The depth of recursion and the number
// of leaves are bounded while reading, before anything is built of them.
class TypeParser {
 public:
  explicit TypeParser(absl::string_view text) : text_(text) {}

  absl::StatusOr<ValueType> ParseWhole() {
    ASSIGN_OR_RETURN(ValueType type, ParseType(0));
    SkipSpace();
    if (position_ < text_.size()) {
      return Expected("the end of the type");
    }
    return type;
  }

 private:
  absl::StatusOr<ValueType> ParseType(int depth) {
    SkipSpace();
    const size_t start = position_;
    if (Accept('(')) return ParseMembers(start, depth + 1, /*named=*/false);
    if (Accept('{')) return ParseMembers(start, depth + 1, /*named=*/true);

    const absl::string_view name = ReadWord();
    if (name.empty()) return Expected("a type");
    const std::optional<ScalarType> scalar = ParseScalarType(name);
    if (!scalar) {
      std::array<absl::string_view, kNumScalarTypes> known;
      for (int i = 0; i < kNumScalarTypes; ++i) {
        known[static_cast<size_t>(i)] = Name(static_cast<ScalarType>(i));
      }
      return At(start, absl::StrCat("unknown type ", Quoted(name),
                                    "; known are ", absl::StrJoin(known, ", "),
                                    ", (T, ...) and {name: T, ...}"));
    }
    if (++num_leaves_ > kMaxTypeLeaves) {
      return At(start, absl::StrCat("type has more than ", kMaxTypeLeaves,
                                    " scalars"));
    }
    return ValueType(*scalar);
  }

  // Reads what follows the bracket at `start`, the closing one included.
  absl::StatusOr<ValueType> ParseMembers(size_t start, int depth, bool named) {
    if (depth > kMaxTypeDepth) {
      return At(start, absl::StrCat("type is nested deeper than ",
                                    kMaxTypeDepth, " tuples"));
    }
    const char close = named ? '}' : ')';
    std::vector<std::string> names;
    std::vector<ValueType> members;
    bool comma_last = false;
    SkipSpace();
    if (Accept(close)) return At(start, "a tuple needs at least one member");
    for (;;) {
      if (named) {
        SkipSpace();
        const absl::string_view name = ReadWord();
        if (name.empty()) return Expected("a member name");
        names.emplace_back(name);
        SkipSpace();
        if (!Accept(':')) return Expected("':' after the member name");
      }
      ASSIGN_OR_RETURN(ValueType member, ParseType(depth));
      members.push_back(std::move(member));
      SkipSpace();
      comma_last = Accept(',');
      SkipSpace();
      if (Accept(close)) break;
      if (!comma_last) {
        return Expected(named ? "',' or '}' in the named tuple"
                              : "',' or ')' in the tuple");
      }
    }
    if (!named && members.size() == 1 && !comma_last) {
      return At(start, absl::StrCat("a tuple of one is written with a comma: (",
                                    members[0].ToString(), ",)"));
    }
    absl::StatusOr<ValueType> type =
        named ? ValueType::NamedTuple(std::move(names), std::move(members))
              : ValueType::Tuple(std::move(members));
    if (!type.ok()) return At(start, type.status().message());
    return type;
  }

  void SkipSpace() {
    while (position_ < text_.size() &&
           absl::ascii_isspace(static_cast<unsigned char>(text_[position_]))) {
      ++position_;
    }
  }

  bool Accept(char c) {
    if (position_ >= text_.size() || text_[position_] != c) return false;
    ++position_;
    return true;
  }

  absl::string_view ReadWord() {
    const size_t start = position_;
    if (position_ < text_.size() && IsNameStart(text_[position_])) {
      while (position_ < text_.size() && IsNamePart(text_[position_])) {
        ++position_;
      }
    }
    return text_.substr(start, position_ - start);
  }

  Error Expected(absl::string_view what) const {
    const std::string found = position_ < text_.size()
                                  ? Quoted(text_.substr(position_, 1))
                                  : "the end of the text";
    return At(position_, absl::StrCat("expected ", what, ", found ", found));
  }

  static Error At(size_t position, absl::string_view message) {
    const std::string column = absl::StrCat(position + 1);
    return BadType(absl::StrCat("value type, column ", column, ": ", message))
        .With("column", column);
  }

  const absl::string_view text_;
  size_t position_ = 0;
  int num_leaves_ = 0;
};

}  // namespace

ValueType::ValueType(ScalarType scalar) {
  // One node per scalar type, made once and kept: scalars are copied most.
  static const auto* const kNodes = [] {
    auto* nodes =
        new std::array<std::shared_ptr<const Node>, kNumScalarTypes>();
    for (int i = 0; i < kNumScalarTypes; ++i) {
      auto node = std::make_shared<Node>();
      node->scalar = static_cast<ScalarType>(i);
      node->size_bytes = node->align_bytes = SizeBytes(*node->scalar);
      node->leaves.push_back({*node->scalar, 0, ""});
      (*nodes)[static_cast<size_t>(i)] = std::move(node);
    }
    return nodes;
  }();
  node_ = (*kNodes)[static_cast<size_t>(scalar)];
}

ValueType::ValueType(std::shared_ptr<const Node> node)
    : node_(std::move(node)) {}

absl::StatusOr<ValueType> ValueType::Tuple(std::vector<ValueType> members) {
  return Make({}, std::move(members));
}

absl::StatusOr<ValueType> ValueType::NamedTuple(
    std::vector<std::string> names, std::vector<ValueType> members) {
  if (names.size() != members.size()) {
    return BadType(absl::StrCat("named tuple has ", names.size(), " names for ",
                                members.size(), " members"));
  }
  RETURN_IF_ERROR(CheckNames(names));
  return Make(std::move(names), std::move(members));
}

absl::StatusOr<ValueType> ValueType::Make(std::vector<std::string> names,
                                          std::vector<ValueType> members) {
  if (members.empty()) return BadType("a tuple needs at least one member");
  auto node = std::make_shared<Node>();
  for (size_t m = 0; m < members.size(); ++m) {
    const Node& member = *members[m].node_;
    node->depth = std::max(node->depth, member.depth + 1);
    if (node->depth > kMaxTypeDepth) {
      return BadType(absl::StrCat("type is nested deeper than ", kMaxTypeDepth,
                                  " tuples"));
    }
    if (node->leaves.size() + member.leaves.size() > kMaxTypeLeaves) {
      return BadType(
          absl::StrCat("type has more than ", kMaxTypeLeaves, " scalars"));
    }
    const int64_t offset = RoundUp(node->size_bytes, member.align_bytes);
    const std::string segment = names.empty() ? absl::StrCat(m) : names[m];
    for (const Leaf& leaf : member.leaves) {
      node->leaves.push_back({leaf.type, offset + leaf.offset_bytes,
                              leaf.path.empty()
                                  ? segment
                                  : absl::StrCat(segment, ".", leaf.path)});
    }
    node->offsets_bytes.push_back(offset);
    node->size_bytes = offset + member.size_bytes;
    node->align_bytes = std::max(node->align_bytes, member.align_bytes);
  }
  node->size_bytes = RoundUp(node->size_bytes, node->align_bytes);
  if (node->size_bytes > kMaxTypeBytes) {
    return BadType(absl::StrCat("type of ", node->size_bytes,
                                " bytes is larger than ", kMaxTypeBytes));
  }
  node->names = std::move(names);
  node->members = std::move(members);
  return ValueType(std::shared_ptr<const Node>(std::move(node)));
}

absl::StatusOr<ValueType> ValueType::Parse(absl::string_view text) {
  return TypeParser(text).ParseWhole();
}

std::string ValueType::ToString() const {
  if (is_scalar()) return std::string(Name(scalar()));
  std::string text = is_named() ? "{" : "(";
  for (int m = 0; m < num_members(); ++m) {
    if (m > 0) absl::StrAppend(&text, ", ");
    if (is_named()) absl::StrAppend(&text, member_name(m), ": ");
    absl::StrAppend(&text, member(m).ToString());
  }
  if (is_named()) return text + "}";
  return text + (num_members() == 1 ? ",)" : ")");
}

bool ValueType::is_scalar() const { return node_->scalar.has_value(); }

ScalarType ValueType::scalar() const {
  LAYOUTD_DCHECK(is_scalar());
  return *node_->scalar;
}

bool ValueType::is_named() const { return !node_->names.empty(); }

int ValueType::num_members() const {
  return static_cast<int>(node_->members.size());
}

const ValueType& ValueType::member(int index) const {
  LAYOUTD_DCHECK(0 <= index && index < num_members());
  return node_->members[static_cast<size_t>(index)];
}

absl::string_view ValueType::member_name(int index) const {
  LAYOUTD_DCHECK(0 <= index && index < num_members());
  if (!is_named()) return "";
  return node_->names[static_cast<size_t>(index)];
}

int64_t ValueType::member_offset_bytes(int index) const {
  LAYOUTD_DCHECK(0 <= index && index < num_members());
  return node_->offsets_bytes[static_cast<size_t>(index)];
}

std::optional<int> ValueType::FindMember(absl::string_view segment) const {
  if (is_named()) {
    const auto& names = node_->names;
    const auto found = std::find(names.begin(), names.end(), segment);
    if (found == names.end()) return std::nullopt;
    return static_cast<int>(found - names.begin());
  }
  // Each member has one spelling: no sign, no space, no leading zero.
  int index = 0;
  if (!absl::SimpleAtoi(segment, &index) || index < 0 ||
      index >= num_members() || absl::StrCat(index) != segment) {
    return std::nullopt;
  }
  return index;
}

int64_t ValueType::size_bytes() const { return node_->size_bytes; }
int64_t ValueType::align_bytes() const { return node_->align_bytes; }
const std::vector<Leaf>& ValueType::leaves() const { return node_->leaves; }

bool operator==(const ValueType& a, const ValueType& b) {
  return a.node_ == b.node_ || (a.node_->scalar == b.node_->scalar &&
                                a.node_->names == b.node_->names &&
                                a.node_->members == b.node_->members);
}

namespace {

// What a path segment could have been: "rho, u, ..." or "0 to 2".
std::string MemberList(const ValueType& type) {
  constexpr int kMaxListed = 16;
  if (!type.is_named()) return absl::StrCat("0 to ", type.num_members() - 1);
  std::string list;
  for (int m = 0; m < type.num_members() && m < kMaxListed; ++m) {
    absl::StrAppend(&list, m > 0 ? ", " : "", type.member_name(m));
  }
  if (type.num_members() > kMaxListed) absl::StrAppend(&list, ", ...");
  return list;
}

}  // namespace

absl::StatusOr<Component> FindComponent(const ValueType& type,
                                        absl::string_view path) {
  Component component{type, 0, 0};
  bool more = !path.empty();
  while (more) {
    const size_t dot = path.find('.');
    const absl::string_view segment = path.substr(0, dot);
    more = dot != absl::string_view::npos;
    if (more) path.remove_prefix(dot + 1);

    const ValueType outer = component.type;
    if (outer.is_scalar()) {
      return NotFound("UNKNOWN_COMPONENT",
                      absl::StrCat("no component ", Quoted(segment), ": ",
                                   outer.ToString(), " is a scalar"));
    }
    const std::optional<int> index = outer.FindMember(segment);
    if (!index) {
      return NotFound("UNKNOWN_COMPONENT",
                      absl::StrCat("no component ", Quoted(segment),
                                   "; there are ", MemberList(outer)));
    }
    for (int m = 0; m < *index; ++m) {
      component.first_leaf += outer.member(m).num_leaves();
    }
    component.offset_bytes += outer.member_offset_bytes(*index);
    component.type = outer.member(*index);
  }
  return component;
}

}  // namespace layoutd
