#ifndef LAYOUTD_ENGINE_LAYOUT_VALUE_TYPE_H_
#define LAYOUTD_ENGINE_LAYOUT_VALUE_TYPE_H_

// The type of the value at one point of a field: a scalar, a tuple or a named
// tuple, nested freely. In memory a value has the C ABI layout of x86-64
// (members in order, each at the next multiple of its alignment, the size
// rounded up to the largest alignment). A regular, immutable value type.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "engine/base/scalar_type.h"

namespace layoutd {

// Limits of a type; what is past them is refused.
inline constexpr int kMaxTypeDepth = 16;          // tuples inside tuples
inline constexpr int kMaxTypeLeaves = 1024;       // scalars
inline constexpr int64_t kMaxTypeBytes = 65536;   // of one value
inline constexpr size_t kMaxMemberNameSize = 63;  // characters

// One scalar inside a value, in depth-first order.
struct Leaf {
  ScalarType type;
  int64_t offset_bytes;  // from the start of the value
  std::string path;      // "u.0"; empty when the value itself is the scalar
};

class ValueType {
 public:
  ValueType(ScalarType scalar);  // NOLINT(google-explicit-constructor)

  // Returns the tuple type of `members`.
  // Errors: InvalidArgument (BAD_TYPE) — no members, or nested deeper than 16,
  // or more than 1024 leaves, or larger than 64 KiB.
  static absl::StatusOr<ValueType> Tuple(std::vector<ValueType> members);

  // Returns the named tuple type; `names` are as many as `members`.
  // Errors: as Tuple; InvalidArgument (BAD_TYPE) — a name that is no NAME
  // ([A-Za-z_][A-Za-z0-9_]*, up to 63 characters) or stands twice.
  static absl::StatusOr<ValueType> NamedTuple(std::vector<std::string> names,
                                              std::vector<ValueType> members);

  // Parses the text form: `f64`, `(i64, f64)`, `(f64,)`,
  // `{rho: f64, u: (f64, f64, f64)}`; white space is free. A tuple of one needs
  // its comma. Work is bounded by the limits above, whatever the text.
  // Errors: InvalidArgument (BAD_TYPE) — names the column, counted from 1.
  static absl::StatusOr<ValueType> Parse(absl::string_view text);

  // Returns the text form that Parse reads: `(i64, f64)`, `(f64,)`,
  // `{rho: f64, u: (f64, f64)}`.
  std::string ToString() const;

  bool is_scalar() const;
  ScalarType scalar() const;  // requires is_scalar()
  bool is_named() const;      // a named tuple
  int num_members() const;    // 0 for a scalar
  const ValueType& member(int index) const;
  absl::string_view member_name(int index) const;  // "" in a plain tuple
  int64_t member_offset_bytes(int index) const;
  // Returns the member that `segment` (a name, or digits in a plain tuple)
  // selects. Named tuples are selected by name only.
  std::optional<int> FindMember(absl::string_view segment) const;

  int64_t size_bytes() const;
  int64_t align_bytes() const;
  const std::vector<Leaf>& leaves() const;
  int num_leaves() const { return static_cast<int>(leaves().size()); }

  friend bool operator==(const ValueType& a, const ValueType& b);

 private:
  struct Node;
  explicit ValueType(std::shared_ptr<const Node> node);
  static absl::StatusOr<ValueType> Make(std::vector<std::string> names,
                                        std::vector<ValueType> members);

  // Shared because types are copied freely and never change.
  std::shared_ptr<const Node> node_;
};

// A component of a value: what a path such as "u.2" selects.
struct Component {
  ValueType type;
  int64_t offset_bytes;  // from the start of the value
  int first_leaf;        // its leaves are [first_leaf, first_leaf + num_leaves)
};

// Returns the component at `path` (segments joined by "."; empty: the value).
// Errors: NotFound (UNKNOWN_COMPONENT) — names the segment and what there is.
absl::StatusOr<Component> FindComponent(const ValueType& type,
                                        absl::string_view path);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_LAYOUT_VALUE_TYPE_H_
