// SPDX-License-Identifier: Apache-2.0
#include "src/command/picture_files.h"

#include <CLI/CLI.hpp>
#include <vector>

#include "absl/status/status.h"
#include "src/command/event_file.h"
#include "src/command/options.h"
#include "src/command/output_files.h"
#include "src/command/svg_file.h"
#include "stowage/explain/plan_view.h"
#include "stowage/io/write_file.h"
#include "stowage/views/page.h"
#include "stowage/write_text.h"

namespace stowage::cli {

void AddPictureFiles(CLI::App* verb, PictureFiles* files) {
  AddParsed(verb, "--html", "FILE",
            "Write the plan here as an HTML page, as stowage report does",
            ParseOutputFile, &files->html);
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
