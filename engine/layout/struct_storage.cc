#include "engine/layout/struct_storage.h"

#include <numeric>
#include <string>

#include "absl/strings/str_cat.h"
#include "engine/base/error.h"
#include "engine/base/status_macros.h"

namespace layoutd {
namespace {

// Returns the first member of `type` that is no whole number of slots, or -1.
int FirstInvalidMember(ScalarType base, const ValueType& type) {
  for (int m = 0; m < type.num_members(); ++m) {
    if (!IsValidBaseType(base, type.member(m))) return m;
  }
  return -1;
}

}  // namespace

ScalarType DefaultBaseType(const ValueType& type) {
  if (type.is_scalar()) return type.scalar();
  int64_t common_bytes = 0;
  for (const Leaf& leaf : type.leaves()) {
    common_bytes = std::gcd(common_bytes, SizeBytes(leaf.type));
  }
  // Sizes are powers of two, so some leaf has the common size.
  ScalarType base = ScalarType::kU8;
  for (const Leaf& leaf : type.leaves()) {
    if (SizeBytes(leaf.type) == common_bytes) base = leaf.type;
  }
  return base == ScalarType::kBool ? ScalarType::kU8 : base;
}

bool IsValidBaseType(ScalarType base, const ValueType& type) {
  return type.size_bytes() % SizeBytes(base) == 0;
}

absl::Status CheckBaseType(ScalarType base, const ValueType& type) {
  if (IsValidBaseType(base, type)) return absl::OkStatus();
  ValueType offender = type;
  std::string path;
  for (int m = FirstInvalidMember(base, offender); m >= 0;
       m = FirstInvalidMember(base, offender)) {
    const std::string segment = offender.is_named()
                                    ? std::string(offender.member_name(m))
                                    : absl::StrCat(m);
    absl::StrAppend(&path, path.empty() ? "" : ".", segment);
    offender = ValueType(offender.member(m));
  }
  return InvalidArgument(
             "BAD_BASE_TYPE",
             absl::StrCat(
                 "base type ", Name(base), " (", SizeBytes(base),
                 " bytes) does not divide ", offender.ToString(), " (",
                 offender.size_bytes(), " bytes)",
                 path.empty() ? "" : absl::StrCat(" of member \"", path, "\"")))
      .With("base_type", Name(base));
}

ScalarType CheckedValidBaseType(ScalarType base, const ValueType& type) {
  return IsValidBaseType(base, type) ? base : DefaultBaseType(type);
}

int64_t NumSlots(ScalarType base, const ValueType& type) {
  LAYOUTD_DCHECK(IsValidBaseType(base, type));
  return type.size_bytes() / SizeBytes(base);
}

}  // namespace layoutd
