#include "engine/layout/layout_kind.h"

#include <iterator>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "engine/base/error.h"

namespace layoutd {
namespace {

struct KindRow {
  absl::string_view name;
  absl::string_view parent_axes;
  LayoutFamily family;
};

// In the order of LayoutKind.
constexpr KindRow kKinds[] = {
    {"DataF", "F", LayoutFamily::kDataF},
    {"VIJH", "VIJH", LayoutFamily::kVIJH},
    {"FVIJH", "FVIJH", LayoutFamily::kVIJH},
    {"VFIJH", "VFIJH", LayoutFamily::kVIJH},
    {"VIFJH", "VIFJH", LayoutFamily::kVIJH},
    {"VIJFH", "VIJFH", LayoutFamily::kVIJH},
    {"VIJHF", "VIJHF", LayoutFamily::kVIJH},
    {"VIH1", "VI", LayoutFamily::kVIH1},
    {"IH1JH2", "IJ", LayoutFamily::kIH1JH2},
};

struct OldName {
  absl::string_view name;
  LayoutName meaning;
};

constexpr OldName kOldNames[] = {
    {"VF", {LayoutKind::kVIJFH, "ijh"}}, {"IF", {LayoutKind::kVIJFH, "vjh"}},
    {"IJF", {LayoutKind::kVIJFH, "vh"}}, {"IJFH", {LayoutKind::kVIJFH, "v"}},
    {"IJHF", {LayoutKind::kVIJHF, "v"}}, {"VIFH", {LayoutKind::kVIJFH, "j"}},
    {"VIHF", {LayoutKind::kVIJHF, "j"}}, {"IFH", {LayoutKind::kVIJFH, "vj"}},
    {"IHF", {LayoutKind::kVIJHF, "vj"}},
};

const KindRow& RowOf(LayoutKind kind) {
  return kKinds[static_cast<size_t>(kind)];
}

}  // namespace

absl::string_view Name(LayoutKind kind) { return RowOf(kind).name; }

absl::string_view ParentAxes(LayoutKind kind) {
  return RowOf(kind).parent_axes;
}

LayoutFamily FamilyOf(LayoutKind kind) { return RowOf(kind).family; }

absl::StatusOr<LayoutFamily> CombineFamilies(LayoutFamily a, LayoutFamily b) {
  if (a == b || b == LayoutFamily::kDataF) return a;
  if (a == LayoutFamily::kDataF) return b;
  const auto name = [](LayoutFamily family) {
    return family == LayoutFamily::kVIJH   ? "VIJH"
           : family == LayoutFamily::kVIH1 ? "VIH1"
                                           : "IH1JH2";
  };
  return InvalidArgument(
      "LAYOUT_MISMATCH",
      absl::StrCat("fields of the layouts ", name(a), " and ", name(b),
                   " do not have the same points"));
}

std::optional<int> FDim(LayoutKind kind) {
  const size_t place = ParentAxes(kind).find('F');
  if (place == absl::string_view::npos) return std::nullopt;
  return static_cast<int>(place) + 1;
}

absl::StatusOr<LayoutName> ParseLayoutName(absl::string_view name) {
  std::string known;
  for (size_t k = 0; k < std::size(kKinds); ++k) {
    if (kKinds[k].name == name) {
      return LayoutName{static_cast<LayoutKind>(k), ""};
    }
    absl::StrAppend(&known, k > 0 ? ", " : "", kKinds[k].name);
  }
  for (const OldName& old : kOldNames) {
    if (old.name == name) return old.meaning;
    absl::StrAppend(&known, ", ", old.name);
  }
  return InvalidArgument(
      "UNKNOWN_LAYOUT",
      absl::StrCat("unknown layout \"", absl::CHexEscape(name.substr(0, 64)),
                   "\"; known are ", known));
}

}  // namespace layoutd
