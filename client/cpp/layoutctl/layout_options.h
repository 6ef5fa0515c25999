#ifndef LAYOUTD_CLIENT_CPP_LAYOUTCTL_LAYOUT_OPTIONS_H_
#define LAYOUTD_CLIENT_CPP_LAYOUTCTL_LAYOUT_OPTIONS_H_

// Layouts on the command line: their names, and the options that make one.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "layoutd/v1/layout.pb.h"

namespace layoutd::client {

// "VIJFH", "DataF"
std::string LayoutName(v1::LayoutKind kind);
// Returns what `name` stands for, an old name included; nothing for others.
std::optional<v1::LayoutKind> ParseLayoutName(const std::string& name);

// Reads "v=1,i=2:0": as many ghost points before and after, or LOW:HIGH.
// Returns nothing for text of another form.
std::optional<v1::Halo> ParseHalo(const std::string& text);

struct LayoutOptions {
  std::string layout = "VIJFH";
  std::string type;
  std::string base;
  int64_t nv = 1, ni = 1, nj = 1, nh = 1;
  std::string halo;
  int64_t align = 0;
  int64_t plane_ni = 0, plane_nj = 0;
  bool static_nh = false;
};

// Adds the options of `field create` that say how the field is laid out.
// `options` outlive `command`.
void AddLayoutOptions(CLI::App& command, LayoutOptions& options);
v1::Layout LayoutOf(const LayoutOptions& options);

}  // namespace layoutd::client

#endif  // LAYOUTD_CLIENT_CPP_LAYOUTCTL_LAYOUT_OPTIONS_H_
