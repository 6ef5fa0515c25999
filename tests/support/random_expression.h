#ifndef LAYOUTD_TESTS_SUPPORT_RANDOM_EXPRESSION_H_
#define LAYOUTD_TESTS_SUPPORT_RANDOM_EXPRESSION_H_

// Random well-typed expressions in the text form, for differential tests. Every
// expression has exactly the type asked for and a shape that its scope allows,
// so that the programs made of them always verify.

#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "engine/layout/value_type.h"

namespace layoutd {

// The extent along v: 1, that of cell centres (Nv) or of cell faces (Nv + 1).
enum class Levels { kOne, kCentre, kFace };

// The shapes of a program: all fields share one grid, so that this is all that
// tells them apart.
struct ShapeClass {
  Levels levels = Levels::kCentre;
  bool has_columns = true;  // extents (Ni, Nj, Nh) rather than (1, 1, 1)

  friend bool operator==(const ShapeClass&, const ShapeClass&) = default;
};

// What an expression may use where it stands: values of its shape or of extent
// 1 where the shape is larger.
struct Scope {
  ShapeClass shape;
  bool in_column = false;  // folds are allowed
  // The value is stored in a field that is there, so that reads at offsets
  // adapt to its levels, whatever the field they read has.
  bool is_adapted = false;
};

class ExpressionGenerator {
 public:
  struct Field {
    std::string id;
    ValueType type;
    ShapeClass shape;
  };
  struct Let {
    std::string name;
    ValueType type;
    ShapeClass shape;
    std::set<std::string> reads;     // fields, at the point itself or anywhere
    std::set<std::string> at_reads;  // fields through `at`
  };
  struct Result {
    std::string text;  // "r1", "r2.u.0"
    ScalarType type;
  };

  ExpressionGenerator(std::mt19937_64& random, int64_t num_levels)
      : random_(random), num_levels_(num_levels) {}

  // The scalar types that values are made of. Few, so that there is something
  // to read of each; at least one is a number.
  std::vector<ScalarType> palette = {ScalarType::kF64};
  // What expressions may refer to.
  std::vector<Field> fields;
  std::vector<Let> lets;
  std::vector<Result> results;
  // Fields that may not be read through `at`: a foreach point stores them.
  std::set<std::string> hazards;

  // Returns a value of exactly `type` whose shape broadcasts to the scope's.
  // `depth` bounds the nesting of operations.
  std::string Value(const ValueType& type, const Scope& scope, int depth);
  // The same, but the shape is exactly the scope's, and a field of that shape
  // is read. Requires HasAnchor.
  std::string Anchored(const ValueType& type, const Scope& scope, int depth);
  bool HasAnchor(const ShapeClass& shape) const;
  // Returns a number or bool literal of no type of its own where it has a
  // choice: it takes that of what it meets, which must be `type`.
  std::string WeakLiteral(ScalarType type, bool may_be_negative = true);
  // Returns a value for `edge =` or `init =`: the same at every point.
  std::string Uniform(const ValueType& type);

  // Returns a let with the name and value text; the fields it reads are
  // collected while the text is made.
  Let MakeLet(const std::string& name, const ValueType& type,
              const Scope& scope, int depth, std::string& text);

  uint64_t Pick(uint64_t count) { return random_() % count; }
  bool Chance(uint64_t percent) { return Pick(100) < percent; }
  ScalarType PickScalarType(bool numbers_only = false);
  static std::string Quoted(const std::string& id);

 private:
  std::string Scalar(ScalarType type, const Scope& scope, int depth);
  std::string Tuple(const ValueType& type, const Scope& scope, int depth);
  std::string Leaf(ScalarType type, const Scope& scope);
  std::string StrongLiteral(ScalarType type);
  std::string Operation(ScalarType type, const Scope& scope, int depth);
  std::string TupleOperation(const ValueType& type, const Scope& scope,
                             int depth);
  std::string FaceNeighbour(ScalarType type, const Scope& scope);
  std::string At(const ValueType& type, const Scope& scope, int depth);
  std::string Fold(ScalarType type, const Scope& scope, int depth);
  std::string Select(const ValueType& type, const Scope& scope, int depth);
  // Returns a reference to a field, let or result of `type`, or "". `exact`:
  // fields of just the shape only.
  std::string Reference(const ValueType& type, const ShapeClass& shape,
                        bool exact);
  bool MayRead(const std::string& id) const;

  std::mt19937_64& random_;
  int64_t num_levels_;
  int at_depth_ = 0;
  std::set<std::string> reads_;
  std::set<std::string> at_reads_;
};

}  // namespace layoutd

#endif  // LAYOUTD_TESTS_SUPPORT_RANDOM_EXPRESSION_H_
