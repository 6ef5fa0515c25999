#include "engine/layout/struct_access.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "engine/base/error.h"
#include "engine/base/status_macros.h"
#include "engine/layout/struct_storage.h"

namespace layoutd {
namespace {

absl::Status CheckSize(absl::string_view what, const ValueType& type,
                       int64_t num_bytes) {
  if (num_bytes == type.size_bytes()) return absl::OkStatus();
  return InvalidArgument(
      "BAD_SIZE", absl::StrCat(what, " has ", num_bytes, " bytes, ",
                               type.ToString(), " has ", type.size_bytes()));
}

// Checks that all slots of the whole value are there.
absl::Status CheckPlace(const StructPlace& place, size_t array_bytes) {
  RETURN_IF_ERROR(CheckBaseType(place.base, place.type));
  const int64_t num_slots = NumSlots(place.base, place.type);
  if (place.view.num_slots != num_slots) {
    return InvalidArgument(
        "BAD_SIZE",
        absl::StrCat("view of ", place.view.num_slots, " slots for ",
                     place.type.ToString(), " of ", num_slots));
  }
  const int64_t num_elements =
      static_cast<int64_t>(array_bytes) / SizeBytes(place.base);
  return ViewStruct(num_elements, num_slots, place.view.first,
                    place.view.stride)
      .status();
}

// Calls visit(array_offset, value_offset, bytes) for the stretches [begin, end)
// of the value, cut at slots. Offsets are bytes from the start of the array and
// of the value.
template <typename Visit>
void ForEachStretch(const StructPlace& place, int64_t begin, int64_t end,
                    Visit visit) {
  const int64_t slot_bytes = SizeBytes(place.base);
  while (begin < end) {
    const int64_t in_slot = begin % slot_bytes;
    const int64_t bytes = std::min(end - begin, slot_bytes - in_slot);
    visit(place.view.ElementOf(begin / slot_bytes) * slot_bytes + in_slot,
          begin, static_cast<size_t>(bytes));
    begin += bytes;
  }
}

absl::Status SetPart(const StructPlace& place, const Component& part,
                     absl::Span<const uint8_t> value,
                     absl::Span<uint8_t> array) {
  RETURN_IF_ERROR(CheckPlace(place, array.size()));
  RETURN_IF_ERROR(
      CheckSize("value", part.type, static_cast<int64_t>(value.size())));
  const int64_t start = part.offset_bytes;
  ForEachStretch(place, start, start + part.type.size_bytes(),
                 [&](int64_t to, int64_t, size_t bytes) {
                   std::memset(array.data() + to, 0, bytes);
                 });
  for (const Leaf& leaf : part.type.leaves()) {
    const int64_t begin = start + leaf.offset_bytes;
    ForEachStretch(place, begin, begin + SizeBytes(leaf.type),
                   [&](int64_t to, int64_t from, size_t bytes) {
                     std::memcpy(array.data() + to,
                                 value.data() + (from - start), bytes);
                   });
  }
  return absl::OkStatus();
}

absl::Status GetPart(const StructPlace& place, const Component& part,
                     absl::Span<const uint8_t> array,
                     absl::Span<uint8_t> value) {
  RETURN_IF_ERROR(CheckPlace(place, array.size()));
  RETURN_IF_ERROR(
      CheckSize("value", part.type, static_cast<int64_t>(value.size())));
  const int64_t start = part.offset_bytes;
  std::fill(value.begin(), value.end(), uint8_t{0});
  for (const Leaf& leaf : part.type.leaves()) {
    const int64_t begin = start + leaf.offset_bytes;
    ForEachStretch(place, begin, begin + SizeBytes(leaf.type),
                   [&](int64_t from, int64_t to, size_t bytes) {
                     std::memcpy(value.data() + (to - start),
                                 array.data() + from, bytes);
                   });
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status SetStruct(const StructPlace& place,
                       absl::Span<const uint8_t> value,
                       absl::Span<uint8_t> array) {
  return SetStructField(place, /*path=*/"", value, array);
}

absl::Status GetStruct(const StructPlace& place,
                       absl::Span<const uint8_t> array,
                       absl::Span<uint8_t> value) {
  return GetStructField(place, /*path=*/"", array, value);
}

absl::Status SetStructField(const StructPlace& place, absl::string_view path,
                            absl::Span<const uint8_t> value,
                            absl::Span<uint8_t> array) {
  ASSIGN_OR_RETURN(const Component part, FindComponent(place.type, path));
  return SetPart(place, part, value, array);
}

absl::Status GetStructField(const StructPlace& place, absl::string_view path,
                            absl::Span<const uint8_t> array,
                            absl::Span<uint8_t> value) {
  ASSIGN_OR_RETURN(const Component part, FindComponent(place.type, path));
  return GetPart(place, part, array, value);
}

absl::Status BitcastStruct(const ValueType& from,
                           absl::Span<const uint8_t> value, const ValueType& to,
                           absl::Span<uint8_t> result) {
  RETURN_IF_ERROR(CheckSize(from.ToString(), to, from.size_bytes()));
  RETURN_IF_ERROR(CheckSize("value", from, static_cast<int64_t>(value.size())));
  RETURN_IF_ERROR(CheckSize("result", to, static_cast<int64_t>(result.size())));
  // The two may be the same memory.
  std::memmove(result.data(), value.data(), value.size());
  return absl::OkStatus();
}

}  // namespace layoutd
