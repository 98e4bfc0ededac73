// SPDX-License-Identifier: Apache-2.0
#include "src/command/svg_file.h"

#include <CLI/CLI.hpp>
#include <cstddef>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/command/options.h"
#include "stowage/explain/plan_view.h"
#include "stowage/io/write_file.h"
#include "stowage/views/svg.h"

namespace stowage::cli {

void AddSvg(CLI::App* verb, SvgArgs* args) {
  AddParsed(verb, "--svg", "FILE", "Write a picture of the plan here, in SVG",
            ParseOutputFile, &args->path);
  AddChoice(verb, "--theme",
            {{"light", views::SvgTheme::kLight},
             {"dark", views::SvgTheme::kDark},
             {"auto", views::SvgTheme::kAuto}},
            "Colours of the picture; auto, the default, follows the reader's "
            "light or dark mode",
            &args->theme);
}

void AddSvgSize(CLI::App* verb, const std::string& text, SvgArgs* args) {
  AddParsed(verb, "--width", "N",
            absl::StrCat("Width of the picture in pixels (default 960)", text),
            ParsePositive, &args->width);
  AddParsed(verb, "--height", "N",
            absl::StrCat("Height of the picture in pixels (default 320)", text),
            ParsePositive, &args->height);
}

absl::Status CheckSize(const char* option, const absl::optional<size_t>& size,
                       size_t least, size_t max, const char* unit) {
  if (!size || (*size >= least && *size <= max)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      option, ": ", *size, "; expected ", least, " to ", max, unit));
}

absl::Status CheckSvg(const SvgArgs& args, bool only_svg) {
  if (!args.path.empty()) {
    absl::Status s = CheckSize("--width", args.width, views::kSvgLeastWidth,
                               views::kSvgMost, " pixels");
    return s.ok() ? CheckSize("--height", args.height, views::kSvgLeastHeight,
                              views::kSvgMost, " pixels")
                  : s;
  }
  const bool has_size = args.width || args.height;
  if (!args.theme && !(only_svg && has_size)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(args.theme   ? "--theme"
                   : args.width ? "--width"
                                : "--height",
                   ": no picture; expected --svg FILE"));
}

absl::Status WriteSvgOf(
    const SvgArgs& args,
    const std::function<absl::StatusOr<std::string>(const views::SvgOptions&)>&
        draw) {
  if (args.path.empty()) return absl::OkStatus();
  views::SvgOptions options;
  options.width = args.width.value_or(options.width);
  options.height = args.height.value_or(options.height);
  options.theme = args.theme.value_or(options.theme);
  const absl::StatusOr<std::string> svg = draw(options);
  return svg.ok() ? WriteFile(args.path, *svg) : svg.status();
}

absl::Status WriteSvg(const SvgArgs& args, const views::PlanView& view) {
  return WriteSvgOf(args, [&view](const views::SvgOptions& options) {
    return views::PlanSvg(view, options);
  });
}

}  // namespace stowage::cli
