#include "engine/base/resource_id.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"

namespace layoutd {
namespace {

bool IsSegment(absl::string_view segment) {
  return !segment.empty() && segment.size() <= kMaxIdSegmentBytes &&
         absl::ascii_islower(static_cast<unsigned char>(segment[0])) &&
         std::all_of(segment.begin(), segment.end(), [](char c) {
           const auto byte = static_cast<unsigned char>(c);
           return absl::ascii_islower(byte) || absl::ascii_isdigit(byte) ||
                  c == '_';
         });
}

}  // namespace

bool IsResourceId(absl::string_view id) {
  if (id.size() > kMaxIdBytes) return false;
  for (absl::string_view segment : absl::StrSplit(id, '/')) {
    if (!IsSegment(segment)) return false;
  }
  return true;
}

}  // namespace layoutd
