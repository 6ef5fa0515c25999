#include "server/check_known.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "engine/base/error.h"
#include "engine/base/status_macros.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/unknown_field_set.h"

namespace layoutd {
namespace {

Error Unknown(absl::string_view message, absl::string_view path) {
  return InvalidArgument("BAD_GRAPH", absl::StrCat(path, ": ", message))
      .At(path);
}

absl::Status CheckEnumValue(const google::protobuf::FieldDescriptor& field,
                            int value, const std::string& path) {
  if (field.enum_type()->FindValueByNumber(value) != nullptr) {
    return absl::OkStatus();
  }
  return Unknown(
      absl::StrCat(value, " is no value of ", field.enum_type()->full_name(),
                   " that this server knows"),
      path);
}

}  // namespace

absl::Status CheckKnown(const google::protobuf::Message& message,
                        const std::string& path) {
  using google::protobuf::FieldDescriptor;
  const google::protobuf::Reflection& reflection = *message.GetReflection();
  const auto& unknown = reflection.GetUnknownFields(message);
  if (!unknown.empty()) {
    return Unknown(absl::StrCat("field number ", unknown.field(0).number(),
                                " is none that this server knows"),
                   path);
  }
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    const bool is_message =
        field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
    if (!is_message && field->cpp_type() != FieldDescriptor::CPPTYPE_ENUM) {
      continue;
    }
    const std::string field_path = absl::StrCat(path, ".", field->name());
    if (!field->is_repeated()) {
      RETURN_IF_ERROR(
          is_message
              ? CheckKnown(reflection.GetMessage(message, field), field_path)
              : CheckEnumValue(*field, reflection.GetEnumValue(message, field),
                               field_path));
      continue;
    }
    for (int k = 0; k < reflection.FieldSize(message, field); ++k) {
      const std::string entry_path = absl::StrCat(field_path, "[", k, "]");
      RETURN_IF_ERROR(
          is_message
              ? CheckKnown(reflection.GetRepeatedMessage(message, field, k),
                           entry_path)
              : CheckEnumValue(
                    *field, reflection.GetRepeatedEnumValue(message, field, k),
                    entry_path));
    }
  }
  return absl::OkStatus();
}

}  // namespace layoutd
