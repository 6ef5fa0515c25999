#include "engine/access.h"

#include <variant>

namespace layoutd {
namespace {

void AddTarget(const Assignment& assignment,
               const std::map<std::string, std::string>& bindings,
               AccessSet* access) {
  if (assignment.kind == Assignment::Kind::kLet) return;
  const auto bound = bindings.find(assignment.target);
  access->writes.push_back(FieldResource(
      bound == bindings.end() ? assignment.target : bound->second));
}

}  // namespace

AccessSet AccessOf(const Program& program,
                   const std::map<std::string, std::string>& bindings) {
  AccessSet access;
  for (const Statement& statement : program.statements) {
    if (const auto* assignment = std::get_if<Assignment>(&statement)) {
      AddTarget(*assignment, bindings, &access);
    } else if (const auto* loop = std::get_if<Foreach>(&statement)) {
      for (const Assignment& inner : loop->body) {
        AddTarget(inner, bindings, &access);
      }
    }
  }
  for (const std::string& name : ReferencedFields(program)) {
    const auto bound = bindings.find(name);
    access.reads.push_back(
        FieldResource(bound == bindings.end() ? name : bound->second));
  }
  for (const std::string& name : ReferencedMasks(program)) {
    access.reads.push_back(MaskResource(name));
  }
  return access;
}

}  // namespace layoutd
