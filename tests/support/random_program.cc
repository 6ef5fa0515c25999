#include "tests/support/random_program.h"

#include <algorithm>
#include <iterator>
#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/layout/struct_storage.h"
#include "engine/program/promotion.h"
#include "tests/support/random_expression.h"
#include "tests/support/random_scalar.h"

namespace layoutd {
namespace {

constexpr int kMaxDepth = 3;

class ProgramGenerator {
 public:
  explicit ProgramGenerator(uint64_t seed)
      : random_(seed), extents_(PickExtents()), make_(random_, extents_.v()) {}

  ProgramCase Run() {
    MakePalette();
    MakeFields();
    MakeMasks();
    const uint64_t num_statements = 1 + make_.Pick(make_.Chance(30) ? 4 : 2);
    for (uint64_t k = 0; k < num_statements; ++k) AddStatement();
    if (make_.Chance(35)) AddReduce();
    return std::move(out_);
  }

 private:
  using Field = ExpressionGenerator::Field;
  using Let = ExpressionGenerator::Let;

  uint64_t PickRaw(uint64_t count) { return random_() % count; }

  Shape PickExtents() {
    constexpr int64_t kV[] = {0, 1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33};
    constexpr int64_t kI[] = {1, 1, 2, 3, 4};
    constexpr int64_t kH[] = {0, 1, 1, 2, 5, 5, 7, 13};
    // Reductions of several chunks: of whole elements, of pieces of one.
    const uint64_t rare = PickRaw(100);
    if (rare < 1) return {{33, 4, 4, 13}};
    if (rare < 2) return {{331, 4, 4, 2}};
    const int64_t nv = kV[PickRaw(std::size(kV))];
    const int64_t ni = kI[PickRaw(std::size(kI))];
    const int64_t nj = PickRaw(3) == 0 ? 1 : ni;
    const int64_t nh = kH[PickRaw(std::size(kH))];
    return {{nv, ni, nj, nh}};
  }

  Shape ShapeOf(const ShapeClass& shape) const {
    const int64_t nv = shape.levels == Levels::kOne      ? 1
                       : shape.levels == Levels::kCentre ? extents_.v()
                                                         : extents_.v() + 1;
    if (!shape.has_columns) return {{nv, 1, 1, 1}};
    return extents_.WithV(nv);
  }

  ShapeClass PickShape() {
    const uint64_t choice = make_.Pick(10);
    if (choice < 5) return {Levels::kCentre, true};
    if (choice < 7) return {Levels::kOne, true};
    if (choice < 8) return {Levels::kCentre, false};
    if (choice < 9) return {Levels::kFace, true};
    return {Levels::kOne, false};
  }

  ValueType PickType(uint64_t tuple_percent) {
    if (!make_.Chance(tuple_percent)) return make_.PickScalarType();
    std::vector<ValueType> members;
    std::vector<std::string> names;
    const uint64_t num_members = 1 + make_.Pick(3);
    for (uint64_t m = 0; m < num_members; ++m) {
      members.push_back(PickType(tuple_percent / 2));
      names.emplace_back(1, static_cast<char>('a' + m));
    }
    // A few members of plain scalars are always a type.
    return make_.Chance(50)
               ? ValueType::NamedTuple(std::move(names), members).value()
               : ValueType::Tuple(std::move(members)).value();
  }

  // ---- Inputs.

  // A loop with 128-bit integers has one lane; so most programs have none.
  void MakePalette() {
    make_.palette = {make_.Chance(50) ? ScalarType::kF64 : ScalarType::kF32};
    const bool has_wide = make_.Chance(30);
    const uint64_t num_types = 3 + make_.Pick(3);
    while (make_.palette.size() < num_types) {
      const auto type = static_cast<ScalarType>(make_.Pick(kNumScalarTypes));
      if (SizeBytes(type) == 16 && !has_wide) continue;
      if (std::count(make_.palette.begin(), make_.palette.end(), type) == 0) {
        make_.palette.push_back(type);
      }
    }
  }

