#include "client/cpp/layoutctl/layout_options.h"

#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace layoutd::client {
namespace {

constexpr char kDataF[] = "DataF";

std::string LayoutNames() {
  std::string names = kDataF;
  const google::protobuf::EnumDescriptor& kinds = *v1::LayoutKind_descriptor();
  for (int k = 0; k < kinds.value_count(); ++k) {
    const int number = kinds.value(k)->number();
    if (number == v1::LAYOUT_KIND_UNSPECIFIED || number == v1::DATAF) continue;
    absl::StrAppend(&names, ", ", kinds.value(k)->name());
  }
  return names;
}

bool SetPoints(const std::string& axis, int64_t points, v1::Halo::Points* out) {
  if (axis == "v") {
    out->set_v(points);
  } else if (axis == "i") {
    out->set_i(points);
  } else if (axis == "j") {
    out->set_j(points);
  } else if (axis == "h") {
    out->set_h(points);
  } else {
    return false;
  }
  return true;
}

}  // namespace

std::string LayoutName(v1::LayoutKind kind) {
  return kind == v1::DATAF ? kDataF : v1::LayoutKind_Name(kind);
}

std::optional<v1::LayoutKind> ParseLayoutName(const std::string& name) {
  if (name == kDataF) return v1::DATAF;
  v1::LayoutKind kind = v1::LAYOUT_KIND_UNSPECIFIED;
  if (!v1::LayoutKind_Parse(name, &kind) || kind == v1::DATAF ||
      kind == v1::LAYOUT_KIND_UNSPECIFIED) {
    return std::nullopt;
  }
  return kind;
}

std::optional<v1::Halo> ParseHalo(const std::string& text) {
  v1::Halo halo;
  for (const std::string& part :
       std::vector<std::string>(absl::StrSplit(text, ','))) {
    const std::vector<std::string> sides = absl::StrSplit(part, '=');
    if (sides.size() != 2) return std::nullopt;
    const std::vector<std::string> counts = absl::StrSplit(sides[1], ':');
    int64_t low = 0;
    int64_t high = 0;
    if (counts.size() > 2 || !absl::SimpleAtoi(counts.front(), &low) ||
        !absl::SimpleAtoi(counts.back(), &high) ||
        !SetPoints(sides[0], low, halo.mutable_low()) ||
        !SetPoints(sides[0], high, halo.mutable_high())) {
      return std::nullopt;
    }
  }
  return halo;
}

void AddLayoutOptions(CLI::App& command, LayoutOptions& options) {
  command.add_option("--layout", options.layout, "Memory layout")
      ->check([](const std::string& text) {
        return ParseLayoutName(text)
                   ? ""
                   : absl::StrCat("no layout; known are ", LayoutNames());
      })
      ->capture_default_str();
  command.add_option("--type", options.type, "Value type: f64, (i64, f64) ...")
      ->required();
  command.add_option("--base", options.base, "Scalar type of a slot");
  command.add_option("--nv", options.nv, "Levels")->capture_default_str();
  command.add_option("--ni", options.ni, "Nodes along i")
      ->capture_default_str();
  command.add_option("--nj", options.nj, "Nodes along j")
      ->capture_default_str();
  command.add_option("--nh", options.nh, "Elements")->capture_default_str();
  command
      .add_option("--halo", options.halo,
                  "Ghost points: v=1,i=2 or LOW:HIGH as in v=1:0")
      ->check([](const std::string& text) {
        return ParseHalo(text) ? "" : "expected v=1,i=2 or v=1:0";
      });
  command.add_option("--align", options.align,
                     "Bytes that rows of the fastest axis fill");
  command.add_option("--plane-ni", options.plane_ni,
                     "VIH1, IH1JH2: nodes of an element along i");
  command.add_option("--plane-nj", options.plane_nj,
                     "IH1JH2: nodes of an element along j");
  command.add_flag("--static-nh", options.static_nh, "Nh belongs to the type");
}

v1::Layout LayoutOf(const LayoutOptions& options) {
  v1::Layout layout;
  layout.set_kind(
      ParseLayoutName(options.layout).value_or(v1::LAYOUT_KIND_UNSPECIFIED));
  layout.mutable_shape()->set_nv(options.nv);
  layout.mutable_shape()->set_ni(options.ni);
  layout.mutable_shape()->set_nj(options.nj);
  layout.mutable_shape()->set_nh(options.nh);
  layout.mutable_type()->set_text(options.type);
  layout.set_base_type(options.base);
  if (!options.halo.empty()) {
    *layout.mutable_halo() = ParseHalo(options.halo).value_or(v1::Halo());
  }
  layout.set_align_bytes(options.align);
  layout.set_plane_ni(options.plane_ni);
  layout.set_plane_nj(options.plane_nj);
  layout.set_static_nh(options.static_nh);
  return layout;
}

}  // namespace layoutd::client
