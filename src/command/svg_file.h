// SPDX-License-Identifier: Apache-2.0
// SVG pictures on the command line.
#ifndef STOWAGE_SRC_COMMAND_SVG_FILE_H_
#define STOWAGE_SRC_COMMAND_SVG_FILE_H_

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "stowage/explain/plan_view.h"
#include "stowage/views/svg.h"

namespace stowage::cli {

struct SvgArgs {
  std::string path;  // the file; empty: none asked for
  absl::optional<size_t> width;
  absl::optional<size_t> height;
  absl::optional<views::SvgTheme> theme;
};

// --svg and --theme.
void AddSvg(CLI::App* verb, SvgArgs* args);
// --width and --height; `text` is what they are without --svg, for the help.
void AddSvgSize(CLI::App* verb, const std::string& text, SvgArgs* args);

// Error: InvalidArgument for a size that no picture has, and for a theme or, if
// `only_svg`, a size without --svg.
absl::Status CheckSvg(const SvgArgs& args, bool only_svg);

// Writes the file, if one is asked for. Error: what the system reports.
absl::Status WriteSvg(const SvgArgs& args, const views::PlanView& view);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_SVG_FILE_H_