  void MakeFields() {
    // One of every scalar type with the full shape, so that any can be read.
    for (ScalarType type : make_.palette) {
      AddField({absl::StrCat("x_", std::string(Name(type))), type, {}});
    }
    const uint64_t num_others = 2 + make_.Pick(4);
    for (uint64_t k = 0; k < num_others; ++k) {
      AddField({absl::StrCat(make_.Chance(20) ? "sea/q" : "q", k), PickType(35),
                PickShape()});
    }
  }

  void AddField(Field description) {
    CaseField field;
    field.id = description.id;
    field.type = description.type;
    field.shape = ShapeOf(description.shape);
    field.kind = make_.Chance(50) ? LayoutKind::kVIJFH : LayoutKind::kVIJHF;
    if (field.shape == Shape() && make_.Chance(70)) {
      field.kind = LayoutKind::kDataF;
    }
    if (make_.Chance(30)) {
      const auto base = static_cast<ScalarType>(make_.Pick(kNumScalarTypes));
      if (IsValidBaseType(base, field.type)) field.base_type = base;
    }
    // A field of everyday values only lets results tell more than NaN.
    const uint64_t special_percent = make_.Chance(50) ? 10 : 0;
    for (int64_t point = 0; point < field.shape.num_points(); ++point) {
      for (const Leaf& leaf : field.type.leaves()) {
        field.leaves.push_back(
            RandomScalar(random_, leaf.type, special_percent));
      }
    }
    out_.fields.push_back(std::move(field));
    make_.fields.push_back(std::move(description));
  }

  void MakeMasks() {
    const Shape shape = extents_.WithV(1);
    for (const char* id : {"m", "wet", "sea/ice"}) {
      CaseMask mask{id, shape, {}};
      // All, none, or some of the columns.
      constexpr uint64_t kPercent[] = {0, 100, 10, 50, 50, 90};
      const uint64_t percent = kPercent[make_.Pick(std::size(kPercent))];
      for (int64_t column = 0; column < shape.num_columns(); ++column) {
        mask.active.push_back(make_.Chance(percent) ? 1 : 0);
      }
      out_.masks.push_back(std::move(mask));
    }
  }

  std::string PickMask() {
    constexpr const char* kMasks[] = {"m",
                                      "wet",
                                      "\"sea/ice\"",
                                      "m and wet",
                                      "m or not wet",
                                      "not (m and \"sea/ice\")",
                                      "not m and wet or \"sea/ice\""};
    return absl::StrCat(" mask ", kMasks[make_.Pick(std::size(kMasks))]);
  }

  // ---- Statements.

  void AddStatement() {
    switch (make_.Pick(9)) {
      case 0:
      case 1:
        return AddStore("", make_.Pick(make_.fields.size()), false);
      case 2:
        return AddNew("", PickAnchoredShape(), false);
      case 3:
        return AddLet("", PickShape(), false);
      case 4:
      case 5:
        return AddForeach(SliceKind::kPoint);
      case 6:
      case 7:
        return AddForeach(SliceKind::kColumn);
      default:
        // Not more than a program may have, with those of the end.
        if (num_results_ <= 8) AddReduce();
    }
  }

  // Compiling takes nearly all the time of a test, so most are small.
  int PickDepth() {
    return make_.Chance(12) ? kMaxDepth
                            : 1 + static_cast<int>(make_.Pick(kMaxDepth - 1));
  }

  ShapeClass PickAnchoredShape() {
    return make_.fields[make_.Pick(make_.fields.size())].shape;
  }

  // A type whose values may be stored as `type`.
  ScalarType PickStorable(ScalarType type) {
    if (type == ScalarType::kBool || make_.Chance(70)) return type;
    const ScalarType other = make_.PickScalarType();
    return CanStore(other, type) ? other : type;
  }

