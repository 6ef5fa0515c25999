#include "engine/run/inputs.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "engine/base/reword.h"
#include "engine/base/status_macros.h"

namespace layoutd {
namespace {

// The first term of a mask expression is a mask.
const ColumnMap& FirstMask(const Inputs& inputs,
                           const MaskExpression& expression) {
  return *inputs.masks.at(expression[0].name).map;
}

// Evaluates `expression` block by block and calls visit(first column, active
// bytes), so that combining takes no memory that grows with the masks.
template <typename Visit>
void ForeachBlock(const Inputs& inputs, const MaskExpression& expression,
                  const Visit& visit) {
  constexpr size_t kBlockColumns = 4096;
  using Block = std::array<uint8_t, kBlockColumns>;
  const size_t num_columns = FirstMask(inputs, expression).active.size();
  std::vector<Block> stack;
  for (size_t begin = 0; begin < num_columns; begin += kBlockColumns) {
    const size_t count = std::min(kBlockColumns, num_columns - begin);
    for (const MaskTerm& term : expression) {
      if (term.kind == MaskTerm::Kind::kMask) {
        const std::vector<uint8_t>& active =
            inputs.masks.at(term.name).map->active;
        stack.emplace_back();
        std::copy_n(active.begin() + static_cast<ptrdiff_t>(begin), count,
                    stack.back().begin());
        continue;
      }
      if (term.kind == MaskTerm::Kind::kNot) {
        for (size_t c = 0; c < count; ++c) stack.back()[c] ^= 1;
        continue;
      }
      const Block& right = stack.back();
      Block& left = stack[stack.size() - 2];
      for (size_t c = 0; c < count; ++c) {
        left[c] = term.kind == MaskTerm::Kind::kAnd ? left[c] & right[c]
                                                    : left[c] | right[c];
      }
      stack.pop_back();
    }
    visit(begin, absl::MakeSpan(stack.back().data(), count));
    stack.clear();
  }
}

}  // namespace

absl::StatusOr<Inputs> GatherInputs(
    const FieldStore& fields, const MaskStore& masks, const Program& program,
    const std::map<std::string, std::string>& bindings) {
  Inputs inputs;
  for (const std::string& name : ReferencedFields(program)) {
    const auto binding = bindings.find(name);
    const bool bound = binding != bindings.end();
    absl::StatusOr<FieldInfo> info = fields.Get(bound ? binding->second : name);
    if (!info.ok()) {
      if (bound) {
        return Reword(info.status(), info.status().message())
            .At(absl::StrCat("bindings[\"", name, "\"]"));
      }
      continue;
    }
    inputs.catalog.fields.emplace(name,
                                  Catalog::FieldEntry{info->id, info->layout});
  }
  for (const std::string& name : ReferencedMasks(program)) {
    absl::StatusOr<PinnedMask> pin = masks.Pin(name);
    if (!pin.ok()) continue;
    inputs.catalog.masks.emplace(name, pin->info.shape);
    inputs.masks.emplace(name, *std::move(pin));
  }
  inputs.catalog.suggest_fields = [&fields](absl::string_view name) {
    return fields.Suggest(name);
  };
  inputs.catalog.suggest_masks = [&masks](absl::string_view name) {
    return masks.Suggest(name);
  };
  return inputs;
}

const MaskExpression& MaskOf(const Program& program, int32_t statement) {
  const Statement& s = program.statements[static_cast<size_t>(statement)];
  if (const auto* foreach = std::get_if<Foreach>(&s)) return foreach->mask;
  return std::get<Reduce>(s).mask;
}

MaskSize MeasureMask(const Inputs& inputs, const MaskExpression& expression) {
  const ColumnMap& first = FirstMask(inputs, expression);
  if (expression.size() == 1) return {first.num_active(), 0};
  MaskSize size;
  ForeachBlock(inputs, expression, [&](size_t, absl::Span<uint8_t> active) {
    size.num_active += std::count(active.begin(), active.end(), uint8_t{1});
  });
  size.map_bytes = ColumnMapBytes(static_cast<int64_t>(first.active.size()),
                                  size.num_active);
  return size;
}

std::shared_ptr<const ColumnMap> ResolveMask(const Inputs& inputs,
                                             const MaskExpression& expression) {
  if (expression.size() == 1) {
    return inputs.masks.at(expression[0].name).map;
  }
  const ColumnMap& first = FirstMask(inputs, expression);
  std::vector<uint8_t> combined(first.active.size());
  ForeachBlock(inputs, expression,
               [&](size_t begin, absl::Span<uint8_t> active) {
                 std::copy(active.begin(), active.end(),
                           combined.begin() + static_cast<ptrdiff_t>(begin));
               });
  return std::make_shared<const ColumnMap>(
      MakeColumnMap(first.shape, std::move(combined)));
}

}  // namespace layoutd
