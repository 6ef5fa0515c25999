#ifndef LAYOUTD_CLIENT_CPP_LAYOUTCTL_ARGUMENT_H_
#define LAYOUTD_CLIENT_CPP_LAYOUTCTL_ARGUMENT_H_

// Arguments of the command line, and what is wrong with them.

#include <string>
#include <vector>

namespace layoutd::client {

// A field, or a component of it, as the command line names it.
struct FieldReference {
  std::string id;
  std::string component;  // "u.2"; empty: the whole value
};

// Splits "ID.u.2" at its first dot: ids have none.
FieldReference ParseFieldReference(const std::string& text);

// Checks for options: each returns what is wrong with `text`, or nothing.
std::string CheckNotEmpty(const std::string& text);
std::string CheckFieldReference(const std::string& text);
std::string CheckTargetArgument(const std::string& text);

// Returns the arguments after the program's name. The values -inf and -nan of
// `fill`, which look like options, stand at the end after "--".
std::vector<std::string> ReadArguments(int argc, char** argv);

}  // namespace layoutd::client

#endif  // LAYOUTD_CLIENT_CPP_LAYOUTCTL_ARGUMENT_H_