  void AddStore(const std::string& indent, size_t field_index, bool in_column) {
    const Field field = make_.fields[field_index];
    std::string target = ExpressionGenerator::Quoted(field.id);
    ValueType type = field.type;
    while (!type.is_scalar() && make_.Chance(50)) {
      const int m = static_cast<int>(
          make_.Pick(static_cast<uint64_t>(type.num_members())));
      absl::StrAppend(
          &target, ".",
          type.is_named() ? std::string(type.member_name(m)) : absl::StrCat(m));
      type = ValueType(type.member(m));
    }
    const bool is_number =
        type.is_scalar() && type.scalar() != ScalarType::kBool;
    if (type.is_scalar()) type = PickStorable(type.scalar());
    const Scope scope{field.shape, in_column, extents_.v() > 0};
    std::string value = make_.Value(type, scope, PickDepth());
    const bool may_use_at = !make_.hazards.contains(field.id);
    if (is_number && may_use_at && field.shape.levels != Levels::kOne &&
        make_.Chance(15)) {
      // In place: every value is computed before any is stored.
      value = absl::StrCat(target, " + at(", target, ", v - 1, edge = 0)");
    }
    absl::StrAppend(&out_.text, indent, target, " = ", value, "\n");
  }

  void AddNew(const std::string& indent, const ShapeClass& shape,
              bool in_column) {
    Field field{absl::StrCat("n", num_new_++), PickType(30), shape};
    const std::string value =
        make_.Anchored(field.type, {shape, in_column, false}, PickDepth());
    absl::StrAppend(&out_.text, indent, "new ", field.id, " = ", value, "\n");
    make_.fields.push_back(std::move(field));
  }

  void AddLet(const std::string& indent, const ShapeClass& shape,
              bool in_column) {
    std::string value;
    Let let = make_.MakeLet(absl::StrCat("l", num_lets_++), PickType(20),
                            {shape, in_column, false}, PickDepth(), value);
    absl::StrAppend(&out_.text, indent, "let ", let.name, " = ", value, "\n");
    make_.lets.push_back(std::move(let));
  }

  // All destinations of a loop have the same columns; in a point loop, the same
  // levels too.
  void AddForeach(SliceKind slice) {
    const bool is_column = slice == SliceKind::kColumn;
    const ShapeClass shape = PickAnchoredShape();
    std::vector<size_t> targets;
    for (size_t k = 0; k < make_.fields.size(); ++k) {
      const ShapeClass& other = make_.fields[k].shape;
      if (is_column ? other.has_columns == shape.has_columns : other == shape) {
        targets.push_back(k);
      }
    }
    const bool has_mask = shape.has_columns && make_.Chance(60);
    absl::StrAppend(&out_.text, "foreach ", is_column ? "column" : "point",
                    has_mask ? PickMask() : "", " {\n");
    const size_t num_outer_lets = make_.lets.size();
    std::vector<size_t> stores;
    const uint64_t num_stores = 1 + make_.Pick(make_.Chance(20) ? 3 : 2);
    for (uint64_t k = 0; k < num_stores; ++k) {
      stores.push_back(targets[make_.Pick(targets.size())]);
    }
    if (!is_column && num_stores > 1) {
      for (size_t k : stores) make_.hazards.insert(make_.fields[k].id);
    }
    for (size_t target : stores) {
      if (make_.Chance(40)) AddLet("  ", shape, is_column);
      AddStore("  ", target, is_column);
    }
    if (is_column && make_.Chance(15)) AddNew("  ", shape, is_column);
    out_.text += "}\n";
    make_.hazards.clear();
    make_.lets.resize(num_outer_lets, Let{"", ScalarType::kF64, {}, {}, {}});
  }

  void AddReduce() {
    const ShapeClass shape = PickAnchoredShape();
    const bool has_mask = shape.has_columns && make_.Chance(50);
    absl::StrAppend(&out_.text, "reduce", has_mask ? PickMask() : "", " {\n");
    std::vector<ExpressionGenerator::Result> results;
    const uint64_t num_results = 1 + make_.Pick(make_.Chance(20) ? 4 : 2);
    for (uint64_t k = 0; k < num_results; ++k) {
      AddResult(shape, has_mask, results);
    }
    out_.text += "}\n";
    make_.results.insert(make_.results.end(), results.begin(), results.end());
  }

