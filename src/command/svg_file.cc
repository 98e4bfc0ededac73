// SPDX-License-Identifier: Apache-2.0
#include "src/command/svg_file.h"

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/command/options.h"
#include "src/command/output_files.h"
#include "stowage/explain/plan_view.h"
#include "stowage/io/write_file.h"
#include "stowage/views/svg.h"

namespace stowage::cli {
namespace {

absl::Status CheckPixels(const char* option,
                         const absl::optional<size_t>& pixels, size_t least) {
  if (!pixels || (*pixels >= least && *pixels <= views::kSvgMost)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(option, ": ", *pixels,
                                                 "; expected ", least, " to ",
                                                 views::kSvgMost, " pixels"));
}

}  // namespace

void AddSvg(CLI::App* verb, SvgArgs* args) {
  AddValue(verb, "--svg", "FILE", "Write a picture of the plan here, as SVG",
           [args](const std::string& path) {
             if (path.empty() || path == "-" || IsStandardOutput(path)) {
               return absl::InvalidArgumentError(
                   absl::StrCat("'", path, "'; expected the name of a file"));
             }
             args->path = path;
             return absl::OkStatus();
           });
  AddValue(verb, "--theme", "light|dark|auto",
           "Colours of the picture: auto, the default, follows the reader's",
           [args](const std::string& value) {
             if (value == "light") {
               args->theme = views::SvgTheme::kLight;
             } else if (value == "dark") {
               args->theme = views::SvgTheme::kDark;
             } else if (value == "auto") {
               args->theme = views::SvgTheme::kAuto;
             } else {
               return absl::InvalidArgumentError(
                   absl::StrCat("'", value, "'; expected light, dark or auto"));
             }
             return absl::OkStatus();
           });
}

void AddSvgSize(CLI::App* verb, const std::string& text, SvgArgs* args) {
  AddParsed(verb, "--width", "N",
            absl::StrCat("Width of the picture in pixels (960)", text),
            ParsePositive, &args->width);
  AddParsed(verb, "--height", "N",
            absl::StrCat("Height of the picture in pixels (320)", text),
            ParsePositive, &args->height);
}

absl::Status CheckSvg(const SvgArgs& args, bool only_svg) {
  if (!args.path.empty()) {
    absl::Status s = CheckPixels("--width", args.width, views::kSvgLeastWidth);
    if (s.ok()) {
      s = CheckPixels("--height", args.height, views::kSvgLeastHeight);
    }
    return s;
  }
  const bool has_size = args.width || args.height;
  if (!args.theme && !(only_svg && has_size)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(args.theme   ? "--theme"
                   : args.width ? "--width"
                                : "--height",
                   ": no picture; expected --svg FILE"));
}

absl::Status WriteSvg(const SvgArgs& args, const views::PlanView& view) {
  if (args.path.empty()) return absl::OkStatus();
  views::SvgOptions options;
  options.width = args.width.value_or(options.width);
  options.height = args.height.value_or(options.height);
  options.theme = args.theme.value_or(options.theme);
  const absl::StatusOr<std::string> svg = views::PlanSvg(view, options);
  return svg.ok() ? WriteFile(args.path, *svg) : svg.status();
}

}  // namespace stowage::cli
