#ifndef LAYOUTD_CLIENT_CPP_LAYOUTCTL_DESCRIBE_H_
#define LAYOUTD_CLIENT_CPP_LAYOUTCTL_DESCRIBE_H_

// Fields and masks as layoutctl shows them: JSON in its fixed form, rows of a
// table for people.

#include <string>
#include <vector>

#include "client/cpp/json.h"
#include "client/cpp/npy.h"
#include "layoutd/v1/field.pb.h"
#include "layoutd/v1/mask.pb.h"

namespace layoutd::client {

// layout, type, base, nv, ni, nj, nh, num_components; the caller opens and
// closes the object.
void WriteLayoutMembers(const v1::Layout& layout, JsonWriter& json);

// id, layout, type, base, nv, ni, nj, nh, num_components, revision, size_bytes,
// device, attributes
void WriteFieldJson(const v1::Field& field, JsonWriter& json);
std::string FieldJson(const v1::Field& field);

// id, active_columns, revision
void WriteMaskJson(const v1::Mask& mask, JsonWriter& json);
std::string MaskJson(const v1::Mask& mask);

// Key and value a row.
std::vector<std::vector<std::string>> FieldTable(const v1::Field& field);
std::vector<std::vector<std::string>> MaskTable(const v1::Mask& mask);

// A heading, then a field or mask a row.
std::vector<std::vector<std::string>> FieldListTable(
    const std::vector<v1::Field>& fields);
std::vector<std::vector<std::string>> MaskListTable(
    const std::vector<v1::Mask>& masks);

Shape ShapeOf(const v1::Shape& shape);

}  // namespace layoutd::client

#endif  // LAYOUTD_CLIENT_CPP_LAYOUTCTL_DESCRIBE_H_
