#ifndef LAYOUTD_TESTS_SUPPORT_VECTOR_FILE_H_
#define LAYOUTD_TESTS_SUPPORT_VECTOR_FILE_H_

// Files of conformance vectors, read strictly: a key that a reader does not
// know, or a value of another type than it expects, fails the test. The files
// are those of tests/vectors/, or of the folder that the environment variable
// LAYOUTD_VECTORS names; one that is missing there skips its tests.

#include <cstdint>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace layoutd {

// One JSON object. Every key has to be read or, with a reason, ignored: what is
// left when the record goes out of scope fails the test. Borrows the JSON.
class VectorRecord {
 public:
  // `path` names the object in messages.
  VectorRecord(const nlohmann::json& json, std::string path);
  ~VectorRecord();
  VectorRecord(VectorRecord&& other) noexcept;
  VectorRecord& operator=(VectorRecord&&) = delete;

  bool Has(absl::string_view key) const;
  // Returns the value, or T() after failing the test. T: int64_t, bool,
  // std::string, nlohmann::json (any value), std::optional of them (null), and
  // vectors of them.
  template <typename T>
  T Get(absl::string_view key) {
    T value = T();
    if (const nlohmann::json* json = Take(key)) {
      Convert(*json, absl::StrCat(path_, ".", key), value);
    }
    return value;
  }
  // As Get, but a key that is not there is nothing.
  template <typename T>
  std::optional<T> Find(absl::string_view key) {
    if (!Has(key)) return std::nullopt;
    return Get<T>(key);
  }
  VectorRecord Record(absl::string_view key);
  std::vector<VectorRecord> Records(absl::string_view key);
  // `reason`: why layoutd is not tested against the value. Absent keys are
  // fine.
  void Ignore(absl::string_view key, absl::string_view reason);

 private:
  const nlohmann::json* Take(absl::string_view key);

  static void Convert(const nlohmann::json& json, const std::string& path,
                      int64_t& value);
  static void Convert(const nlohmann::json& json, const std::string& path,
                      bool& value);
  static void Convert(const nlohmann::json& json, const std::string& path,
                      std::string& value);
  static void Convert(const nlohmann::json& json, const std::string& path,
                      nlohmann::json& value);
  template <typename T>
  static void Convert(const nlohmann::json& json, const std::string& path,
                      std::optional<T>& value) {
    if (json.is_null()) return;
    Convert(json, path, value.emplace());
  }
  template <typename T>
  static void Convert(const nlohmann::json& json, const std::string& path,
                      std::vector<T>& value) {
    if (!json.is_array()) {
      ADD_FAILURE() << path << " is no array: " << json.dump();
      return;
    }
    for (const nlohmann::json& element : json) {
      T converted = T();
      Convert(element, absl::StrCat(path, "[", value.size(), "]"), converted);
      value.push_back(std::move(converted));
    }
  }

  const nlohmann::json* json_;        // null: moved from
  std::map<std::string, bool> seen_;  // by key
  std::string path_;
};

// A whole file. `missing`: it is not there, and why its tests are skipped;
// `fault`: it is there, but no JSON object.
struct VectorFile {
  nlohmann::json json = nlohmann::json::object();
  std::string missing;
  std::string fault;
};
VectorFile ReadVectorFile(absl::string_view name);

// One element of an array of a file; the parameter of a test.
struct VectorCase {
  std::string name;  // "Placement2", or the "id" of the vector
  nlohmann::json json;
  std::string missing;  // as in VectorFile
  std::string fault;
};
void PrintTo(const VectorCase& vector, std::ostream* stream);

// Returns the cases of the array `section` of a file, each named `prefix` and
// its index or, where it has one, its id. A file or section that cannot be read
// gives one case that says so.
std::vector<VectorCase> VectorCases(absl::string_view file,
                                    absl::string_view section,
                                    absl::string_view prefix);

// A test of one vector.
class VectorTest : public testing::TestWithParam<VectorCase> {
 protected:
  void SetUp() override;
  static VectorRecord Case() { return {GetParam().json, GetParam().name}; }
};

// Instantiates the tests of `suite`, a VectorTest, with a section of a file.
#define LAYOUTD_VECTORS(suite, file, section, prefix)                 \
  INSTANTIATE_TEST_SUITE_P(                                           \
      Vectors, suite,                                                 \
      testing::ValuesIn(layoutd::VectorCases(file, section, prefix)), \
      [](const auto& row) { return row.param.name; })

// Reports sections of `file` other than `sections` and the note "about".
void ExpectSections(absl::string_view file,
                    const std::vector<std::string>& sections);

}  // namespace layoutd

#endif  // LAYOUTD_TESTS_SUPPORT_VECTOR_FILE_H_
