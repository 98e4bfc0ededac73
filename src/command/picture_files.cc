// SPDX-License-Identifier: Apache-2.0
#include "src/command/picture_files.h"

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "src/command/event_file.h"
#include "src/command/options.h"
#include "src/command/output_files.h"
#include "src/command/svg_file.h"
#include "stowage/explain/plan_view.h"
#include "stowage/io/write_file.h"
#include "stowage/views/page.h"
#include "stowage/write_text.h"

namespace stowage::cli {
namespace {

void AddPictureFile(CLI::App* verb, const std::string& name,
                    const std::string& help, std::string* target) {
  AddValue(verb, name, "FILE", help, [target](const std::string& path) {
    if (path.empty() || path == "-" || IsStandardOutput(path)) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", path, "'; expected the name of a file"));
    }
    *target = path;
    return absl::OkStatus();
  });
}

}  // namespace

void AddPictureFiles(CLI::App* verb, PictureFiles* files) {
  AddPictureFile(verb, "--html",
                 "Write the plan as a page to look into here, as stowage "
                 "report does",
                 &files->html);
  AddEventFile(verb, &files->events);
  AddSvg(verb, &files->svg);
  AddSvgSize(verb, "", &files->svg);
}

bool IsAnyAskedFor(const PictureFiles& files) {
  return !files.html.empty() || !files.events.path.empty() ||
         !files.svg.path.empty();
}

absl::Status CheckPictureFiles(const PictureFiles& files) {
  return CheckSvg(files.svg, /*only_svg=*/true);
}

std::vector<OutputFile> OutputsOf(const PictureFiles& files) {
  return {{"--html", files.html},
          {"--perfetto", files.events.path},
          {"--svg", files.svg.path}};
}

absl::Status WritePictureFiles(const PictureFiles& files,
                               const views::PlanView& plan) {
  if (absl::Status s = WriteEventFile(files.events, {plan}); !s.ok()) return s;
  if (absl::Status s = WriteSvg(files.svg, plan); !s.ok()) return s;
  if (files.html.empty()) return absl::OkStatus();
  return WriteFileInPieces(files.html, [&](const WriteText& write) {
    return views::WritePage({plan}, {}, write);
  });
}

}  // namespace stowage::cli
