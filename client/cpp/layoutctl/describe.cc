#include "client/cpp/layoutctl/describe.h"

#include "absl/strings/str_cat.h"
#include "client/cpp/client.h"
#include "client/cpp/layoutctl/layout_options.h"

namespace layoutd::client {
namespace {

std::map<std::string, std::string> AttributesOf(const v1::Field& field) {
  return {field.attributes().begin(), field.attributes().end()};
}

}  // namespace

void WriteLayoutMembers(const v1::Layout& layout, JsonWriter& json) {
  json.Key("layout");
  json.String(LayoutName(layout.kind()));
  json.Key("type");
  json.String(layout.type().text());
  json.Key("base");
  json.String(layout.base_type());
  json.Key("nv");
  json.Integer(layout.shape().nv());
  json.Key("ni");
  json.Integer(layout.shape().ni());
  json.Key("nj");
  json.Integer(layout.shape().nj());
  json.Key("nh");
  json.Integer(layout.shape().nh());
  json.Key("num_components");
  json.Integer(layout.num_components());
}

void WriteFieldJson(const v1::Field& field, JsonWriter& json) {
  json.BeginObject();
  json.Key("id");
  json.String(IdOf(field.name()));
  WriteLayoutMembers(field.layout(), json);
  json.Key("revision");
  json.Integer(field.revision());
  json.Key("size_bytes");
  json.Integer(field.size_bytes());
  json.Key("device");
  json.String(field.device());
  json.Key("attributes");
  json.StringMap(AttributesOf(field));
  json.EndObject();
}

std::string FieldJson(const v1::Field& field) {
  JsonWriter json;
  WriteFieldJson(field, json);
  return json.text();
}

void WriteMaskJson(const v1::Mask& mask, JsonWriter& json) {
  json.BeginObject();
  json.Key("id");
  json.String(IdOf(mask.name()));
  json.Key("active_columns");
  json.Integer(mask.active_columns());
  json.Key("revision");
  json.Integer(mask.revision());
  json.EndObject();
}

std::string MaskJson(const v1::Mask& mask) {
  JsonWriter json;
  WriteMaskJson(mask, json);
  return json.text();
}

std::vector<std::vector<std::string>> FieldTable(const v1::Field& field) {
  const v1::Layout& layout = field.layout();
  std::vector<std::vector<std::string>> rows = {
      {"id", IdOf(field.name())},
      {"layout", LayoutName(layout.kind())},
      {"type", layout.type().text()},
      {"base", layout.base_type()},
      {"shape", ShapeText(ShapeOf(layout.shape()))},
      {"components", absl::StrCat(layout.num_components())},
      {"revision", absl::StrCat(field.revision())},
      {"bytes", absl::StrCat(field.size_bytes())},
      {"device", field.device()}};
  for (const auto& [name, value] : AttributesOf(field)) {
    rows.push_back({absl::StrCat("attribute ", name), value});
  }
  return rows;
}

std::vector<std::vector<std::string>> MaskTable(const v1::Mask& mask) {
  const Shape shape = ShapeOf(mask.shape());
  return {{"id", IdOf(mask.name())},
          {"columns", ShapeText(absl::MakeConstSpan(shape).subspan(1))},
          {"active", absl::StrCat(mask.active_columns())},
          {"revision", absl::StrCat(mask.revision())}};
}

std::vector<std::vector<std::string>> FieldListTable(
    const std::vector<v1::Field>& fields) {
  std::vector<std::vector<std::string>> rows = {
      {"ID", "LAYOUT", "TYPE", "SHAPE", "REVISION", "BYTES"}};
  for (const v1::Field& field : fields) {
    const v1::Layout& layout = field.layout();
    rows.push_back({IdOf(field.name()), LayoutName(layout.kind()),
                    layout.type().text(), ShapeText(ShapeOf(layout.shape())),
                    absl::StrCat(field.revision()),
                    absl::StrCat(field.size_bytes())});
  }
  return rows;
}

std::vector<std::vector<std::string>> MaskListTable(
    const std::vector<v1::Mask>& masks) {
  std::vector<std::vector<std::string>> rows = {
      {"ID", "COLUMNS", "ACTIVE", "REVISION"}};
  for (const v1::Mask& mask : masks) {
    const Shape shape = ShapeOf(mask.shape());
    rows.push_back(
        {IdOf(mask.name()), ShapeText(absl::MakeConstSpan(shape).subspan(1)),
         absl::StrCat(mask.active_columns()), absl::StrCat(mask.revision())});
  }
  return rows;
}

Shape ShapeOf(const v1::Shape& shape) {
  return {shape.nv(), shape.ni(), shape.nj(), shape.nh()};
}

}  // namespace layoutd::client
