// SPDX-License-Identifier: Apache-2.0
// Adds the options for SVG pictures, and writes the pictures.
#ifndef STOWAGE_SRC_COMMAND_SVG_FILE_H_
#define STOWAGE_SRC_COMMAND_SVG_FILE_H_

#include <CLI/CLI.hpp>
#include <cstddef>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "stowage/explain/plan_view.h"
#include "stowage/views/svg.h"

namespace stowage::cli {

struct SvgArgs {
  std::string path;  // no file is written if it is empty
  absl::optional<size_t> width;
  absl::optional<size_t> height;
  absl::optional<views::SvgTheme> theme;
};

// Adds --svg and --theme.
void AddSvg(CLI::App* verb, SvgArgs* args);
// Adds --width and --height. In the help, `text` describes the effect of these
// options without --svg.
void AddSvgSize(CLI::App* verb, const std::string& text, SvgArgs* args);

// Returns InvalidArgument if a size is given that is below `least` or above
// `max`. The error message ends with `unit`.
absl::Status CheckSize(const char* option, const absl::optional<size_t>& size,
                       size_t least, size_t max, const char* unit = "");

// Returns InvalidArgument if a picture cannot have the given size, or if a
// theme is given without --svg. If `only_svg` is true, a size without --svg is
// also an error.
absl::Status CheckSvg(const SvgArgs& args, bool only_svg);

// If a path is given, writes the picture that `draw` returns to the file.
// Errors: those of `draw` and of the system.
absl::Status WriteSvgOf(
    const SvgArgs& args,
    const std::function<absl::StatusOr<std::string>(const views::SvgOptions&)>&
        draw);

// Writes the picture of a plan, if a path is given.
absl::Status WriteSvg(const SvgArgs& args, const views::PlanView& view);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_SVG_FILE_H_
