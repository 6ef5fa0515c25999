#ifndef LAYOUTD_TESTS_CONFORMANCE_STRUCT_VALUE_H_
#define LAYOUTD_TESTS_CONFORMANCE_STRUCT_VALUE_H_

// Values as struct_vectors.json spells them, as bytes.

#include <cstdint>
#include <string>
#include <vector>

#include "engine/layout/value_type.h"
#include "nlohmann/json.hpp"

namespace layoutd {

using Bytes = std::vector<uint8_t>;

Bytes BytesOfHex(const std::string& hex);

// Returns the C ABI bytes of a value given as a tree of numbers ("2*5e-324" is
// a number too), padding zero; fails the test where the tree is not of `type`.
Bytes BytesOfValue(const nlohmann::json& value, const ValueType& type);

}  // namespace layoutd

#endif  // LAYOUTD_TESTS_CONFORMANCE_STRUCT_VALUE_H_
