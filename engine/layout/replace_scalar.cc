#include "engine/layout/replace_scalar.h"

#include <string>
#include <utility>
#include <vector>

#include "engine/base/status_macros.h"

namespace layoutd {

absl::StatusOr<ValueType> ReplaceScalar(const ValueType& type, ScalarType from,
                                        ScalarType to) {
  if (type.is_scalar()) {
    return ValueType(type.scalar() == from ? to : type.scalar());
  }
  std::vector<ValueType> members;
  std::vector<std::string> names;
  for (int k = 0; k < type.num_members(); ++k) {
    ASSIGN_OR_RETURN(ValueType member, ReplaceScalar(type.member(k), from, to));
    members.push_back(std::move(member));
    names.emplace_back(type.member_name(k));
  }
  if (!type.is_named()) return ValueType::Tuple(std::move(members));
  return ValueType::NamedTuple(std::move(names), std::move(members));
}

}  // namespace layoutd
