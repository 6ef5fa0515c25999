#ifndef LAYOUTD_ENGINE_ACCESS_H_
#define LAYOUTD_ENGINE_ACCESS_H_

// What an operation touches, as the scheduler sees it.

#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "engine/program/graph.h"
#include "engine/run/scheduler.h"

namespace layoutd {

// Resource names: fields and masks have ids of their own.
inline std::string FieldResource(absl::string_view id) {
  return absl::StrCat("fields/", id);
}
inline std::string MaskResource(absl::string_view id) {
  return absl::StrCat("masks/", id);
}

// Returns what `program` reads and writes: every target of a store or `new` is
// written, every other name may be a field that is read.
AccessSet AccessOf(const Program& program,
                   const std::map<std::string, std::string>& bindings);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_ACCESS_H_
