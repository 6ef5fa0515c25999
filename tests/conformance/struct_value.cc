#include "tests/conformance/struct_value.h"

#include <cstring>

#include "absl/strings/escaping.h"
#include "engine/run/fill.h"
#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

std::string TextOf(const nlohmann::json& number) {
  return number.is_string() ? number.get<std::string>() : number.dump();
}

void AppendLeaves(const nlohmann::json& value, const ValueType& type,
                  std::vector<Scalar>& leaves) {
  if (type.is_scalar()) {
    std::string text = TextOf(value);
    const bool is_double = text.rfind("2*", 0) == 0;
    if (is_double) text.erase(0, 2);
    ASSERT_OK_AND_ASSIGN(Scalar leaf, ParseScalar(text, type.scalar()));
    if (is_double) {
      ASSERT_EQ(type.scalar(), ScalarType::kF64);
      double number = 0;
      std::memcpy(&number, leaf.bytes, sizeof(number));
      number *= 2;
      std::memcpy(leaf.bytes, &number, sizeof(number));
    }
    leaves.push_back(leaf);
    return;
  }
  ASSERT_TRUE(value.is_array()) << value.dump();
  ASSERT_EQ(static_cast<int>(value.size()), type.num_members());
  for (int m = 0; m < type.num_members(); ++m) {
    AppendLeaves(value[static_cast<size_t>(m)], type.member(m), leaves);
  }
}

}  // namespace

Bytes BytesOfHex(const std::string& hex) {
  const std::string bytes = absl::HexStringToBytes(hex);
  return {bytes.begin(), bytes.end()};
}

Bytes BytesOfValue(const nlohmann::json& value, const ValueType& type) {
  std::vector<Scalar> leaves;
  AppendLeaves(value, type, leaves);
  Bytes bytes(static_cast<size_t>(type.size_bytes()));
  for (size_t k = 0; k < leaves.size(); ++k) {
    const Leaf& leaf = type.leaves()[k];
    std::memcpy(bytes.data() + leaf.offset_bytes, leaves[k].bytes,
                static_cast<size_t>(SizeBytes(leaf.type)));
  }
  return bytes;
}

}  // namespace layoutd