  // Appends the scalars of the result to `results`: names that this statement
  // may not reduce, only later ones.
  void AddResult(const ShapeClass& shape, bool has_mask,
                 std::vector<ExpressionGenerator::Result>& results) {
    const bool is_never_empty = !has_mask && ShapeOf(shape).num_points() > 0;
    // The last four need an active point.
    constexpr Reduction kReductions[] = {
        Reduction::kSum,    Reduction::kSum,    Reduction::kMin,
        Reduction::kMax,    Reduction::kCount,  Reduction::kAny,
        Reduction::kAll,    Reduction::kMean,   Reduction::kArgmin,
        Reduction::kArgmax, Reduction::kExtrema};
    const Reduction reduction =
        kReductions[make_.Pick(is_never_empty ? 11 : 7)];
    const bool is_struct = reduction == Reduction::kArgmin ||
                           reduction == Reduction::kArgmax ||
                           reduction == Reduction::kExtrema;
    const bool is_extreme =
        reduction == Reduction::kMin || reduction == Reduction::kMax;
    const bool is_mean = reduction == Reduction::kMean;
    const bool is_sum = reduction == Reduction::kSum;

    ValueType type = ScalarType::kBool;
    if (is_sum) {
      type = PickType(25);
    } else if (is_extreme || is_mean || is_struct) {
      type = make_.PickScalarType(/*numbers_only=*/true);
      if (make_.Chance(20)) type = ValueType::Tuple({type, type}).value();
    }
    const Scope scope{shape, false, false};
    std::string text = absl::StrCat(Name(reduction), "(",
                                    make_.Anchored(type, scope, PickDepth()));
    std::optional<ScalarType> weight;
    if (is_mean && make_.Chance(60)) {
      // Never nothing in sum.
      weight = make_.Chance(50) ? ScalarType::kF64 : ScalarType::kF32;
      absl::StrAppend(&text, ", weight = abs(", make_.Value(*weight, scope, 1),
                      ") + 1");
    } else if (is_sum && make_.Chance(25)) {
      weight = make_.PickScalarType(/*numbers_only=*/true);
      absl::StrAppend(&text, ", weight = ", make_.Value(*weight, scope, 1));
    }
    const bool has_where = !is_mean && !is_struct && make_.Chance(35);
    if (has_where) {
      absl::StrAppend(&text,
                      ", where = ", make_.Value(ScalarType::kBool, scope, 2));
    }
    const bool needs_init = is_extreme && (has_where || !is_never_empty);
    if (needs_init || ((is_sum || is_extreme) && make_.Chance(30))) {
      const ScalarType first =
          ReductionType(reduction, type.leaves()[0].type, weight);
      absl::StrAppend(
          &text, ", init = ",
          type.is_scalar() ? make_.Uniform(first) : make_.Uniform(type));
    }
    text += ")";
    const std::string name = absl::StrCat("r", num_results_++);
    if (is_struct) {
      absl::StrAppend(&out_.text, "  ", name, " = ", text, "\n");
      if (!type.is_scalar()) return;
      if (reduction == Reduction::kExtrema) {
        results.push_back({name + ".min", type.scalar()});
        results.push_back({name + ".max", type.scalar()});
      } else {
        results.push_back({name + ".index.0", ScalarType::kI64});
        results.push_back({name + ".value", type.scalar()});
      }
      return;
    }
    if (type.is_scalar()) {
      const ScalarType result = ReductionType(reduction, type.scalar(), weight);
      if (IsFloat(result) && make_.Chance(30)) {
        text = absl::StrCat("sqrt(abs(", text, ")) / 2");
      } else if (result != ScalarType::kBool && !results.empty() &&
                 results.back().type == result && make_.Chance(40)) {
        absl::StrAppend(&text, " - ", results.back().text);
      }
    }
    absl::StrAppend(&out_.text, "  ", name, " = ", text, "\n");
    for (const Leaf& leaf : type.leaves()) {
      results.push_back(
          {absl::StrCat(name, leaf.path.empty() ? "" : ".", leaf.path),
           ReductionType(reduction, leaf.type, weight)});
    }
  }

  std::mt19937_64 random_;
  Shape extents_;
  ExpressionGenerator make_;
  ProgramCase out_;
  int num_new_ = 0;
  int num_lets_ = 0;
  int num_results_ = 0;
};

}  // namespace

ProgramCase MakeRandomProgram(uint64_t seed) {
  return ProgramGenerator(seed).Run();
}

}  // namespace layoutd
