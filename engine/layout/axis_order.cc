#include "engine/layout/axis_order.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "engine/base/error.h"

namespace layoutd {
namespace {

struct OrderName {
  absl::string_view name;
  AxisOrder order;
};

constexpr OrderName kNames[] = {
    {"leftmost", AxisOrder::kLeftmost},
    {"fortran", AxisOrder::kLeftmost},
    {"fzyx", AxisOrder::kLeftmost},
    {"soa", AxisOrder::kLeftmost},
    {"rightmost", AxisOrder::kRightmost},
    {"c", AxisOrder::kRightmost},
    {"numpy", AxisOrder::kRightmost},
    {"zyxf", AxisOrder::kZyxf},
    {"aos", AxisOrder::kZyxf},
};

constexpr OrderName kOldNames[] = {
    {"fzyx", AxisOrder::kLeftmost}, {"soa", AxisOrder::kLeftmost},
    {"f", AxisOrder::kLeftmost},    {"reverse_numpy", AxisOrder::kLeftmost},
    {"c", AxisOrder::kRightmost},   {"numpy", AxisOrder::kRightmost},
    {"zyxf", AxisOrder::kZyxf},     {"aos", AxisOrder::kZyxf},
};

absl::StatusOr<AxisOrder> Find(absl::Span<const OrderName> names,
                               absl::string_view name) {
  std::string known;
  for (const OrderName& row : names) {
    if (absl::EqualsIgnoreCase(row.name, name)) return row.order;
    absl::StrAppend(&known, known.empty() ? "" : ", ", row.name);
  }
  return InvalidArgument("UNKNOWN_AXIS_ORDER",
                         absl::StrCat("unknown order of axes \"",
                                      absl::CHexEscape(name.substr(0, 64)),
                                      "\"; known are ", known));
}

}  // namespace

absl::string_view Name(AxisOrder order) {
  switch (order) {
    case AxisOrder::kLeftmost:
      return "leftmost";
    case AxisOrder::kRightmost:
      return "rightmost";
    case AxisOrder::kZyxf:
      return "zyxf";
  }
  return "";
}

absl::StatusOr<AxisOrder> ParseAxisOrder(absl::string_view name) {
  return Find(kNames, name);
}

absl::StatusOr<AxisOrder> ParseOldAxisOrder(absl::string_view name) {
  return Find(kOldNames, name);
}

std::vector<int> AxesFromFastest(const BufferOrder& order, int num_axes) {
  std::vector<int> axes(static_cast<size_t>(num_axes));
  std::iota(axes.begin(), axes.end(), 0);
  switch (order.axes) {
    case AxisOrder::kLeftmost:
      break;
    case AxisOrder::kRightmost:
      std::reverse(axes.begin(), axes.end());
      break;
    case AxisOrder::kZyxf:
      // x y z s t -> t s z y x -> t s x y z
      std::reverse(axes.begin(), axes.end());
      std::reverse(axes.begin() + order.num_tensor_axes, axes.end());
      break;
  }
  return axes;
}

}  // namespace layoutd
