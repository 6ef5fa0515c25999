#include "engine/program/locate.h"

#include "absl/strings/str_cat.h"
#include "engine/base/reword.h"

namespace layoutd {
namespace {

std::string LineAndColumn(const SourcePosition& position) {
  return absl::StrCat("line ", position.line, ", column ", position.column);
}

absl::Status Locate(const absl::Status& status, const SourcePosition& position,
                    absl::string_view graph_path) {
  if (position.line == 0) {
    return Reword(status, status.message()).At(graph_path);
  }
  return Reword(status,
                absl::StrCat(LineAndColumn(position), ": ", status.message()))
      .With("line", absl::StrCat(position.line))
      .With("column", absl::StrCat(position.column))
      .At(absl::StrCat("program.text:", position.line, ":", position.column));
}

}  // namespace

absl::Status LocateNode(const absl::Status& status, const Program& program,
                        NodeIndex node) {
  return Locate(status, program.nodes[static_cast<size_t>(node)].position,
                absl::StrCat("program.nodes[", node, "]"));
}

absl::Status LocateStatement(const absl::Status& status,
                             const SourcePosition& position, size_t index) {
  return Locate(status, position,
                absl::StrCat("program.statements[", index, "]"));
}

std::string DescribePlace(const SourcePosition& position, size_t index) {
  if (position.line > 0) return LineAndColumn(position);
  return absl::StrCat("statement ", index);
}

}  // namespace layoutd
