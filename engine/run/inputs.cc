#include "engine/run/inputs.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/base/reword.h"
#include "engine/base/status_macros.h"

namespace layoutd {

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

std::shared_ptr<const ColumnMap> ResolveMask(const Inputs& inputs,
                                             const MaskExpression& expression) {
  if (expression.size() == 1) {
    return inputs.masks.at(expression[0].name).map;
  }
  Shape shape;
  std::vector<std::vector<uint8_t>> stack;
  for (const MaskTerm& term : expression) {
    if (term.kind == MaskTerm::Kind::kMask) {
      const ColumnMap& map = *inputs.masks.at(term.name).map;
      shape = map.shape;
      stack.push_back(map.active);
      continue;
    }
    if (term.kind == MaskTerm::Kind::kNot) {
      for (uint8_t& active : stack.back()) active = active == 0 ? 1 : 0;
      continue;
    }
    const std::vector<uint8_t> right = std::move(stack.back());
    stack.pop_back();
    std::vector<uint8_t>& left = stack.back();
    for (size_t c = 0; c < left.size(); ++c) {
      const bool active = term.kind == MaskTerm::Kind::kAnd
                              ? left[c] != 0 && right[c] != 0
                              : left[c] != 0 || right[c] != 0;
      left[c] = active ? 1 : 0;
    }
  }
  return std::make_shared<const ColumnMap>(MakeColumnMap(shape, stack.back()));
}

}  // namespace layoutd
