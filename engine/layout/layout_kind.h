#ifndef LAYOUTD_ENGINE_LAYOUT_LAYOUT_KIND_H_
#define LAYOUTD_ENGINE_LAYOUT_LAYOUT_KIND_H_

// The layout kinds: the order of axes in memory. In a name such as VIJFH the
// first letter varies fastest.
// Source: ClimaCore.jl src/DataLayouts.

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace layoutd {

// The kinds with an F axis stand in order of its place, which is what a new
// field takes from several operands: the outermost, and none before any.
enum class LayoutKind : uint8_t {
  kDataF,  // one value: parent axes (F)
  kVIJH,   // values of one slot: no F axis
  kFVIJH,
  kVFIJH,
  kVIFJH,
  kVIJFH,
  kVIJHF,
  kVIH1,    // a plane of levels and nodes in a row of elements: (V, I * H1)
  kIH1JH2,  // a plane of nodes of a square of elements: (I * H1, J * H2)
};

// Kinds that may stand in one expression. A DataF goes with every family.
enum class LayoutFamily : uint8_t { kDataF, kVIJH, kVIH1, kIH1JH2 };

absl::string_view Name(LayoutKind kind);

// Returns the axes of the parent array, first letter fastest, of "VIJHF". The I
// of a plane counts the nodes of all elements along it, and so does its J.
absl::string_view ParentAxes(LayoutKind kind);

LayoutFamily FamilyOf(LayoutKind kind);

// Returns the family of an expression over both.
// Errors: InvalidArgument (LAYOUT_MISMATCH) — different ones, neither kDataF.
absl::StatusOr<LayoutFamily> CombineFamilies(LayoutFamily a, LayoutFamily b);

// Returns the 1-based place of F among the parent axes; nothing without one.
std::optional<int> FDim(LayoutKind kind);

// A kind, and for an old name the axes that it leaves out.
struct LayoutName {
  LayoutKind kind = LayoutKind::kVIJFH;
  absl::string_view absent_axes;  // of "vijh": their extents are 1
};

// Returns what `name` stands for: a kind, or one of the old names VF, IF, IJF,
// IJFH, IJHF, VIFH, VIHF, IFH, IHF.
// Errors: InvalidArgument (UNKNOWN_LAYOUT) — lists the known names.
absl::StatusOr<LayoutName> ParseLayoutName(absl::string_view name);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_LAYOUT_LAYOUT_KIND_H_
