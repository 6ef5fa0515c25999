#include "tests/support/vector_file.h"

#include <cstdlib>
#include <fstream>

#include "absl/strings/ascii.h"

namespace layoutd {
namespace {

std::string Folder() {
  const char* other = std::getenv("LAYOUTD_VECTORS");
  return other != nullptr ? other : LAYOUTD_VECTOR_DIR;
}

}  // namespace

VectorRecord::VectorRecord(const nlohmann::json& json, std::string path)
    : json_(&json), path_(std::move(path)) {
  if (!json.is_object()) {
    ADD_FAILURE() << path_ << " is no object: " << json.dump();
    json_ = nullptr;
    return;
  }
  for (const auto& item : json.items()) seen_[item.key()] = false;
}

VectorRecord::VectorRecord(VectorRecord&& other) noexcept
    : json_(std::exchange(other.json_, nullptr)),
      seen_(std::move(other.seen_)),
      path_(std::move(other.path_)) {}

VectorRecord::~VectorRecord() {
  if (json_ == nullptr) return;
  for (const auto& [key, seen] : seen_) {
    if (!seen) ADD_FAILURE() << path_ << ": unknown key \"" << key << "\"";
  }
}

bool VectorRecord::Has(absl::string_view key) const {
  return json_ != nullptr && json_->contains(std::string(key));
}

const nlohmann::json* VectorRecord::Take(absl::string_view key) {
  if (!Has(key)) {
    ADD_FAILURE() << path_ << ": no key \"" << std::string(key) << "\"";
    return nullptr;
  }
  seen_[std::string(key)] = true;
  return &json_->at(std::string(key));
}

void VectorRecord::Ignore(absl::string_view key, absl::string_view reason) {
  ASSERT_FALSE(reason.empty());
  if (Has(key)) Take(key);
}

VectorRecord VectorRecord::Record(absl::string_view key) {
  static const nlohmann::json& empty =
      *new nlohmann::json(nlohmann::json::object());
  const nlohmann::json* json = Take(key);
  return {json == nullptr ? empty : *json, absl::StrCat(path_, ".", key)};
}

std::vector<VectorRecord> VectorRecord::Records(absl::string_view key) {
  std::vector<VectorRecord> records;
  const nlohmann::json* json = Take(key);
  if (json == nullptr) return records;
  if (!json->is_array()) {
    ADD_FAILURE() << path_ << "." << std::string(key) << " is no array";
    return records;
  }
  for (const nlohmann::json& element : *json) {
    records.emplace_back(
        element, absl::StrCat(path_, ".", key, "[", records.size(), "]"));
  }
  return records;
}

void VectorRecord::Convert(const nlohmann::json& json, const std::string& path,
                           int64_t& value) {
  if (json.is_number_integer()) {
    value = json.get<int64_t>();
  } else {
    ADD_FAILURE() << path << " is no integer: " << json.dump();
  }
}

void VectorRecord::Convert(const nlohmann::json& json, const std::string& path,
                           bool& value) {
  if (json.is_boolean()) {
    value = json.get<bool>();
  } else {
    ADD_FAILURE() << path << " is neither true nor false: " << json.dump();
  }
}

void VectorRecord::Convert(const nlohmann::json& json, const std::string& path,
                           std::string& value) {
  if (json.is_string()) {
    value = json.get<std::string>();
  } else {
    ADD_FAILURE() << path << " is no text: " << json.dump();
  }
}

void VectorRecord::Convert(const nlohmann::json& json, const std::string&,
                           nlohmann::json& value) {
  value = json;
}

VectorFile ReadVectorFile(absl::string_view name) {
  VectorFile file;
  std::ifstream stream(absl::StrCat(Folder(), "/", name));
  if (!stream) {
    file.missing = absl::StrCat("no file ", name);
    return file;
  }
  nlohmann::json json =
      nlohmann::json::parse(stream, nullptr, /*allow_exceptions=*/false);
  if (json.is_object()) {
    file.json = std::move(json);
  } else {
    file.fault = absl::StrCat(name, " is no JSON object");
  }
  return file;
}

void PrintTo(const VectorCase& vector, std::ostream* stream) {
  *stream << vector.json.dump();
}

std::vector<VectorCase> VectorCases(absl::string_view file,
                                    absl::string_view section,
                                    absl::string_view prefix) {
  const std::string name(prefix);
  const VectorFile content = ReadVectorFile(file);
  if (!content.missing.empty() || !content.fault.empty()) {
    return {{name + "File", {}, content.missing, content.fault}};
  }
  const auto found = content.json.find(std::string(section));
  if (found == content.json.end() || !found->is_array() || found->empty()) {
    return {{name + "Section",
             {},
             "",
             absl::StrCat(file, " has no array \"", section, "\"")}};
  }
  std::vector<VectorCase> cases;
  for (const nlohmann::json& json : *found) {
    VectorCase vector{absl::StrCat(name, cases.size()), json, "", ""};
    if (json.is_object() && json.contains("id") && json["id"].is_string()) {
      vector.name = json["id"].get<std::string>();
      for (char& letter : vector.name) {
        if (!absl::ascii_isalnum(static_cast<unsigned char>(letter))) {
          letter = '_';
        }
      }
    }
    cases.push_back(std::move(vector));
  }
  return cases;
}

void VectorTest::SetUp() {
  if (!GetParam().missing.empty()) GTEST_SKIP() << GetParam().missing;
  ASSERT_EQ(GetParam().fault, "");
}

void ExpectSections(absl::string_view file,
                    const std::vector<std::string>& sections) {
  const VectorFile content = ReadVectorFile(file);
  if (!content.missing.empty()) GTEST_SKIP() << content.missing;
  ASSERT_EQ(content.fault, "");
  VectorRecord record(content.json, std::string(file));
  record.Ignore("about", "a note for readers");
  for (const std::string& section : sections) {
    record.Get<nlohmann::json>(section);
  }
}

}  // namespace layoutd
